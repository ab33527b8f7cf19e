"""Which files a model asks for: names of existing paths in a reply that holds no edit.

A name counts where it is spelled as the path is, or is the end of exactly one path, whatever prose and Markdown join to
it in one word: a link, a line's number, whose it is. Names inside code fences do not count, as code is full of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator

from dovetail.model.patterns import late

_FENCED = late(r"^(`{3,}|~{3,})[^\n]*\n.*?(?:^\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_AROUND = "`*_\"'“”‘’()[]{}<>,.;:!?"
_APART = late(r"[`*\"“”‘;|…—]+|\]\(")
_BEHIND = late(r"(?:['’]s|:\d[\d:-]*|#L\d[\dL-]*)$")
MOST = 8


def asked_files(reply: str, tree: Collection[str], held: Collection[str]) -> tuple[str, ...]:
    """Paths that exist, are not held, and that the reply's prose names, in its order; at most `MOST`."""
    words = _FENCED.sub("\n", reply).split()
    ends = _by_name(tree)
    found: dict[str, None] = {}
    for word in words:
        for path in _named(word, tree, ends):
            if path not in held:
                found[path] = None
    return tuple(found)[:MOST]


def _by_name(tree: Collection[str]) -> dict[str, list[str]]:
    ends: dict[str, list[str]] = defaultdict(list)
    for path in tree:
        ends[path.rpartition("/")[2]].append(path)
    return ends


def _named(word: str, tree: Collection[str], ends: dict[str, list[str]]) -> Iterator[str]:
    """What a word names: as it stands, or else part by part."""
    quoted = "`" in word
    for part in dict.fromkeys((word, *_APART.split(word))):
        path = _meant(part, tree, ends, quoted=quoted)
        if path is not None:
            yield path
            if part == word:
                return


def _meant(word: str, tree: Collection[str], ends: dict[str, list[str]], *, quoted: bool) -> str | None:
    for name in _spellings(word):
        if name in tree:
            return name if "." in name or "/" in name or quoted else None  # `make` is a word as well
        if "." in name.lstrip("."):
            fitting = [path for path in ends.get(name.rpartition("/")[2], ()) if path.endswith("/" + name)]
            if len(fitting) == 1:
                return fitting[0]
    return None


def _spellings(word: str) -> list[str]:
    """The word itself, without what prose and Markdown put around it, and without what they put behind that."""
    bare = word.replace("\\", "/")
    stripped = bare.strip(_AROUND)
    leading = bare.rstrip(_AROUND).lstrip("`*_\"'“‘(<")  # a name may begin with a dot
    names = dict.fromkeys((bare, leading, stripped, _BEHIND.sub("", stripped), _BEHIND.sub("", leading)))
    return [name.removeprefix("./") for name in names if name]
