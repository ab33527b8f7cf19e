FEE = 0.3
RATE = 1.5


def due(amount):
    return round(amount * RATE + FEE, 2)
