ship = {'name': "Ilse"}
moor(ship, "north", 40)
