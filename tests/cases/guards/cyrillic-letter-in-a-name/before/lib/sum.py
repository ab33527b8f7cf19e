def sum(cost, tax):
    total = cost
    return total  # сумма
