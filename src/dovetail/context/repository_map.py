"""The repository map: the definitions that matter most to a chat, in as many tokens as it may have.

Definitions are taken whole (the lines of their headers, under the headers around them), best first, until the budget
is full. The map never counts more than its budget, whatever counts. Files that the chat holds are left out, as the
model sees them anyway.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dovetail.context.index import Index, Update
from dovetail.context.marks import Marks
from dovetail.context.ranking import Interest, References, worth_at_large, worth_to
from dovetail.context.tokens import Counter, estimate
from dovetail.model.text import split_lines
from dovetail.syntax import language_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from dovetail.context.index import Defined
    from dovetail.context.ranking import Place

_KEPT_AT_LARGE = 3_000  # best definitions of the repository that are remembered
_AT_LARGE = 0.02  # what they count beside those that the chat leads to
_HEADER_LINES = 4
_LINE_WIDTH = 160
_SAME_NAME = 3
_MISSES = 20  # definitions in a row that did not fit, until no other is tried
_STALE_SHARE = 0.05  # changed files, of all, that make the remembered worth be computed anew
_GAP_TOKENS = 2


@dataclass(frozen=True, slots=True)
class MapView:
    """A rendered map. `tokens` is what the counter said of `text`; `paths` are the files in it, best first."""

    text: str
    tokens: int
    paths: tuple[str, ...]
    definitions: int


EMPTY_MAP = MapView("", 0, (), 0)


class RepositoryMap:
    """Knows a repository's definitions; `update` it, then `render` what a chat needs.

    `cache` is a folder; with `keep` False what lies there is read and stays as it is.
    """

    def __init__(self, cache: Path | None = None, *, keep: bool = True) -> None:
        self._index = Index(cache)
        self._keep = keep
        self._references: References | None = None
        self._large, self._changed_since = _read_notes(self._index.notes)

    def update(self, stamps: Mapping[str, str], read: Callable[[str], str | None]) -> Update:
        """Look at what changed; see `Index.update`. The cache is written when anything did, if it is kept."""
        done = self._index.update(stamps, read)
        changes = len(done.changed) + len(done.gone)
        if changes:
            self._references = None
            self._changed_since += changes
        if not self._large or self._changed_since > _STALE_SHARE * len(self._index.entries):
            self._large = _best(worth_at_large(self._index.entries))
            self._changed_since, changes = 0, changes + 1
        if changes and self._keep:
            self._index.notes = _write_notes(self._large, self._changed_since)
            self._index.save()
        return done

    def render(
        self,
        budget: int,
        read: Callable[[str], str | None],
        *,
        interest: Interest = Interest(),  # noqa: B008 — a frozen value
        count: Counter = estimate,
    ) -> MapView:
        """The map in at most `budget` tokens of `count`; empty where nothing fits.

        `read` gives a file's text, or None; it should be the text that `update` saw. Lines are cut at 160 characters.
        """
        if budget <= 0:
            return EMPTY_MAP
        cut = _Cut(budget, self._index, read, count)
        misses = 0
        for place in self._ranked(interest):
            misses = 0 if cut.take(place) else misses + 1
            if misses > _MISSES:
                break
        return cut.view()

    def _ranked(self, interest: Interest) -> list[Place]:
        """Definitions outside of the held files, best first."""
        if self._references is None:
            self._references = References(self._index.entries)
        references = self._references.about(interest.words)
        worth: dict[Place, float] = defaultdict(float)
        for place, value in self._large.items():
            worth[place] += value * _AT_LARGE
        start = _start(interest, references, self._index)
        for place, value in worth_to(references, start).items():
            worth[place] += value
        for word in interest.words:
            for path in references.defining(word):
                worth[path, word] += 1.0
        fitting = (place for place in worth if place[0] not in interest.held)
        return sorted(fitting, key=lambda place: (-worth[place], place))


def _start(interest: Interest, references: References, index: Index) -> dict[str, float]:
    """Where a walk about the chat begins: in its files, in those it names, in those that define its words."""
    start: dict[str, float] = defaultdict(float)
    for path in interest.held | interest.named:
        if path in index.entries:
            start[path] += 1.0
    for word in interest.words:
        defining = references.defining(word)
        for path in defining:
            start[path] += 0.5 / len(defining)
    total = sum(start.values())
    return {path: share / total for path, share in start.items()}


def _best(worth: Mapping[Place, float]) -> dict[Place, float]:
    best = sorted(worth.items(), key=lambda item: (-item[1], item[0]))[:_KEPT_AT_LARGE]
    top = best[0][1] if best else 1.0
    return {place: value / top for place, value in best}


def _write_notes(large: Mapping[Place, float], changed: int) -> str:
    return json.dumps([changed, [[path, name, round(value, 6)] for (path, name), value in large.items()]])


def _read_notes(notes: str) -> tuple[dict[Place, float], int]:
    try:
        changed, rows = json.loads(notes)
        return {(str(path), str(name)): float(value) for path, name, value in rows}, int(changed)
    except (ValueError, TypeError):
        return {}, 0


class _Cut:
    """The definitions taken so far. Costs are summed piece by piece, and the whole is counted at the end."""

    def __init__(self, budget: int, index: Index, read: Callable[[str], str | None], count: Counter) -> None:
        self._budget = budget
        self._index = index
        self._read = read
        self._count = count
        self._spent = 0
        self._texts: dict[str, list[str]] = {}
        self._shown: dict[str, dict[int, str]] = {}
        self._taken: list[tuple[str, list[int]]] = []

    def take(self, place: Place) -> bool:
        """Add a definition if it fits; one that is shown already, or gone, fits."""
        path, name = place
        lines = self._lines_of(path)
        entry = self._index.entries.get(path)
        shown = self._shown.get(path, {})
        wanted = [] if entry is None else _headers(entry.definitions, name, lines)
        new = [line for line in wanted if line not in shown]
        if not new:
            return True
        cost = self._count("".join(f"│{lines[line][:_LINE_WIDTH]}\n" for line in new), language_of(path)) + _GAP_TOKENS
        if not shown:
            cost += self._count(f"\n{path}:\n", None) + _GAP_TOKENS
        if self._spent + cost > self._budget:
            return False
        self._spent += cost
        self._shown.setdefault(path, {}).update(dict.fromkeys(new, ""))
        self._taken.append((path, new))
        return True

    def _lines_of(self, path: str) -> list[str]:
        if path not in self._texts:
            self._texts[path] = split_lines(self._read(path) or "")
        return self._texts[path]

    def view(self) -> MapView:
        """What was taken, less the last of it where the whole counts more than its parts."""
        text = self._text()
        while (tokens := self._count(text, None)) > self._budget and self._taken:
            for path, lines in self._taken[-max(1, len(self._taken) // 10) :]:
                for line in lines:
                    del self._shown[path][line]
            del self._taken[-max(1, len(self._taken) // 10) :]
            text = self._text()
        paths = tuple(path for path, shown in self._shown.items() if shown)
        return MapView(text, tokens, paths, len(self._taken)) if text else EMPTY_MAP

    def _text(self) -> str:
        marks = Marks(mark_lois=False)
        parts = []
        for path in sorted(path for path, shown in self._shown.items() if shown):
            lines = [line[:_LINE_WIDTH] for line in self._texts[path]]
            parts.append(f"{path}:\n{marks.render(lines, self._shown[path], ())}")
        return "\n".join(parts)


def _headers(definitions: tuple[Defined, ...], name: str, lines: list[str]) -> list[int]:
    """The lines, in order, of the headers of a name's definitions and of what they stand in."""
    wanted = [defined for defined in definitions if defined.name == name][:_SAME_NAME]
    around = [
        outer
        for outer in definitions
        if any(outer.first <= inner.first and inner.last <= outer.last and outer is not inner for inner in wanted)
    ]
    return sorted({line for defined in (*wanted, *around) for line in _header(defined, lines)})


def _header(defined: Defined, lines: list[str]) -> range:
    """The header's lines from the one with the name on, as far as the file has them."""
    last = min(defined.header, len(lines) - 1)
    named = re.compile(rf"(?<!\w){re.escape(defined.name)}(?!\w)")
    first = next((n for n in range(defined.first, last + 1) if named.search(lines[n])), defined.first)
    return range(first, min(last, first + _HEADER_LINES - 1) + 1)
