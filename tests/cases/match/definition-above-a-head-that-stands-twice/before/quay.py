class Lamp:
    lit = False

    def switch(self):
        self.lit = not self.lit


class Foghorn:
    loud = False

    def switch(self):
        self.loud = not self.loud
