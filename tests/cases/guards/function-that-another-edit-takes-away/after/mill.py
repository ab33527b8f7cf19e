def grind(corn):
    """Return the flour of some corn."""
    return [grain.crush() for grain in corn]


def load(cart, sacks):
    for sack in sacks:
        cart.take(sack)
    return cart.weight


def weigh(sacks):
    return sum(sack.weight for sack in sacks)
