package b

var x = y
