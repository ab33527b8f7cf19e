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
from dovetail.plan.texts.marks import dots_are_code, remark
from dovetail.plan.texts.pairs import defined
from dovetail.text.elisions import elides
from dovetail.text.left_out_words import says_left_out
from dovetail.text.line import deep, distinctive, says
from dovetail.text.linediff import Hunk, diff

_MAY_BE_COMMENT = re.compile(r"[ \t{]*(?:[#/*<;%]|--)")
_MOST_WORDS = 10
_LONGEST = 160  # characters of a line that is looked at
_SEVERAL = 2  # lines that vanish, where they may be comments that were rewritten
_NOUN = (
    r"(?:code|contents?|logic|implementation|body|methods?|functions?|imports?|fields?|props|properties|tests?|cases|routes?"
    r"|styles?|rules?|entries|items|lines?|markup|html|css|js|json|config(?:uration)?|settings|class(?:es)?|definitions?"
    r"|declarations?|constants?|variables|types?|helpers?|handlers?|exports?|statements?|sections?|text|stuff|file|document)"
)
_SAYS = re.compile(
    r"(?i)\b(?:"
    r"(?:unchanged|unmodified|untouched|omitted|elided|truncated|snip(?:ped)?|abbreviated|left out|for brevity)\b"
    r"(?! (?:at|to|by|on|when|where|while|if|unless|until|because)\b)"  # what the code does, and when
    r"|same as (?:before|above|previous\w*|original\w*|earlier|now|in the original)\b"
    r"|(?:stays?|remains?|is|are|left|kept?|exactly)"
    r" (?:(?:the )?same|as (?:is|was|before|(?:they|it) (?:is|was|are|were)))\b"
    r"|(?:rest|remainder) (?:of|is|are|goes|here|below|follows|remains?|stays?)\b"
    rf"|{_NOUN} (?:goes|continues|remains?|stays?) (?:here|below|as)\b"
    r")|^(?:"
    r"(?:as (?:is|before)|same|etc|and so on|no (?:other )?changes?)(?: here| needed| below| above)?"
    r"|(?:(?:and|with|the|all|your|keep) )*(?:rest|remainder|existing|remaining|other|original|previous|current|same)"
    rf" {_NOUN}(?:,? (?:and |& )?{_NOUN}){{0,3}}(?: (?:here|below|above|follows?|goes here|continues?))?"
    r"|(?:(?:and|with|the|all|your) )*(?:existing|remaining|original) \w+(?: \w+){0,3}"
    r"|(?:keep )?(?:the |all )*(?:rest|remainder|others?|everything else)"
    r")$"
)
_STUB = r"(?:pass|return|\.{3}|…)?;?\s*"
_COMMENT = r"(?P<said>(?:#|//|/\*|<!--).*?)"
_BODY = re.compile(rf"{_STUB}{_COMMENT}")
_INLINE = re.compile(rf".*[{{:]\s*(?:{_STUB}{_COMMENT}|(?<=\{{)\s*(?:\.{{3}}|…))\s*(?:[}})\];,]+\s*)?")
_BRACKETED = re.compile(r"[*_>\s]*(?P<open>[(\[（【](?!\*))(?P<said>[^\"'=<>{}]*)[)\]）】][*_.]*")
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


def _says_so(line: str, path: str) -> bool | None:
    """Whether a line that may stand for others does nothing else; None where it is content."""
    text = line.strip()
    if text in _DOTS:
        return True if line.startswith(text) or not dots_are_code(path) else None
    if (found := _BRACKETED.fullmatch(text)) is not None:
        said = found["said"].strip()
        return True if said.startswith(_DOTS) or ((" " in said or not said.isascii()) and _omits(said)) else None
    leader, said = remark(text, path)
    if leader and (said.strip("[]() ").startswith(_DOTS) or _omits(said)):
        return True
    if (found := _BODY.fullmatch(text)) is not None:
        behind = found["said"]  # where that is all of it, it was asked already
        return True if behind != text and _omits(remark(behind)[1]) else None
    if (found := _INLINE.fullmatch(text)) is not None:
        said = remark(found["said"] or "...")[1]
        return False if said.startswith(_DOTS) or _omits(said) else None
    return True if elides(text) and any(map(str.isalpha, text)) else None


def _omits(said: str) -> bool:
    words = said.strip(" .,:;()[]…*_").split()
    text = " ".join(words)
    return 0 < len(words) <= _MOST_WORDS and (_SAYS.search(text) is not None or says_left_out(text))


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
    return sum(1 for i in indices if not remark(lines[i].strip())[0])


def _names(lines: Sequence[str], indices: Collection[int]) -> set[str]:
    """What the lines define that have deeper ones below them."""
    wanted, found = set(indices), set()
    said = [i for i, line in enumerate(lines) if line.strip()]
    for i, below in pairwise(said):
        if i in wanted and deep(lines[below]) > deep(lines[i]):
            found.add(defined(lines[i]))
    return {name for name in found if name is not None}
