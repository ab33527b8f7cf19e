import sys


def load(path):
    text = open(path).read()
    rows = text.splitlines()
    numbers = [float(row) for row in rows]
    print("read", len(rows), file=sys.stderr)
    return numbers


def total(path):
    return sum(load(path))
