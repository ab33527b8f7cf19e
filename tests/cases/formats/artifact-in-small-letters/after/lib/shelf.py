"""The shelf."""

WIDTH = 3


def free(books):
    return WIDTH - len(books)
