COINS = (1, 2)
