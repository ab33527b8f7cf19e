"""Areas of shapes."""


def circle(radius):
    return 3.14 * radius * radius


def square(side):
    return side * side
