"""The menu of the kiosk."""

PRICES = {"tea": 3, "soup": 7}


def price(dish):
    return PRICES[dish]


def total(dishes):
    return sum(price(dish) for dish in dishes)
