height = 4
