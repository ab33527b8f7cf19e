grind(3)
mill.grind(5)
regrind(2)
grind(4)
