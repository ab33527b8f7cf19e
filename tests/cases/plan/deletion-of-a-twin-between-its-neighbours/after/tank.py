class Tank:
    def __init__(self, volume):
        self.volume = float(volume)

    def empty(self):
        print(self)
        self.level = 0
