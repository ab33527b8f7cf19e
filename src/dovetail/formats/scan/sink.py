"""Where everything that parsing finds is put: events for a stream, values for the result.

Keeps the numbering of blocks. A draft's diagnostics and suggestions are left out: it is not meant to be applied.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.formats.events import (
    BlockClosed,
    BlockOpened,
    DatabaseSuggested,
    Diagnosed,
    Event,
    LinesSoFar,
    Part,
    PathKnown,
    ShellSuggested,
    Text,
)
from dovetail.formats.scan import faults
from dovetail.formats.scan.naming import named
from dovetail.model.blocks import Block, DatabaseAction, Parsed, ShellSuggestion

if TYPE_CHECKING:
    from dovetail.model.diagnostics import Diagnostic


UNMARKED = frozenset(("udiff", "apply-patch", "tool-call"))
"""Formats without markers of their own."""


class Sink:
    """Collects. `counts` holds how many markers of each role (`start`, `divider`, `end`) each format showed; of formats
    that have none, how many blocks.

    told: False where nobody asks for events: making them is half of what collecting costs.
    draft: what comes now stands in a reasoning section.
    drafted: how many blocks stand above the last end of a reasoning section that never began.
    broken_to: the line behind the last malformed block.
    """

    def __init__(self, *, told: bool = True) -> None:
        self.told = told
        self.draft = False
        self._events: list[Event] = []
        self.blocks: list[Block] = []
        self.diagnostics: list[Diagnostic] = []
        self.shell_suggestions: list[ShellSuggestion] = []
        self.database_actions: list[DatabaseAction] = []
        self.counts: Counter[tuple[str, str]] = Counter()
        self.drafted = 0
        self.broken_to = 0
        self._framed: int | None = None
        self._frames: list[tuple[int, int, bool]] = []
        self._opened = 0

    @property
    def last(self) -> Block | None:
        """The block that was given last."""
        return self.blocks[-1] if self.blocks else None

    def drain(self) -> list[Event]:
        """The events since the last call."""
        events, self._events = self._events, []
        return events

    def event(self, event: Event) -> None:
        """Add an event that stands for nothing in the result."""
        if self.told:
            self._events.append(event)

    def text(self, text: str, line: int, *, code: bool = False) -> None:
        """Lines outside blocks."""
        if text and self.told:
            self._events.append(Text(text, line, code))

    def open(self, format: str, line: int, path: str | None) -> int:  # noqa: A002 - the event's own word
        """Announce a block; gives its number."""
        self._opened += 1
        if self.told:
            if path is not None:
                self._events.append(PathKnown(path, line))
            self._events.append(BlockOpened(self._opened, format, line, path))
        return self._opened

    def lines(self, n: int, part: Part, text: str) -> None:
        """Lines of an open block."""
        if text and self.told:
            self._events.append(LinesSoFar(n, part, text))

    def close(self, n: int, block: Block) -> None:
        """A block is complete. One with text that no file can hold is malformed."""
        block = named(block)
        block = replace(block, draft=True) if self.draft else block
        if block.malformed is None:
            block = faults.spoil(block, faults.unwritable(block))
        self.blocks.append(block)
        if block.format in UNMARKED:
            self.counts[block.format, "start"] += 1
        if self.told:
            self._events.append(BlockClosed(n, block))
        if block.malformed is not None and not block.draft:
            self.broken_to = block.line + block.raw.rstrip("\n").count("\n") + 1
            self.diagnose(block.malformed)

    def whole(self, block: Block) -> None:
        """A block that was not announced: open it, give its lines, close it."""
        n = self.open(block.format, block.line, named(block).path)
        self.lines(n, "search", block.search)
        self.lines(n, "replace", block.replace)
        self.close(n, block)

    def frame(self, *, opens: bool, shown: bool) -> None:
        """A line of a frame around reasoning; `shown` says that a program drew it, which then is sure of it."""
        if opens:
            self._framed = len(self.blocks)
        elif self._framed is not None:
            self._frames.append((self._framed, len(self.blocks), shown))
            self._framed = None

    def settle_drafts(self) -> None:
        """The reply is over: where blocks follow the end of a section that never began, those above it are drafts; and
        so are those in a frame, even where none follow if a program drew it."""
        for first, last, surely in (*self._frames, (0, self.drafted, False)):
            if surely or any(not block.draft for block in self.blocks[last:]):
                self.blocks[first:last] = [replace(block, draft=True) for block in self.blocks[first:last]]

    def diagnose(self, diagnostic: Diagnostic) -> None:
        """Say something about the reply."""
        if self.draft:
            return
        self.diagnostics.append(diagnostic)
        self.event(Diagnosed(diagnostic))

    def suggest(self, suggestion: ShellSuggestion) -> None:
        """List a shell command."""
        if self.draft:
            return
        self.shell_suggestions.append(suggestion)
        self.event(ShellSuggested(suggestion))

    def database(self, action: DatabaseAction) -> None:
        """List a database action."""
        if self.draft:
            return
        self.database_actions.append(action)
        self.event(DatabaseSuggested(action))

    @property
    def parsed(self) -> Parsed:
        """All of it, as a value."""
        return Parsed(
            tuple(self.blocks),
            tuple(self.diagnostics),
            tuple(self.shell_suggestions),
            tuple(self.database_actions),
        )
