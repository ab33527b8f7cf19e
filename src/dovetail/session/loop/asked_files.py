"""Which files a model asks for: names of existing paths in a reply that holds no edit.

A name counts where it is spelled as the path is, or is the end of exactly one path, whatever prose and Markdown join to
it in one word: a link, a line's number, whose it is. Names inside code fences do not count, as code is full of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator

_FENCED = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?(?:^\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_AROUND = "`*_\"'“”‘’()[]{}<>,.;:!?"
_APART = re.compile(r"[`*\"“”‘;|…—]+|\]\(")
_BEHIND = re.compile(r"(?:['’]s|:\d[\d:-]*|#L\d[\dL-]*)$")
MOST = 8


def asked_files(reply: str, tree: Collection[str], held: Collection[str]) -> tuple[str, ...]:
    """Paths that exist, are not held, and that the reply's prose names, in its order; at most `MOST`."""
    paths = Paths(tree)
    named = (path for word in _FENCED.sub("\n", reply).split() for path in _named(word, paths))
    return tuple(dict.fromkeys(path for path in named if path not in held))[:MOST]


class Paths:
    """The paths that exist, to be found by their ends."""

    def __init__(self, tree: Collection[str]) -> None:
        self.all = tree if isinstance(tree, set | frozenset) else frozenset(tree)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for path in tree:
            self._by_name[path.rpartition("/")[2]].append(path)

    def ending(self, name: str) -> str | None:
        """The one path that ends so, in whole names; None where there is none, or are several."""
        fitting = [path for path in self._by_name.get(name.rpartition("/")[2], ()) if path.endswith("/" + name)]
        return fitting[0] if len(fitting) == 1 else None


def _named(word: str, paths: Paths) -> Iterator[str]:
    """What a word names: as it stands, or else part by part."""
    quoted = "`" in word
    for part in dict.fromkeys((word, *_APART.split(word))):
        path = _meant(part, paths, quoted=quoted)
        if path is not None:
            yield path
            if part == word:
                return


def _meant(word: str, paths: Paths, *, quoted: bool) -> str | None:
    for name in _spellings(word):
        if name in paths.all:
            return name if "." in name or "/" in name or quoted else None  # `make` is a word as well
        if "." in name.lstrip(".") and (path := paths.ending(name)) is not None:
            return path
    return None


def _spellings(word: str) -> list[str]:
    """The word itself, without what prose and Markdown put around it, and without what they put behind that."""
    bare = word.replace("\\", "/")
    stripped = bare.strip(_AROUND)
    leading = bare.rstrip(_AROUND).lstrip("`*_\"'“‘(<")  # a name may begin with a dot
    names = dict.fromkeys((bare, leading, stripped, _BEHIND.sub("", stripped), _BEHIND.sub("", leading)))
    return [name.removeprefix("./") for name in names if name]
