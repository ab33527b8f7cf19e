hours = 12
lamp = light("north", hours + 1)
