def settle(toll, ferry):
    ferry.moor()
    cars = ferry.cars()
    weight = sum(car.weight for car in cars)
    fare = toll.fare(weight)
    rebate = toll.rebate(len(cars))
    return fare - rebate
