class Meter:
    def read(self):
        values = []
        for line in self.port:
            values.append(float(line))
            self.reads += 1
        if not values:
            self.misses += 1
            return None
        return mean(values)
