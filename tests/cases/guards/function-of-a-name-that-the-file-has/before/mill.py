def grind(corn):
    """Return the flour of some corn."""
    return [grain.crush() for grain in corn]


def weigh(sacks):
    return sum(sack.weight for sack in sacks)


def load(cart, sacks):
    cart.take(sacks)
    return cart.weight
