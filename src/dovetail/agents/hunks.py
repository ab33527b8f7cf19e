"""Hunks as tools write them into a log after an edit: their line numbers are exact, and are trusted.

In a model's own diffs the numbers are only hints; `formats.udiff` reads those.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

# @@ -3,4 +3,5 @@ def f(); a count that is left out is 1
_HEAD = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NO_NEWLINE = "\\ No newline at end of file"
_MARK = "\ufeff"  # before the first line of a file; no part of its text


@dataclass(frozen=True, slots=True)
class NumberedHunk:
    """Lines `old` from index `old_at` of a text became the lines `new` from index `new_at` of the next, from 0.

    A line has its ``\\n``, unless it is a text's last without one.
    """

    old_at: int
    new_at: int
    old: tuple[str, ...]
    new: tuple[str, ...]

    @classmethod
    def of(cls, old_start: int, new_start: int, lines: Iterable[str]) -> NumberedHunk:
        """Return the hunk with a head's line numbers, from 1, and lines with their marks (`+`, `-`, blank)."""
        old: list[str] = []
        new: list[str] = []
        touched: list[list[str]] = []
        for line in lines:
            if line == _NO_NEWLINE:
                for side in touched:
                    side[-1] = side[-1].removesuffix("\n")
                continue
            # An empty line is a blank context line that lost its mark.
            touched = [side for side, marks in ((old, " -"), (new, " +")) if (line[:1] or " ") in marks]
            for side in touched:
                side.append((line[1:] if side else line[1:].removeprefix(_MARK)) + "\n")
        # For a side without lines, the number is that of the line before.
        return cls(old_start - 1 if old else old_start, new_start - 1 if new else new_start, tuple(old), tuple(new))

    @property
    def reverse(self) -> NumberedHunk:
        """The hunk that takes this one back."""
        return NumberedHunk(self.new_at, self.old_at, self.new, self.old)


def hunks_of_patch(patch: str) -> tuple[NumberedHunk, ...]:
    """Return the hunks of one file's unified diff; () for a text without any."""
    return tuple(_hunks(patch.split("\n")))


def _hunks(lines: Sequence[str]) -> Iterator[NumberedHunk]:
    at = 0
    while at < len(lines):
        head = _HEAD.match(lines[at])
        at += 1
        if head is None:
            continue
        old, new, first = int(head[2] or 1), int(head[4] or 1), at
        # The counts end a hunk: by marks alone, a `--- a/b.py` after it would be a removed line.
        while at < len(lines) and (old > 0 or new > 0 or lines[at] == _NO_NEWLINE):
            mark = lines[at][:1] or " "
            old -= mark in " -"
            new -= mark in " +"
            at += 1
        yield NumberedHunk.of(int(head[1]), int(head[3]), lines[first:at])


def patched(text: str, hunks: Sequence[NumberedHunk]) -> str | None:
    """Return the text after hunks; None if the old lines of one are not exactly at its line numbers.

    A text with ``\\r\\n`` keeps these, although most logs write ``\\n``. Indentation that all lines of a hunk share may
    be missing in the hunk, as opencode removes it; the text keeps it.
    """
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    carriage = "\r\n" in text
    out: list[str] = []
    done = 0
    for hunk in sorted(hunks, key=lambda hunk: hunk.old_at):
        end = hunk.old_at + len(hunk.old)
        found = lines[hunk.old_at : end]
        indent = _indent(found, hunk.old)
        if hunk.old_at < done or indent is None:
            return None
        out += lines[done : hunk.old_at]
        # A context line comes back as the file has it, with its own indentation and line end.
        kept = dict(zip(hunk.old, found, strict=True))
        new = [kept.get(line) or _ended(f"{indent * bool(line.strip())}{line}", carriage) for line in hunk.new]
        # Only the text's last line may lack a line end; a line that was the last before and is not now gets one.
        last = len(new) - (end >= len(lines))  # from here on a line may lack its end
        out += [
            line if at >= last or line.endswith("\n") else _ended(f"{line}\n", carriage) for at, line in enumerate(new)
        ]
        done = end
    return "".join(out + lines[done:])


def _indent(found: Sequence[str], old: Sequence[str]) -> str | None:
    """Return the indentation that lines of a file have in addition to a hunk's; None if they are other lines."""
    if len(found) != len(old):
        return None
    if list(map(_plain, found)) == list(map(_plain, old)):
        return ""
    pairs = [(_plain(one), _plain(other)) for one, other in zip(found, old, strict=True)]
    filled = [(one, other) for one, other in pairs if other.strip()]
    if not filled or any(one.strip() for one, other in pairs if not other.strip()):
        return None
    # `    def f():` and `        pass` over `def f():` and `    pass`: both have four blanks in front.
    indents = {one[: len(one) - len(other)] if one.endswith(other) else None for one, other in filled}
    indent = indents.pop()
    return indent if not indents and indent and not indent.strip() else None


def _plain(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


def _ended(line: str, carriage: bool) -> str:
    return f"{_plain(line)}\r\n" if carriage and line.endswith("\n") else line
