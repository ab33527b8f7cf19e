class Mill:
    def __init__(self):
        bind(self._turn)

    def corn(self):
        return 20
