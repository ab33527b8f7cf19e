UTC = 0
