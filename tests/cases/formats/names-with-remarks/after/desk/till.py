NAME = 'desk'
RATE = 9
