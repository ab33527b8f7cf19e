strikes = 12
