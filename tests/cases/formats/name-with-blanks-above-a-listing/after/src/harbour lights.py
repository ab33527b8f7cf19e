lit = True
