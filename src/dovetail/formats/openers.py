"""Which machine a line starts: one table by marker family, one by the line's first character.

Each opener says whether a machine begins; where none does that is wanted, the line is text. A machine that `open_head`
begins is still to be given the line, and may give it back.

A machine is loaded when a line first starts it: most replies need one or two, and a command that starts for one small
reply must not pay for the rest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats.lines import fences
from dovetail.formats.lines.paths import normalise
from dovetail.formats.lines.vocabulary import NO_SENTENCE, SPACE, TOOLS, WRAPPED
from dovetail.formats.marked.search_replace import SearchReplace

if TYPE_CHECKING:
    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.lines.grammar import Start
    from dovetail.formats.marked.machine import MarkedBlock
    from dovetail.formats.scan.keeping import Machine
    from dovetail.formats.scan.scanner import Scanner

_ARTIFACT = re.compile(r"[ \t]*<boltA(?:rtifact|ction)\b", re.IGNORECASE)
_CALL = re.compile(
    rf"[ \t]*{WRAPPED}<{SPACE}?"
    rf"(?:invoke |function=|(?:{TOOLS})>{NO_SENTENCE})"
)
_VALUE = re.compile(rf"[ \t]*(?:{fences.ITEM}(?=\{{))?(?=[\[{{])")
_DIFF_HEAD = re.compile(r"(?:--- |diff --git |@@ |@@$|Index: |\+\+\+ )")


def is_wanted(scanner: Scanner, start: Start) -> bool:
    """Whether the format that asks for a start marker is read; a merge conflict may be a search/replace block."""
    return ("angle" if start.family == "conflict" else start.family) in scanner.wanted


def open_block(scanner: Scanner, start: Start, text: str, line: int, fence: Fence | None = None) -> None:
    """Begin the block of a start marker that is wanted, inside `fence`."""
    if start.family == "conflict" and line not in scanner.tried.edits:
        from dovetail.formats.marked.conflict import Conflict

        scanner.state = Conflict(scanner, line, text)
        return
    place = scanner.place(fence)
    place = place if start.path is None else place.at(normalise(start.path))
    scanner.state = _marked(start.family)(scanner, start, text, line, place)


def _marked(family: str) -> type[MarkedBlock]:
    match family:
        case "angle" | "dash" | "conflict":
            return SearchReplace
        case "new-file":
            from dovetail.formats.marked.new_file import NewFile

            return NewFile
        case "anchored":
            from dovetail.formats.marked.anchored import Anchored

            return Anchored
        case _:
            from dovetail.formats.marked.guillemet import Guillemet

            return Guillemet


def open_head(
    scanner: Scanner, head: str, text: str, line: int, fence: Fence | None = None, *, first: bool = False
) -> Machine | None:
    """Begin what a line's first character announces: a patch, a diff, a tool's tag, a JSON value; in a fence its
    `first` line may be any of a diff."""
    if first and fence is not None and "udiff" in scanner.wanted and _begins_diff(scanner, fence, text):
        machine: Machine | None = _udiff(scanner, fence, fence.shared(text))
    else:
        machine = _announced(scanner, head, text, line, fence)
    scanner.state = machine or scanner.state
    return machine


def _begins_diff(scanner: Scanner, fence: Fence, text: str) -> bool:
    """Whether a diff's head begins a fence, or a line of a hunk, where diffs were asked for; else the end of the fence
    says what it is."""
    text = text[len(fence.shared(text)) :]
    asked = scanner.asked == "udiff" and fence.language in fences.DIFFS
    return _DIFF_HEAD.match(text) is not None or (asked and text[:1] in "+- ")


def _announced(scanner: Scanner, head: str, text: str, line: int, fence: Fence | None) -> Machine | None:
    wanted = scanner.wanted
    if "tool-call" in wanted and fence is None and line >= scanner.tried.json_from and (item := _VALUE.match(text)):
        from dovetail.formats.calls.json_call import JsonValue

        return JsonValue(scanner, line, item[0])
    match head:
        case "*" if "apply-patch" in wanted:
            return _patch(scanner, text, fence, fence.shared(text) if fence is not None else "")
        case "d" | "-" | "+" | "@" if "udiff" in wanted:
            blank = fence.shared(text) if fence is not None else text[: text.index(head)]
            return _udiff(scanner, fence, blank) if _heads_a_diff(text[len(blank) :], fence) else None
        case "<":
            return _tag(scanner, text, line)
        case _:
            return None


def _tag(scanner: Scanner, text: str, line: int) -> Machine | None:
    """The machine of a tag, if a line begins with one that has its own."""
    wanted = scanner.wanted
    if "artifact" in wanted and _ARTIFACT.match(text):
        from dovetail.formats.calls.artifact import Artifact

        return Artifact(scanner)
    if wanted & {"tool-call", "tags"} and _CALL.match(text):
        from dovetail.formats.calls import xml_call

        if (call := xml_call.opening(scanner, text)) is not None:
            return xml_call.begin(scanner, call, line)
    return None


def _patch(scanner: Scanner, text: str, fence: Fence | None, blank: str) -> Machine | None:
    if not text.lstrip(" \t").startswith("***"):
        return None
    from dovetail.formats.diffs.apply_patch import ApplyPatch, is_patch_head

    blank = text[: -len(text.lstrip(" \t"))] if fence is None else blank
    return ApplyPatch(scanner, fence, blank) if is_patch_head(text) else None


def _heads_a_diff(text: str, fence: Fence | None) -> bool:
    """Whether a line may be the first of a diff; one that a forgotten line should stand above only outside a fence."""
    if text.startswith("d"):
        from dovetail.formats.diffs.udiff_head import is_git_head

        return is_git_head(text)
    return text.startswith("--- ") or (fence is None and text.startswith(("+++ ", "@@")))


def _udiff(scanner: Scanner, fence: Fence | None, blank: str) -> Machine:
    from dovetail.formats.diffs.udiff import Udiff

    return Udiff(scanner, fence, blank)
