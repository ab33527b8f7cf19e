PRICE = 3
NAME = "desk"
