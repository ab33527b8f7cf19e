import functools


@functools.cache
@checked(
    "n",
)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def twice(n):
    return 2 * n


class Tree:
    def depth(self):
        return 2
