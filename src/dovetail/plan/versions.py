"""Decides between versions of one edit: a correction replaces the earlier one; of two offered ones, neither counts.

Two versions of one edit quote the same lines, which the file has once, and replace them by different texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Code
from dovetail.model.text import closed, split_lines
from dovetail.place.tree import tidy
from dovetail.plan.overlay import Overlay
from dovetail.plan.request import Rejected
from dovetail.plan.targets import times
from dovetail.text.diff import Hunk, diff
from dovetail.text.pattern import pattern

_NEAR = 3  # lines above an edit in which it may be called an option
# Matches "Option 2", "Variante B", "Alternatively:", and a line that begins with "Or"; not "set both options", nor an
# "or" in the midst of a sentence.
_OFFERS = pattern(
    r"(?i)\b(?:options?|opci[oó]n|opç[aã]o|variante?|alternativ[ae]|approach|m[eé]thode?) ?(?:[a-e]|\d|[ivx]+)\b"
    r"|\balternative(?:ly)?\b|^\W*(?:or|oder|ou|o|oppure|или)\b|方案|选项|或者|あるいは"
)
"""Words above an edit that offer it in the place of another."""


class _Versions(NamedTuple):
    """Two blocks, by number, that quote the same lines for different texts."""

    earlier: int
    later: int


def corrected(blocks: Mapping[int, Block], overlay: Overlay) -> dict[int, int]:
    """Return the edits that the reply takes back, by number, each with the later edit that replaces it.

    The later one quotes the same lines, which the file has once, and the words above it call it a correction. Of two
    texts for a new file the later one counts.
    """
    return {
        pair.earlier: pair.later for pair in _versions(blocks, overlay, certain=False) if blocks[pair.later].corrects
    }


def offered(blocks: Mapping[int, Block], overlay: Overlay) -> dict[int, Rejected]:
    """Return refusals of edits that have another version in the reply, without a correction: it may offer a choice.

    Two edits that go together are not versions of one: both may be meant.
    """
    found: dict[int, Rejected] = {}
    for one, other in _versions(blocks, overlay, certain=True):
        offered = any(map(_OFFERS.search, blocks[other].above[:_NEAR]))
        if blocks[other].corrects or (_go_together(blocks[one], blocks[other]) and not offered):
            continue
        for n, rival in ((one, other), (other, one)):
            reason = (
                f"Edit {rival}, in line {blocks[rival].line} of the reply, puts another text in the place of the same "
                f"lines. Nothing says which of the two is meant."
            )
            found[n] = Rejected(Code.CONFLICT, reason, f"Send one of edits {one} and {other} without the other.")
    return found


def _versions(blocks: Mapping[int, Block], overlay: Overlay, *, certain: bool) -> Iterator[_Versions]:
    """Return the pairs of versions, in order. certain: only those that quote lines which the file has exactly."""
    last: dict[tuple[str | None, str], int] = {}
    for n, block in blocks.items():
        if block.kind is not Kind.EDIT or block.inline or block.target is not None or block.search == block.replace:
            continue
        earlier = last.get((block.path, block.search))
        if earlier is not None and blocks[earlier].replace != block.replace:
            document = overlay.document(tidy(block.path or "", overlay.tree.paths)) if block.search else None
            places = 0 if document is None else times(f"\n{closed(document.lf)}", block.search)
            if places == 1 or (places == 0 and not certain):
                yield _Versions(earlier, n)
        last[block.path, block.search] = n


def _go_together(one: Block, other: Block) -> bool:
    """Return whether two edits of the same lines may both be meant: they change other lines of these, or one puts lines
    above or below them, or one has all of the other's new lines."""
    beside = any(
        block.replace.startswith(block.search) or block.replace.endswith(block.search) for block in (one, other)
    )
    if beside or one.replace in other.replace or other.replace in one.replace:
        return True
    first, second = (diff(split_lines(block.search), split_lines(block.replace)) for block in (one, other))
    return not any(_meet(a, b) for a in first for b in second)


def _meet(one: Hunk, other: Hunk) -> bool:
    """Return whether two changes share a line, or one puts lines in where the other begins or ends."""
    # an insertion has no line of its own, so bordering on the other change is enough
    touch = one.a1 == one.a2 or other.a1 == other.a2
    return one.a1 < other.a2 + touch and other.a1 < one.a2 + touch
