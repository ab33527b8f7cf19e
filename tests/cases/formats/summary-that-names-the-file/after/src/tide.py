def tide(day):
    level = read(day, "cm")
    return level
