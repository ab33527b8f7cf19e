def sum(cost, tax):
    total = cost + tax
    return total  # сумма
