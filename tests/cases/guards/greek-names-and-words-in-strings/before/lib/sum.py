def sum(cost):
    total = cost
