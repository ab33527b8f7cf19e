def half(cups):
    return cups / 2


print(half(4))
