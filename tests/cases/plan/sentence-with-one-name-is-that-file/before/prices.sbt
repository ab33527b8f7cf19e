open = 9
