"""The shelf."""

WIDTH = 4


def free(books):
    return WIDTH - len(books)
