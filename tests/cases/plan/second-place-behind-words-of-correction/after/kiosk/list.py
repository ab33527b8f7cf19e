def a():
    x = 2
    return x


def b():
    x = 2
    return x
