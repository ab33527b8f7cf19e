"""Prices."""

import math
import statistics


def total(items):
    result = 0
    for item in items:
        result += item.price
    return result


def average(items):
    # of all of them
    return total(items) / len(items)
