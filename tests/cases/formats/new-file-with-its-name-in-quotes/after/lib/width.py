width = 3
