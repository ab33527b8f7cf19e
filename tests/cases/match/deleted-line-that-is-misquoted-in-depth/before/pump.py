import time


def wait():
    time.sleep(1)
    return None


class Pump:
    """
    Moves water.

    Two litres a second.
    """

    rate = 2
