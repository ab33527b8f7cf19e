def tide(day):
    level = read(day)
    return level
