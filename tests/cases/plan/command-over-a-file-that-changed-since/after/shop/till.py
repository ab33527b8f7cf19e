PRICE = 4
NAME = "till"
OPEN = True
