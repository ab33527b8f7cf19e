"""The signs before a list's entries in documents: `-`, `*` and `+` say the same, and a model writes the one it likes.

Typed as the file has them, in both halves of an edit, where the file knows one sign alone and the search another.
"""

from __future__ import annotations

import re

from dovetail.text.languages import language_of

_DOCUMENTS = ("markdown", "rst")
_BULLET = re.compile(r"(?m)^([ \t]*)([-*+])(?=[ \t]+(?!(?:[-*_][ \t]*){2,}$)\S)")


def as_the_file_lists(search: str, replace: str, file: str, path: str) -> tuple[str, str]:
    """Search and replacement with the file's bullets for those that the search has and the file nowhere."""
    if language_of(path) not in _DOCUMENTS:
        return search, replace
    strange = {found[2] for found in _BULLET.finditer(search)}
    used = {found[2] for found in _BULLET.finditer(file)} if strange else set()
    if len(used) != 1 or not strange - used:
        return search, replace
    sign = used.pop()
    return _listed(search, strange, sign), _listed(replace, strange, sign)


def _listed(text: str, strange: set[str], sign: str) -> str:
    return _BULLET.sub(lambda found: found[1] + (sign if found[2] in strange else found[2]), text)
