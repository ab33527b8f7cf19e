"""Strings on a line, and the quotes ("marks") around them.

A string may change its marks if it means the same in any: it holds no mark, no backslash and no placeholder. An
apostrophe inside a word is no mark.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dovetail.text.folding import folded
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_MARK = pattern(r"['\"`\u2018\u201c]")
# Matches `"a"`, `f"{x}"`, `'''a'''`, `"it's"`, and curly quotes around text. Not an apostrophe (`don't`: a letter
# stands before the mark), not two strings that touch (`'a''b'`: in SQL that is one), not what goes over the line's end.
_STRING = pattern(
    r"(?<!\w)[A-Za-z]{0,2}(?<!['\"`])(?:"
    r"(?P<mark>\"{3}|'{3}|\"(?!\"\")|'(?!'')|`)(?P<text>(?:(?!(?P=mark))[^\\\n]|\\.)*+)(?P=mark)(?!['\"`])"
    r"|(?P<curly>[\u2018\u201c])(?P<inside>[^\u2018\u2019\u201c\u201d\n]*+)[\u2019\u201d]"
    r")(?!\w)"
)
_INSIDE = {mark: pattern(rf"(?:[^\\\n{mark}]|\\.)*+") for mark in "'\"`"}
_LONG = 1_000  # characters of a line from which on marks that are left open cost too much
_LONG_MARK = pattern(r"\"{3}|'{3}")
_TEMPLATE_MARK = pattern(r"\"{3}|'{3}|(?<!\\)`")
_HERE_DOCUMENT = pattern(r"<<[-~]?[ \t]*(['\"]?)([A-Za-z_]\w*)\1")
_TEMPLATES = frozenset(("javascript", "typescript", "tsx", "go"))
_HERE_DOCUMENTS = frozenset(("bash", "ruby", "perl", "php"))
"""Languages whose strings may go over several lines in marks, or up to a word, that others use for something else."""
_CLOSING = {"\u2018": "\u2019", "\u201c": "\u201d"}
_AS_ONE = dict.fromkeys(("'", "\u2018", "\u201c"), '"') | {"'''": '"""'}
# No quote, backslash or place to fill in (`$x`, `#{x}`, `{x}`): it says the same between any marks.
_PLAIN = pattern(r"[^'\"\u2018\u2019\u201c\u201d\\`$#{}]*+")


class String(NamedTuple):
    """A string on a line, from its opening mark to one past its closing one; a prefix (``f"…"``) is outside."""

    start: int
    end: int
    mark: str
    text: str

    @property
    def plain(self) -> bool:
        """Whether the string means the same in any quotes; one in backticks may be a template or command."""
        return self.mark != "`" and _PLAIN.fullmatch(self.text) is not None


def between(mark: str, text: str) -> str:
    """Return `text` in quotes: the opening `mark`, and the one that closes it."""
    return mark + text + _CLOSING.get(mark, mark)


def strings(line: str) -> list[String]:
    """The strings of a line, in order; those that begin or end on another line are none."""
    if _MARK.search(line) is None:
        return []
    found: list[String] = []
    for match in _STRING.finditer(line) if len(line) <= _LONG else _in_long_line(line):
        mark = "mark" if match["mark"] else "curly"
        found.append(String(match.start(mark), match.end(), match[mark], match["text"] or match["inside"] or ""))
    return found


def string_left_open(text: str, language: str | None, mark: str = "") -> str:
    """Return what ends the string of several lines that whole lines of text end in; "" if they end in none.

    It is a long mark, a template's, or a here-document's word. mark: what ends the string that they begin in.
    """
    if language in _HERE_DOCUMENTS:
        for line in text.split("\n"):
            if mark:
                mark = "" if line.strip().rstrip(";") == mark else mark
            elif (begun := _HERE_DOCUMENT.search(line)) is not None:
                mark = begun[2]
        return mark
    for found in (_TEMPLATE_MARK if language in _TEMPLATES else _LONG_MARK).finditer(text):
        mark = "" if found[0] == mark else mark or found[0]
    return mark


def _in_long_line(line: str) -> Iterator[re.Match[str]]:
    """Yield what `_STRING` finds, but scan to the line's end only once per kind of mark that stays open."""
    left_open: set[str] = set()
    done = 0
    for mark in _MARK.finditer(line):
        if mark.start() < done or mark[0] in left_open:
            continue
        starts = range(max(done, mark.start() - 2), mark.start() + 1)  # letters before it are a part of the string
        found = next(filter(None, (_STRING.match(line, start) for start in starts)), None)
        if found is not None:
            done = found.end()
            yield found
        elif mark[0] in _INSIDE and _INSIDE[mark[0]].match(line, mark.end()).end() >= len(line) - 1:  # type: ignore[union-attr]
            left_open.add(mark[0])


def other_marks(pairs: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Return which mark the file has for each of the search's, from pairs of their lines (search, file).

    Left out are marks that are the same, and marks for which the file has several.
    """
    differ = [(wanted, found) for wanted, found in pairs if wanted.strip() != found.strip()]
    # The usual case: no line differs in its marks.
    if all(_MARK.findall(wanted) == _MARK.findall(found) for wanted, found in differ):
        return {}
    kinds: dict[str, set[str]] = {}
    for wanted, found in pairs:
        mine, theirs = strings(wanted), strings(found)
        # Only lines with the same strings tell which mark stands for which.
        if [string.text for string in mine] == [string.text for string in theirs]:
            for string, other in zip(mine, theirs, strict=True):
                if string.plain:
                    kinds.setdefault(string.mark, set()).add(other.mark)
    alone = ((kind, *others) for kind, others in kinds.items() if len(others) == 1)
    return {kind: other for kind, other in alone if other != kind}


def marked(line: str, to: Mapping[str, str]) -> str:
    """Return the line with the marks of its plain strings replaced by `to`, a mapping from mark to mark."""
    pieces: list[str] = []
    at = 0
    for string in strings(line) if to else ():
        if string.plain and string.mark in to:
            pieces += (line[at : string.start], between(to[string.mark], string.text))
            at = string.end
    return "".join((*pieces, line[at:]))


def same_in_other_marks(wanted: str, found: str) -> bool:
    """Return whether two lines differ at most in blanks, form, the marks of strings, and a final comma or semicolon."""
    one, other = (folded(marked(line, _AS_ONE)).rstrip(",; ") for line in (wanted, found))
    return one == other
