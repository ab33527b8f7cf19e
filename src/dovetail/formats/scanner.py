"""Drives the state machines over whole lines: one machine at a time, each taking as many lines as it can.

Owns what all machines share: the grammar, the sink, the lines above, the path in force, the lines tried in vain. A
machine may give back lines that turned out not to be its own; they are fed again to its parent machine. Each machine
gives a line back at most once, so the work stays linear in the reply.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dovetail.formats.around import UNNAMED, Place, RecentLines, place_below
from dovetail.formats.paths.forms import Form, in_line
from dovetail.formats.sink import Notes
from dovetail.formats.table import TWINS, machines_for
from dovetail.model.blocks import Block, Kind
from dovetail.model.text import closed
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dovetail.formats.fences import Fence
    from dovetail.formats.grammar import Grammar
    from dovetail.formats.sink import Sink
    from dovetail.model.diagnostics import Diagnostic

# Characters that a machine gets at a time. It searches all of them for its next line of interest, and may be left near
# their start; then another machine searches them again. On a whole reply that would be quadratic.
SLICE = 1 << 14
_INSIDE = frozenset(("angle", "dash"))  # machines of blocks that stand in a tag's or a call's text
_MOST_RETURNS = 64  # far more than there are machines
_MOST_NAMES = 64  # paths named above that a block without its own path keeps, the nearest first
EVERY = pattern(r"\n")
"""The interest of a machine that must see every line for now."""


class GiveBack(NamedTuple):
    """Whole lines to be fed again, and the number of the first."""

    text: str
    line: int


class State(Protocol):
    """A machine as the scanner sees it: it takes text, and learns when the reply is over."""

    def take(self, text: str, at: int, line: int, /) -> tuple[int, GiveBack | None]:
        """Take a run of whole lines; return the offset where it ends, and lines that are given back, or None.

        The first line begins at `at` in `text`, after a newline, and is the reply's line `line`. A machine goes on as
        long as no line can make it leave; one that leaves before the first takes none.
        """

    def end(self) -> GiveBack | None:
        """The reply is over. Lines that are given back are fed to the parent machine, which is ended next."""


class Machine(State, Protocol):
    """A machine that its parent may pass a single line."""

    @abstractmethod
    def line(self, text: str, line: int) -> GiveBack | None:
        """Take one line, newline included."""


class ByInterest(Machine):
    """A machine that sees some lines one by one, and takes those between them in bulk.

    interest: the pattern that finds these lines, from the newline before them; it may change from call to call.
    """

    interest: re.Pattern[str]
    scanner: Scanner

    def take(self, text: str, at: int, line: int) -> tuple[int, GiveBack | None]:
        """Take all lines up to one of interest, and that one."""
        # `at - 1` is the newline that every pattern of interest begins with.
        found = self.interest.search(text, at - 1)
        if found is None:
            return len(text), self.bulk(text[at:], line)
        start = found.start() + 1
        if start > at:
            bulk = text[at:start]
            back = self.bulk(bulk, line)
            # A tag in the bulk may have begun another machine: the line of interest is for that one.
            if back is not None:
                return start, back
            line += bulk.count("\n")
        stop = text.index("\n", start) + 1
        return stop, self.line(text[start:stop], line)

    @abstractmethod
    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Take whole lines that `interest` does not find."""


class TextMachine(ByInterest):
    """The outermost machine, which keeps text in which nothing begins."""

    @abstractmethod
    def plain(self, text: str, line: int) -> None:
        """Take text that begins nothing."""


class EveryLine(Machine):
    """A machine that must see every line."""

    def take(self, text: str, at: int, line: int) -> tuple[int, GiveBack | None]:
        """Take one line."""
        stop = text.index("\n", at) + 1
        return stop, self.line(text[at:stop], line)


class Keeping(ByInterest):
    """A machine that keeps its lines, to give them back if they are text after all.

    `kept` holds the lines so far, and `first` is the number of the first.
    """

    def __init__(self, scanner: Scanner, line: int, *kept: str) -> None:
        self.scanner = scanner
        self.parent = scanner.state
        self.first = line
        self.kept = list(kept)

    def bulk(self, text: str, _line: int) -> GiveBack | None:
        """Keep lines."""
        self.kept.append(text)
        return None

    def end(self) -> GiveBack | None:
        """The reply ends before the lines turned out to be more than text: give them back."""
        return self.back()

    def leave(self) -> None:
        """Hand over to the parent machine."""
        self.scanner.state = self.parent

    def back(self, behind: str = "") -> GiveBack:
        """Give back all kept lines, and `behind` after them, and note that nothing begins at the first of them."""
        self.scanner.tried.text.add(self.first)
        self.leave()
        return GiveBack("".join(self.kept) + behind, self.first)


class Cut(NamedTuple):
    """A block that was given up because another starts inside it: its line, and how many blocks the reply had then."""

    line: int
    blocks: int


