class Pump:
    def fill(self):
        self.level += 1
        self.log()

    def drain(self):
        self.level -= 1
        self.log()


self.log()
