"""The menu of the kiosk."""

PRICES = {"tea": 3, "soup": 7}


def price(plate):
    return PRICES[plate]


def total(platees):
    return sum(price(plate) for plate in platees)
