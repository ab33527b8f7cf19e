"""Which definitions matter to a chat: personalised PageRank over the names that files use and define.

A random walk goes from a file to a name that it uses, from the name to a file that defines it, and sometimes back to
the files of the chat. A definition is worth as much as the walk's share that comes through it. A name leads only to
files of its own language family: Python's `Path` is not JavaScript's. The walk from a chat is approximated by pushing
its largest pieces on; the walk that may start at any file is computed once over all files, and the caller keeps it.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import defaultdict
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dovetail.syntax import language_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dovetail.context.index import IndexEntry

Place = tuple[str, str]
"""A path, and a name that is defined there."""

_GOES_ON = 0.85  # share of a walk that goes on; the rest starts again
_ROUNDS = 12
_MOST_PUSHES = 400
_LEAST_PIECE = 1e-4
_UNUSED = 0.02  # share of a file's rank that goes to its definitions, used or not
_TOO_COMMON = 20  # files that define a name; a name with more of them says nothing about any
_FAMILIES = {
    language: family
    for family, languages in {
        "javascript": ("typescript", "tsx", "vue", "svelte", "astro"),
        "c": ("cpp", "objc"),
        "java": ("kotlin", "scala", "groovy"),
    }.items()
    for language in languages
}
"""Languages whose code calls each other by name; any other is a family of its own."""
# readFile, read_file; not READ, _read, Reader: a name of several words hardly means something else elsewhere.
_DISTINCT = re.compile(r"[a-z\d][A-Z]|[A-Za-z\d]_[A-Za-z]")
_WORD = re.compile(r"[^\W\d]\w{2,}")
_PATH = re.compile(r"[\w.@+/\\-]+")
_MOST_ALIKE = 3  # files of one name; with more of them, the name alone means none


@dataclass(frozen=True, slots=True)
class Interest:
    """What a chat is about: files it holds, files it names, and words that may be names."""

    held: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


def interest_in(request: str, paths: Iterable[str], held: Iterable[str] = ()) -> Interest:
    """Return what a request is about.

    paths: those that exist. held: those that the chat holds.
    A request names a file by its path, by the end of its path, or by a name that at most three files have.
    """
    words = {word.replace("\\", "/").strip("./-") for word in _PATH.findall(request)}
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        by_name[path.rsplit("/", 1)[-1].strip("./-")].append(path)
    named: set[str] = set()
    for word in words:
        alike = by_name.get(word.rsplit("/", 1)[-1], [])
        if "/" in word:
            named.update(path for path in alike if f"/{path}".endswith(f"/{word}"))
        elif "." in word and len(alike) <= _MOST_ALIKE:
            named.update(alike)
    return Interest(frozenset(held), frozenset(named), frozenset(_WORD.findall(request)))


class References:
    """The files and the names that connect them; names among the `words` of a request weigh more."""

    def __init__(self, entries: Mapping[str, IndexEntry]) -> None:
        self._entries = entries
        self._words: frozenset[str] = frozenset()
        self._weights: dict[tuple[str, str], float] = {}
        self._families = {path: _family(path) for path in entries}
        self._definers: dict[tuple[str, str], list[str]] = defaultdict(list)
        for path, entry in entries.items():
            family = self._families[path]
            for name in dict.fromkeys(entry.defined_names):
                self._definers[family, name].append(path)

    def about(self, words: frozenset[str]) -> References:
        """Return the same references, weighed for other words."""
        other = copy(self)
        other._words, other._weights = words, {}
        return other

    def defining(self, name: str) -> list[str]:
        """Return the files that define a name, in any language; none if there are too many."""
        families = dict.fromkeys(self._families.values())
        found = [path for family in families for path in self._definers.get((family, name), ())]
        return found if len(found) <= _TOO_COMMON else []

    def _weight(self, family: str, name: str) -> float:
        """Return the weight of a use of a name, in one language family, for the file that defines it."""
        known = self._weights.get((family, name))
        if known is not None:
            return known
        definers = len(self._definers.get((family, name), ()))
        if definers == 0 or definers > _TOO_COMMON:
            weight = 0.0
        else:
            # Divided among those that define it. A private or short name says least (0.1), a single lower-case word
            # is often a common one (`run`, 0.3), a long name of several words means one thing (4).
            weight = (10.0 if name in self._words else 1.0) / definers
            if name.startswith("_") or len(name) < 3:
                weight *= 0.1
            elif name.islower() and "_" not in name:
                weight *= 0.3
            elif len(name) >= 8 and _DISTINCT.search(name):
                weight *= 4
        self._weights[family, name] = weight
        return weight

    def steps(self, path: str) -> list[tuple[str, str, float]]:
        """Return where a walk goes from a file: name, file, share of the walk. The shares add up to 1."""
        found: list[tuple[str, str, float]] = []
        total = 0.0
        entry, family = self._entries[path], self._families[path]
        own = set(entry.defined_names)
        for name, count in entry.names.items():
            if name not in own and (weight := self._weight(family, name)):
                # A name used 100 times says more than one used once, but not 100 times as much.
                weight *= math.sqrt(count)
                targets = self._definers[family, name]
                found += [(name, target, weight) for target in targets]
                total += weight * len(targets)
        return [(name, target, weight / total) for name, target, weight in found]


def _family(path: str) -> str:
    language = language_of(path) or ""
    return _FAMILIES.get(language, language)


def worth_to(references: References, start: Mapping[str, float]) -> dict[Place, float]:
    """Return what each definition is worth to a walk from the chat.

    start: the files where the walk begins, each with its share of it.
    """
    waiting = dict(start)
    largest = [(-piece, path) for path, piece in waiting.items()]
    heapq.heapify(largest)
    worth: dict[Place, float] = defaultdict(float)
    for _ in range(_MOST_PUSHES):
        # The heap may have a path several times; entries with another piece than the present one are out of date.
        while largest:
            negative, path = heapq.heappop(largest)
            if waiting.get(path) == -negative:
                break
        else:
            break
        piece = waiting.pop(path)
        if piece < _LEAST_PIECE:
            break
        for name, target, share in references.steps(path):
            moved = piece * _GOES_ON * share
            worth[target, name] += moved
            waiting[target] = waiting.get(target, 0.0) + moved
            heapq.heappush(largest, (-waiting[target], target))
    return worth


def worth_at_large(entries: Mapping[str, IndexEntry]) -> dict[Place, float]:
    """Return what each definition is worth to a walk that may start at any file."""
    references = References(entries)
    steps = {path: references.steps(path) for path in entries}
    between: dict[str, dict[str, float]] = {path: defaultdict(float) for path in entries}
    for path, found in steps.items():
        for _, target, share in found:
            between[path][target] += share
    anywhere = (1.0 - _GOES_ON) / max(1, len(entries))
    rank = dict.fromkeys(entries, 1.0 / max(1, len(entries)))
    for _ in range(_ROUNDS):
        new = dict.fromkeys(entries, anywhere)
        for path, targets in between.items():
            going = rank[path] * _GOES_ON
            for target, share in targets.items():
                new[target] += going * share
        rank = new
    worth: dict[Place, float] = defaultdict(float)
    for path, found in steps.items():
        for name, target, share in found:
            worth[target, name] += rank[path] * share
    for path, entry in entries.items():
        own = list(dict.fromkeys(entry.defined_names))
        for name in own:
            worth[path, name] += rank[path] * _UNUSED * (0.1 if name.startswith("_") else 1.0) / len(own)
    return worth
