"""Counts as a table."""

from collections import Counter


class Report:
    """Prints the most common words, one a line."""

    def __init__(self, counts: Counter[str], limit: int = 10) -> None:
        self.counts = counts
        self.limit = limit

    def lines(self) -> list[str]:
        """The table's lines."""
        width = max(len(word) for word in self.counts)
        rows = []
        for word, number in self.counts.most_common(self.limit):
            rows.append(f"{word:<{width}}  {number:>6}")
        return rows

    def __str__(self) -> str:
        return "\n".join(self.lines())
