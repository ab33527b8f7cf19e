"""What a file of members has: keys, sections, selectors, entries; so that a listing of a few is known for a piece.

Such a file grows by members that know nothing of each other, and a listing that brings new ones has no line in common
with it. Owns which files are such, and what their members are called. A program is none: it may be written anew.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

STYLES = (".css", ".scss", ".less")
_BLOCKS = (".conf", ".tf", ".hcl", ".prisma", ".proto", ".graphql", ".gql")
_LEAST = 2  # members a file must have before a listing can lack most of them
_ASSIGNED = re.compile(r"(?m)^[ \t]*(?:export[ ]+)?([\w.-]+)[ \t]*=")
_SECTION = re.compile(r"(?m)^\[+([^\]\n]+)\]")
_AT_MARGIN = re.compile(r"(?m)^([^\s#:-][^:\n]{0,200}?)[ \t]*:(?=\s|$)")
_SELECTOR = re.compile(r"(?m)^([^\s{}@/*][^{}\n]{0,300}?)[ \t]*(?:\{|,[ \t]*$)")
_ENTRY = re.compile(r"(?m)^[ \t]*([^\s#][^\n]*?)[ \t]*$")
_REQUIRED = re.compile(r"(?m)^[ \t]*([A-Za-z0-9][\w.-]*)")


def missing(path: str, before: str, new: str) -> list[str]:
    """The members of a file that `new` lacks, if it lacks most; of a style sheet, all."""
    find = _members_of(path.rpartition("/")[2].lower())
    if find is None or len(was := find(before)) < _LEAST or not (now := find(new)):
        return []
    gone = [name for name in was if name not in now]
    enough = len(was) if find is _selectors else len(was) // 2 + 1
    return gone if len(gone) >= enough else []


def _members_of(name: str) -> Callable[[str], dict[str, None]] | None:
    """How the members of a file of that name are found; None where it has none."""
    if name.startswith(".env") or name.endswith((".env", ".properties")):
        return _found(_ASSIGNED)
    if name.endswith("ignore"):
        return _found(_ENTRY)
    if name.endswith(".txt") and name.startswith(("requirements", "constraints")):
        return _found(_REQUIRED)
    if name.endswith(STYLES):
        return _selectors
    if name.endswith(_BLOCKS):
        return _found(_SELECTOR)
    if name.endswith((".json", ".jsonc", ".json5", ".webmanifest")):
        return _keys
    if name.endswith((".yaml", ".yml", ".mk", "makefile")):
        return _found(_AT_MARGIN)
    return _found(_SECTION) if name.endswith((".toml", ".ini", ".cfg")) else None


def _found(pattern: re.Pattern[str]) -> Callable[[str], dict[str, None]]:
    return lambda text: dict.fromkeys(found.strip("\"'") for found in pattern.findall(text))


def _selectors(text: str) -> dict[str, None]:
    return dict.fromkeys(_SELECTOR.findall(text))


def _keys(text: str) -> dict[str, None]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return dict.fromkeys(value) if isinstance(value, dict) else {}
