RATE = 0.2
LIMIT = 100
NAME = 'till'
