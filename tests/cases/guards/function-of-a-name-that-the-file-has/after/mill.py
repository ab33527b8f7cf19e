def grind(corn):
    """Return the flour of some corn."""
    return [grain.crush() for grain in corn]


def load(cart, sacks, driver):
    for sack in sacks:
        cart.take(sack)
    return cart.weight


def weigh(sacks):
    return sum(sack.weight for sack in sacks)


def load(cart, sacks):
    cart.take(sacks)
    return cart.weight
