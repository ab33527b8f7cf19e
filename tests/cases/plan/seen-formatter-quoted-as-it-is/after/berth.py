ship = {'name': "Ilse"}
moor(ship, "south", 40)
