import json


class Till:
    def __init__(self):
        self.sold = []

    def add(self, item):
        self.sold.append(item)

    def total(self):
        return sum(item.price for item in self.sold)


def load(path):
    with open(path) as f:
        return json.load(f)
