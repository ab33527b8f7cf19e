def fill(tank, litres):
    level = tank.level + litres
    tank.open()
    tank.set(level)
    return level
