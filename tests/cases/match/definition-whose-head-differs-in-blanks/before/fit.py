def fit(x, y, degree=1, *, weights=None):
    size = len(x)
    check(size == len(y), "the lengths differ")
    return solve(powers(x, degree), y)


def predict(x, coefficients):
    return [value(coefficients, at) for at in x]
