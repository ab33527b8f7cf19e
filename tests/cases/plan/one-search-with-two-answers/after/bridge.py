def toll(axles):
    return axles * 5


def weight(axles):
    return axles / 2
