def tide(day):
    level = read(day)
    return level


def moon(day):
    return day % 29
