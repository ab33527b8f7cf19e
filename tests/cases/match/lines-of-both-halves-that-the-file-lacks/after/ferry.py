def board(ferry, cars):
    """Take the cars aboard and return what they pay."""
    paid = 0
    for car in sorted(cars, key=weight):
        if not ferry.has_room(car):
            # The rest waits for the next crossing
            ferry.waiting.append(car)
            continue
        ferry.lanes[car.lane].append(car)
        paid += toll(car)
    journal.write(f"{len(cars)} cars, {paid:.2f} paid")
    return paid
