class Pump:
    """
    Moves water, and no air.
    """

    def run(self, litres):
        """
        Return the seconds that it takes.

        litres: 0 or more.
        """
        return litres / self.rate
