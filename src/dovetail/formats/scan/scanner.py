"""Drives the state machines over whole lines: one machine at a time, each taking as many of them as it can.

Owns what all machines share: the grammar, the sink, the lines above, the path in force, whether a reasoning section
is open. A machine may give back lines that turned out not to be its own; they are fed again to the machine it
leaves behind. Each machine gives a line back at most once, so the work stays linear in the reply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from dovetail.formats.scan import faults
from dovetail.formats.scan.notes import Notes
from dovetail.formats.scan.place import UNNAMED, Place, Recent, locate
from dovetail.formats.scan.tried import Tried
from dovetail.formats.table import DIFF, machines_for, named
from dovetail.model.blocks import Block, Kind
from dovetail.model.text import closed

if TYPE_CHECKING:
    from collections.abc import Callable

    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.lines.grammar import Grammar
    from dovetail.formats.scan.sink import Sink
    from dovetail.model.diagnostics import Diagnostic

SLICE = 1 << 14
_INSIDE = frozenset(("angle", "dash"))


class GiveBack(NamedTuple):
    """Whole lines to be fed again, and the number of the first."""

    text: str
    line: int


class State(Protocol):
    """One machine. Most take their lines as `keeping` says."""

    def take(self, text: str, at: int, line: int, /) -> tuple[int, GiveBack | None]:
        """Take a run of whole lines, and give where it ends and what is given back of it.

        The first line begins at `at` in `text`, behind a newline, and is the reply's line `line`. A machine goes on as
        long as no line can make it leave; one that leaves before the first takes none.
        """

    def end(self) -> GiveBack | None:
        """The reply is over. What is given back is fed to the machine left behind, which is then ended too."""


class Scanner:
    """The state of one parse.

    asked: the format that the user asked for, or ``auto``; `wanted` holds the machines that it allows.
    inner: it reads what stands inside another's text; `tool` is `cline` or `roo` inside their tags, else "".
    recent, since: the lines above, back to where a block or a fence ended; and all since the last block.
    force: the path that blocks without one take.
    tried, notes: what came to nothing; what would be an edit if it was asked for.
    number: the next line's. begun: text or a block has come, reasoning left out.
    wrapper: the fence longer than usual that is around the reply, until it closes.
    unended: the reply is over, and its last line had no end.
    state: the machine that is given the next line.
    """

    def __init__(
        self, grammar: Grammar, asked: str, sink: Sink, make_top: Callable[[Scanner], State], *, inner: bool = False
    ) -> None:
        self.grammar = grammar
        self.asked = asked
        self.wanted = machines_for(asked)
        self.sink = sink
        self.make_top = make_top
        self.inner = inner
        self.tool = ""
        self.recent = Recent()
        self.since = Recent()
        self.force = UNNAMED
        self.tried = Tried()
        self.notes = Notes(sink, inner=inner)
        self.number = 1
        self.begun = False
        self.wrapper: Fence | None = None
        self.unended = False
        self.state: State = make_top(self)

    def feed(self, lines: str) -> None:
        """Take whole lines."""
        start = 0
        while start < len(lines):
            stop = lines.rfind("\n", start, start + SLICE) + 1 or lines.index("\n", start) + 1
            self._run("\n" + lines[start:stop])
            start = stop

    def end(self) -> None:
        """Tell every machine, innermost first, that the reply is over."""
        while True:
            state = self.state
            back = state.end()
            if back is not None:
                self.number = back.line
                self._run("\n" + back.text)
            elif self.state is state:
                break
        self.sink.draft = False
        self.notes.tell(asked=self.asked == DIFF)

    def _run(self, text: str) -> None:
        """Feed a text that has one newline in front of its lines."""
        stack = [(text, 1)]
        while stack:
            text, at = stack.pop()
            size = len(text)
            while at < size:
                stop, back = self.state.take(text, at, self.number)
                if back is None:
                    self.number += text.count("\n", at, stop)
                    at = stop
                else:
                    self.tried.give_back(back.line)
                    self.number = back.line
                    stack.append((text, stop))
                    text, at, size = "\n" + back.text, 1, len(back.text) + 1

    def place(self, fence: Fence | None) -> Place:
        """Where a block that starts at the next line belongs."""
        return locate(self, self.recent.lines(), fence, self.since)

    def named(self, found: str) -> str:
        """The name of a block that was found in the place of `found`."""
        return self.tool or named(found, self.asked)

    def inside(
        self,
        text: str,
        line: int,
        force: Place = UNNAMED,
        tool: str = "",
        machines: frozenset[str] = _INSIDE,
        sink: Sink | None = None,
        inner: bool = True,
    ) -> None:
        """Parse `text` as a reply of its own, into the same sink or another; `line` is its first line's number.

        `inner` is False for all that a model wrote, in which reasoning may end that never began.
        """
        draft, sink = self.sink.draft, sink or self.sink
        scanner = Scanner(self.grammar, self.asked, sink, self.make_top, inner=inner)
        scanner.wanted, scanner.force, scanner.tool = machines, force, tool
        scanner.number, sink.draft = line, draft
        scanner.feed(closed(text))
        scanner.end()
        self.sink.draft = draft

    def spoiled(self, name: str, path: str | None, raw: str, line: int, fault: Diagnostic) -> None:
        """Give what was meant for an edit of the format `name`, and is none."""
        block = Block(name, Kind.EDIT, path, "", "", raw=raw, line=line)
        self.sink.whole(faults.spoil(block, fault))

    def put_in_force(self, place: Place) -> None:
        """A block begins: if it named its path, later blocks without one take it."""
        self.since.clear()
        self.begun = self.begun or not self.sink.draft
        if place.path is None or self.sink.draft:
            return
        if place.own:
            kept = self.force.section if self.force.path == place.path else 0
            self.force = place._replace(section=kept) if kept else place
        elif place.unsure:
            self.force = self.force._replace(unsure=place.unsure)
