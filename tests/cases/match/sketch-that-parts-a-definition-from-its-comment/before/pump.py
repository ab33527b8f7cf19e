LIMIT = 4


class Pump:
    # Opens the valve.
    def open(self):
        self.valve = True

    # Closes it.
    def close(self):
        self.valve = False
