import math

FEE = 0.25


class Till:
    def total(self, prices):
        return sum(prices)

    def round(self, value):
        return math.floor(value)
