class Tank:
    level = 0

    def fill(self, litres):
        self.level += litres
