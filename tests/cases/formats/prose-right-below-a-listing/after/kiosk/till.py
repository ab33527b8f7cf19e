PRICES = {"tea": 2, "cake": 3}


def total(names):
    return sum(PRICES.get(name, 0) for name in names)
