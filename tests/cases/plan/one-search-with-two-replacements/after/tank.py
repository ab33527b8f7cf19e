class Tank:
    level = 0

    def fill(self, litres=1):
        self.level += abs(litres)
