def fire(kiln, pots):
    """Fire the pots and return the good ones."""
    kiln.close()
    kiln.heat(1200)
    for pot in pots:
        pot.glaze()
    kiln.open()
    return [pot for pot in pots if pot.whole and pot.dry]


def cool(kiln):
    kiln.wait()
