wait one
light --fast --north now
