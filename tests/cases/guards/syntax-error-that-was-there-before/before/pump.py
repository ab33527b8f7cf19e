def fill(tank, litres):
    level = tank.level + litres
    tank.set(level)
    return level
def empty(tank:
