"""Classifies a listing by comparing it with its file: a quote, the whole, a part, or none of these.

The words around a listing are not read here. A quote is in the file in one run, blanks and indentation aside. The
whole keeps most of the file's lines, and those at its ends. A part holds definitions, keys or rules that the file has,
and is merged at their names; a sketch has marks for the lines that it leaves out. Any other listing is `Unclear`:
nothing says where it belongs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dovetail.match import Document, Match, Unplaced, has_marks, is_data, merge_parts, merge_sketch, names_in, put_lines
from dovetail.model.language import Language
from dovetail.model.text import split_lines
from dovetail.text.comments import is_comment
from dovetail.text.diff import common
from dovetail.text.line import distinctive
from dovetail.text.similarity import is_version

_WHOLE_SHARE = 0.5
_WITHOUT_NAMES_SHARE = 0.75
"""Of the file's lines that the whole keeps more than; without some of its names it is a part, unless it keeps most."""
_RUN_FROM = 3
"""The fewest lines of a listing that may be placed by its first and last line."""
_CUT_FROM, _CUT_SHARE = 10, 0.8
"""A text that is cut off has at least so many lines, of which the beginning of its file has more than this share."""
_FILE_FROM = 10
"""From so many lines of a file on, a text with less than half as many that lacks some of its names is a part."""
_PATH_WORDS = 4
"""Of a comment that says little more than a path."""


class Quote(NamedTuple):
    """A listing whose text the file already has in one run of lines, from one line to another (exclusive)."""

    first: int
    end: int


class Whole(NamedTuple):
    """A listing that is the file's whole new text."""


class Unclear(NamedTuple):
    """A listing that may belong anywhere in the file.

    part: whether it is certainly only a part of the file. If not, and the path stands alone above the listing,
    `actions.rewrite` still takes it as the file's whole text.
    """

    reason: str
    part: bool = False


Listing = Quote | Whole | Match | Unclear


def read_listing(
    document: Document, text: str, path: str, language: Language, *, declared: bool = False, others: Sequence[str] = ()
) -> Listing:
    """Classify a listing against the text of the file at `path`; a `Match` if it is a part to be merged.

    declared: whether the reply announces it as all of the file's text. others: the reply's other new texts.
    """
    text = without_path(text, path, document)
    lines = [line.strip() for line in split_lines(text) if line.strip()]
    filled = [row.strip() for row in document.rows if row.strip()]
    if not lines:
        return Unclear("It is empty.")
    if not filled:
        return Whole()
    # Nothing new. With all of the file's lines it is the whole text, already made.
    if (at := _run(document, lines)) is not None:
        return at if len(lines) < len(filled) else Whole()
    # `Match`: its marks were understood. `Unplaced`: a mark has no certain place. None: no line would vanish at one.
    sketch = merge_sketch(document, text, path, language)
    if isinstance(sketch, Match):
        return sketch
    if isinstance(sketch, Unplaced):
        part = merge_parts(document, text, path, language)
        return part if isinstance(part, Match) else Unclear(sketch.reason, part=True)
    kept = list(common(filled, lines))
    if has_marks(document, text, path):
        part = merge_parts(document, text, path, language)
        return part if isinstance(part, Match) else Unclear("Nothing says what its marks stand for.", part=True)
    fewer = _has_fewer_names(document, text, path, language)
    # Most of the file's lines in their order, and what the file begins and ends with. A text that lacks names of the
    # file must keep more: a class with one of its methods has half of a small file.
    mostly = len(kept) > (_WITHOUT_NAMES_SHARE if fewer else _WHOLE_SHARE) * len(filled)
    if mostly and (_keeps_ends(filled, lines, kept) or (declared and lines[0] == filled[0])):
        return Whole()
    # less than half as long, begins otherwise and lacks names: a part below its file's path, as answers often show it
    shrinks = lines[0] != filled[0] and 2 * len(lines) < len(filled) >= _FILE_FROM
    shrinks = shrinks and _loses_names(document, text, path, language)
    # What its reply announces is the whole, unless it looks like a part. One that breaks off is called the whole as
    # well, so that the guards judge what it would delete (`lost-text`).
    if declared and (_is_cut_off(filled, lines) or not (fewer or shrinks)):
        return Whole()
    if declared and len(kept) == len(lines) and _stand_in(others, (row for row in filled if row not in lines)):
        return Whole()  # the rest moves to another file
    # a function or a key that the file has goes where the file has it
    part = merge_parts(document, text, path, language)
    if isinstance(part, Match):
        return part
    if not declared and (run := _between_ends(document, text, path, language)) is not None:
        return run
    reason = part.reason if isinstance(part, Unplaced) else "It keeps little of the file, and has no name that it has."
    return Unclear(reason, part=declared or isinstance(part, Unplaced))


