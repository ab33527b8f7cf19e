"""The formats as tables: one row for each format that users name, and one for each family of marker lines.

A new marker format is a row in both tables; the marker machine, the openers, validation and rendering read them.

`editor-diff` and `editor-diff-fenced` are `diff` and `diff-fenced` in all but the name (their prompts ask for no shell
commands), and a block has such a name only when the user asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal, NamedTuple

from dovetail import extensions
from dovetail.model.blocks import CellTarget, Kind, LineTarget, SymbolTarget, Target
from dovetail.model.errors import UsageError

AUTO = "auto"
WHOLE = "whole"
PathAt = Literal["line above", "first line in the fence", "info string", "heading", "tag", "own syntax"]
_ONLY_EDITS = frozenset({Kind.EDIT})
_PATCHES = frozenset({Kind.EDIT, Kind.CREATE, Kind.DELETE, Kind.RENAME})
_EDITS_AND_TEXTS = frozenset({Kind.EDIT, Kind.REWRITE})


class Format(NamedTuple):
    """One format.

    reads: the marker families and the other machines that read it.
    path_at: where it says which file an edit belongs to.
    kinds: the kinds of block that it can express.
    writes: the marker family that its edits are written in; "" for a format without marker lines.
    target: the kind of place that its edits name; None for a format whose edits quote text.
    """

    reads: frozenset[str]
    path_at: PathAt
    kinds: frozenset[Kind] = _ONLY_EDITS
    writes: str = ""
    target: type[Target] | None = None


_ABOVE = Format(frozenset({"angle"}), "line above", writes="angle")
_FENCED = Format(frozenset({"angle"}), "first line in the fence", writes="angle")
TABLE: dict[str, Format] = {
    "diff": _ABOVE,
    "diff-fenced": _FENCED,
    "editor-diff": _ABOVE,
    "editor-diff-fenced": _FENCED,
    "edit-fence": Format(frozenset({"angle"}), "info string", writes="angle"),
    "sections": Format(
        frozenset({"angle", "new-file"}), "heading", frozenset({Kind.EDIT, Kind.CREATE}), writes="angle"
    ),
    "artifact": Format(frozenset({"artifact"}), "tag", _EDITS_AND_TEXTS),
    "anchored": Format(frozenset({"anchored"}), "line above", writes="anchored"),
    # Two dialects of one format; the first is the one that is written.
    "guillemet": Format(frozenset({"guillemet", "squares"}), "line above", writes="guillemet"),
    "whole": Format(frozenset({"whole"}), "line above", frozenset({Kind.REWRITE})),
    "udiff": Format(frozenset({"udiff"}), "own syntax", _PATCHES),
    "apply-patch": Format(frozenset({"apply-patch"}), "own syntax", _PATCHES),
    "tool-call": Format(
        frozenset({"tool-call"}), "own syntax", _EDITS_AND_TEXTS | frozenset({Kind.DELETE, Kind.RENAME})
    ),
    "code-mode": Format(frozenset({"tool-call"}), "own syntax", _PATCHES),
    "line-call": Format(frozenset({"tool-call"}), "own syntax", target=LineTarget),
    "symbol-call": Format(frozenset({"tool-call"}), "own syntax", target=SymbolTarget),
    "notebook-call": Format(frozenset({"tool-call"}), "own syntax", target=CellTarget),
    "cline": Format(frozenset({"dash", "angle", "tags"}), "tag", _EDITS_AND_TEXTS, writes="dash"),
    "roo": Format(frozenset({"angle", "tags"}), "tag", _EDITS_AND_TEXTS, writes="angle"),
}
FORMATS: tuple[str, ...] = tuple(TABLE)
"""The names of Dovetail's own formats."""
_CALLS = ("tool-call", "code-mode", "line-call", "symbol-call", "notebook-call")
UNMARKED = frozenset(("udiff", "apply-patch", *_CALLS))
"""Formats without markers of their own, whose blocks are counted instead."""
TWINS = {"diff": "editor-diff", "diff-fenced": "editor-diff-fenced"}
"""The name of a format's blocks if the user asks for its twin."""


