PRICE = 4
NAME = "till"
