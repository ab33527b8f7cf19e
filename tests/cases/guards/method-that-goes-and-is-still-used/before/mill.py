class Mill:
    def __init__(self):
        bind(self._turn)

    def corn(self):
        return 2

    def _turn(self):
        return 3