class Family(NamedTuple):
    """How one family of marker lines is written: for each marker the sign that it repeats, and the words after it.

    format: the format of its blocks; "" if that depends on where the path stands.
    body: the text between the markers. ``pair``: a search and a replacement; ``anchored``: the same with anchors,
    between rules of dashes; ``shared``: the same with their common beginning as the anchor; ``text``: a file's text,
    without divider.
    fixed: the least number of times that its signs are repeated; 0 if `Markers` sets it.
    """

    format: str
    start: tuple[str, str]
    divider: tuple[str, str]
    end: tuple[str, str]
    body: Literal["pair", "anchored", "shared", "text"] = "pair"
    fixed: int = 0


SEARCH, REPLACE = "{search}", "{replace}"
"""Stand for the words that `Markers` sets."""
FAMILIES: dict[str, Family] = {
    "angle": Family("", ("<", SEARCH), ("=", ""), (">", REPLACE)),
    "dash": Family("cline", ("-", "SEARCH"), ("=", ""), ("+", "REPLACE")),
    "conflict": Family("", ("<", "HEAD"), ("=", ""), (">", REPLACE)),
    "new-file": Family("sections", ("<", "NEW_FILE"), ("=", ""), (">", "NEW_FILE"), "text"),
    # The empty alternative: `>>>>>>>` alone ends an anchored block, too.
    "anchored": Family("anchored", ("<", "EDIT"), ("=", ""), (">", "|EDIT|END|EDIT END"), "anchored"),
    "guillemet": Family("guillemet", ("«", "EDIT"), ("═", "REPL"), ("»", "EDIT END"), "shared", 3),
    "squares": Family("guillemet", ("🟧", "EDIT"), ("🟨", "REPL"), ("🟩", "END|EDIT END"), "shared", 3),
}
"""Each word is an alternative of a pattern. A merge conflict begins like an edit, and is one if it ends like one."""


_SHARED_SIGNS = frozenset("<=>-+")


def families_with_own_signs() -> list[Family]:
    """Return the families whose signs hardly occur elsewhere: in code, merge conflicts or diffs."""
    return [row for row in FAMILIES.values() if row.start[0] not in _SHARED_SIGNS]


class AddedFormat(NamedTuple):
    """A format of another package; the name of its entry point is the format's.

    format: its row. families: the rows of new families of marker lines, under names that no family here has.
    prompt: the document that teaches it to a model, like those in `llm/prompts/formats`; "" for a format that is only
    read.
    """

    format: Format
    families: Mapping[str, Family] = {}
    prompt: str = ""


PROMPTS: dict[str, str] = {}
"""The prompts of formats that other packages added."""


@cache
def load_added() -> frozenset[str]:
    """Add the formats of other packages to the tables, once, before any format is read or named.

    Return the machines of all rows, which are those of `auto`.
    """
    for name, added in extensions.added("dovetail.formats", AddedFormat):
        if name in TABLE or added.families.keys() & FAMILIES.keys():
            raise UsageError(f"The format {name!r} of another package has a name that is taken.", hint="Uninstall it.")
        TABLE[name] = added.format
        FAMILIES.update(added.families)
        PROMPTS[name] = added.prompt
    return frozenset[str]().union(*(row.reads for row in TABLE.values()))


def format_names() -> tuple[str, ...]:
    """Return the names of all formats, those of other packages after Dovetail's own."""
    load_added()
    return tuple(TABLE)


def machines_for(format: object) -> frozenset[str]:  # noqa: A002 - the user's own word
    """Return the machines that parse `format`, all of them for ``auto``. Raises `UsageError` for an unknown name."""
    every = load_added()
    if format == AUTO:
        return every
    if not isinstance(format, str) or format not in TABLE:
        raise UsageError(f"There is no format {format!r}.", hint=f"Choose one of: auto, {', '.join(TABLE)}")
    return TABLE[format].reads
