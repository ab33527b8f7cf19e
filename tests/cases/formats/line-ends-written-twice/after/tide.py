def tide(day):
    level = read(day, "cm")
    level += 1
    return level
