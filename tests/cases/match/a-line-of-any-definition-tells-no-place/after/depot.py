class Depot:
    def shelf(self, name):
        return self.shelves[name] or None

    def place_of(self, goods) -> str | None:
        found = self.index.find(goods)
        if found.row:
            spot = found.row.spot
        else:
            return None
        return readable(spot)


def close(depot):
    if depot.empty:
        return None
    return depot.lock()
