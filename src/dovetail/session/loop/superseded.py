"""Which edits of a turn a further reply takes the place of.

Owns the pairing of failed edits with those that a model sent in answer to them. Pure: results and blocks in, numbers
out. Invariant: an edit is never taken for sent again because something else came; what was forgotten still fails.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dovetail.model.blocks import Block, Kind, Parsed
from dovetail.model.codes import Code, Status
from dovetail.plan.files.paths import tidy
from dovetail.text.likeness import ratio

if TYPE_CHECKING:
    from dovetail.model.results import BlockResult

_COMPARED = 4_000  # characters of two blocks that are compared to pair them
_SHARED = 1 / 4  # of the fewer changed words: what two edits have in common at least that are meant for one purpose
_OF_PATHS = frozenset({Code.FILE_MISSING, Code.OUTSIDE_ROOT})
_WORD = re.compile(r"\w+")


def sent_again(earlier: Sequence[BlockResult], failed: Sequence[BlockResult], new: Parsed) -> Mapping[int, int]:
    """Numbers of the blocks that a reply to their failures takes the place of → of those, from 1 in it, that do.

    A file that comes whole takes the place of all its earlier blocks. Otherwise a block stands for the failed one whose
    change it is most like, and for those whose new lines it makes as well. One that does something else, or repeats
    what landed, stands for none: what it was to mend still fails.
    """
    blocks = {n: block for n, block in enumerate(new.blocks, start=1) if not block.draft}
    whole = {block.path: n for n, block in blocks.items() if block.kind in (Kind.REWRITE, Kind.CREATE)}
    gone = {r.n: whole[path] for r in earlier for path in (r.block.path, r.path) if path is not None and path in whole}
    left = [result for result in failed if result.n not in gone]
    landed = {_said(r.block) for r in earlier if r.status in (Status.APPLIED, Status.ALREADY_APPLIED)}
    fresh = {n: block for n, block in blocks.items() if _said(block) not in landed}
    alike = [(_likeness(r, b), r.n, at) for r in left for at, b in fresh.items() if _may_stand_for(b, r)]
    used: set[int] = set()
    for _, n, at in sorted(alike, key=lambda pair: (-pair[0], pair[1:])):
        if n not in gone and at not in used:
            gone[n] = at
            used.add(at)
    repeated = {r.n: at for r in left for at, block in fresh.items() if _repeats(block, r.block)}
    return {**repeated, **gone}


def _said(block: Block) -> tuple[object, ...]:
    return (block.kind, block.path, block.destination, block.search.strip(), block.replace.strip())


def _likeness(result: BlockResult, block: Block) -> float:
    mine, theirs = (f"{b.search}\n{b.replace}"[:_COMPARED] for b in (result.block, block))
    return ratio(mine.split(), theirs.split()) + (block.path in (result.path, result.block.path))


def _may_stand_for(block: Block, result: BlockResult) -> bool:
    """Whether a block is for the file of a failed one, and for the same purpose.

    It is where it quotes a line of the text nearest to the failed one, or where the lines that both change share enough
    words. Where nothing is near, or no words are changed, nothing speaks against it.
    """
    if not _may_be_for(block.path, result):
        return False
    mine, theirs = _changed_words(result.block), _changed_words(block)
    near = result.nearest
    if _lines(near.corrected) & _lines(block.search) if near is not None else result.code not in _OF_PATHS:
        return True
    return len(mine & theirs) >= _SHARED * min(len(mine), len(theirs))


def _may_be_for(path: str | None, result: BlockResult) -> bool:
    """Whether a block with this path may be meant for the file of a failed one; paths are as replies spell them."""
    if path is None or result.path is None or result.code in _OF_PATHS:
        return True
    one = tidy(path)
    return any(one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}") for other in _paths(result))


def _paths(result: BlockResult) -> tuple[str, ...]:
    named = (result.path, result.block.path, result.block.destination)
    return tuple(tidy(path) for path in named if path is not None)


def _changed_words(block: Block) -> set[str]:
    """The words of the lines that a block takes away or makes."""
    return set(_WORD.findall(" ".join(_lines(block.search) ^ _lines(block.replace))))


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.strip()}


def _repeats(block: Block, failed: Block) -> bool:
    """Whether a block makes every line that a failed one wanted to make."""
    kept = set(failed.search.splitlines())
    made = {line.strip() for line in failed.replace.splitlines() if line not in kept and line.strip()}
    return bool(made) and made <= {line.strip() for line in block.replace.splitlines()}
