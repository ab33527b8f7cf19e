NAME = 'till'
RATE = 7
