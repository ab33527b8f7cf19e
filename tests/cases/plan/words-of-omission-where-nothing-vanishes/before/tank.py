def fill(tank):
    tank.level = 1


def drain(tank):
    tank.level = 0
