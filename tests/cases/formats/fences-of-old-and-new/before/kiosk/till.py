RATE = 0.19
LIMIT = 100
NAME = 'till'
OPEN = True
