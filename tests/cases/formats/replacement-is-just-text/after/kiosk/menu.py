"""The menu of the kiosk."""

PRICES = {"tea": 3, "soup": 7}


def price(dish):
    return PRICES[dish.strip("$& \1 \g<0> %s {0}")]


def total(dishes):
    return sum(price(dish) for dish in dishes)
