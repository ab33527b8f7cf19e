depth = 2
if depth:
    width = 4
