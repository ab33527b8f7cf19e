class Tank:
    """Holds water, in litres."""

    def __init__(self, volume):
        self.volume = volume
        self.level = 0

    def fill(self, litres):
        self.level = min(self.level + litres, self.volume)

    def drain(self, litres):
        if litres > self.level:
            raise ValueError("the tank is too empty")
        self.level -= litres