@dataclass(slots=True)
class Tried:
    """Lines, by number, and tags, by name, that were tried in vain, so that no machine tries them again.

    text: lines that begin nothing, whatever they look like.
    edits: lines that look like the start of a merge conflict, but begin an edit, as its end marker shows.
    hopeless: starts of blocks that have no end. cut: the first block that was given up.
    json_from: before this line no JSON value begins.
    unclosed: tags that are not closed in the rest of the reply.
    """

    text: set[int] = field(default_factory=set)
    edits: set[int] = field(default_factory=set)
    hopeless: set[int] = field(default_factory=set)
    cut: Cut | None = None
    json_from: int = 0
    unclosed: set[str] = field(default_factory=set)
    _returned: dict[int, int] = field(default_factory=dict)

    def give_back(self, line: int) -> None:
        """Note that a line was given back. After too many times it counts as text, so that reading always ends."""
        self._returned[line] = self._returned.get(line, 0) + 1
        if self._returned[line] > _MOST_RETURNS:
            self.text.add(line)


class Scanner:
    """The state of one parse.

    asked: the format that the user asked for, or ``auto``; `wanted` holds the machines that it allows.
    inner: it parses a text inside another reply; `tool` is `cline` or `roo` inside their tags, else "".
    recent: the lines above, back to where a block or a fence ended.
    names: the paths that the text outside fences and blocks names; `prose`: the part of it that was not searched yet.
    force: the path in force, which blocks without one take.
    tried: lines tried in vain. notes: listings and the like that may be edits.
    number: the next line's number.
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
        self.recent = RecentLines()
        self.prose: list[str] = []
        self.names: dict[str, None] = {}
        self.force = UNNAMED
        self.tried = Tried()
        self.notes = Notes(sink, inner)
        self.number = 1
        self.unended = False
        self.state: State = make_top(self)

    def feed(self, lines: str) -> None:
        """Take whole lines."""
        start = 0
        while start < len(lines):
            # Whole lines: one that is longer than a slice is a slice of its own.
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
            # A machine that leaves makes its parent the next state. The outermost one never leaves.
            elif self.state is state:
                break
        self.sink.draft = False
        self.notes.tell()

    def _run(self, text: str) -> None:
        """Feed a text that has one newline before its lines."""
        # A machine that gives lines back has handed over to its parent. That reads these lines again, with their old
        # numbers, and then goes on with the rest of the text, which waits on the stack. The lines given back need not
        # be the last ones that were read, and may have more or fewer characters than in `text` (a machine may cut a
        # line in two), so they are a text of their own. `give_back` counts, so that this ends.
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

    def place(self, fence: Fence | None, above: Sequence[str] | None = None) -> Place:
        """Return the place of a block that starts at the next line, in `fence`. above: the lines above it, oldest
        first, if they are not the most recent ones."""
        above = self.recent.lines() if above is None else above
        place = place_below(above, fence, self.force, self.grammar.markers.fences)
        # A path on a line of its own, or of a heading in force, is certain. With any other, the block gets all names in
        # the text above, for `place` to decide by the files.
        if place.path is None or (place.own and not place.mentioned) or self.inner or self.force.section:
            return place
        for line in "".join(self.prose).splitlines():
            for path in (c.path for c in in_line(line) if c.form >= Form.MENTION):
                self.names.pop(path, None)  # so that its last place counts
                self.names[path] = None
        self.prose.clear()
        return place._replace(named=(place.path, *islice(reversed(self.names), _MOST_NAMES)))

    def format_name(self, found: str) -> str:
        """Return the name of a block's format: `found`, by where its path stands, unless a tag around it, or the user's
        choice, gives another."""
        if self.tool:
            return self.tool
        # A twin is only used if the user asked for it: a reply in both formats looks the same.
        if self.asked.startswith("editor-"):
            return TWINS.get(found, found)
        return self.asked if self.asked in ("cline", "roo") else found

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

        inner: False if `text` is a model's whole reply, which may begin in reasoning without an opening tag.
        """
        draft, sink = self.sink.draft, sink or self.sink
        scanner = Scanner(self.grammar, self.asked, sink, self.make_top, inner=inner)
        scanner.wanted, scanner.force, scanner.tool = machines, force, tool
        scanner.number, sink.draft = line, draft
        scanner.feed(closed(text))
        scanner.end()
        self.sink.draft = draft

    def spoiled(self, name: str, path: str | None, raw: str, line: int, fault: Diagnostic) -> None:
        """Add a malformed block for `raw`, which was meant as an edit in the format `name`."""
        self.sink.whole(Block(name, Kind.EDIT, path, "", "", raw=raw, line=line), fault)

    def put_in_force(self, place: Place) -> None:
        """Put the path of a block that begins in force, if the block named it itself and is no draft."""
        if place.path is None or self.sink.draft or not place.own:
            return
        # A block below `### File: a.py` that names a.py again leaves the heading in force; another path ends it.
        kept = self.force.section if self.force.path == place.path else 0
        self.force = place._replace(section=kept) if kept else place
