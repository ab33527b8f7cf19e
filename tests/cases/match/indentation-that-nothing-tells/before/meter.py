class Meter:
    def read(self):
        values = []
        for line in self.port:
            values.append(float(line))
        if not values:
            return None
        return mean(values)
