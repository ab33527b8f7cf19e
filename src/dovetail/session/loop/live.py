"""Locates edits while a reply is still arriving.

A block is planned when it closes, never before, against its file as the conversation read it: alone where that is
enough, with its file's earlier blocks where it depends on them. What it finds is a preview; the plan of the whole
reply decides. Documents are kept, so that the hundredth edit of a file costs what the first one did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.formats import Stream
from dovetail.formats.events import BlockClosed
from dovetail.model.codes import OnFailure, Status
from dovetail.model.language import NO_SYNTAX
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan
from dovetail.plan.edits.locator import Locator
from dovetail.plan.files.paths import tidy
from dovetail.session.loop.steps import Located, Piece
from dovetail.syntax import default_language

if TYPE_CHECKING:
    from dovetail.formats.events import Event
    from dovetail.model.blocks import Block, Parsed
    from dovetail.model.results import BlockResult
    from dovetail.session.terms import Terms

_MOST_EARLIER = 32  # blocks of a file that are planned again with one that depends on them

ReadFor = Callable[["Block"], Snapshot]
"""Reads the files that a block may mean; asked only for blocks of files that are not known yet."""


class Live:
    """One reply, as it arrives. `known` holds the files of the conversation; `look` reads others when a block asks."""

    def __init__(self, known: Snapshot, terms: Terms, look: ReadFor) -> None:
        self._known = known
        self._policy = replace(terms.policy, on_failure=OnFailure.BLOCK, only=None)
        self._locator = Locator(self._policy, default_language())
        self._look = look
        self._stream = Stream(format=terms.format, markers=terms.markers)
        self._own = {path: Snapshot({path: file}, frozenset((path,))) for path, file in known.files.items()}
        self._earlier: dict[str, list[Block]] = {}
        self._closing = 0

    def feed(self, text: str, reasoning: str = "") -> Iterable[Piece | Located]:
        """Take a piece: first what it says, then where each block lands that it closed."""
        events = self._stream.feed(text) if text else []
        yield Piece(text, reasoning, tuple(events))
        yield from self._located(events)

    def close(self) -> Iterable[Piece | Located]:
        """The reply is over."""
        before = len(self._stream.parsed.blocks)
        events = self._stream.close()
        self._closing = len(self._stream.parsed.blocks) - before
        yield Piece("", "", tuple(events))
        yield from self._located(events)

    @property
    def parsed(self) -> Parsed:
        """All that the reply says; complete after `close`."""
        return self._stream.parsed

    @property
    def closed_by_end(self) -> tuple[int, ...]:
        """Numbers of the blocks that only the reply's end closed; after `close`."""
        count = len(self.parsed.blocks)
        return tuple(range(count - self._closing + 1, count + 1))

    def _located(self, events: Iterable[Event]) -> Iterable[Located]:
        for event in events:
            if isinstance(event, BlockClosed) and not event.block.draft:
                yield Located(event.n, self._place(event.n, event.block))

    def _place(self, n: int, block: Block) -> BlockResult:
        path = tidy(block.path, self._own) if block.path is not None else ""
        snapshot = self._own.get(path) or self._look(block)
        result = self._planned([block], snapshot)
        earlier = self._earlier.setdefault(path, [])
        if result.status is Status.FAILED and earlier:
            result = self._planned([*earlier[-_MOST_EARLIER:], block], snapshot)
        earlier.append(block)
        return replace(result, n=n)

    def _planned(self, blocks: list[Block], snapshot: Snapshot) -> BlockResult:
        return plan(blocks, snapshot, self._policy, NO_SYNTAX, locator=self._locator).results[-1]
