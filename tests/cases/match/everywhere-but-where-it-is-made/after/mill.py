mill.grind(3)
mill.grind(5)
remill.grind(2)
mill.grind(4)
