PRICES = {"tea": 3}


def price(dish):
    return PRICES[dish]


def total(dishes):
    return sum(price(dish) for dish in dishes)
