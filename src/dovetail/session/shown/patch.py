r"""A file's change as a patch that `git apply` takes, for programs; what people are shown is `diff`'s.

A patch speaks of the file as it is on disk, with its byte-order mark, and of git's lines, which end with ``\n`` alone.
Of a UTF-16 file it has the text: git has no patch of lines for its bytes.

Source: git-diff(1), "Generating patch text with -p".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.session.shown.diff import CONTEXT_LINES, DiffLine, Hunk, diff

if TYPE_CHECKING:
    from dovetail.model.results import FileChange

_MARK = "\ufeff"
# Control characters and quotes end a name, and what looks like a date or a time behind a blank is no part of one.
_TO_QUOTE = re.compile(r'[\x00-\x1f\x7f"]| .*[-:].*\d$')
_ESCAPED = re.compile(r'[\x00-\x1f\x7f"\\]')


def patch(change: FileChange, context: int = CONTEXT_LINES) -> str:
    """The change of one path as a patch that `git apply` takes; "" where nothing of it changes.

    Of a renamed file it is the creation alone: the old path has a change of its own.
    """
    was, will_be = change.marks
    before, after = _as_held(change.before, marked=was), _as_held(change.after, marked=will_be)
    old = "/dev/null" if before is None else _name("a/", change.path)
    new = "/dev/null" if after is None else _name("b/", change.path)
    hunks = _hunks(before or "", after or "", context)
    if hunks:
        lines = (hunk.header + "\n" + "".join(map(_line, hunk.lines)) for hunk in hunks)
        return "".join((f"--- {old}\n+++ {new}\n", *lines))
    if (before is None) == (after is None):
        return ""
    what = "new" if before is None else "deleted"
    # The blank line ends the head: git would take that of a further patch behind it for more of this one.
    return f"diff --git {_name('a/', change.path)} {_name('b/', change.path)}\n{what} file mode 100644\n\n"


def _as_held(text: str | None, *, marked: bool) -> str | None:
    """A text as it is written: what has no mark never begins with one."""
    if text is None:
        return None
    return _MARK + text if marked else text.removeprefix(_MARK)


def _hunks(before: str, after: str, context: int) -> tuple[Hunk, ...]:
    r"""The hunks in git's lines: a text whose lines end with ``\r`` alone is one line to git."""
    if before == after or not any("\r" in text and "\n" not in text for text in (before, after)):
        return diff(before, after, context)
    old, new = _git_lines("-", before), _git_lines("+", after)
    return (Hunk(int(bool(old)), len(old), int(bool(new)), len(new), (*old, *new)),)


def _git_lines(sign: str, text: str) -> tuple[DiffLine, ...]:
    *whole, rest = text.split("\n")
    lines = tuple(DiffLine(sign, line, "\n") for line in whole)
    return (*lines, DiffLine(sign, rest, "")) if rest else lines


def _line(line: DiffLine) -> str:
    if line.end:
        return f"{line.sign}{line.text}{line.end}"
    return f"{line.sign}{line.text}\n\\ No newline at end of file\n"


def _name(prefix: str, path: str) -> str:
    """A path as a patch names it, in git's quotes where it could not be read without."""
    name = prefix + path
    if _TO_QUOTE.search(name) is None:
        return name
    return '"' + _ESCAPED.sub(lambda sign: _escape(sign[0]), name) + '"'


def _escape(sign: str) -> str:
    return "\\" + sign if sign in '"\\' else f"\\{ord(sign):03o}"
