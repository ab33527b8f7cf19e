"""Where a block's path is found: on the lines above its marker, in its fence's info string, or in force.

Owns the order of the candidates. The lines directly around the marker come first; then the path in force; then names
that only might be paths. Nothing is decided against the files here.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from dovetail.formats import paths
from dovetail.formats.fences import Fence, opening
from dovetail.formats.paths import Form

if TYPE_CHECKING:
    from collections.abc import Sequence

TEXT_LINES = 3
SURE = 60
SETTLED = 88
_IN_FORCE = 50
_SECTION = re.compile(r"\s{0,3}#{1,6}\s+\W{0,3}(?:file|path|filename)\W{0,3}:", re.IGNORECASE)


class Force(NamedTuple):
    """The path in force, the format it was given in, and its other readings. `section` is the level of the
    heading that gave it, and ends at the next one that is not deeper; 0 where no heading did. `mentioned`: as in
    `Place`."""

    path: str
    format: str
    candidates: tuple[str, ...] = ()
    section: int = 0
    mentioned: bool = False


class Place(NamedTuple):
    """What is known of a block's file before its first line.

    own: the block names its path itself.
    mentioned: as a word of a sentence, and not on a line of its own.
    """

    path: str | None
    candidates: tuple[str, ...]
    format: str
    fence: Fence | None = None
    own: bool = False
    mentioned: bool = False


class _Ranked(NamedTuple):
    """A path that a block may mean, and how sure it is."""

    rank: int
    path: str
    format: str
    mentioned: bool = False


def is_section(line: str) -> bool:
    """Whether a heading names the file of all that follows: ``### File: path``."""
    return _SECTION.match(line) is not None


def locate(
    above: Sequence[str], fence: Fence | None, force: Force | None, pairs: tuple[tuple[str, str], ...] = ()
) -> Place:
    """The place of a block whose start marker stands under the lines `above`; `fence` is the open one, if any."""
    ranked: list[_Ranked] = []
    near: Fence | None = None
    texts = 0
    for distance, line in enumerate(reversed(above)):
        if not line.strip():
            continue
        if (mark := _opening(line, pairs)) is not None:
            near = near or mark
            continue
        inside = near is None and fence is not None
        _rank_line(ranked, line, texts, inside=inside, adjacent=distance <= (near is not None))
        texts += 1
        if texts == TEXT_LINES or (ranked and max(ranked).rank >= SETTLED and not inside):
            break
    info = (near or fence).path if (near or fence) is not None else None  # type: ignore[union-attr]
    if info is not None:
        ranked.append(_Ranked(95, info, "edit-fence"))
    if force is not None and (not ranked or max(ranked).rank < SURE):
        ranked.append(_Ranked(_IN_FORCE, force.path, force.format, force.mentioned))
        ranked.extend(_Ranked(10, path, force.format) for path in force.candidates)
    ranked.sort(key=lambda item: -item.rank)
    if not ranked:
        return Place(None, (), "diff", near or fence)
    best = ranked[0]
    others = tuple(dict.fromkeys(other.path for other in ranked if other.path != best.path))
    own = best.rank != _IN_FORCE
    return Place(best.path, others, best.format, near or fence, own=own, mentioned=best.mentioned)


@lru_cache(maxsize=256)
def _opening(line: str, pairs: tuple[tuple[str, str], ...]) -> Fence | None:
    """The fence that a line above a marker opens; most blocks of a reply stand in the same."""
    return opening(line, 0, pairs)


def _rank_line(ranked: list[_Ranked], line: str, depth: int, *, inside: bool, adjacent: bool) -> None:
    """Add the candidates of one line; `depth` counts text lines upwards from the marker."""
    candidates = paths.in_line(line)
    if not candidates:
        return
    label = "sections" if is_section(line) else "diff-fenced" if inside else "diff"
    colon = line.rstrip().endswith(":")
    bare = line.strip().strip("`")
    form_seen = False
    for candidate in candidates:
        form_seen = form_seen or candidate.form >= Form.SPACED  # then a plain word is another spelling of it
        match candidate.form:
            case Form.STRONG | Form.SPACED:
                rank = (100 if inside else 90) - 15 * depth - (candidate.form is Form.SPACED)
            case Form.INSIDE:
                rank = (55 if colon else 48) if depth == 0 else 30 - depth
            case Form.MENTION if depth == 0:
                rank = 40
            case Form.WORD if depth == 0 and adjacent and (candidate.path == bare or form_seen):
                rank = 45
            case Form.LANGUAGE if depth == 0 and adjacent:
                rank = 5
            case _:
                continue
        ranked.append(_Ranked(rank, candidate.path, label, candidate.form in (Form.INSIDE, Form.MENTION)))


class Recent:
    """The last lines before a marker, kept as one short text so that long replies cost nothing."""

    LENGTH = 1200

    def __init__(self) -> None:
        self._tail = ""

    def add(self, text: str) -> None:
        """Add whole lines."""
        self._tail = text[-self.LENGTH :] if len(text) >= self.LENGTH else (self._tail + text)[-self.LENGTH :]

    def clear(self, keep: str = "") -> None:
        """Forget what was above, but for `keep`."""
        self._tail = keep

    def lines(self, most: int = 8) -> list[str]:
        """The last lines, oldest first; what is above a blank-line gap of two or more is still included."""
        return self._tail.rsplit("\n", most + 1)[-most - 1 : -1]
