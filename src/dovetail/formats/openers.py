"""Decides which machine a line starts, by its marker family or its first character.

Each opener tells whether a machine begins; if no wanted one does, the line is text. A machine that `open_head` begins
must still be given the line, and may give it back.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats import faults, fences
from dovetail.formats.calls import xml_call
from dovetail.formats.calls.artifact import Artifact
from dovetail.formats.calls.json_call import JsonValue
from dovetail.formats.diffs.apply_patch import ApplyPatch, is_patch_head
from dovetail.formats.diffs.udiff import Udiff, is_git_head
from dovetail.formats.markers.machine import ConflictBlock, MarkerBlock
from dovetail.formats.paths.forms import normalise
from dovetail.formats.vocabulary import ATTRIBUTES, CALL_TAGS, NO_SENTENCE, SPACE, TOOLS, WRAPPED
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from dovetail.formats.fences import Fence
    from dovetail.formats.grammar import Start
    from dovetail.formats.scanner import Machine, Scanner

_ARTIFACT = pattern(r"[ \t]*<boltA(?:rtifact|ction)\b", re.IGNORECASE)
_CALL = pattern(
    rf"[ \t]*{WRAPPED}<{SPACE}?(?:invoke |function=|(?:{TOOLS}|edits)>{NO_SENTENCE}|(?:{CALL_TAGS}){ATTRIBUTES}>)"
)
# As git writes it: seven signs and a name, `<<<<<<< HEAD`.
CONFLICT = pattern(r"[ \t]*<{7} \S")
_MOST_ABOVE = 100  # lines above an end marker without a start in which its divider is looked for
# Ends before the bracket, so that the match is the item's sign and blanks: `- ` of `- {"path": …`.
_VALUE = pattern(rf"[ \t]*(?:{fences.ITEM}(?=\{{))?(?=[\[{{])")
_DIFF_HEAD = pattern(r"(?:--- |diff --git |@@ |@@$|Index: |\+\+\+ )")


def open_block(scanner: Scanner, start: Start, text: str, line: int, fence: Fence | None = None) -> bool:
    """Begin the block of a start marker, inside `fence`; return False if no format that is read has such blocks."""
    # A merge conflict may be a search/replace block.
    conflict = start.family == "conflict"
    if ("angle" if conflict else start.family) not in scanner.wanted:
        return False
    # `Conflict` gives the line back with a note in `edits` if its end marker is an edit's: then a block is opened.
    if conflict and line not in scanner.tried.edits:
        scanner.state = ConflictBlock(scanner, line, text)
        return True
    place = scanner.place(fence)
    place = place if start.path is None else place.at(normalise(start.path))
    scanner.state = MarkerBlock(scanner, start, text, line, place)
    return True


def tell_misspelt(scanner: Scanner, text: str, line: int, fence: Fence | None = None) -> None:
    """Report a line that was meant as a start marker as a malformed block."""
    place = scanner.place(fence)
    fault = faults.misspelt(line, text, scanner.grammar.markers)
    scanner.spoiled(scanner.format_name(place.format), place.path, text, line, fault)
    scanner.recent.clear()


def on_stray_end(scanner: Scanner, text: str, line: int, fence: Fence | None = None) -> bool:
    """Report an end marker without a start as a malformed block; return whether it was reported so.

    It is if a divider stands above it, or text in its fence, as then the start marker is missing or misspelt, or the
    block before ended too early. Any other end marker gets a warning only.
    """
    grammar = scanner.grammar
    if not grammar.is_any_end(text):
        return False
    if (given_up := scanner.tried.cut) is not None:  # it may end that block; then blocks since are examples in it
        inside = scanner.sink.blocks[given_up.blocks :]
        spoilt = (faults.spoil(b, b.malformed or faults.INSIDE.at(b.line, at=given_up.line)) for b in inside)
        scanner.sink.blocks[given_up.blocks :] = spoilt
        scanner.tried.cut = None
    above = scanner.recent.lines(_MOST_ABOVE)
    cut = fence is not None and any(map(str.strip, above))
    begun = next(filter(CONFLICT.match, above), None)
    # `<<<<<<< main` above `>>>>>>> topic` is a conflict that the reply quotes; above `>>>>>>> REPLACE` it is a start
    # with a wrong word.
    conflict = begun is not None and not (grammar.is_end(text) and text.strip("<> \t\r\n"))
    if not (cut or any(map(grammar.is_any_divider, above))) or conflict:
        if grammar.is_end(text):
            scanner.sink.diagnose(faults.STRAY.at(line, marker=text.strip()))
        return False
    if begun is None:
        place, fault = scanner.place(fence), faults.NO_START.at(line, start=grammar.markers.start)
    else:
        # The path stands above the wrong start marker, not above its search.
        place, fault = scanner.place(fence, above[: above.index(begun)]), faults.misspelt(line, begun, grammar.markers)
    scanner.spoiled(scanner.format_name(place.format), place.path, text, line, fault)
    scanner.recent.clear()
    return True


def open_head(
    scanner: Scanner, head: str, text: str, line: int, fence: Fence | None = None, *, first: bool = False
) -> Machine | None:
    """Begin the machine that a line's first character announces: a patch, a diff, a tool's tag, or a JSON value. Return
    it, or None. first: it is a fence's first line, which may be any line of a diff."""
    machine: Machine | None = None
    wanted = scanner.wanted
    blank = fence.shared(text) if fence is not None else text[: len(text) - len(text.lstrip(" \t"))]
    if first and fence is not None and "udiff" in wanted and _begins_diff(scanner, fence, text[len(blank) :]):
        machine = Udiff(scanner, fence, blank)
    elif "tool-call" in wanted and fence is None and line >= scanner.tried.json_from and (item := _VALUE.match(text)):
        machine = JsonValue(scanner, line, item[0])
    elif head == "*" and "apply-patch" in wanted and is_patch_head(text):
        machine = ApplyPatch(scanner, fence, blank)
    elif head and head in "d-+@" and "udiff" in wanted:
        plain = text[len(blank) :]
        # A `+++` or `@@` line, whose line above is missing, begins a diff only outside a fence.
        heads = plain.startswith("--- ") or (fence is None and plain.startswith(("+++ ", "@@")))
        if is_git_head(plain) if head == "d" else heads:
            machine = Udiff(scanner, fence, blank)
    elif head == "<":
        machine = _tag(scanner, text, line)
    scanner.state = machine or scanner.state
    return machine


def _begins_diff(scanner: Scanner, fence: Fence, text: str) -> bool:
    """Return whether a fence begins with a diff: with a head, or, in a fence for diffs, with a line of a hunk, if diffs
    were asked for or the line above names the file."""
    if _DIFF_HEAD.match(text) is not None:
        return True
    if fence.language not in fences.DIFFS or text[:1] not in "+- ":
        return False
    if scanner.asked == "udiff":
        return True
    place = scanner.place(fence)
    return place.own and not place.mentioned


def _tag(scanner: Scanner, text: str, line: int) -> Machine | None:
    """Return the machine for a tag that a line begins with, or None."""
    if "artifact" in scanner.wanted and _ARTIFACT.match(text):
        return Artifact(scanner)
    called = scanner.wanted & {"tool-call", "tags"} and _CALL.match(text)
    call = xml_call.opening(scanner, text) if called else None
    return None if call is None else xml_call.begin(scanner, call, line)
