"""The three-way merge: carries the difference between two texts over to a third.

Owns the one merge that all of Dovetail uses: for landing an edit (base = search, theirs = replacement, ours = the
file's lines), for files that changed since the model saw them, and for undoing an edit under later ones.
"""

from __future__ import annotations

from dataclasses import dataclass

from dovetail.model.text import Edit, Span


@dataclass(frozen=True, slots=True)
class Clash:
    """Lines that both sides changed, differently. `ours` is a span of the text merged into; texts are whole lines."""

    ours: Span
    base: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Merged:
    """`edits` turn `ours` into the merge, `clashes` excluded; without clashes the merge is whole."""

    edits: tuple[Edit, ...]
    clashes: tuple[Clash, ...]


def merge(base: str, ours: str, theirs: str) -> Merged:
    """Carry the change from `base` to `theirs` over to `ours`, by lines; line ends are compared as equal.

    Inserted lines take the line end of their neighbours in `ours`. Lines that `theirs` does not change keep every
    character of `ours`. A change that both sides made alike is made once.
    """
    raise NotImplementedError
