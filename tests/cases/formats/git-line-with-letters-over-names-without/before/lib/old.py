gone = 1
