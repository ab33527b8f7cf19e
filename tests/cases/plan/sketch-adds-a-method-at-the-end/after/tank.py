class Tank:
    """Holds water, in litres."""

    def __init__(self, volume):
        self.volume = volume
        self.level = 0

    def fill(self, litres):
        if self.level + litres > self.volume:
            raise ValueError("the tank is too small")
        self.level += litres

    def drain(self, litres):
        if litres > self.level:
            raise ValueError("the tank is too empty")
        self.level -= litres

    def empty(self):
        self.drain(self.level)
