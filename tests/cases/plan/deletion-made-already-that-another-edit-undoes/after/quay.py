def moor(ship, quay):
    """Moor the ship and return its berth."""
    berth = quay.free_berth(ship.length)
    ship.lines.fasten(berth)
    quay.book.add(ship.name, berth)
    return berth
