def tide(day):
    level = read(day, unit="cm")
    return level


def moon(day):
    return day % 29
