def count(rows: list[list[str]]) -> int:
    return len(rows)
