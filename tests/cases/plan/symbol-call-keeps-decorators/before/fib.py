import functools


@functools.cache
@checked(
    "n",
)
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


class Tree:
    def depth(self):
        return 1
