def fill(tank):
    tank.level = tank.volume


def drain(tank):
    tank.level = 0
