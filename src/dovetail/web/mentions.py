"""Which words of a reply name a file, so that the page can open it.

A word counts as it is spelled: the whole path, or the end of exactly one path. Unlike the files that a model asks
for, names inside code count too, for they are looked at and not sent anywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from dovetail.model.patterns import late

MOST = 500
_WORD = late(r"[\w.@+/\\-]*[\w]")


def mentions_in(reply: str, tree: Collection[str]) -> dict[str, str]:
    """Words as spelled → paths, in the reply's order; at most `MOST`."""
    known = tree if isinstance(tree, (set, frozenset)) else frozenset(tree)
    ends: dict[str, list[str]] = defaultdict(list)
    for path in known:
        ends[path.rpartition("/")[2]].append(path)
    found: dict[str, str] = {}
    for word in dict.fromkeys(_WORD.findall(reply)):
        path = _meant(word, known, ends)
        if path is not None:
            found[word] = path
            if len(found) == MOST:
                break
    return found


def _meant(word: str, tree: Collection[str], ends: dict[str, list[str]]) -> str | None:
    name = word.replace("\\", "/").removeprefix("./")
    if "." not in name.lstrip(".") and "/" not in name:
        return None  # `make` is a word as well
    if name in tree:
        return name
    fitting = [path for path in ends.get(name.rpartition("/")[2], ()) if path.endswith("/" + name)]
    return fitting[0] if len(fitting) == 1 else None
