import csv
from pathlib import Path

SHELVES = 12


def bottles(path: Path) -> list[list[str]]:
    with path.open(newline="") as rows:
        return list(csv.reader(rows))


def oldest(rows: list[list[str]]) -> str:
    return min(rows, key=lambda row: int(row[1]))[0]


def by_shelf(rows: list[list[str]], shelf: int) -> list[str]:
    if not 0 < shelf <= SHELVES:
        raise ValueError(shelf)
    return [row[0] for row in rows if int(row[2]) == shelf]
