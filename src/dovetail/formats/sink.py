"""Collects what parsing finds: events for a stream, values for the result.

Keeps the numbering of blocks. A draft's diagnostics and suggestions are left out: it is not meant to be applied.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dovetail.formats import faults, suggestions
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
from dovetail.formats.paths.forms import Form, Remark, form_of, has_known_end, without_remark
from dovetail.formats.table import UNMARKED
from dovetail.model.blocks import Block, DatabaseAction, Kind, Parsed, ShellSuggestion

if TYPE_CHECKING:
    from dovetail.formats.faults import Fault
    from dovetail.model.diagnostics import Diagnostic

_WHOLE = (Kind.CREATE, Kind.REWRITE)


class Sink:
    """Collects events, blocks and diagnostics. `counts`: markers by (format, role), with the roles `start`, `divider`
    and `end`; for formats without markers, blocks as `start`.

    with_events: False if no events are needed, which halves the cost of collecting.
    draft: the scanner is in a reasoning section.
    drafted: how many blocks stand above the last closing tag of reasoning without an opening; `drafted_to`: that tag's
    line.
    broken_to: the line after the last malformed block.
    """

    def __init__(self, *, with_events: bool = True) -> None:
        self.with_events = with_events
        self.draft = False
        self._events: list[Event] = []
        self.blocks: list[Block] = []
        self.diagnostics: list[Diagnostic] = []
        self.shell_suggestions: list[ShellSuggestion] = []
        self.database_actions: list[DatabaseAction] = []
        self.unread: list[Block] = []
        self.counts: Counter[tuple[str, str]] = Counter()
        self.drafted = 0
        self.drafted_to = 0
        self.broken_to = 0
        self._opened = 0

    def drain(self) -> list[Event]:
        """Return the events since the last call."""
        events, self._events = self._events, []
        return events

    def event(self, event: Event) -> None:
        """Add an event that changes nothing in the result."""
        if self.with_events:
            self._events.append(event)

    def text(self, text: str, line: int, *, code: bool = False) -> None:
        """Add an event for lines outside of blocks; `code`: they stand in a fence. The result keeps no text."""
        if text and self.with_events:
            self._events.append(Text(text, line, code))

    def open(self, format: str, line: int, path: str | None) -> int:  # noqa: A002 - the event's own word
        """Announce a block and return its number."""
        self._opened += 1
        if self.with_events:
            if path is not None:
                self._events.append(PathKnown(path, line))
            self._events.append(BlockOpened(self._opened, format, line, path))
        return self._opened

    def lines(self, n: int, part: Part, text: str) -> None:
        """Add an event for lines of the open block `n`."""
        if text and self.with_events:
            self._events.append(LinesSoFar(n, part, text))

    def close(self, n: int, block: Block, fault: Diagnostic | None = None) -> None:
        """Add a complete block: malformed if it has a fault, or text that no file can hold."""
        block = replace(block, draft=True) if self.draft else block
        fault = fault or (faults.unwritable(block) if block.malformed is None else None)
        block = block if fault is None else faults.spoil(block, fault)
        # An edit quotes its file, which may correct a bad path; a whole text quotes nothing, so its path must be plain.
        if block.kind in _WHOLE and block.path is not None:
            block = _plainly_named(block, block.path)
        self.blocks.append(block)
        if block.format in UNMARKED:
            self.counts[block.format, "start"] += 1
        if self.with_events:
            self._events.append(BlockClosed(n, block))
        if block.malformed is not None and not block.draft:
            self.broken_to = block.line + block.raw.rstrip("\n").count("\n") + 1
            self.diagnose(block.malformed)

    def whole(self, block: Block, fault: Diagnostic | None = None) -> None:
        """Add a block at once: open it, add its lines, close it with its fault."""
        n = self.open(block.format, block.line, block.path)
        self.lines(n, "search", block.search)
        self.lines(n, "replace", block.replace)
        self.close(n, block, fault)

    def settle_drafts(self) -> None:
        """At the reply's end: mark the blocks above the last unopened `</think>` as drafts if blocks follow it."""
        # Without a block below, the text above the tag is the answer, and not a draft of it.
        if any(not block.draft for block in self.blocks[self.drafted :]):
            self.blocks[: self.drafted] = [replace(block, draft=True) for block in self.blocks[: self.drafted]]
        else:
            self.drafted_to = 0

    def diagnose(self, diagnostic: Diagnostic) -> None:
        """Add a diagnostic about the reply, unless it is about a draft."""
        if not self.draft:
            self.diagnostics.append(diagnostic)
            self.event(Diagnosed(diagnostic))

    def suggest(self, suggestion: ShellSuggestion) -> None:
        """List a shell command that the reply suggests, unless the reply only drafts it."""
        if not self.draft:
            self.shell_suggestions.append(suggestion)
            self.event(ShellSuggested(suggestion))

    def database(self, action: DatabaseAction) -> None:
        """List a database action that the reply suggests, unless the reply only drafts it."""
        if not self.draft:
            self.database_actions.append(action)
            self.event(DatabaseSuggested(action))

    @property
    def parsed(self) -> Parsed:
        """The result of parsing so far."""
        in_place = (block for said in self.shell_suggestions for block in suggestions.edits_in(said))
        return Parsed(
            tuple(self.blocks),
            tuple(self.diagnostics),
            tuple(self.shell_suggestions),
            tuple(self.database_actions),
            tuple(block for block in (*self.unread, *in_place) if block.line >= self.drafted_to),
        )


