import sys


# how corn is ground
@cache
@timed
def grind(corn):
    return corn * 2


def sell(flour):
    return flour + 1


def rest():
    return None
