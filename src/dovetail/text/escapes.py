r"""What a text says that is quoted with backslashes, as inside a string.

The search shows which letters stand behind a backslash because the reply put it there; those that it has without one do
not. Where that leaves several readings (are backslashes doubled? is an escaped apostrophe of the new lines the reply's,
or the code's own?), all of them are given: the file decides which search stands in it, and where several have the same
one and other new lines, nothing does.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from dovetail.text.entities import unwrapped_alike

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_QUOTES = frozenset("\"'`")
_BACKSLASH = frozenset("\\")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}
_SHOWN = re.compile(r"\\([\"'`$/])")
_PLAIN = re.compile(r"(?<!\\)[\"'`$/]")
_STRING = re.compile(r"\"{3}|'{3}|(?<!\w)[A-Za-z]{0,2}(?P<mark>\\?[\"'])(?:(?!(?P=mark))(?:\\.|.))*+(?P=mark)")
_BEHIND = re.compile(r"\\(.)", re.DOTALL)


def escaped_in(text: str) -> set[str]:
    """The signs that a text has behind a backslash, each with it, and that need none in most files."""
    return {found[0] for found in _SHOWN.finditer(text)} if "\\" in text else set()


def _shown(search: str, _: str) -> frozenset[str]:
    """The signs that the search has behind a backslash; backslashes are as they are."""
    return frozenset(_SHOWN.findall(search))


def _mark(sign: str, search: str, replace: str) -> frozenset[str]:
    """One kind of quotes, where the search has other signs behind a backslash, too: those may be the code's own."""
    shown = _shown(search, replace)
    return frozenset(sign) if {sign} < shown else frozenset()


def _quotes(search: str, replace: str) -> frozenset[str]:
    """The same, and quotes that it has not at all."""
    return _shown(search, replace) | (_QUOTES - frozenset(_PLAIN.findall(search)))


def _doubled(search: str, replace: str) -> frozenset[str]:
    """The same, and every backslash doubled."""
    return _none_alone(_quotes(search, replace) | _BACKSLASH, search, replace)


def _all(search: str, replace: str) -> frozenset[str]:
    """The same with line ends and tabs as letters; none where there are other line ends, and the search has no such."""
    lines = "\n" in search.rstrip("\n") or "\n" in replace.rstrip("\n")
    if lines and _CONTROLS.keys().isdisjoint(_BEHIND.findall(search)):
        return frozenset()
    return _none_alone(_quotes(search, replace) | _BACKSLASH | frozenset(_CONTROLS), search, replace)


def _none_alone(letters: frozenset[str], search: str, replace: str) -> frozenset[str]:
    """Letters, where no other stands behind a backslash; else none."""
    return letters if letters.issuperset(_BEHIND.findall(search + replace)) else frozenset()


def _taken_off(
    reading: Callable[[str, str], frozenset[str]], search: str, replace: str, *, torn: bool = True
) -> tuple[str, str] | None:
    """Both halves without the backslashes of a reading; `torn` says whether strings lose those of line ends, too."""
    letters = reading(search, replace)
    if "\\" not in search or not letters:
        return None
    escaped = re.compile(rf"\\([{re.escape(''.join(sorted(letters)))}])")

    def unwrap(text: str) -> str:
        whole = [] if torn else [found.span() for found in _STRING.finditer(text) if found["mark"]]
        return escaped.sub(lambda found: _said(found, whole), text)

    bare = unwrap(search)
    if bare == search:
        return None
    alone = (letters & set(_SHOWN.findall(search))) - set(_PLAIN.findall(search))
    ended = "n" in letters and "\n" not in search.rstrip("\n") and "\n" in replace.rstrip("\n")
    new = unwrapped_alike(search, replace, unwrap, lambda new: ended or not alone.isdisjoint(_PLAIN.findall(new)))
    return bare, new


def _said(found: re.Match[str], whole: Sequence[tuple[int, int]]) -> str:
    """What stands behind a backslash; as it is, where that would break a string that is `whole`."""
    letter = found[1]
    if letter in _CONTROLS and any(start < found.start() < end for start, end in whole):
        return found[0]
    return _CONTROLS.get(letter, letter)


_LETTERS: tuple[Callable[[str, str], frozenset[str]], ...] = (
    _shown,
    *(partial(_mark, sign) for sign in "\"'`"),
    _quotes,
    _doubled,
    _all,
)
READINGS = (*(partial(_taken_off, letters) for letters in _LETTERS), partial(_taken_off, _all, torn=False))
"""Each takes search and replacement, and gives both without the backslashes of one reading; None where it is none."""
