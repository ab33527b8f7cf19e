PRICE = 3
NAME = "till"
OPEN = True
