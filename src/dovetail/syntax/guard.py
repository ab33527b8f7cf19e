"""Decides which texts may be given to a grammar, and for how long they may be parsed.

Grammars are C: some write beyond their stacks when blocks nest a few hundred deep, some need minutes for a few
kilobytes of junk. So a text is scanned first, and a parse is stopped when it takes too much work. The limits lie far
above what people write and far below what was seen to crash.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 1_000_000
MAX_BRACKETS = 200  # open at once; crashes were seen from about 400 up
MAX_INDENTS = 100  # open at once; crashes were seen from 200 up
MAX_MARKERS = 50  # list and quote markers in one line; crashes were seen from 200 up
MAX_HEREDOCS = 60  # begun in one line
MAX_CHAIN = 400  # names between signs with `=` or `->`, as in `a => b => c`; stalls were seen from 1,200 up
MAX_REPEATS = 5_000  # bytes of one short unit over and over; stalls of seconds were seen from 6,000 up

_TO_ROUND = bytes.maketrans(b"[{]}", b"(())")
_NO_BRACKET = bytes(set(range(256)) - set(b"([{}])"))
_OPEN = ord("(")
_ROUNDS = 50
_DEEP_INDENT = re.compile(rb"\n[ \t]{%d}" % MAX_INDENTS)
_INDENT = re.compile(rb"^[ \t]*(?=[^\s])", re.MULTILINE)
_MARKERS = re.compile(rb"(?:(?:[-*+?:>]|\d{1,9}[.)])[ \t]+|>){%d}" % MAX_MARKERS)
_MARKED = frozenset({"asciidoc", "markdown", "org", "rst", "yaml"})
# Names between `<` that nothing closes: `a<b<c<…`.
_GENERICS = re.compile(rb"(?:<[ ]?\w++[ ]?){%d}" % MAX_BRACKETS)
_LONG_STRETCH = 2_000
_STRUCTURE = bytes.maketrans(b"{}[],;'\"", b"\n" * 8)
_TO_SPACE = bytes.maketrans(b"\n\r", b"  ")
_SIGNS = rb"[\s=<>+\-*/%&|!?~^:@#\\]"
_CAST = rb"(?:\(\w++\)\s*+)?+"
_LINK = rb"[\w.$]++\s*+" + _CAST + rb"(?=\W{0,12}(?:=|->))" + _SIGNS + rb"++" + _CAST + _SIGNS + rb"*+"
# `a => b => c => …`, `a = b = c`, with signs and casts (`(int)`) between the names.
_CHAIN = re.compile(rb"(?<![\w.$])(?:%s){%d}" % (_LINK, MAX_CHAIN))
_UNIT, _WINDOW = 32, 200
_LIST = re.compile(rb"(?=.*,|\S+\Z)[\w\s,]+\Z|\s+\Z", re.DOTALL)
_OPERATORS = b"=<>+-*/%&|!?~^.\\"
_LONG_HEREDOC = re.compile(rb"<<[-~]?[\"'`]?\w{100}")


def may_parse(data: bytes, language: str) -> bool:
    """Return whether a grammar may parse a text in UTF-8: not too long, nor binary, nor nested too deep."""
    return (
        len(data) <= MAX_BYTES
        and b"\0" not in data
        and not _brackets_too_deep(data)
        and not _indents_too_deep(data)
        and not _heredocs_too_many(data)
        and not _repeats_too_long(data)
        and not _chain_too_long(data)
        and (language not in _MARKED or _MARKERS.search(data) is None)
        and (data.count(b"<") < MAX_BRACKETS or _GENERICS.search(data) is None)
    )


def _brackets_too_deep(data: bytes) -> bool:
    """Return whether too many brackets are open at once, whatever their kinds.

    Pairs are struck out, innermost first. In honest code nothing is left after some rounds; the rest is counted.
    """
    brackets = data.translate(_TO_ROUND, _NO_BRACKET)
    for done in range(_ROUNDS):
        # Each round struck out the innermost pairs, so nothing is deeper than the brackets still open and one for each
        # round.
        if brackets.count(b"(") + done <= MAX_BRACKETS:
            return False
        brackets = brackets.replace(b"()", b"")
    steps = (1 if bracket == _OPEN else -1 for bracket in brackets)
    depths: Iterator[int] = accumulate(steps, lambda depth, step: max(0, depth + step))
    return max(depths) + _ROUNDS > MAX_BRACKETS


def _indents_too_deep(data: bytes) -> bool:
    if _DEEP_INDENT.search(data) is None:
        return False
    open_indents: list[int] = []
    for found in _INDENT.finditer(data):
        width = found.end() - found.start()
        while open_indents and open_indents[-1] >= width:
            open_indents.pop()
        open_indents.append(width)
        if len(open_indents) > MAX_INDENTS:
            return True
    return False


def _heredocs_too_many(data: bytes) -> bool:
    if data.count(b"<<") == 0:
        return False
    if _LONG_HEREDOC.search(data) is not None:
        return True
    return data.count(b"<<") > MAX_HEREDOCS and any(line.count(b"<<") > MAX_HEREDOCS for line in data.split(b"\n"))


def _repeats_too_long(data: bytes) -> bool:
    """Return whether a unit of few bytes is repeated for long: some grammars nest it, and people never write it.

    Windows are sampled, so that the cost stays far below that of the parse.
    """
    run = 0
    for start in range(0, len(data) - _WINDOW, _WINDOW):
        window = data[start : start + _WINDOW]
        # The smallest shift at which the window's beginning stands in it again: the length of the unit that is
        # repeated.
        period = (window + window).find(window[: _WINDOW - _UNIT], 1)
        if not 0 < period <= _UNIT or _is_flat(window[:period]):
            run = 0
        elif (run := run + _WINDOW) > MAX_REPEATS:
            return True
    return False


def _chain_too_long(data: bytes) -> bool:
    """Return whether there is a long chain of names and signs, as in `a => b => c`, on one line or over several."""
    stretches = data.translate(_TO_SPACE).translate(_STRUCTURE).split(b"\n")
    return any(len(stretch) > _LONG_STRETCH and _CHAIN.search(stretch) is not None for stretch in stretches)


def _is_flat(unit: bytes) -> bool:
    """Return whether a unit can repeat without nesting: a list of words and numbers, or lines that stand alone."""
    head, newline, tail = unit.rpartition(b"\n")
    line = (tail + head).strip()
    alone = bool(newline) and line[:1] not in _OPERATORS and line[-1:] not in _OPERATORS
    return alone or _LIST.match(unit) is not None


@dataclass(slots=True)
class Budget:
    """Stops a parse that costs too much.

    Work is counted in the parser's own steps, so that the same text always gets the same answer; honest code needs
    one step for about 40 bytes, junk one for 10. A few texts make single steps slow; for those alone the thread's
    processor time decides.
    """

    size: int
    steps: int = 0
    started: float = field(default_factory=time.thread_time)

    def spent(self, _offset: int, _has_error: bool) -> bool:
        """Return whether the parser must stop; called after each of its steps."""
        self.steps += 1
        if self.steps > 2_000 + self.size // 4:
            return True
        # The clock is asked rarely: asking costs more than a step.
        return self.steps % 16 == 0 and time.thread_time() - self.started > 0.5 + self.size / 500_000
