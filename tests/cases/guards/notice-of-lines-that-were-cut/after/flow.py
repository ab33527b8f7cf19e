def flow(rate):
    litres = rate + 1
    total = litres * 2
    return total
