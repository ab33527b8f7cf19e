"""Feeds and what is read of them."""


class Feed:
    """Where entries come from."""

    def __init__(self, address: str, patience: float = 3.0) -> None:
        self.address = address
        self.patience = patience

    def newest(self, count: int) -> list[Entry]:
        """The newest entries, the last one first."""
        found = self._load(self.address, wait=self.patience)
        found.sort(key=by_time, reverse=True)
        return found[:count]

    def oldest(self, count: int) -> list[Entry]:
        """The oldest entries, the first one first."""
        found = self._load(self.address, wait=self.patience)
        found.sort(key=by_time)
        return found[-count:]
