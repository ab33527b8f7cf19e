class Kettle:
    def fill(self, litres):
        level = litres
        return level


class Pan:
    def fill(self, litres):
        level = litres * 3
        return level
