"""Where everything that parsing finds is put: events for a stream, values for the result.

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
    """Collects. `counts` holds how many markers of each role (`start`, `divider`, `end`) each format showed; of formats
    that have none, how many blocks.

    with_events: False where nobody asks for events: making them is half of what collecting costs.
    draft: what comes now stands in a reasoning section.
    drafted: how many blocks stand above the last end of a reasoning section that never began; `drafted_to` is its line.
    broken_to: the line behind the last malformed block.
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
        """The events since the last call."""
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
        """Announce a block; gives its number."""
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
        """Add a block all at once: open it, give its lines, close it with its fault."""
        n = self.open(block.format, block.line, block.path)
        self.lines(n, "search", block.search)
        self.lines(n, "replace", block.replace)
        self.close(n, block, fault)

    def settle_drafts(self) -> None:
        """End of the reply: if blocks follow the last `</think>` that nothing opened, those above it are drafts."""
        # Without a block below, the text above the tag is the answer, and not a draft of it.
        if any(not block.draft for block in self.blocks[self.drafted :]):
            self.blocks[: self.drafted] = [replace(block, draft=True) for block in self.blocks[: self.drafted]]
        else:
            self.drafted_to = 0

    def diagnose(self, diagnostic: Diagnostic) -> None:
        """Say something about the reply."""
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
        """All that was found, as a value."""
        in_place = (block for said in self.shell_suggestions for block in suggestions.edits_in(said))
        return Parsed(
            tuple(self.blocks),
            tuple(self.diagnostics),
            tuple(self.shell_suggestions),
            tuple(self.database_actions),
            tuple(block for block in (*self.unread, *in_place) if block.line >= self.drafted_to),
        )


def _plainly_named(block: Block, path: str) -> Block:
    """The block of a whole text, with the remark behind its path taken off: `a.py (new)` becomes `a.py`.

    Malformed if the remark says that a piece of the file follows, or if the path is a sentence or has a gap to be
    filled in: a whole text quotes nothing that could correct its path.
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
    """What a reply shows and no edit comes of: an example, or a change in a form that is not read.

    The sink keeps all of it, for a plan to compare with the files; the first such thing is told of at the reply's end.
    Drafts, and texts inside a reply (`inner`), say nothing.

    first: that thing.
    sign: the first sign in its prose of an edit in such a form, which says little of the edit itself.
    """

    sink: Sink
    inner: bool
    first: Block | None = None
    sign: Block | None = None

    @property
    def enabled(self) -> bool:
        """True if notes are taken here: not in a draft, and not in a text inside the reply."""
        return not (self.sink.draft or self.inner)

    def take(
        self, note: Fault, line: int, path: str | None = None, text: str = "", kind: str = "whole",
        *, asked: Kind = Kind.EDIT, raw: str = "", above: tuple[str, ...] = (), fence: str = "", **facts: object,
    ) -> Block | None:  # fmt: skip
        """Note what is shown, and return it. path: the file that it is about. text: its lines that the file would have.

        kind: the name of the format that it is most like. asked: what it would ask for, a rewrite where it may be all
        of its file's text. raw: its lines, if those are not the text. above, fence: as `Block` has them.
        """
        last = self.sink.blocks[-1] if self.sink.blocks else None
        if last is not None and last.malformed is not None and line <= last.line + last.raw.count("\n"):
            return None  # the text of a broken block, which is reported already
        if not self.enabled:
            return None
        fault = note.at(line, path=path, **facts)
        shown = Block(kind, asked, path, "", text, raw or text, line, above=above, fence=fence, malformed=fault)
        self.sink.unread.append(shown)
        if note is not faults.NAMELESS:  # which the files alone show to be more than an example
            self.first = self.first or shown
        return shown

    def tell(self) -> None:
        """End of the reply: tell the first note, unless a block edits its file.

        `sign` is dropped if a block edits its file, or if it has no text of its own and the reply has any block.
        """
        first, sign = self.first, self.sign
        if first is None and sign is None:
            return
        edited = {block.path for block in self.sink.blocks}
        if sign is not None and (sign.path in edited or (edited and not sign.replace)):
            self.sink.unread.remove(sign)
        # A reply that edits a.py and shows another listing of a.py needs no word about the listing.
        if first is not None and first.malformed is not None and (first.path is None or first.path not in edited):
            self.sink.diagnose(first.malformed)
