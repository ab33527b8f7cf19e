RATES = {
    "oak": 3,
    "elm": 4,
    "ash": 5,
    "yew": 6,
    "fir": 7,
}


def rate(tree):
    return RATES[tree]