def _plainly_named(block: Block, path: str) -> Block:
    """Return the block of a whole text without a remark after its path: `a.py (new)` becomes `a.py`.

    It is malformed if the remark does not say that the text is new, or if the path is a sentence or has a placeholder:
    a whole text quotes nothing that could correct its path.
    """
    short, remark = without_remark(path)
    short = short if has_known_end(short) else path
    # `the new config file` is words; `<your module>.py` is to be filled in.
    words = " " in path and "/" not in path and form_of(path, named=True) is Form.NONE
    if block.malformed is None and (words or "<" in path or (short != path and remark is not Remark.FRESH)):
        return faults.spoil(block, faults.NO_NAME.at(block.line, text=faults.quoted(path)))
    return replace(block, path=short) if short != path else block


@dataclass(slots=True)
class Notes:
    """Parts of a reply that may be changes but are not read as edits: examples, or changes in an unknown form.

    The sink keeps all of them, for a plan to compare with the files; the first is reported at the reply's end. None are
    noted in drafts, and in texts inside a reply (`inner`).
    first: the first one. sign: the first sign in prose of an edit in an unknown form, which tells little of the edit.
    """

    sink: Sink
    inner: bool
    first: Block | None = None
    sign: Block | None = None

    @property
    def enabled(self) -> bool:
        """Whether notes are taken: not in a draft, and not in a text inside the reply."""
        return not (self.sink.draft or self.inner)

    def take(
        self, note: Fault, line: int, path: str | None = None, text: str = "", kind: str = "whole",
        *, asked: Kind = Kind.EDIT, raw: str = "", above: tuple[str, ...] = (), fence: str = "", **facts: object,
    ) -> Block | None:  # fmt: skip
        """Note a part of the reply that may be a change, and return it as a block, or None if it is not noted.

        path: the file that it is about. text: the lines that the file would have. kind: the most similar format's name.
        asked: the kind of edit that it would be, a rewrite if it may be a whole file. raw: its lines, if they are not
        `text`. above, fence: as in `Block`.
        """
        last = self.sink.blocks[-1] if self.sink.blocks else None
        if last is not None and last.malformed is not None and line <= last.line + last.raw.count("\n"):
            return None  # the text of a broken block, which is reported already
        if not self.enabled:
            return None
        fault = note.at(line, path=path, **facts)
        shown = Block(kind, asked, path, "", text, raw or text, line, above=above, fence=fence, malformed=fault)
        self.sink.unread.append(shown)
        if note is not faults.NAMELESS:  # that is mostly an example; only a plan, with the files, reports it
            self.first = self.first or shown
        return shown

    def tell(self) -> None:
        """Report the first note, unless a block edits its file; called at the reply's end.

        `sign` is dropped if a block edits its file, or if it has no text of its own and the reply has any block.
        """
        first, sign = self.first, self.sign
        if first is None and sign is None:
            return
        edited = {block.path for block in self.sink.blocks}
        if sign is not None and (sign.path in edited or (edited and not sign.replace)):
            self.sink.unread.remove(sign)
        # A reply that edits a.py and shows another listing of a.py needs no note about the listing.
        if first is not None and first.malformed is not None and (first.path is None or first.path not in edited):
            self.sink.diagnose(first.malformed)
