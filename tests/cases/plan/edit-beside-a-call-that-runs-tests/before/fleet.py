boats = 3
