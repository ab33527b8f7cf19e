"""Lines that stand for others: dots alone, or dots with words that say so."""

from __future__ import annotations

import re

from dovetail.model.text import split_lines
from dovetail.text.left_out_words import says_left_out

_OPEN = r"(?://|\#|--|;+|%|/\*+|<!--|\{/\*|\(\*?|\*|\"|')?"
_CLOSE = r"(?:\*+/\}?|-->|\*?\)|\"|')?"
_DOTS = r"(?:\.{3,}|\u2026)"
_WORDS = r"[\w\s,'()-]*\b(?:rest|remain\w*|existing|unchanged|previous|omitted|same|other|more)\b[\w\s,'()./-]*"
_SAID = rf"(?:{_DOTS}\s*{_WORDS}(?:{_DOTS})?|{_WORDS}{_DOTS})"
_IN_BRACKETS = (
    rf"\[\s*(?:{_DOTS}|{_SAID})\s*\]|\(\s*{_SAID}\s*\)"
    rf"|{_DOTS}\s*\[{_WORDS}\]\s*(?:{_DOTS})?|\[{_WORDS}\]\s*{_DOTS}"
)
_ELISION = re.compile(rf"(?i)\s*{_OPEN}\s*(?:{_DOTS}|{_SAID}|{_IN_BRACKETS})\s*{_CLOSE}\s*")
_REMARK = re.compile(rf"{_OPEN}\s*(?:{_DOTS}\s*([^.\u2026]+?)(?:{_DOTS})?|([^.\u2026]+?){_DOTS})\s*{_CLOSE}")
_SPREAD = re.compile(r"[\[({]*\s*\.{3}(?:[^\W\d][\w.?!()\[\]]*+(?:,.*|\s*[\])};]+,?)?|[(\[{].*[,;])")

_LONGEST = 200  # characters of such a line


def elides(line: str) -> bool:
    """Whether a line stands for others that it does not show: dots alone, or dots with words that say so.

    Dots that touch a name are code, which spreads what is called `rest` or `other`.
    """
    mark = line.strip()
    if len(mark) > _LONGEST or ("..." not in mark and "\u2026" not in mark):
        return False
    if _SPREAD.fullmatch(mark) is not None:
        return False
    if _ELISION.fullmatch(mark) is not None:
        return True
    found = _REMARK.fullmatch(mark)
    return found is not None and says_left_out(found[1] or found[2])


def omission(search: str, replace: str) -> str | None:
    """A line of the replacement that says in words that lines are left out, and that the search does not have.

    Dots alone may be code, so they are no omission.
    """
    if "..." not in replace and "\u2026" not in replace:
        return None
    had = {line.strip() for line in split_lines(search)}
    for line in split_lines(replace):
        if elides(line) and line.strip() not in had and any(map(str.isalpha, line)):
            return line.strip()
    return None
