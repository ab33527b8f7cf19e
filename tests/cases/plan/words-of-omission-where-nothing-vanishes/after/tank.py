def fill(tank):
    # unchanged since version 2
    tank.level = tank.volume


def drain(tank):
    tank.level = 0
