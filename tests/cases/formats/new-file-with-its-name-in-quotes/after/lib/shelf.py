depth = 2
