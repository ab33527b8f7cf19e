OPEN = 8


def price(dish):
    return 4
