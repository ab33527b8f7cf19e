"""Whether a line says that a file is to be created, and that the listing below it is its text.

Owns the words for that, and no path: the line is asked about a name that is marked in it. Where it only speaks of the
file, of something in it, or of what could be done, the listing may be an example. Other languages than English have
their words in `tongues`.
"""

from __future__ import annotations

import re

from dovetail.formats.lines.names import listed
from dovetail.formats.lines.tongues import says_created

_MAKES = re.compile(
    r"(?:\bcreat(?:e|ing)|^[\W\d]*(?:step\b[\W\d]*)?(?:(?:add|and|an?|the) )*new)\b(?P<what>(?:[ \t]+[\w-]+){0,6})"
    r"[ \t]*:?[ \t]*$",
    re.IGNORECASE,
)
_ELSEWHERE = listed("about and by for from if in inside into like of on or that to using which within")
_DOUBTS = re.compile(
    r"\b(?:alternatively|can|could|example|if|instead|like|may|might|never|not|optional|optionally|or|should|would"
    r"|\w+n't|e\.g)\b",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"[ \t]*(?:file\b)?[ \t]*(?:(?:with|containing|and (?:add|paste|put))\b[^`.]{0,60})?[:.]?[ \t]*", re.IGNORECASE
)


def creates(line: str, path: str) -> bool:
    """Whether `line` says so of the file `path`, which stands in it as code or in bold."""
    for mark in (f"`{path}`", f"**{path}**"):
        before, found, behind = line.replace("’", "'").partition(mark)
        if found:
            made = _MAKES.search(before.replace("*", ""))
            if made is None:
                return says_created(before, behind)
            told = _ELSEWHERE.isdisjoint(made["what"].lower().split())
            return told and not _DOUBTS.search(before) and _BEHIND.fullmatch(behind.replace("*", "")) is not None
    return False
