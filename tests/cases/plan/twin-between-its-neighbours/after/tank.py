def fill(self, litres):
    level = self.level + litres
    self.count += 1
    self.level = min(level, self.size)


def drain(self, litres):
    level = self.level - litres / 2
    self.count += litres
    self.level = max(level, self.least)
