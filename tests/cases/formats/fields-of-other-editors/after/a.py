import sys


def first():
    return 1


def g():
    return first()
