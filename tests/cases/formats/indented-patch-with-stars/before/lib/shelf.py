depth = 2
if depth:
    width = 3
