class Till:
    def total(self):
        return 0
