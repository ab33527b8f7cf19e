"""What wraps a block as a whole on its way through the model, taken off search and replacement together.

Line numbers, HTML entities, escapes, a fence or the signs of a diff in both halves, and the file's own name over both.
A wrapping counts only where the search shows it; the tier `form` looks for the search without it, and so the lines
that the edit brings are unwrapped by the same rule.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.model.text import split_lines
from dovetail.text import escapes, numbers
from dovetail.text.entities import without_entities
from dovetail.text.line import says

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NUMBERED_FROM = 3  # lines that must bear their numbers, for one or two may be text that begins so
_FENCED = re.compile(r"\s*+(`{3,}+|~{3,}+)[^\n`]*+\n(.*\n)?[ \t]*+\1[ \t]*+\n*+", re.DOTALL)
_NAMED = re.compile(
    r"\s*+(?://++|#++|--|;++|%++|/\*++|<!--)\s*+(?:(?:file\s?name|file\s?path|file|path)\s*+:)?+\s*+"
    r"(\S+?)\s*+(?:\*++/|-->)?+\s*+",
    re.IGNORECASE,
)


def unwrapped(search: str, replace: str, file: str, path: str = "") -> Iterator[tuple[str, str]]:
    """Search and replacement with one wrapping, or several, taken off; the plain pair first.

    Every pair is given once. Entities may be wrapped twice. `file` is the text that is searched, `path` its own.
    """
    given = [(search, replace)]
    yield search, replace
    name = path.rpartition("/")[2]
    in_turn: tuple[Callable[[str, str], tuple[str, str] | None], ...] = (
        lambda old, new: _fences(old, new, file),
        lambda old, new: _name(old, new, name),
        _signs,
        _line_numbers,
        without_entities,
        without_entities,
        *escapes.READINGS,
    )
    for take_off in in_turn:
        for pair in list(given):
            bare = take_off(*pair)
            if bare is not None and bare not in given:
                given.append(bare)
                yield bare


def _fences(search: str, replace: str, file: str) -> tuple[str, str] | None:
    """Each half in a fence of its own, as the file has none; a replacement of nothing needs none."""
    mine, theirs = _FENCED.fullmatch(search), _FENCED.fullmatch(replace)
    if mine is None or mine[1] in file or (theirs is None and replace.strip()):
        return None
    return mine[2] or "", (theirs[2] or "") if theirs is not None else ""


def _name(search: str, replace: str, name: str) -> tuple[str, str] | None:
    """The first line of both is a comment that says which file this is."""
    line, _, rest = search.lstrip("\n").partition("\n")
    same, _, other = replace.lstrip("\n").partition("\n")
    found = _NAMED.fullmatch(line)
    if found is None or line != same or not name or re.split(r"[\\/]", found[1])[-1] != name:
        return None
    return rest, other


def _signs(search: str, replace: str) -> tuple[str, str] | None:
    """Every line begins with the sign that a diff gives it, and some with those of lines that go and come."""
    old, new = split_lines(search), split_lines(replace)
    if not _all_signed(old, "-") or not _all_signed(new, "+"):
        return None
    return _unsigned(search), _unsigned(replace)


def _all_signed(lines: list[str], sign: str) -> bool:
    return all(line[:1] in (sign, " ") for line in lines if line.strip()) and any(line[:1] == sign for line in lines)


def _unsigned(text: str) -> str:
    return "\n".join(line[1:] for line in text.split("\n"))


def _line_numbers(search: str, replace: str) -> tuple[str, str] | None:
    found = numbers.numbered(search)
    if found is None:
        return None
    if found.style.of_lists:
        theirs = numbers.numbered(replace)
        sure = found.even and found.lines >= _NUMBERED_FROM
        if not sure or (replace.strip() and (theirs is None or theirs.style != found.style)):
            return None
    old, new = numbers.bare(found.style, search, replace)
    return old, new


def without_own_numbers(text: str, file: str) -> str | None:
    """A file's whole text without the numbers of its lines, where each bears its own; None where `file` does not show
    that they are none of its text."""
    found = numbers.numbered(text)
    if found is None or not found.even or found.first != 1 or found.lines < _NUMBERED_FROM:
        return None
    has = {line.strip() for line in split_lines(file)} - {""}
    (bare,) = numbers.bare(found.style, text)
    stands = any(says(line) and line.strip() in has for line in split_lines(bare))
    return bare if stands and has.isdisjoint(line.strip() for line in split_lines(text)) else None
