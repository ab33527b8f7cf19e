import csv
import json
from pathlib import Path

SHELVES = 12


def bottles(path: Path) -> list[list[str]]:
    with path.open(newline="") as rows:
        return list(csv.reader(rows))


def labels(path: Path) -> dict[str, str]:
    return json.loads(path.read_text())


def oldest(rows: list[list[str]]) -> str:
    return min(rows, key=lambda row: int(row[1]))[0]
