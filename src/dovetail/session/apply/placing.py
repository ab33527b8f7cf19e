"""Turns a reply's listings that are edits of its files into blocks, after the other blocks.

Every face does this before it numbers a reply's edits, so that a number means the same edit in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from dovetail.formats.events import BlockClosed, BlockOpened, Event, LinesSoFar
from dovetail.model.blocks import Parsed
from dovetail.model.snapshot import Snapshot
from dovetail.plan import with_listings
from dovetail.syntax import default_language


def placed(parsed: Parsed, snapshot: Snapshot, used: Mapping[int, str] | None = None) -> Parsed:
    """Return the reply with a block for each listing that is an edit of a file in `snapshot`.

    used: the files that a person named for listings, by the line in which each listing begins.
    """
    return with_listings(parsed, snapshot, default_language(), used or {})


def events_behind(parsed: Parsed, whole: Parsed) -> tuple[Event, ...]:
    """Return the events of the blocks that `whole` has in addition to those of `parsed`."""
    found: list[Event] = []
    for n, block in enumerate(whole.blocks[len(parsed.blocks) :], len(parsed.blocks) + 1):
        found.append(BlockOpened(n, block.format, block.line, block.path))
        found += [LinesSoFar(n, "search", block.search)] if block.search else []
        found += [LinesSoFar(n, "replace", block.replace), BlockClosed(n, block)]
    return tuple(found)
