"""The repository map: the definitions that matter most to a chat, within a token budget.

Definitions are taken best first until the budget is full, each as the lines of its header under the headers around it.
The map never counts more than its budget, whatever counter is used. It leaves out files that the chat holds, as the
model sees those anyway.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dovetail.context.files import Counter, estimate
from dovetail.context.index import Index, IndexUpdate
from dovetail.context.ranking import Interest, References, worth_at_large, worth_to
from dovetail.context.tree_context import Marks
from dovetail.model.text import split_lines
from dovetail.syntax import language_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from dovetail.context.index import Defined
    from dovetail.context.ranking import Place

_KEPT_AT_LARGE = 3_000  # best definitions of the repository that are remembered
_AT_LARGE = 0.02  # the weight of these beside the definitions that the chat leads to
_HEADER_LINES = 4
_LINE_WIDTH = 160
_SAME_NAME = 3
_MISSES = 20  # definitions in a row that do not fit, before the map is taken for full
_STALE_SHARE = 0.05  # share of changed files from which the remembered worth is computed again
_GAP_TOKENS = 2


@dataclass(frozen=True, slots=True)
class MapView:
    """A rendered map: its text and token count, the files in it, best first, and how many definitions it has."""

    text: str
    tokens: int
    paths: tuple[str, ...]
    definitions: int


EMPTY_MAP = MapView("", 0, (), 0)


class RepositoryMap:
    """Knows a repository's definitions: `update` it, then `render` what a chat needs.

    cache: the folder of the cache, None for no cache. keep: False to read the cache and never write it.
    """

    def __init__(self, cache: Path | None = None, *, keep: bool = True) -> None:
        self._index = Index(cache)
        self._keep = keep
        self._references: References | None = None
        self._large, self._changed_since = _read_notes(self._index.notes)

    def update(self, stamps: Mapping[str, str], read: Callable[[str], str | None]) -> IndexUpdate:
        """Read what changed, as `Index.update` does, and write the cache if anything did."""
        done = self._index.update(stamps, read)
        changes = len(done.changed) + len(done.gone)
        if changes:
            self._references = None
            self._changed_since += changes
        if not self._large or self._changed_since > _STALE_SHARE * len(self._index.entries):
            worth = worth_at_large(self._index.entries)
            best = sorted(worth.items(), key=lambda item: (-item[1], item[0]))[:_KEPT_AT_LARGE]
            self._large = {place: value / best[0][1] for place, value in best}
            self._changed_since, changes = 0, changes + 1
        if changes and self._keep:
            rows = [[path, name, round(value, 6)] for (path, name), value in self._large.items()]
            self._index.notes = json.dumps([self._changed_since, rows])
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
        """Render the map in at most `budget` tokens of `count`; it is empty if nothing fits.

        read: returns a file's text, or None; it should be the text that `update` saw. Lines are cut at 160 characters.
        """
        if budget <= 0:
            return EMPTY_MAP
        chosen = _MapLines(budget, self._index, read, count)
        misses = 0
        for place in self._ranked(interest):
            misses = 0 if chosen.take(place) else misses + 1
            if misses > _MISSES:
                break
        return chosen.view()

    def _ranked(self, interest: Interest) -> list[Place]:
        if self._references is None:
            self._references = References(self._index.entries)
        references = self._references.about(interest.words)
        worth: dict[Place, float] = defaultdict(float)
        for place, value in self._large.items():
            worth[place] += value * _AT_LARGE
        # The walk begins in the chat's files, in those that it names, and in those that define its words.
        start: dict[str, float] = defaultdict(float)
        for path in (interest.held | interest.named) & self._index.entries.keys():
            start[path] += 1.0
        for word in interest.words:
            defining = references.defining(word)
            for path in defining:
                start[path] += 0.5 / len(defining)
                worth[path, word] += 1.0
        total = sum(start.values())
        for place, value in worth_to(references, {path: share / total for path, share in start.items()}).items():
            worth[place] += value
        fitting = (place for place in worth if place[0] not in interest.held)
        return sorted(fitting, key=lambda place: (-worth[place], place))


def _read_notes(notes: str) -> tuple[dict[Place, float], int]:
    try:
        changed, rows = json.loads(notes)
        return {(str(path), str(name)): float(value) for path, name, value in rows}, int(changed)
    except (ValueError, TypeError):
        return {}, 0


class _MapLines:
    """The definitions taken so far. Costs are summed piece by piece; the whole is counted at the end."""

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
        """Add a definition; return False if it does not fit. One that is shown already, or gone, fits."""
        path, name = place
        if path not in self._texts:
            self._texts[path] = split_lines(self._read(path) or "")
        lines = self._texts[path]
        entry = self._index.entries.get(path)
        shown = self._shown.get(path, {})
        wanted = [] if entry is None else _headers(entry.definitions, name, lines)
        new = [line for line in wanted if line not in shown]
        if not new:
            return True
        # Each group may need a gap mark. Counted in parts, as to count the whole each time would be quadratic; `view`
        # counts it.
        cost = self._count("".join(f"│{lines[line][:_LINE_WIDTH]}\n" for line in new), language_of(path)) + _GAP_TOKENS
        if not shown:
            cost += self._count(f"\n{path}:\n", None) + _GAP_TOKENS
        if self._spent + cost > self._budget:
            return False
        self._spent += cost
        self._shown.setdefault(path, {}).update(dict.fromkeys(new, ""))
        self._taken.append((path, new))
        return True

    def view(self) -> MapView:
        """Return what was taken, without the last of it if the whole counts more than its parts."""
        text = self._text()
        # A tenth at a time: one by one would count the whole text as often as there are definitions.
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
    """Return the header lines, from 0, of a name's definitions and of the definitions around those."""
    named = [defined for defined in definitions if defined.name == name][:_SAME_NAME]
    around = [
        outer
        for outer in definitions
        if any(outer.first <= inner.first and inner.last <= outer.last and outer is not inner for inner in named)
    ]
    return sorted({line for defined in (*named, *around) for line in _header(defined, lines)})


def _header(defined: Defined, lines: list[str]) -> range:
    """Return the header's lines from the one with the name, as far as the file still has them."""
    last = min(defined.header, len(lines) - 1)
    named = re.compile(rf"(?<!\w){re.escape(defined.name)}(?!\w)")
    first = next((n for n in range(defined.first, last + 1) if named.search(lines[n])), defined.first)
    return range(first, min(last, first + _HEADER_LINES - 1) + 1)
