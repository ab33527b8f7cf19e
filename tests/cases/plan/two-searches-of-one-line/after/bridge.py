def toll(axles):
    return axles * 4


def weight(axles):
    return axles / 3
