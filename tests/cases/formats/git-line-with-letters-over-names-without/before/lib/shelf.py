depth = 2
width = 3
