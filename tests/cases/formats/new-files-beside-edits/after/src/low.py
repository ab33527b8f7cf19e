LOW = 3
