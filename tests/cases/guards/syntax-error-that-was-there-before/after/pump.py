def fill(tank, litres):
    level = tank.level + litres
    tank.put(level)
    return level
def empty(tank:
