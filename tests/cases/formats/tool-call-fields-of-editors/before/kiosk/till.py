RATE = 0.19


def total(prices):
    return sum(prices)


def change(paid, due):
    return paid - due


def receipt(prices):
    log("till")
    return f"{total(prices)} EUR"
