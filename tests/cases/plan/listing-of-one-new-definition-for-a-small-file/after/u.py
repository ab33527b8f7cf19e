import os


def one():
    return 1


def two():
    return os.sep
