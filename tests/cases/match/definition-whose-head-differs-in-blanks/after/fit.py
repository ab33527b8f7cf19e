def fit(x, y, degree=1, *, weights=None, ridge=0.0):
    size = len(x)
    check(size == len(y), "the lengths differ")
    return solve(powers(x, degree), y, ridge)


def predict(x, coefficients):
    return [value(coefficients, at) for at in x]
