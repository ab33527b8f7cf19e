"""Limits on a TOML settings file, checked before it is parsed.

The parser's work grows with the square of a key's dots, and it calls itself for each bracket inside another. Such a
file comes with a project, so anybody may have written it.
"""

from __future__ import annotations

import re

from dovetail.text.pattern import pattern

LARGEST = 64 * 1024
"""Bytes of a settings file."""
_MOST = 20  # dots of a key, brackets inside each other
# Strings of three quotes before those of one; they may stay open to the end of the text. What stands in a string or a
# comment is no key and no bracket.
_QUOTED = pattern(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\Z)'
    r"|'''(?:[^']|'(?!''))*+(?:'''|\Z)"
    r'|"(?:[^"\\\n]|\\.)*+"|\'[^\'\n]*+\'|#[^\n]*+',
    re.DOTALL,
)
_DOTTED = pattern(rf"(?<![\w-])[\w-]++(?:[ \t]*+\.[ \t]*+[\w-]++){{{_MOST + 1}}}")


def too_much(text: str) -> str | None:
    """Return which limit a TOML text exceeds, as a phrase for messages, or None if it exceeds none."""
    if len(text) > LARGEST:
        return "more than 64 KB"
    bare = _QUOTED.sub("q", text)
    if _DOTTED.search(bare) is not None:
        return f"a key of more than {_MOST} dots"
    depth = 0
    for bracket in re.findall(r"[\[\]{}]", bare):
        depth = depth + 1 if bracket in "[{" else max(0, depth - 1)
        if depth > _MOST:
            return f"more than {_MOST} brackets inside each other"
    return None
