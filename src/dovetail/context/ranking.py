"""Which definitions matter to a chat.

The idea is a walk: from a file to one of the names it uses, from the name to a file that defines it, and now and
then back to what the chat holds (personalised PageRank). A name leads to files of its own language alone: the `Path`
of Python is not the `Path` of a page. What a definition is worth is how often the walk comes through it. A walk from
the chat is followed where most of it is, by pushing its largest pieces on; a walk without a chat is computed once over
all files and kept.
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
    from collections.abc import Mapping

    from dovetail.context.index import Entry

Place = tuple[str, str]
"""A path, and a name that is defined there."""

_STAY = 0.85  # share of a walk that goes on; the rest starts anew
_ROUNDS = 12
_MOST_PUSHES = 400
_LEAST_PIECE = 1e-4
_UNUSED = 0.02  # of a file's rank goes to its definitions, used or not
_TOO_COMMON = 20  # files that define a name; beyond, it tells nothing about any of them
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
_DISTINCT = re.compile(r"[a-z\d][A-Z]|[A-Za-z\d]_[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Interest:
    """What a chat is about: files it holds, files it names, and words that may be names."""

    held: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


class References:
    """The files and the names between them, seen by somebody who has some words in mind."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
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
        """The same, with other words in mind."""
        other = copy(self)
        other._words, other._weights = words, {}
        return other

    def defining(self, name: str) -> list[str]:
        """The files that define a name, in any language; none where so many do that it tells nothing."""
        families = dict.fromkeys(self._families.values())
        found = [path for family in families for path in self._definers.get((family, name), ())]
        return found if len(found) <= _TOO_COMMON else []

    def _weight(self, family: str, name: str) -> float:
        """How much a use of a name in a family of languages tells about the file that defines it."""
        if (family, name) not in self._weights:
            self._weights[family, name] = self._weigh(family, name)
        return self._weights[family, name]

    def _weigh(self, family: str, name: str) -> float:
        definers = len(self._definers.get((family, name), ()))
        if definers == 0 or definers > _TOO_COMMON:
            return 0.0
        weight = 1.0 / definers
        if name in self._words:
            weight *= 10
        if name.startswith("_") or len(name) < 3:
            return weight * 0.1
        if name.islower() and "_" not in name:
            return weight * 0.3
        return weight * 4 if len(name) >= 8 and _DISTINCT.search(name) else weight

    def steps(self, path: str) -> list[tuple[str, str, float]]:
        """Where a walk goes from a file: name, file, and the share of the walk, all shares adding up to 1."""
        found: list[tuple[str, str, float]] = []
        total = 0.0
        entry, family = self._entries[path], self._families[path]
        own = set(entry.defined_names)
        for name, count in entry.names.items():
            if name not in own and (weight := self._weight(family, name)):
                weight *= math.sqrt(count)
                targets = self._definers[family, name]
                found += [(name, target, weight) for target in targets]
                total += weight * len(targets)
        return [(name, target, weight / total) for name, target, weight in found]


def _family(path: str) -> str:
    language = language_of(path) or ""
    return _FAMILIES.get(language, language)


def worth_to(references: References, start: Mapping[str, float]) -> dict[Place, float]:
    """What each definition is worth to a walk that starts at some files, with these shares of it."""
    waiting = dict(start)
    largest = [(-piece, path) for path, piece in waiting.items()]
    heapq.heapify(largest)
    worth: dict[Place, float] = defaultdict(float)
    for _ in range(_MOST_PUSHES):
        path, piece = _take(waiting, largest)
        if piece < _LEAST_PIECE:
            break
        for name, target, share in references.steps(path):
            arriving = piece * _STAY * share
            worth[target, name] += arriving
            waiting[target] = waiting.get(target, 0.0) + arriving
            heapq.heappush(largest, (-waiting[target], target))
    return worth


def _take(waiting: dict[str, float], largest: list[tuple[float, str]]) -> tuple[str, float]:
    """The file where most of the walk waits; entries that have grown since they were noted are passed over."""
    while largest:
        piece, path = heapq.heappop(largest)
        if waiting.get(path) == -piece:
            del waiting[path]
            return path, -piece
    return "", 0.0


def worth_at_large(entries: Mapping[str, Entry]) -> dict[Place, float]:
    """What each definition is worth to a walk that may start at any file."""
    references = References(entries)
    steps = {path: references.steps(path) for path in entries}
    between = {path: _by_target(found) for path, found in steps.items()}
    anywhere = (1.0 - _STAY) / max(1, len(entries))
    rank = dict.fromkeys(entries, 1.0 / max(1, len(entries)))
    for _ in range(_ROUNDS):
        new = dict.fromkeys(entries, anywhere)
        for path, targets in between.items():
            going = rank[path] * _STAY
            for target, share in targets:
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


def _by_target(steps: list[tuple[str, str, float]]) -> list[tuple[str, float]]:
    shares: dict[str, float] = defaultdict(float)
    for _, target, share in steps:
        shares[target] += share
    return list(shares.items())
