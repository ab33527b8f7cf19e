OPEN = 8


def price(dish):
    return 4


def tip(dish):
    return 1
