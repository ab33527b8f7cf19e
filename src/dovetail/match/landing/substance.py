"""Decides whether two lines that differ are the same line misquoted, or two different lines.

A similarity threshold cannot tell a typo from a twin: ``retries_a`` and ``retries_b`` are nine tenths alike. So lines
are compared by their words. One word that differs by one letter inside a longer part of a name, and that does not occur
elsewhere in the file, is a typo; any other single word, number or operator that differs makes the line a twin.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import TYPE_CHECKING

from dovetail.text.comments import defines, is_prose
from dovetail.text.diff import Hunk, apart, subsequence
from dovetail.text.folding import folded
from dovetail.text.line import distinctive, solid, squeeze
from dovetail.text.pattern import pattern
from dovetail.text.similarity import misspellings
from dovetail.text.strings import same_in_other_marks

if TYPE_CHECKING:
    from dovetail.match.landing.change import Change
    from dovetail.match.landing.fit import Fit
    from dovetail.text.document import Document

# `parseHTTPResponse2` → parse, HTTP, Response, 2.
_PART = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
# `user_id`, `camelCase`, `x2`; not a plain word of prose.
_NAME = pattern(r"[\d_]|[a-z][A-Z]")
_BEFORE_QUOTE = pattern(r"\\(?=[\"'`])")
_SLIGHT = frozenset(",;")
_OTHER_QUOTES = ({("'", '"')}, {('"', "'")})
_LONG_LINE = 20  # words from which on one differing word in a line is a slip
_COMMON_WORD = 3  # lines with a word from which on it identifies no place
_LONG_ENOUGH = 4  # letters a part of a name needs for one wrong letter to be a typo


class Agreement(Enum):
    """How a line of the search and its partner in the file relate, closest first."""

    SAME = auto()  # except for blanks, form, a comma or semicolon at the end
    QUOTED = auto()  # the same text in single quotes and in double ones
    TYPO = auto()  # one word misspelled
    TWIN = auto()  # one word, number or sign differs, or blanks inside quotes do
    OTHER = auto()  # more differs

    @property
    def otherwise(self) -> bool:
        """Whether the lines are two different lines."""
        return self in (Agreement.TWIN, Agreement.OTHER)


def compare(document: Document, wanted: str, found: str) -> Agreement:
    """Return how a line of the search and one of the file relate; `document` shows which words are its own names."""
    if folded(wanted) == folded(found):
        return Agreement.SAME
    differing = differences(wanted, found)
    if not differing:
        return Agreement.TWIN  # blanks inside quotes
    grave = [(a, b) for a, b in differing if not set(a + b) <= _SLIGHT]
    if not grave:
        return Agreement.SAME
    if (set(grave) in _OTHER_QUOTES and len(grave) % 2 == 0) or same_in_other_marks(wanted, found):
        return Agreement.QUOTED
    # The same slip several times, as in `lenght = f(lenght)` for `length`, is one slip.
    if len(set(differing)) > 1:
        return Agreement.OTHER
    if _typo(document, *differing[0]):
        return Agreement.TYPO
    return _one_thing(*differing[0]) if len(differing) == 1 else Agreement.OTHER


def tells_apart(document: Document, wanted: str, found: str) -> bool:
    """Return whether the difference between a line of the search and its twin in the file could tell two places apart.

    Signs on a line without words cannot, nor one word in a long sentence. Neither can one letter, if the file lacks the
    misspelled word and has the right one on several lines: a common name identifies no place. (The head of a definition
    always can, although its name is used on other lines.) Nor can backslashes before quotes, if both lines have some.
    """
    if not distinctive(found) and not distinctive(wanted):
        return False
    if defines(found):
        return True
    if "\\" in wanted and "\\" in found and _BEFORE_QUOTE.sub("", wanted) == _BEFORE_QUOTE.sub("", found):
        return False
    (mine, theirs), *more = differences(wanted, found) or [("", "")]
    if len(re.findall(r"\w+", found)) >= _LONG_LINE and not any(map(str.isdigit, mine + theirs)):
        return False
    if more or not (mine.isalpha() and theirs.isalpha()) or misspellings(mine, theirs) != 1:
        return True
    return document.has_word(mine) or document.lines_with(theirs, _COMMON_WORD) < _COMMON_WORD


def names_code(wanted: str, found: str) -> bool:
    """Return whether a word in which two comments differ is a name or a number, and no word of prose."""
    return any(_NAME.search(side) for stretch in differences(wanted, found) for side in stretch)


def differences(wanted: str, found: str) -> list[tuple[str, str]]:
    """Return the stretches in which the tokens of two lines differ, with blanks only between words; either side of a
    stretch may be empty."""
    a, b = solid(wanted), solid(found)
    stretches = apart(subsequence(a, b), Hunk(0, len(a), 0, len(b)))
    return [(squeeze(" ".join(a[hunk.a1 : hunk.a2])), squeeze(" ".join(b[hunk.b1 : hunk.b2]))) for hunk in stretches]


def _one_thing(wanted: str, found: str) -> Agreement:
    """Return TWIN if the stretch is at most one word or number on each side, or signs; else OTHER."""
    words = max(len(re.findall(r"\w+", wanted)), len(re.findall(r"\w+", found)))
    return Agreement.TWIN if words <= 1 else Agreement.OTHER


def _typo(document: Document, wanted: str, found: str) -> bool:
    if not (wanted.isidentifier() and found.isidentifier()) or misspellings(wanted, found) != 1:
        return False
    # `v1` and `v2`, `key` and `Key`, `item` and `items` are one letter apart, and each may be a name of its own.
    if sorted(filter(str.isdigit, wanted)) != sorted(filter(str.isdigit, found)) or wanted.lower() == found.lower():
        return False
    if wanted + "s" == found or found + "s" == wanted:
        return False
    return _inside_long_part(wanted, found) and not document.has_word(wanted)


def _inside_long_part(wanted: str, found: str) -> bool:
    """Return whether the differing letter is in a part of the name that is long enough to be recognised without it."""
    mine, theirs = _PART.findall(wanted), _PART.findall(found)
    # An underscore more or less parts the name otherwise: `getuser_name` for `get_user_name`.
    if len(mine) != len(theirs):
        return len("".join(mine)) > 2 * _LONG_ENOUGH and wanted.replace("_", "") == found.replace("_", "")
    part = next(((a, b) for a, b in zip(mine, theirs, strict=True) if a != b), None)
    return part is not None and min(len(part[0]), len(part[1])) >= _LONG_ENOUGH


def changes_words_alone(change: Change) -> bool:
    """Return whether an edit changes only prose, so that prose must tell places apart."""
    return all(is_prose(line) for line in (*change.gone, *change.come) if line.strip())


def support_of(fit: Fit) -> int:
    """Return how many distinctive lines agree letter for letter."""
    return sum(distinctive(wanted) and wanted.strip() == found.strip() for wanted, found in fit.pairs)
