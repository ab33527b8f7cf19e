"""Where a call's own tags stand behind the text that one of its fields holds: they leaked into it.

Owns what such an end looks like. The idea: a text that ends with the closing tag of a call, and has nothing that opens
it, broke off where the tag begins; a document about calls, or a file made of such tags, opens what it closes.
"""

from __future__ import annotations

import re

from dovetail.formats.vocabulary import CALL_ENDS, SPACE

_NAME = re.compile(r"</([^<>\s]+)")
_ENDS = re.compile(rf"(?:</{SPACE}?(?:{CALL_ENDS})>\s*+)++")
_FIELD = re.compile(rf"<{SPACE}?parameter[ =][^<>\n]{{0,400}}>|\Z")


def leaked(text: str, *beside: str) -> str | None:
    """The first closing tag of a call that ends a text, or stands before the next of its fields, and that neither the
    text opens nor one `beside` it knows."""
    runs = _ENDS.finditer(text) if "</" in text else ()
    names = (name for ends in runs if _FIELD.match(text, ends.end()) for name in _NAME.findall(ends[0]))
    for name in dict.fromkeys(names):
        opening = re.compile(rf"<{re.escape(name)}[\s=>]").search
        if opening(text) is None and not any(opening(other) or f"</{name}>" in other for other in beside):
            return f"</{name}>"
    return None
