class Kiosk:
    def __init__(self, shelf):
        self.log = make_log(self)
        self.extras = Extras.of(self)

        self.shelf = shelf.sealed()
        self.open = False
        self.clerk = None
