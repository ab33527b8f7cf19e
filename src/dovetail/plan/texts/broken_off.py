"""Whole texts that break off: one whose last line says that more is to come, or that a tool cut out of a long line.

The idea: what shows a text in part says so where that ends, in words of its own. A text may hold such words, too, so
they count where the file has them not, and where what they stand for is gone.
"""

from __future__ import annotations

import re

from dovetail.model.text import split_lines
from dovetail.text.comments import comment_in
from dovetail.text.line import says, shared
from dovetail.text.omission import LONGEST

_NEXT = (
    r"(?:(?:the |my |a )?(?:next|following|second|third) (?:answer|block|comment|message|part|reply|response)s?"
    r"|part \w+)"
)
_TO_BE_CONTINUED = (
    r"to be continued|fortsetzung folgt|wird fortgesetzt|à suivre|continuará|continua|wordt vervolgd"
    r"|ciąg dalszy nastąpi|продолжение следует|далі буде|devam edecek|devamı var|còn tiếp|bersambung"
    r"|未完待[续續]|(?:次に)?(?:続く|つづく)|(?:다음에 )?계속됩니다|다음에 계속|يتبع|ادامه دارد"
)
_GOES_ON = re.compile(
    rf"(?i)\W*(?:{_TO_BE_CONTINUED}|(?:is |will be )?continue[sd](?: (?:in|on|with) {_NEXT}| below)?"
    rf"|continue (?:in|with) {_NEXT}|(?:the )?(?:rest|remainder) (?:is |comes |follows )?in {_NEXT}"
    r"|(?:(?:code|content|file|listing|output|response|text) )?truncated(?: here)?)\W*"
)
_SENTENCE = re.compile(r"\w+ \w+ \w+")  # and no list of names
_ASIDE = re.compile(r"[*_]{0,3}(?:\(.*\)|\[.*\]|<[^<>]*>)[*_]{0,3}|(?:\.{3}|\u2026).*")
_LONG_LINE = 500  # characters of a line that a tool may show in part
_CUT = re.compile(r"\.{3}|…|\btruncated\b|\bomitted\b")


def unfinished(before: str, new: str) -> int | None:
    """The last line of `new`, from 0, where it is no text but says that more of it is to come, or was cut off; whatever
    it says, where what is above it is how the file begins."""
    lines, was = split_lines(new.rstrip()), split_lines(before)
    last = lines[-1].strip() if lines else ""
    leader, said = comment_in(last)
    if len(last) > LONGEST or not (leader or _ASIDE.fullmatch(last)) or last in map(str.strip, was):
        return None
    told = not leader and _SENTENCE.search(said) is not None
    return len(lines) - 1 if _GOES_ON.fullmatch(said) or (told and _begins(lines[:-1], was)) else None


def _begins(lines: list[str], was: list[str]) -> bool:
    """Whether lines are how a file begins, some perhaps changed: the last that says something is there once, nothing
    that is behind it there is among them, and half of them stand there."""
    said = [line for line in lines if says(line)]
    if not said or was.count(said[-1]) != 1:
        return False
    lost = {line for line in was[was.index(said[-1]) + 1 :] if says(line)}
    known = set(was)
    return bool(lost) and lost.isdisjoint(said) and 2 * sum(line in known for line in said) >= len(said)


def cut_short(before: str, new: str) -> str | None:
    """What stands with dots in a new line where most of a long line of the file is gone: a tool that shows a file shows
    no more of it."""
    had, has = set(split_lines(before)), set(split_lines(new))
    gone = {line[:LONGEST]: line for line in had.difference(has) if len(line) >= _LONG_LINE}
    for line in has.difference(had) if gone else ():
        if (old := gone.get(line[:LONGEST])) is not None and _CUT.search(line):
            start = shared(old, line)
            end = shared(old[start:][::-1], line[start:][::-1])
            left, told = old[start : len(old) - end], line[start : len(line) - end]
            if 10 * len(told) <= len(left) and len(told) <= LONGEST and _CUT.search(told):
                return told
    return None
