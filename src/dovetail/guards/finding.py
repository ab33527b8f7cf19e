"""The values that a guard returns about an edit."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple


class Echo(NamedTuple):
    """New lines at the edge of an edit that the file has right beside it.

    lines: these lines, without their ends. first: whether they are the edit's first new lines, else its last.
    """

    lines: tuple[str, ...]
    first: bool

    def left_out(self, text: str) -> str | None:
        """Return an edit's new text without these first or last lines; None if they are not there or are all it has."""
        lines = re.findall(r"[^\n]*\n|[^\n]+", text)
        count = len(self.lines)
        there, rest = (lines[:count], lines[count:]) if self.first else (lines[-count:], lines[:-count])
        # nothing would be left of the edit, or its text has these lines at another place than the file
        if not rest or [line.rstrip("\n") for line in there] != list(self.lines):
            return None
        # if the last line had no line end, the line that is now the last has none either
        return "".join(rest).removesuffix("" if self.first or there[-1].endswith("\n") else "\n")


class Finding(NamedTuple):
    """What is wrong with the result of an edit, and what to do next.

    line: the line of the file after the reply, from 1, where it is known.
    echo: the first or last new lines of the edit, if it can only be meant without them.
    plain: a function that turns a new line into the only one that can be meant.
    """

    reason: str
    hint: str | None = None
    line: int | None = None
    echo: Echo | None = None
    plain: Callable[[str], str] | None = None
