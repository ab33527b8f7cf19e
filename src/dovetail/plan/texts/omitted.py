"""Lines that say without the usual dots that others are left out: ``# same as before``, ``(rest unchanged)``.

Such words may be content too, so the effect decides: a line counts only where it is new and lines vanish around it.
They do where fewer stand there than before, or where a definition is gone and no new one is there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dovetail.match import Document
from dovetail.model.text import split_lines
from dovetail.plan.texts.pairs import defined
from dovetail.text.comments import comment_in, parted
from dovetail.text.line import deep, distinctive, says
from dovetail.text.linediff import Hunk, diff
from dovetail.text.omission import Mark, mark_in

_MAY_BE_COMMENT = re.compile(r"[ \t{]*(?:[#/*<;%]|--)")
_LONGEST = 160  # characters of a line that is looked at
_SEVERAL = 2  # lines that vanish, where they may be comments that were rewritten
_STUB = re.compile(r"(?:pass|return|\.{3}|…)?;?\s*")
_OPENS_BODY = re.compile(r".*[{:]\s*(?:pass|return|\.{3}|…)?;?\s*")
_DOTS_IN_BODY = re.compile(r".*\{\s*(?:\.{3}|…)\s*(?:[}\]);,]+\s*)?")
_CLOSERS = "}]); ,"
_DOTS = ("...", "…", ". . .")
_MAY = re.compile(
    r"//|#|/\*|<!--|\.\.\.|…|\. \. \.|^\s*(?:REM|::|@\*|\.\.|[(\[（【*_>;%!\-\"'{])"
)  # few lines of code hold any


@dataclass(frozen=True, slots=True)
class Omission:
    """A new line, from 0, that stands for lines that vanish; `alone` where nothing else stands on it."""

    line: int
    alone: bool


def omissions(
    before: Sequence[str], new: Sequence[str], path: str, file: Document | None = None, doubtful: Collection[int] = ()
) -> tuple[Omission, ...]:
    """The lines of `new` that seem to stand for lines of `before`, where several of those vanish.

    What stands in `file` is content too. Lines that are `doubtful` may be anything, whatever they say.
    """
    kept = frozenset(before)
    short = ((i, line) for i, line in enumerate(new) if line not in kept and len(line.strip()) <= _LONGEST)
    hinted = [i for i, line in short if _MAY.search(line)]
    if not hinted and not doubtful:
        return ()
    had = {line.strip() for line in before}
    fresh = (i for i in hinted if new[i].strip() not in had)
    likely = {i: alone for i in fresh if (alone := _says_so(new[i], path)) is not None} | dict.fromkeys(doubtful, True)
    if likely and file is not None:
        likely = {i: alone for i, alone in likely.items() if new[i].strip() not in file.line_set}
    if not likely:
        return ()
    stretches = [s for s in _stretches(before, new) if _vanish(before, new, s, likely)]
    return tuple(Omission(i, alone) for i, alone in likely.items() if any(s.b1 <= i < s.b2 for s in stretches))


def left_out(search: str, replace: str, path: str, file: Document, *, named: bool = False) -> str | None:
    """The line of a replacement that stands for lines which its search shows and which it would delete; of one that has
    each line `named` that goes, only where it keeps nothing but comments."""
    old, new = split_lines(search), split_lines(replace)
    said = () if named else omissions(old, new, path, file)
    found = said[0].line if said else comments_alone(old, new, path, file, in_places=not named)
    return new[found].strip() if found is not None else None


def comments_alone(
    before: Sequence[str],
    new: Sequence[str],
    path: str,
    file: Document | None = None,
    *,
    everywhere: bool = True,
    in_places: bool = True,
) -> int | None:
    """The line of a new text that is a comment where code stood, nothing else being left `everywhere`, or `in_places`;
    None where there is none, as in most new texts. A line of the file is none."""
    if not any(map(_MAY_BE_COMMENT.match, new)):
        return None
    from dovetail.plan.texts.stand_ins import only_comments, stand_in

    found = only_comments(before, new, path, file) if everywhere else None
    return stand_in(before, new, path, file) if found is None and in_places else found


def omits(line: str, path: str) -> bool:
    """Whether a line may do nothing but stand for others."""
    return _MAY.search(line) is not None and len(line.strip()) <= _LONGEST and _says_so(line, path) is True


def marked(new: str, before: str, path: str = "") -> tuple[int, ...]:
    """The lines of `new`, from 0, that stand with dots for lines left out. A line that the file has too is content."""
    content = {line.strip() for line in split_lines(before)}
    return tuple(
        index
        for index, line in enumerate(split_lines(new))
        if line.strip() not in content and mark_in(line, path) in (Mark.DOTS, Mark.DOTS_AND_WORDS)
    )


def _says_so(line: str, path: str) -> bool | None:
    """Whether a line that may stand for others does nothing else; None where it is content."""
    text = line.strip()
    if mark_in(text, path) is not None or (line.startswith(_DOTS) and text in _DOTS):
        return True
    code, comment = parted(text.rstrip(_CLOSERS))
    if comment.strip() and mark_in(comment, path) is not None:
        return True if _STUB.fullmatch(code) else False if _OPENS_BODY.fullmatch(code) else None
    return False if _DOTS_IN_BODY.fullmatch(text) else None


def _stretches(before: Sequence[str], new: Sequence[str]) -> Iterator[Hunk]:
    """The hunks between the texts, joined where no line that `before` has once and that says something is between."""
    count = Counter(line.strip() for line in before)
    last: Hunk | None = None
    for hunk in diff(before, new):
        if last is None:
            last = hunk
        elif any(distinctive(line) and count[line.strip()] == 1 for line in before[last.a2 : hunk.a1]):
            yield last
            last = hunk
        else:
            last = Hunk(last.a1, hunk.a2, last.b1, hunk.b2)
    if last is not None:
        yield last


def _vanish(before: Sequence[str], new: Sequence[str], stretch: Hunk, likely: Mapping[int, bool]) -> bool:
    """Whether a stretch says less than before: fewer lines of code, fewer lines by several, or fewer definitions."""
    gone = [i for i in range(stretch.a1, stretch.a2) if says(before[i])]
    come = [i for i in range(stretch.b1, stretch.b2) if says(new[i]) and not likely.get(i, False)]
    if len(gone) - len(come) >= _SEVERAL or _code(before, gone) > _code(new, come):
        return True
    had, has = _names(before, range(len(before))), _names(new, range(len(new)))
    return len(_names(before, gone) - has) > len(_names(new, come) - had)


def _code(lines: Sequence[str], indices: Iterable[int]) -> int:
    """How many lines are no comments."""
    return sum(1 for i in indices if not comment_in(lines[i].strip())[0])


def _names(lines: Sequence[str], indices: Collection[int]) -> set[str]:
    """What the lines define that have deeper ones below them."""
    wanted, found = set(indices), set()
    said = [i for i, line in enumerate(lines) if line.strip()]
    for i, below in pairwise(said):
        if i in wanted and deep(lines[below]) > deep(lines[i]):
            found.add(defined(lines[i]))
    return {name for name in found if name is not None}
