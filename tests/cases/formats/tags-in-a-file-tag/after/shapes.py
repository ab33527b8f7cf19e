"""Areas of shapes."""

import math


def circle(radius):
    return math.pi * radius * radius


def square(side):
    return side * side
