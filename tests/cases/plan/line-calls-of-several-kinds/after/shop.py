"""Prices."""


def total(items):
    result = sum(item.price for item in items)
    return result


def average(items):
    return total(items) / len(items)


def most(items):
    return max(item.price for item in items)
