boats = 4
