"""In which order the blocks of a reply are taken where a file's name becomes a folder's, or a folder's a file's.

What takes the old file away goes before what makes the new one, wherever the reply has it: a name cannot be both, so
the other order could only fail. `git diff` lists files by name, which puts a new `a/b` before the rename of `a` to `c`.
All else is taken in the reply's order.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from dovetail.model.blocks import Block, Kind
from dovetail.model.paths import folders_above, one_above
from dovetail.plan.files.paths import tidy
from dovetail.plan.files.site import takes_name


def in_turn(blocks: Mapping[int, Block], existing: Set[str]) -> list[int]:
    """The numbers of the blocks in the order in which they are taken; `existing` are the files before the reply."""
    order = list(blocks)
    if not any(map(takes_name, blocks.values())):
        return order
    paths = {n: tidy(block.path or "", existing) for n, block in blocks.items()}
    made = {n: _made(block, paths[n], existing) for n, block in blocks.items()}
    taken = {paths[n]: n for n in reversed(order) if takes_name(blocks[n]) and paths[n] in existing}  # by the first
    names = set(made.values())
    folders = {folder for name in names for folder in folders_above(name)}
    for path, n in taken.items():
        if path not in folders and names.isdisjoint(folders_above(path)):
            continue
        until = order.index(n) + 1
        first = next((at for at, m in enumerate(order[:until]) if one_above(made[m], path)), until)
        order[first:until] = sorted(order[first:until], key=lambda m: paths[m] != path)
    return order


def _made(block: Block, path: str, existing: Set[str]) -> str:
    """The path at which a block may make a file, ``""`` for none."""
    if block.destination is not None:
        return tidy(block.destination, existing)
    return "" if block.kind is Kind.DELETE else path
