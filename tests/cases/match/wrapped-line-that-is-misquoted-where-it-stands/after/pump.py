class Pump:
    def run(self):
        if self.wet:
            first_call(self)
            second_call(self)
        return 1
