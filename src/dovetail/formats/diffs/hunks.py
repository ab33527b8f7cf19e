r"""A hunk: its head and its lines, shared by `udiff` and `apply-patch`: context, removed, added.

Grammar::

    head = "@@" ["-"n[,n] "+"n[,n]] ["@@"] [scope]  |  "@@" scope "@@"
    line = " " text | "-" text | "+" text | "" | text         the last is context whose blank was forgotten
         | "+ " text                                          where all is new, and each line has that blank
         | "\ No newline at end of file"                      of the line above, which is the file's last

Invariant: search is context and removed lines, replace is context and added lines, each in order.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from dovetail.model.blocks import Reading
from dovetail.text.pattern import pattern

NO_NEWLINE = "\\ No newline"
# `@@ -3,7 +3,8 @@ def f():`, `@@ def f(): @@`, `@@`, `@@ ... @@`. A merge's `@@@ -1 -1 +1 @@@` has no counts here.
_HEAD = pattern(r"@@+(?:[ \t]*-(\d{1,9})(?:,(\d{1,9}))?[ \t]+\+(\d{1,9})(?:,(\d{1,9}))?)?([^@\n]*?)(?:@@+[ \t]*(.*))?$")

_UNMARKED = pattern(r"\n[^ +\-\\\n]")


class Stated(NamedTuple):
    """The fields of a hunk's head: its first line before the change, its line counts before and after, and its scope.

    The scope stands after the second ``@@``, or between the two if no numbers do.
    """

    line: int | None = None
    counts: tuple[int, int] | None = None
    scope: str = ""


def stated(head: str) -> Stated:
    """Read a hunk's head; all fields are empty for a line that is none."""
    match = _HEAD.match(head)
    if match is None:
        return Stated()
    # `@@ def f @@` names its scope between the signs, `@@ -1 +1 @@ def f` behind them; `@@ ... @@` names none.
    between, behind = match[5].strip(), (match[6] or "").strip()
    scope = behind or (between if any(map(str.isalpha, between)) else "")
    if match[1] is None:
        return Stated(scope=scope)
    # Line 0 is git's for an empty file; a count left out is 1.
    return Stated(int(match[1]) or None, (int(match[2] or 1), int(match[4] or 1)), scope)


def readings(text: str) -> tuple[Reading, ...]:
    """Return the readings of a hunk's lines: two if context lines may lack the blank that marks them, else one.

    They may if a context line does not begin with a blank, or if all indentations are even only when context lines keep
    that blank. Empty lines at the end, without a context line's blank, belong to the reply, not to the file.
    """
    lines = _lines(text)
    first = _read(lines, strip=True)
    if not _may_lack_marks(lines):
        return (first,)
    second = _read(lines, strip=False)
    return (first,) if second == first else (first, second)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")[:-1]
    while lines and lines[-1] == "":
        lines.pop()
    return lines


def _may_lack_marks(lines: list[str]) -> bool:
    """Return whether a line that begins with a blank may be context without its mark."""
    text = "\n" + "\n".join(lines)
    # Without a blank in front anywhere both readings are the same.
    if "\n " not in text:
        return False
    # A context line at the margin lacks its blank; then an indented one may have lost it as well.
    if _UNMARKED.search(text) is not None:
        return True
    # All indentation is by twos: of the texts behind `+` and `-`, and of context lines with the blank that would be
    # their mark. No file is indented by one blank less.
    texts = [line[1:] if line[0] in "+-" else line for line in lines if line[:1] in (" ", "+", "-")]
    return all((len(text) - len(text.lstrip(" "))) % 2 == 0 for text in texts if text.strip())


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
    return Reading("".join(old), "".join(new)) if old else Reading("", without_margin("".join(new)))


def without_margin(text: str) -> str:
    """Return a whole text without the one blank that all its lines begin with, if they do: it belongs to the marks, as
    no file's lines are all indented by one blank."""
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    if not filled or not all(line[0] == " " for line in filled) or all(line[:2].isspace() for line in filled):
        return text
    return "\n".join(line.removeprefix(" ") for line in lines)


def last_end(text: str) -> bool | None:
    """True if a hunk gives the file's last line an end, False if it takes the end away, None if it does neither."""
    if NO_NEWLINE not in text:
        return None
    open_end = {"-": False, "+": False}
    above = ""
    for line in text.rstrip("\n").split("\n"):
        if line.startswith(NO_NEWLINE):
            open_end.update(dict.fromkeys(above, True))
            continue
        # A context line is the last of both texts, so the note below it holds for both, and nothing changes.
        above = line[:1] if line[:1] in ("-", "+") else "-+"
        open_end.update(dict.fromkeys(above, False))
    return None if open_end["-"] == open_end["+"] else open_end["-"]


def new_text(text: str) -> str:
    """Return a new file's text: the added lines, and those without a mark, as a new file has no context."""
    lines, kept = _lines(text), []
    mark = "" if _may_lack_marks(lines) else " "
    for line in lines:
        if line[:1] == "+":
            kept.append(line[1:])
        elif not line.strip():
            kept.append("")
        elif line[:1] != "-" and not line.startswith(NO_NEWLINE):
            kept.append(line.removeprefix(mark))
    return without_margin("".join(line + "\n" for line in kept))


def changes(text: str) -> bool:
    """Return whether any line is removed or added."""
    return re.search(r"(?m)^[+-]", text) is not None


def render(search: str, replace: str, end: bool | None = None) -> str:
    """Return hunk lines that read back as `search`, `replace` and `end`; common lines at both ends become context.

    end: as `last_end` returns it; a last line whose end changes is no context.
    """
    old, new = search.split("\n")[:-1], replace.split("\n")[:-1]
    # Where the end of the last line changes, that line is removed and added, be its text the same.
    both = min(len(old), len(new)) - (end is not None)
    head = next((n for n in range(both) if old[n] != new[n]), both)
    most = both - head if end is None else 0
    tail = next((n for n in range(most) if old[-1 - n] != new[-1 - n]), most)
    lines = [" " + line for line in old[:head]]
    lines += ["-" + line for line in old[head : len(old) - tail]]
    lines += [f"{NO_NEWLINE} at end of file"] * (end is True)
    lines += ["+" + line for line in new[head : len(new) - tail]]
    lines += [f"{NO_NEWLINE} at end of file"] * (end is False)
    lines += [" " + line for line in old[len(old) - tail :]]
    return "".join(line + "\n" for line in lines)
