"""Which words of a reply name a file, so that the page can open it.

A word counts as it is spelled: the whole path, or the end of exactly one path. Unlike the files that a model asks
for, names inside code count too, for they are looked at and not sent anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice

from dovetail.session.chat_files import PathIndex

MOST = 500
_WORD = re.compile(r"[\w.@+/\\-]*[\w]")


def mentions_in(reply: str, tree: Collection[str]) -> dict[str, str]:
    """Words as spelled → paths, in the reply's order; at most `MOST`."""
    paths = PathIndex(tree)
    meant = ((word, _meant(word, paths)) for word in dict.fromkeys(_WORD.findall(reply)))
    return dict(islice(((word, path) for word, path in meant if path is not None), MOST))


def _meant(word: str, paths: PathIndex) -> str | None:
    name = word.replace("\\", "/").removeprefix("./")
    if "." not in name.lstrip(".") and "/" not in name:
        return None  # `make` is a word as well
    return name if name in paths.all else paths.ending(name)
