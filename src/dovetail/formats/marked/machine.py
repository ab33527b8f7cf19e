"""The machine behind every format whose blocks stand between a start and an end marker line.

Grammar::

    block   = start line* divider line* end
    line    = anything, marker lines that turn out to be content included

Owns where a block ends. Markers may be content, so nested starts are counted and must be balanced. A line that closes
the fence around the block only *may* end it: if an end marker follows before any other start, it was content, and so it
is where it stands deeper; otherwise the block ended there, without its end marker. Behind an end marker inside a fence
the next lines are looked at before the block is given, because an end marker may be content too.

Invariant: no line is given back twice by one machine, and starts known to have no end (`hopeless`) end at the next
start without looking further, so that any reply is parsed in linear time.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Literal, NamedTuple

from dovetail.formats.lines import fences, reasoning
from dovetail.formats.marked import endings
from dovetail.formats.marked.closing import Closing
from dovetail.formats.marked.endings import Body, Nested
from dovetail.formats.marked.readings import undecided
from dovetail.formats.scan import faults
from dovetail.formats.scan.scanner import GiveBack

if TYPE_CHECKING:
    from dovetail.formats.events import Part
    from dovetail.formats.lines.grammar import Start
    from dovetail.formats.scan.faults import Fault
    from dovetail.formats.scan.place import Place
    from dovetail.formats.scan.scanner import Scanner, State
    from dovetail.model.blocks import Block
    from dovetail.model.diagnostics import Diagnostic

MOST_DIVIDERS = 64
_HEAD = 2  # lines above a start marker among which its fence opens: a path may stand between
Role = Literal["start", "divider", "end", "bare-end"]


class Divider(NamedTuple):
    """A divider-like line in a body: its first character, the one behind it, its run, and how deep it is nested."""

    start: int
    stop: int
    length: int
    indent: int
    depth: int


class Maybe(NamedTuple):
    """A line that may have ended the block: where the body would end, what would be fed again from where, and what has
    been held back since."""

    stop: int
    resume: int
    line: int
    held: list[tuple[Part, str]]


class MarkedBlock(ABC):
    """One block of one format, from its start marker on.

    format: the format's name. looks_for: what finds the lines that may be markers, where the grammar's pattern does
    not. needs_divider: without one it is malformed. part: the half in which the next line seems to stand. nested: the
    first other start marker in its body. plain: its body holds no line so far that `interest` finds, but for dividers.
    """

    format = ""
    looks_for: re.Pattern[str] | None = None
    needs_divider = True
    plain = True
    divided = False
    part: Part = "search"
    size = 0
    last_divider: Divider | None = None
    nested: Nested | None = None
    _maybe: Maybe | None = None
    _inner = 0

    def __init__(self, scanner: Scanner, start: Start, text: str, line: int, place: Place) -> None:
        self.scanner = scanner
        self.parent: State = scanner.state
        self.interest = self.looks_for or scanner.grammar.block
        self.start = start
        self.head = text
        self.first = line
        self.place = place
        self.fence = place.fence
        self.format = self.name()
        self.pieces: list[str] = []
        self.dividers: list[Divider] = []
        self.ends: list[int] = []
        self._open: list[Nested] = []
        scanner.sink.counts[self.format, "start"] += 1
        scanner.put_in_force(place)
        self.n = scanner.sink.open(self.format, line, place.path)

    def name(self) -> str:
        """The format's name, where that is not always the same."""
        return self.format

    @abstractmethod
    def role(self, text: str) -> Role | None:
        """What marker `text` is for this format."""

    @abstractmethod
    def build(self, body: str, raw: str) -> Block:
        """The block of a body that has been closed."""

    @abstractmethod
    def end_marker(self) -> str:
        """How this format writes its end marker."""

    def take(self, text: str, at: int, line: int) -> tuple[int, GiveBack | None]:
        """Take content and dividers, up to a line that may be another marker, and that line."""
        told, stop, before = at, at, self.size - at
        while (found := self.interest.search(text, stop - 1)) is not None:
            start = found.start() + 1
            stop = text.index("\n", start) + 1
            marker = text[start:stop]
            if (role := self.role(marker)) != "divider":
                self._keep(text[at:start], text[told:start])
                return stop, self._on_marker(role, marker, line + text.count("\n", at, start))
            self._tell(text[told:start])
            told = stop if self._on_divider(marker, before + start) else start
        self._keep(text[at:], text[told:])
        return len(text), None

    def _on_marker(self, role: Role | None, text: str, line: int) -> GiveBack | None:
        """A line that may be a marker, and is no divider."""
        if role == "end":
            return self._on_end(text)
        self.plain = False
        if role == "start":
            return self._on_start(text, line)
        if role == "bare-end" and self.divided and self._maybe is None and not self._open:
            self._may_end(len(text), line + 1)
            self._keep(text, text)
        else:
            self._on_other(text, line)
        return None

    def _keep(self, text: str, untold: str) -> None:
        """Whole lines of the body, of which a part is still to be told."""
        self.pieces.append(text)
        self.size += len(text)
        self._tell(untold)

    def _tell(self, text: str) -> None:
        if self._maybe is None:
            self.scanner.sink.lines(self.n, self.part, text)
        else:
            self._maybe.held.append((self.part, text))

    def _release(self) -> None:
        """What might have ended the block was content."""
        if self._maybe is not None:
            for part, text in self._maybe.held:
                self.scanner.sink.lines(self.n, part, text)
            self._maybe = None

    def _on_divider(self, text: str, start: int) -> bool:
        """A line that may divide the body, from an offset on. Whether it seems to, and so stands in neither half."""
        depth = 1 + len(self._open)
        length, indent = self.measure(text)
        if depth == 1 and not self.divided:
            self._release()
            self._inner = 0
            self.divided = True
            self.scanner.sink.counts[self.format, "divider"] += 1
        self.last_divider = divider = Divider(start, start + len(text), length, indent, depth)
        if len(self.dividers) < MOST_DIVIDERS:
            self.dividers.append(divider)
        if self.part == "replace" or depth > 1 or length != self.start.length:
            return False
        self.part = "replace"
        return True

    def measure(self, text: str) -> tuple[int, int]:
        """Length and indentation of a divider."""
        stripped = text.strip()
        return len(stripped), len(text) - len(text.lstrip())

    def _on_other(self, text: str, line: int) -> None:
        """A fence line, a closing tag, or plain content that only looked like a marker."""
        fence = self.fence
        if self._ends_draft(text):
            self._may_end(0, line)
        elif fence is not None and fence.closes(text):
            if self._inner:
                self._inner -= 1
            elif not fence.is_above(text):
                self._may_end(0, line)
        elif fence is not None and (inner := fence.opens(text)) is not None and not inner.bare:
            self._inner += len(inner.mark) >= len(fence.mark)
        self._keep(text, text)

    def _ends_draft(self, text: str) -> bool:
        return self.scanner.sink.draft and reasoning.closes(text)

    def _may_end(self, length: int, line: int) -> None:
        """A line may end the block; where it does, `length` of its characters are used up."""
        if self._maybe is None:
            self._maybe = Maybe(self.size, self.size + length, line, [])

    def _on_start(self, text: str, line: int) -> GiveBack | None:
        if self._maybe is not None:
            if not self._opens_inside(self._maybe):
                return self._split(self._maybe, text)
            self._release()
            self._inner = 1
        if self.first in self.scanner.tried.hopeless:
            self.scanner.tried.hopeless.discard(self.first)
            return self._cut(self.size, line, text, self._wrong(faults.NO_END))
        long = self.fence is not None and self.fence.long
        if not self.divided and not long:
            return self._cut(self.size, line, text, self._wrong(faults.NESTED_UNDIVIDED, at=line))
        nested = Nested(self.size, line)
        self.nested = self.nested or nested
        self._open.append(nested)
        self._keep(text, text)
        return None

    def _opens_inside(self, maybe: Maybe) -> bool:
        """Whether the line that might have closed the fence opened an inner one, right above a start marker.

        Where the fence did close, the next block stands in a fence of its own, or at least behind a blank line.
        """
        first, *between, _ = "".join(text for _, text in maybe.held).split("\n")
        if self._ends_draft(first):
            return False
        return (
            self.divided and len(between) <= 1 and not any(fences.is_fence_line(line) or not line for line in between)
        )

    def _on_end(self, text: str) -> GiveBack | None:
        if self._open:
            self._open.pop()
            self._keep(text, text)
            return None
        self._release()
        self.scanner.sink.counts[self.format, "end"] += 1
        if not self.divided and self.needs_divider:
            self.finish(self.size, text, self._wrong(faults.NO_DIVIDER))
            return None
        if self.fence is None:
            self.finish(self.size, text)
        else:
            self.scanner.state = Closing(self, text)
        return None

    def extend(self, end_line: str, after: str) -> None:
        """The end marker was content, or may have been: another one followed in the same fence."""
        self.plain = False
        self.ends.append(self.size)
        for text in (end_line, after):
            self._keep(text, text)
        self.scanner.state = self

    def end(self) -> GiveBack | None:
        """The reply ends inside the block."""
        if self._maybe is not None:
            return self._split(self._maybe, "")
        fault = self._wrong(faults.NO_END if self.divided else faults.NO_DIVIDER)
        if self.nested is not None:
            return self._cut_at_nested(self.nested, fault)
        self.finish(self.size, "", fault)
        return None

    def _split(self, maybe: Maybe, text: str) -> GiveBack:
        """The block ended at the line that may end it; what stands behind goes back, and `text` with it."""
        fault = None if self.divided else self._wrong(faults.NO_DIVIDER)
        text_so_far = "".join(self.pieces)
        body, behind = self._body(text_so_far[: maybe.stop]), text_so_far[maybe.resume :]
        nested = self.nested or endings.start_behind(body, self.scanner.grammar)
        if nested is not None and nested.offset < maybe.stop:
            fault = fault or self._wrong(faults.NESTED_UNENDED, at=nested.line)
            back = self._cut_at_nested(nested, fault)
            return GiveBack(back.text + text, back.line)
        fault = fault or endings.marker_behind(body)
        if fault is None and endings.opens_behind(behind, _HEAD if text else 0):
            fault = self._wrong(faults.NO_END)
        warning = faults.CLOSED_BY_FENCE.at(maybe.line, format=self.format) if fault is None else None
        if warning is not None:
            self.scanner.sink.diagnose(warning)
        self.finish(maybe.stop, "", fault)
        return GiveBack(behind + text, maybe.line)

    def _body(self, text: str) -> Body:
        behind = next((divider.stop for divider in self.dividers if divider.depth == 1), 0)
        return Body(text, self.format, self.first, behind, self.end_marker())

    def _wrong(self, fault: Fault, **facts: object) -> Diagnostic:
        return fault.at(self.first, format=self.format, **facts)

    def _cut_at_nested(self, nested: Nested, fault: Diagnostic) -> GiveBack:
        """Give up the outer block at the first start inside it, and feed that one again."""
        self.scanner.tried.hopeless.update(one.line for one in self._open)
        rest = "".join(self.pieces)[nested.offset :]
        return self._cut(nested.offset, nested.line, rest, fault)

    def _cut(self, stop: int, line: int, rest: str, fault: Diagnostic) -> GiveBack:
        """End as malformed; the lines up to there may name the next block's path."""
        body = "".join(self.pieces)[:stop]
        self.finish(stop, "", fault)
        self.scanner.recent.add(body)
        return GiveBack(rest, line)

    def _doubt(self, body: Body) -> Diagnostic | None:
        """What speaks against ending with a body that is not plain."""
        fault = endings.unpaired(body, self.ends, self.place.path) if self.needs_divider else None
        if fault is None and self.divided and self.fence is not None:
            fault = endings.reopened(body, self.fence, self.place.path)
        return fault

    def finish(self, stop: int, end_line: str, fault: Diagnostic | None = None) -> None:
        """Give the block to the sink and hand over to the machine around it."""
        body = "".join(self.pieces)[:stop]
        if fault is None and (not self.plain or ">>>>> " in body):
            fault = self._doubt(self._body(body))
        block = self.build(body, self.head + body + end_line)
        if fault is None and len(block.readings) > 1 and undecided(block.readings):
            fault = self._wrong(faults.SEVERAL_TEXTS, new_file=faults.new_file(self.scanner.grammar.markers))
        if fault is None and block.path is None:
            fault = self._wrong(faults.NO_PATH)
        self.scanner.recent.clear()
        self.scanner.state = self.parent
        self.scanner.sink.close(self.n, faults.spoil(block, fault))
