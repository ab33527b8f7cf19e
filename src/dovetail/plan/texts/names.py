"""The names of a text: which its lines at the margin bring in or define, and which it uses.

A program uses what it brings in, and defines what it uses. So a text that uses what only the file defines, or brings in
what only the file uses, was cut out of it. What is said here of names is told by their letters, in whatever language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from dovetail.formats.lines.fences import DATA, DOCUMENTS
from dovetail.model.text import split_lines
from dovetail.text.line import said_lines, says

Moved = Callable[[str], bool]
"""Whether the reply puts a line into another file."""

_BRINGS_IN = re.compile(
    r"(?:import|use|using|from\b.*\bimport)\b(?P<names>(?:(?!\bfrom\b)[^\"'#])*)"
    r"|(?:(?:export|default|pub|public|static|async|abstract|final)[ ]+)*"
    r"(?:(?:def|class|function|func|fn|const|let|var|val|type|interface|struct|enum)[ ]+(?P<name>[^\W\d]\w*)"
    r"|(?P<set>[^\W\d]\w*)[ ]*(?::[ ]*[\w.\[\], ]+)?:?=(?!=))"
)
"""A line at the margin that brings in names, or defines one."""
_NAME = re.compile(r"[^\W\d]\w*+")
_LAST = re.compile(rf"({_NAME.pattern})[^\w*]*$")
_USED = re.compile(
    rf"(?<![\w.$]){_NAME.pattern}(?=\.\w)|(?<=[^\w.$\s]){_NAME.pattern}(?=[(\[])"
    rf"|(?:(?<=\breturn )|(?<=\bawait )|(?<=\bnew )|(?<=\bnot )|(?<=\bin )|(?<=\band )|(?<=\bor )|(?<=[^\w\s][ ]))"
    rf"{_NAME.pattern}(?=[(\[])|(?:(?<=\$\{{)|(?<=[@<]))\b{_NAME.pattern}"
)
"""A name that stands for something known: what is said of it defines nothing."""
_EVERYTHING = re.compile(r"(?m)^[ \t]*(?:from\b.*\bimport|import|use|using)\b.*\*")
_NO_PROGRAMS = (*DOCUMENTS, *map(".{}".format, DATA))
_OPENING = (".cc", ".cpp", ".cs", ".cxx", ".dart", ".h", ".hpp", ".hs", ".swift")
"""Ends of programs that bring in names by that of what holds them: ``using System;``."""
_APART = re.compile(r"[,{}()]")


def leaning(path: str, before: str, new: str, size: int, moved: Moved) -> str | None:
    """The name that a file of `size` lines that say something brings in at its beginning, where `new` has none of the
    lines down to there and uses the name, and nothing in it can be what defines it. Of a program's text of at most
    half the lines, what it has of them does not count for a name that the file defines, in a line that is not `moved`
    into another file."""
    length = len(said_lines(new))
    if length > 2 * size or _EVERYTHING.search(new):
        return None
    had = {line.strip() for line in split_lines(new)}
    said, used = Counter(_NAME.findall(new)), Counter(_USED.findall(new))
    cut = 2 * length <= size and not path.lower().endswith(_NO_PROGRAMS)
    begun = False
    for number, line in enumerate(split_lines(before), 1):
        if says(line) and line.strip() in had:
            if not cut:
                return None
            begun = True
        if begun and moved(line):
            continue
        names = _defined(line) if begun else [*_NAME.findall(_imports(line)), *_defined(line)]
        name = next((name for name in names if 0 < used[name] == said[name]), None)
        if name is not None:
            lacks = "does not define it" if begun else "has nothing of the file down to there"
            return f"The new text uses `{name}` from line {number} of `{path}`, and {lacks}"
    return None


def is_left_over(path: str, before: str, new: str) -> bool:
    """Whether a text uses little of what it brings in, where the file used it or did not know it.

    What the file defined may be taken from it still; and what comes `from` a place that is new to it, as well.
    """
    if path.lower().endswith(_OPENING):
        return False
    had, has = _beyond_imports(before), _beyond_imports(new)
    defined = {name for line in split_lines(before) for name in _defined(line)}
    known = {*_NAME.findall(before)}
    brought = 0
    idle = 0
    for line in split_lines(new):
        passes_on = line.startswith("from")
        for name in _imported(line):
            brought += 1
            needless = name in had - defined if name in known else not passes_on
            idle += needless and name not in has
    return 2 * idle > brought


def _beyond_imports(text: str) -> set[str]:
    """The names in a text's other lines."""
    return {name for line in split_lines(text) if not _imported(line) for name in _NAME.findall(line)}


def _imports(line: str) -> str:
    """What a line at the margin brings in."""
    found = _BRINGS_IN.match(line)
    return (found["names"] if found is not None else None) or ""


def _imported(line: str) -> list[str]:
    """The names by which that is known here."""
    return [last[1] for part in _APART.split(_imports(line)) if (last := _LAST.search(part)) is not None]


def _defined(line: str) -> list[str]:
    """The name that a line at the margin defines."""
    found = _BRINGS_IN.match(line)
    name = found and (found["name"] or found["set"])
    return [name] if name else []
