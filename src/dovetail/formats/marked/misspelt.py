"""What was meant for an edit and is none: blocks with misspelt markers, listings that may be such blocks, bare diffs.

Owns what becomes of them. A text that can only be an edit is a malformed block, which says how to write the marker; a
file's text that holds lines like markers is doubtful, and the files decide. The idea: what looks like an edit is
neither written into a file nor lost. What looks like a marker, `lookalike` says.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.formats.diffs import hunks
from dovetail.formats.lines import fences, lookalike, reasoning
from dovetail.formats.scan import faults
from dovetail.formats.scan.keeping import Keeping
from dovetail.formats.scan.place import locate
from dovetail.model.blocks import Block, Doubt, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.scan.place import Place
    from dovetail.formats.scan.scanner import GiveBack, Scanner
    from dovetail.model.diagnostics import Diagnostic
    from dovetail.model.markers import Markers

_MARKED = frozenset(("angle", "dash", "anchored", "guillemet", "new-file"))
_LOOK = re.compile(r"\n[ \t]*+[-+*_>\\`~<\[◁&=═«»\U0001f7e7-\U0001f7e9#\d]")
_HUNK = re.compile(r"(?m)^[ \t]*@@(?:[ \t-]|$)")
_OTHER_HUNK = re.compile(r"(?m)^(?:\*{3} \d+(?:,\d+)? \*{4}|\d+(?:,\d+)?[acd]\d+(?:,\d+)?)[ \t]*$")
"""The line above a hunk of a context diff, and of a diff without context."""
_OPERATION = re.compile(r"(?m)^[^\n]*\"op\":[ ]?\"(?:add|remove|replace|move|copy|test)\"[^\n]*$")
MOST_SHOWN = 60
_LISTS = (*fences.DOCUMENTS, ".yml", ".yaml", ".org")
_PATCHES = (".diff", ".patch", ".rej")


class Misspelt(Keeping):
    """From a line outside fences that looks like a start, to the one that shows whether an edit was meant."""

    interest = _LOOK

    def __init__(self, scanner: Scanner, line: int) -> None:
        super().__init__(scanner, line)
        self.place = scanner.place(None)

    def line(self, text: str, line: int) -> GiveBack | None:
        """The next marker decides; a fence, a sound start or the end of a draft decides against."""
        if line != self.first and self._is_over(text):
            return self.back(text)
        self.kept.append(text)
        sides = [mark.side for mark in lookalike.marks(text) if mark.side == "middle" or mark.sure or mark.bare]
        if not sides or sides == ["middle"]:
            return None
        if lookalike.edit_in("".join(self.kept)) is None:
            if line == self.first:
                return None
            if sides[-1] == "right":
                self.scanner.notes.take(faults.UNREAD, self.first, what="an edit in other words, or a merge conflict")
            return self.back()
        give(self.scanner, "".join(self.kept), self.first, self.place)
        self.leave()
        self.scanner.recent.clear()
        return None

    def _is_over(self, text: str) -> bool:
        sound = self.scanner.grammar.start(text) is not None
        return sound or fences.is_fence_line(text) or (self.scanner.sink.draft and reasoning.closes(text))


def begins(scanner: Scanner, text: str) -> bool:
    """Whether a line outside fences may begin a misspelt block of a format that is wanted."""
    return bool(_MARKED & scanner.wanted) and lookalike.looks_like_start(text)


def in_fence(scanner: Scanner, fence: Fence, above: Sequence[str], content: str, line: int) -> bool:
    """Give the edit that `content` looks like, which is no listing; `above` stands over it, `line` is its first."""
    if not _MARKED & scanner.wanted:
        return False
    if (found := lookalike.edit_in(content)) is not None:
        first, last = found
        before = content[: first.start]
        lines = [*above, fence.mark + fence.info, *before.split("\n")[:-1]]
        place = locate(scanner, lines[-8:], fence)
        give(scanner, content[first.start : last.stop] + "\n", line + before.count("\n"), place)
        return True
    return without_start(scanner, content, line, fence)


def without_start(scanner: Scanner, text: str, line: int, fence: Fence | None) -> bool:
    """Give the block that ends in `text`, in the open fence if one is, and begins nowhere as a malformed one, if there
    is such a block."""
    if not _MARKED & scanner.wanted or (end := lookalike.ending_in(text)) is None:
        return False
    at = line + text.count("\n", 0, end.start)
    place = scanner.place(fence)
    _spoiled(scanner, text[: end.stop] + "\n", at, place, faults.NO_START.at(at, start=scanner.grammar.markers.start))
    return True


def give(scanner: Scanner, text: str, line: int, place: Place) -> None:
    """A malformed block of a text whose first line looks like a marker."""
    _spoiled(scanner, text, line, place, faults.misspelt(line, text.partition("\n")[0], scanner.grammar.markers))


def _spoiled(scanner: Scanner, text: str, line: int, place: Place, fault: Diagnostic) -> None:
    name = scanner.named(place.format)
    block = place.block(name, (Reading("", ""),), text, line)
    scanner.put_in_force(place)
    scanner.sink.whole(faults.spoil(block, fault))


def doubted(block: Block, fence: Fence, markers: Markers) -> Block:
    """A listing as it is, or malformed where it can only be an edit, or in doubt where its file must decide."""
    if block.malformed is not None:
        return block
    if lines := lookalike.lines_in(block.replace):
        fault = faults.misspelt(block.line, lines[0], markers)
        ends = [text.strip() for text in block.replace.strip().split("\n")]
        if ends[0] in lines and ends[-1] in lines:
            return faults.spoil(block, fault)
        creates = fence.long and any(map(fences.is_fence_line, block.replace.split("\n")))
        reason = f"{lines[0][:MOST_SHOWN]!r} looks like the marker of an edit, and the file has no such line."
        fault = replace(fault, message=reason)
    elif lines := lookalike.tags_in(block.replace):
        fault = faults.IN_TAGS.at(block.line, text=faults.quoted(lines[0]))
        creates = fences.ends_as(block.path, fences.DOCUMENTS)
    elif lines := _operation(block):
        fault, creates = faults.JSON_PATCH.at(block.line), True
    elif lines := _hunks_of_other_diffs(block):
        fault, creates = faults.NOT_UNIFIED.at(block.line), False
    elif lines := _changes(block):
        fault, creates = faults.BARE_DIFF.at(block.line), False
    else:
        return block
    return replace(block, doubt=Doubt(lines, fault.message, fault.hint or "", creates=creates))


def bare_diff(scanner: Scanner, place: Place, content: str, line: int) -> bool:
    """Give what a diff fence holds as a malformed block, if no diff could be read of it and it seems to be an edit.

    It does where it has a hunk's line, of whatever kind of diff; or changed lines, under its file's path.
    """
    if "udiff" not in scanner.wanted:
        return False
    if _HUNK.search(content) is not None:
        fault = faults.UNREAD_DIFF.at(line)
    elif _OTHER_HUNK.search(content) is not None:
        fault = faults.NOT_UNIFIED.at(line)
    elif place.path is not None and place.own and hunks.changes(content):
        fault = faults.BARE_DIFF.at(line)
    else:
        return False
    scanner.spoiled("udiff", place.path, content, line, fault)
    return True


def has_hunk(content: str) -> bool:
    """Whether a text has the line that begins a hunk, of whatever kind of diff."""
    return _HUNK.search(content) is not None or _OTHER_HUNK.search(content) is not None


def _hunks_of_other_diffs(block: Block) -> tuple[str, ...]:
    """The lines that begin a hunk in a listing which begins as a diff does that is not unified."""
    text = block.replace
    begins = text.startswith("*** ") or _OTHER_HUNK.match(text) is not None
    if not begins or fences.ends_as(block.path, _PATCHES):
        return ()
    return tuple(dict.fromkeys(found[0].strip() for found in _OTHER_HUNK.finditer(text)))


def _operation(block: Block) -> tuple[str, ...]:
    """The first operation of a listing that is a JSON patch, under the path of a file that it may be meant for."""
    listed = fences.ends_as(block.path, ".json") and block.replace.lstrip().startswith("[")
    found = _OPERATION.search(block.replace) if listed else None
    return (found[0].strip(),) if found is not None else ()


def _changes(block: Block) -> tuple[str, ...]:
    """The lines of a listing that are marked as changed, where all of it looks like a diff without a head.

    Either each line begins as one of a hunk does, or a removed line stands right above an added one.
    """
    path = (block.path or "").lower()
    if path.endswith(_PATCHES) or not hunks.changes(block.replace):
        return ()
    lines = list(_outside_fences(block.replace))
    heads = {line[0] for line in lines if line.strip()}
    changed = [line for line in lines if _is_change(line)]
    marks = [line[0] if _is_change(line) else " " for line in lines]
    replaced = "-+" in "".join(marks)
    like_hunk = heads == {"+"} or (heads <= set(" +-") and " " in heads and bool(changed))
    if path.endswith(_LISTS):
        like_hunk = like_hunk and heads >= {"+", "-"}
    return tuple(dict.fromkeys(line.strip() for line in changed)) if replaced or like_hunk else ()


def _is_change(line: str) -> bool:
    """Whether a line is marked as one of a diff; two dashes begin a comment."""
    return line[:1] in ("+", "-") and line[1:2] != line[0]


def _outside_fences(text: str) -> Iterator[str]:
    inside: Fence | None = None
    for line in text.split("\n"):
        if inside is not None:
            inside = None if inside.closes(line) else inside
        elif (inside := fences.opening(line)) is None:
            yield line
