"""How measurements are shown: lines of a Markdown table, each with whether its target was kept."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table; `kept` says whether the target was, where there is one."""

    cells: tuple[str, ...]
    kept: bool | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The answer to one question."""

    title: str
    heads: tuple[str, ...]
    lines: tuple[Line, ...]

    def print(self) -> None:
        """Print it as Markdown."""
        print(f"\n### {self.title}\n")
        print("| " + " | ".join((*self.heads, "kept")) + " |")
        print("|" + " --- |" * (len(self.heads) + 1))
        for line in self.lines:
            kept = {None: "", True: "yes", False: "**no**"}[line.kept]
            print("| " + " | ".join((*line.cells, kept)) + " |")


def milliseconds(seconds: float) -> str:
    """Seconds in a cell."""
    return f"{seconds * 1e3:.2f} ms"
