import os

LIMIT = 20


class Reader(Protocol):
    def read(self) -> str:
        ...


def load(x):
    y = x + LIMIT
    return y


def save(x):
    z = x - 1
    return z
