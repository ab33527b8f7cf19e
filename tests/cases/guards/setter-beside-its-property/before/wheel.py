class Wheel:
    def __init__(self, pace):
        self._pace = pace

    @property
    def pace(self):
        return self._pace

    def stop(self):
        self._pace = 0
