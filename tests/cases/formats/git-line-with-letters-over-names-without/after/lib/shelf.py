depth = 2
width = 4
