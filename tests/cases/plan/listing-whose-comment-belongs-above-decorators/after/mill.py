import sys


# grinds corn thrice
@cache
@timed
def grind(corn):
    return corn * 3


def sell(flour):
    return flour + 3


def rest():
    return None
