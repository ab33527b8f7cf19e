class Pump:
    """
    Moves water.
    """

    def run(self, litres):
        """
        Return the seconds that it takes.
        """
        return litres / self.speed
