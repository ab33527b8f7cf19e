open = 8
