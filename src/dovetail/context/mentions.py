"""Which files and names a person's request speaks of."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from dovetail.context.ranking import Interest

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d]\w{2,}")
_PATH = re.compile(r"[\w.@+/\\-]+")
_MOST_ALIKE = 3  # files of one name; beyond, the name alone means none of them


def interest_in(request: str, paths: Iterable[str], held: Iterable[str] = ()) -> Interest:
    """What a request is about, given the paths that exist and those that the chat holds.

    A file is named by its path, by the end of its path, or by a name that at most three files have.
    """
    spoken = {word.replace("\\", "/").strip("./-") for word in _PATH.findall(request)}
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        by_name[path.rsplit("/", 1)[-1].strip("./-")].append(path)
    named: set[str] = set()
    for word in spoken:
        alike = by_name.get(word.rsplit("/", 1)[-1], [])
        if "/" in word:
            named.update(path for path in alike if f"/{path}".endswith(f"/{word}"))
        elif "." in word and len(alike) <= _MOST_ALIKE:
            named.update(alike)
    return Interest(frozenset(held), frozenset(named), frozenset(_WORD.findall(request)))
