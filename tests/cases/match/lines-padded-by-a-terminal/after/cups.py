def half(cups):
    """Half of them."""
    return cups / 2


def third(cups):
    return cups / 3


print(half(4))
