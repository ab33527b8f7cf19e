RATE = 0.2


def total(prices):
    return round(sum(prices), 2)


def change(paid, due):
    return round(paid - due, 2)


def receipt(prices):
    log("receipt")
    return f"{total(prices)} EUR"
