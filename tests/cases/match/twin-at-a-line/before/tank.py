def fill(self, litres):
    level = self.level + litres
    self.count += 1
    self.level = min(level, self.size)


def drain(self, litres):
    level = self.level - litres
    self.count += 1
    self.level = max(level, 0)
