class Kettle:
    def fill(self, litres):
        level = litres
        return level


class Pan(Kettle):
    def fill(self, litres):
        level = litres * 2
        return level
