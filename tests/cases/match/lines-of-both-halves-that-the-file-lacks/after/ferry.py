def board(ferry, cars):
    """Take the cars aboard and return what they pay."""
    paid = 0
    for car in sorted(cars, key=weight):
        ferry.lanes[car.lane].append(car)
        paid += toll(car)
    journal.write(f"{len(cars)} cars, {paid} paid")
    return paid
