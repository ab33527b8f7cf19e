"""Puts a block under its file's name, whatever else stands in the text in which the reply gives that."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.formats.lines.decoration import Remark
from dovetail.formats.lines.given import given
from dovetail.formats.scan import faults
from dovetail.model.blocks import Kind

if TYPE_CHECKING:
    from dovetail.model.blocks import Block


_GOING = (Kind.DELETE, Kind.RENAME)


def named(block: Block) -> Block:
    """The block under its file's name, without what else the text says in which that is given.

    Of what goes or moves that may tell which file is meant. Under a part of a file no text is the whole of one; and
    where the words behind a name may be part of it, the file must not be there yet.
    """
    if block.destination is not None:
        block = replace(block, destination=given(block.destination).path)
    if block.path is None or block.mentioned or block.kind in _GOING:
        return block
    name = given(block.path)
    if name.path == block.path:
        return block
    others = (name.whole, *block.path_candidates) if name.whole != name.path else block.path_candidates
    block = replace(block, path=name.path, path_candidates=others)
    if block.search or block.malformed is not None:
        return block
    if name.remark is Remark.QUOTING:
        return faults.spoil(block, faults.PART_NAMED.at(block.line, text=faults.quoted(name.whole)))
    return replace(block, kind=Kind.CREATE) if (block.kind, name.remark) == (Kind.REWRITE, Remark.OTHER) else block
