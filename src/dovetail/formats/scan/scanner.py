"""Drives the state machines over whole lines: one machine at a time, each saying which lines it must see.

Owns what all machines share: the grammar, the sink, the lines above, the path in force, whether a reasoning section
is open. A machine may give back lines that turned out not to be its own; they are fed again to the machine it
leaves behind. Each machine gives a line back at most once, so the work stays linear in the reply.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dovetail.formats.lines import unread
from dovetail.formats.scan import faults
from dovetail.formats.scan.before_after import Pairs
from dovetail.formats.scan.place import Force, Place, Recent, locate
from dovetail.formats.table import DIFF, machines_for, named
from dovetail.model.blocks import Block, Kind
from dovetail.model.text import closed

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.lines.grammar import Grammar
    from dovetail.formats.scan.sink import Sink
    from dovetail.model.diagnostics import Diagnostic

SLICE = 1 << 14
_MOST_RETURNS = 64  # far more than there are machines
_INSIDE = frozenset(("angle", "dash"))


class GiveBack(NamedTuple):
    """Whole lines to be fed again, and the number of the first."""

    text: str
    line: int


class State(Protocol):
    """One machine. `interest` finds, in a text that begins with a newline, the lines it must see one by one."""

    @property
    def interest(self) -> re.Pattern[str]:
        """The pattern; it may change from call to call."""

    def bulk(self, text: str, line: int, /) -> GiveBack | None:
        """Take whole lines that `interest` does not find."""

    def line(self, text: str, line: int, /) -> GiveBack | None:
        """Take one line, newline included."""

    def end(self) -> GiveBack | None:
        """The reply is over. What is given back is fed to the machine left behind, which is then ended too."""


class Scanner:
    """The state of one parse.

    asked: the format that the user asked for, or ``auto``; `wanted` holds the machines that it allows.
    tool: `cline` or `roo` inside their tags, else "".
    hopeless, as_text, conflicts: numbers of start lines known to have no end, to be no start, to be an edit's.
    json_from: no JSON value begins before this line, as one was tried there already.
    quoted_from: no block quote begins before this line, as for JSON.
    unended: the reply is over, and its last line had no end.
    unclosed: kinds of tags around calls of which no closing one stands in the rest of the reply.
    begun: text or a block has come, reasoning left out; `inner`: it reads what stands inside another's text.
    wrapper: the fence longer than usual that is around the reply, until it closes.
    returned: how often each line was given back.
    pairs: listings of old and of new lines, which count where they are asked for, and the reply holds no other edit.
    unasked: what to say of the first listing whose file only a sentence or its own first line names, or of changed
    lines whose file nothing names, should the reply hold no edit of that file.
    """

    def __init__(self, grammar: Grammar, asked: str, sink: Sink, make_top: Callable[[Scanner], State]) -> None:
        self.grammar = grammar
        self.asked = asked
        self.wanted = machines_for(asked)
        self.sink = sink
        self.make_top = make_top
        self.recent = Recent()
        self.since = Recent()
        self.force: Force | None = None
        self.draft = False
        self.number = 1
        self.tool = ""
        self.json_from = 0
        self.quoted_from = 0
        self.unclosed: set[str] = set()
        self.unended = False
        self.begun = False
        self.inner = False
        self.wrapper: Fence | None = None
        self.unasked: tuple[str, Diagnostic] | None = None
        self.pairs = Pairs()
        self.hopeless: set[int] = set()
        self.as_text: set[int] = set()
        self.conflicts: set[int] = set()
        self.returned: Counter[int] = Counter()
        self.state: State = make_top(self)

    def feed(self, lines: str) -> None:
        """Take whole lines."""
        size = len(lines)
        start = 0
        while start < size:
            stop = (
                size
                if size - start <= SLICE
                else (lines.rfind("\n", start, start + SLICE) + 1 or lines.find("\n", start) + 1)
            )
            self._run("\n" + lines[start:stop])
            start = stop

    def end(self) -> None:
        """Tell every machine, innermost first, that the reply is over."""
        while True:
            state = self.state
            back = state.end()
            if back is not None:
                self._run("\n" + back.text, back.line)
            elif self.state is state:
                break
        if self.pairs.blocks and not (self.inner or self.sink.blocks):
            if self.asked == DIFF:
                for block in self.pairs.blocks:
                    self.sink.whole(block)
            else:
                self.unasked = ("", faults.only_told(self.pairs.blocks[0]))
        if self.unasked is not None and self.unasked[0] not in {block.path for block in self.sink.blocks}:
            self.sink.diagnose(self.unasked[1])

    def _run(self, text: str, line: int | None = None) -> None:
        """Feed a text that has one newline in front of its lines."""
        if line is not None:
            self.number = line
        stack = [(text, 1)]
        while stack:
            text, at = stack.pop()
            size = len(text)
            seen_by, start = None, 0
            while at < size:
                state = self.state
                interest = state.interest
                if start < at or interest is not seen_by:
                    seen_by, found = interest, interest.search(text, at - 1)
                    start = size if found is None else found.start() + 1
                number = self.number
                if start > at:
                    stop, bulk = start, text[at:start]
                    self.number += bulk.count("\n")
                    back = state.bulk(bulk, number)
                else:
                    stop = text.index("\n", at) + 1
                    self.number += 1
                    back = state.line(text[at:stop], number)
                at = stop
                if back is not None:
                    self._count(back.line)
                    self.number = back.line
                    stack.append((text, at))
                    text, at, size = "\n" + back.text, 1, len(back.text) + 1
                    seen_by = None

    def _count(self, line: int) -> None:
        """Note that a line was given back. One that no machine keeps is text in the end: no reply is read for ever."""
        self.returned[line] += 1
        if self.returned[line] > _MOST_RETURNS:
            self.as_text.add(line)

    def place(self, fence: Fence | None) -> Place:
        """Where a block that starts at the next line belongs."""
        return locate(self.recent.lines(), fence, self.force, self.grammar.markers.fences, self.since)

    def named(self, found: str) -> str:
        """The name of a block that was found in the place of `found`."""
        return self.tool or named(found, self.asked)

    def inside(
        self,
        text: str,
        line: int,
        force: Force | None,
        tool: str = "",
        machines: frozenset[str] = _INSIDE,
        sink: Sink | None = None,
    ) -> None:
        """Parse `text` as a reply of its own, into the same sink or another; `line` is its first line's number."""
        inner = Scanner(self.grammar, self.asked, sink or self.sink, self.make_top)
        inner.wanted, inner.force, inner.tool = machines, force, tool
        inner.draft, inner.number, inner.inner = self.draft, line, True
        inner.feed(closed(text))
        inner.end()

    def spoiled(self, name: str, path: str | None, raw: str, line: int, fault: Diagnostic) -> None:
        """Give what was meant for an edit of the format `name`, and is none."""
        block = Block(name, Kind.EDIT, path, "", "", raw=raw, line=line, draft=self.draft)
        self.sink.whole(faults.spoil(block, fault))

    def note_unread(self, text: str, line: int) -> None:
        """Keep what is to be said of a text in which an edit shows that nothing reads."""
        if self.unasked is None and not (self.draft or self.inner) and (found := unread.sign_in(text)) is not None:
            at, what = found
            self.unasked = ("", faults.unread(what, line + text.count("\n", 0, at)))

    def put_in_force(self, place: Place) -> None:
        """A block begins: if it named its path, later blocks without one take it."""
        self.since.clear()
        self.begun = self.begun or not self.draft
        if place.path is None or self.draft:
            return
        if place.own:
            same = self.force is not None and self.force.path == place.path
            level = self.force.section if self.force is not None and same else 0
            self.force = Force(place.path, place.format, place.candidates, level, place.mentioned)
        elif place.unsure and self.force is not None:
            self.force = self.force._replace(unsure=place.unsure)
