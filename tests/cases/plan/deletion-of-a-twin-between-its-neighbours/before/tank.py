class Tank:
    def __init__(self, volume):
        self.volume = volume
        print(self)

    def drain(self):
        print(self)
        self.level = 0
