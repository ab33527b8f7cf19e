"""What the journal keeps as the reply of a write, so that undoing one edit can plan it again.

Unchanged edits are kept with the reply as it came. Where the user changed one by hand or settled a file's conflict, the
reply says something else than what was written; then what was written is rendered as a reply of its own, and kept only
if that reply plans to the very same files. A settled file is said whole, as it is written whole: its edits are one
there, and are taken back as one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace

from dovetail.formats import parse, render
from dovetail.model.blocks import Block, Kind, Parsed
from dovetail.model.errors import RenderError
from dovetail.model.snapshot import Snapshot
from dovetail.session.applying.apply import Prepared

_FORMATS = ("diff", "tool-call")


def as_kept(prepared: Prepared, chosen: Collection[int], *, by_hand: bool) -> tuple[Prepared, Mapping[int, int]]:
    """The plan to commit, and the number in it of each chosen edit. by_hand: the user changed some of the edits."""
    settled = {change.path for change in prepared.besides}
    if by_hand or settled:
        blocks, numbers = _told(prepared, chosen, settled)
        for name in dict.fromkeys((blocks[0].format, *_FORMATS)):
            with suppress(RenderError):
                reply = render(blocks, name, markers=prepared.markers)
                made = _said_again(prepared, reply, name, settled)
                if made.plan.changes == prepared.plan.changes:
                    return made, numbers
    return prepared, {n: n for n in chosen}


def _told(
    prepared: Prepared, chosen: Collection[int], settled: Collection[str]
) -> tuple[list[Block], Mapping[int, int]]:
    """The edits as they were written, and the number there of each."""
    blocks: list[Block] = []
    numbers: dict[int, int] = {}
    whole: dict[str, int] = {}
    for n in sorted(chosen):
        block, path = prepared.plan.results[n - 1].block, prepared.plan.results[n - 1].path
        if path is None or path not in settled:
            blocks.append(replace(block, path=path))
            numbers[n] = len(blocks)
            continue
        if path not in whole:
            blocks.append(_whole(prepared, path, block.format))
            whole[path] = len(blocks)
        numbers[n] = whole[path]
    return blocks, numbers


def _whole(prepared: Prepared, path: str, name: str) -> Block:
    """A file as it will be; its line ends and its byte order mark are those that it has."""
    after = next(change.after for change in prepared.plan.changes if change.path == path) or ""
    return Block(name, Kind.REWRITE, path, "", after.removeprefix("\ufeff").replace("\r\n", "\n"))


def _said_again(prepared: Prepared, reply: str, name: str, settled: Collection[str]) -> Prepared:
    parsed: Parsed = parse(reply, format=name, markers=prepared.markers)
    snapshot = _as_seen(prepared.snapshot, settled)
    return replace(prepared, reply=reply, parsed=parsed, snapshot=snapshot, settled={}, besides=())


def _as_seen(snapshot: Snapshot, settled: Collection[str]) -> Snapshot:
    """The files, where what the user settled is nothing to be merged any more."""
    files = {path: replace(file, seen=None) if path in settled else file for path, file in snapshot.files.items()}
    return replace(snapshot, files=files)
