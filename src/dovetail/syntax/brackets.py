"""Which bracket closes which, told by the tokens alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OPENERS = frozenset({"(", "[", "{", "${", "#{"})
CLOSERS = frozenset({")", "]", "}"})


@dataclass(frozen=True, slots=True)
class Brackets:
    """The brackets of a row of tokens; -1 stands for none.

    partner: for each bracket the other one of its pair.
    within: for each token the nearest bracket that is open there; a bracket is not within itself.
    depth: how many are open there, those counted that are closed without having been opened.
    """

    partner: Sequence[int]
    within: Sequence[int]
    depth: Sequence[int]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Brackets:
        """The brackets among the texts of tokens."""
        partner, within, depth = [-1] * len(texts), [-1] * len(texts), [0] * len(texts)
        opened: list[int] = []
        unopened = 0
        for at, text in enumerate(texts):
            if text in CLOSERS:
                if opened:
                    first = opened.pop()
                    partner[at], partner[first] = first, at
                else:
                    unopened += 1
            within[at] = opened[-1] if opened else -1
            depth[at] = len(opened) - unopened
            if text in OPENERS:
                opened.append(at)
        return cls(partner, within, [number + unopened for number in depth])

    def pairs(self) -> Iterator[tuple[int, int]]:
        """The pairs, in the order in which they open."""
        return ((first, last) for first, last in enumerate(self.partner) if last > first)
