class Tank:
    def __init__(self, volume):
        self.level = 0  # empty at first
        self.leaks = False
        self.volume = volume
