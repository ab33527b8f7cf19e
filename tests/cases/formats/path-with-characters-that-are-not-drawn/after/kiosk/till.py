OPEN = True
