r"""Lines of a hunk, shared by `udiff` and `apply-patch`: context, removed, added.

Grammar::

    line = " " text | "-" text | "+" text | "" | text         the last is context whose blank was forgotten

Invariant: search is context and removed lines, replace is context and added lines, each in order.
"""

from __future__ import annotations

import re

from dovetail.model.blocks import Reading

NO_NEWLINE = "\\ No newline"


def readings(text: str) -> tuple[Reading, ...]:
    """The readings of a hunk's lines. Where a context line lacks its blank, others may lack it too.

    Blank lines at the end that hold not even the blank of a context line belong to the reply, not to the file.
    """
    lines = text.split("\n")[:-1]
    while lines and lines[-1] == "":
        lines.pop()
    first = _read(lines, strip=True)
    sloppy = any(line and line[0] not in " +-\\" for line in lines)
    if not sloppy or not any(line[:1] == " " for line in lines):
        return (first,)
    second = _read(lines, strip=False)
    return (first,) if second == first else (first, second)


def _read(lines: list[str], *, strip: bool) -> Reading:
    old: list[str] = []
    new: list[str] = []
    for line in lines:
        mark = line[:1]
        if mark == "-":
            old.append(line[1:] + "\n")
        elif mark == "+":
            new.append(line[1:] + "\n")
        elif not line.startswith(NO_NEWLINE):
            kept = (line[1:] if mark == " " and strip else line) + "\n"
            old.append(kept)
            new.append(kept)
    return Reading("".join(old), "".join(new))


def removed_and_added(text: str) -> Reading:
    """The removed lines alone and the added lines alone, for files that go and come."""
    lines = text.split("\n")[:-1]
    return Reading(
        "".join(line[1:] + "\n" for line in lines if line[:1] == "-"),
        "".join(line[1:] + "\n" for line in lines if line[:1] == "+"),
    )


def changes(text: str) -> bool:
    """Whether any line is removed or added."""
    return re.search(r"(?m)^[+-]", text) is not None


def render(search: str, replace: str) -> str:
    """Hunk lines that read back as `search` and `replace`; common lines at both ends become context."""
    old, new = search.split("\n")[:-1], replace.split("\n")[:-1]
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    lines = [" " + line for line in old[:head]]
    lines += ["-" + line for line in old[head : len(old) - tail]]
    lines += ["+" + line for line in new[head : len(new) - tail]]
    lines += [" " + line for line in old[len(old) - tail :]]
    return "".join(line + "\n" for line in lines)
