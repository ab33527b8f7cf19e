def moor_0(ship):
    ship.rope = 0


def moor_1(ship):
    ship.rope = 1


def moor_2(ship):
    ship.rope = 2


def moor_3(ship):
    ship.rope = 3


def moor_4(ship):
    ship.rope = 4


def moor_5(ship):
    ship.rope = 5


def moor_6(ship):
    ship.rope = 6


def moor_7(ship):
    ship.rope = 7
