package b

var x = y &amp; 1
