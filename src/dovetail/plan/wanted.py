"""Which files a plan may need to read."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dovetail.model.blocks import Block, Parsed
from dovetail.plan.files.names import names_of
from dovetail.plan.files.paths import Tree, by_name, guesses, is_absolute, leaves, tidy
from dovetail.plan.request import quotes

SMALL_TREE = 256


def wanted_paths(blocks: Parsed | Sequence[Block], tree: Collection[str]) -> tuple[str, ...]:
    """The paths that a snapshot for these blocks should hold, in order and once each.

    `tree` names the files that exist, relative to the root. Named paths are wanted even where `tree` has not got
    them, since it may leave out ignored files; whoever reads leaves out those that are not there. Guesses are
    existing paths only, at most 16 for each name. Where a block names no file, or one that nothing resembles, its
    text has to be looked for: then a tree of at most `SMALL_TREE` paths is wanted whole.
    """
    known = blocks.blocks if isinstance(blocks, Parsed) else tuple(blocks)
    existing = Tree(tree)
    wanted: dict[str, None] = {}
    search_all = False
    for block in known:
        if block.draft or block.malformed is not None:
            continue
        names = names_of(block, existing)
        if block.destination is not None:
            names.append(tidy(block.destination, existing.paths))
        absent = quotes(block) and not any(name in existing.paths for name in names)
        others = [tidy(name, existing.paths) for name in block.rivals]
        wanted.update(dict.fromkeys(name for name in (*names, *others) if not leaves(name) and not is_absolute(name)))
        if quotes(block):
            alone = (by_name(name, existing) for name in (*names, *others))
            wanted.update(dict.fromkeys(path for path in alone if path is not None))
        if absent:
            wanted.update(dict.fromkeys(path for name in names for path in guesses(name, existing)))
            search_all = True
    if search_all and len(existing.paths) <= SMALL_TREE:
        wanted.update(dict.fromkeys(sorted(existing.paths)))
    return tuple(wanted)
