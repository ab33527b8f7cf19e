PRICE = 3
NAME = "till"
