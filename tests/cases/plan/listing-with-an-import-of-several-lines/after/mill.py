import sys
from re import (
    sub,
)


def grind(corn):
    return sub(corn)


def sell(flour):
    return flour + 3


def rest():
    return None
