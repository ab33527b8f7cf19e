HOURS = range(9, 18)
