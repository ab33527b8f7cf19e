class Tank:
    def fill(self, litres):
        if self.level + litres > self.volume:
            raise ValueError("too small")
        self.level += litres