def leaves_little_of(document: Document, text: str) -> bool:
    """Return whether a text in the place of a file would have less than half as many lines, blank ones aside, or, of a
    file of some length, none that tells it from others."""
    lines, filled = ([line.strip() for line in rows if line.strip()] for rows in (split_lines(text), document.rows))
    return 2 * len(lines) < len(filled) or (
        len(filled) >= _FILE_FROM and not any(distinctive(line) for line in {*lines} & {*filled})
    )


def without_path(text: str, path: str, document: Document) -> str:
    """Return a listing without its first line, if that is a comment with the file's path that the file lacks."""
    first, _, rest = text.partition("\n")
    named = path.rpartition("/")[2] in first and is_comment(first) and first.strip() not in document.line_set
    return rest if named and len(first.split()) <= _PATH_WORDS else text


def _run(document: Document, lines: Sequence[str]) -> Quote | None:
    """Find all lines of a listing in the file, one after the other, blank ones aside."""
    at = [n for n, row in enumerate(document.rows) if row.strip()]
    texts = [document.rows[n].strip() for n in at]
    # the first line is compared alone, as slices of every row would make this quadratic
    for first in range(len(texts) - len(lines) + 1):
        if texts[first] == lines[0] and texts[first : first + len(lines)] == list(lines):
            return Quote(at[first], at[first + len(lines) - 1] + 1)
    return None


def _keeps_ends(filled: Sequence[str], lines: Sequence[str], kept: Sequence[tuple[int, int]]) -> bool:
    """Return whether the file's first and last lines are kept, or replaced by as many similar lines."""
    (a1, b1), (a2, b2) = kept[0], kept[-1]
    # all lines of a file but one, and no fewer lines: the one that is not there has another in its place
    if len(filled) - 1 <= len(kept) and len(filled) <= len(lines):
        return True
    begins = a1 == 0 or (a1 <= b1 and is_version(filled[0], lines[0]))
    ends = len(filled) - a2 <= 1 or (len(filled) - a2 <= len(lines) - b2 and is_version(filled[-1], lines[-1]))
    return begins and ends


def _is_cut_off(filled: Sequence[str], lines: Sequence[str]) -> bool:
    """Return whether a text begins like its file and follows it to the text's end, where the file goes on."""
    kept = len([*common(filled[: len(lines) + _CUT_FROM], lines)])
    return lines[0] == filled[0] and len(lines) >= _CUT_FROM and kept > _CUT_SHARE * len(lines)


def _stand_in(texts: Sequence[str], lines: Iterable[str]) -> bool:
    """Return whether `texts` hold all distinctive lines among `lines`."""
    wanted = {*filter(distinctive, lines)}
    return wanted <= {line.strip() for text in texts for line in split_lines(text)}


def _loses_names(document: Document, text: str, path: str, language: Language) -> bool:
    """Return whether a listing defines names, but not all of those that its file defines."""
    mine, theirs = (set(names_in(one, path, language)) for one in (text, document.raw))
    return bool(mine and theirs - mine)


def _has_fewer_names(document: Document, text: str, path: str, language: Language) -> bool:
    """Return whether a listing has some, not all, of the file's defined names, or of its keys, and no other."""
    mine, theirs = (set(names_in(one, path, language)) for one in (text, document.raw))
    if is_data(path):  # a key may be new beside others of its own
        mine, theirs = ({name.partition(".")[0] for name in names} for names in (mine, theirs))
    # a name of its own makes it more than a part; without names it is text, and its lines decide
    return bool(mine) and mine < theirs


def _between_ends(document: Document, text: str, path: str, language: Language) -> Match | None:
    """Return a listing as an edit between its first and last line, each of which the file has once;
    None if that would take away much more than it brings."""
    lines = split_lines(text.strip("\n"))
    where = {
        line: [n for n, row in enumerate(document.rows) if row.strip() == line.strip()]
        for line in (lines[0], lines[-1])
    }
    if len(lines) < _RUN_FROM or any(len(rows) != 1 for rows in where.values()) or not distinctive(lines[0]):
        return None
    first, last = where[lines[0]][0], where[lines[-1]][0]
    # the lines between would go; a listing of three lines must not take twenty away
    if not 0 < last - first < 2 * len(lines):
        return None
    found = put_lines(document, range(first, last + 1), lines, path, language)
    return found if isinstance(found, Match) else None
