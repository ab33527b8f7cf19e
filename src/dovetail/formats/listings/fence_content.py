"""What a closed fence is in which no block has begun: calls, a file's text, a whole reply, commands, an example.

Owns the order of these questions. What looks like an edit and is none of them is malformed; all else is left alone.
Calls are loaded when a fence may hold one: most hold a block, or text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dovetail.formats.diffs import hunks
from dovetail.formats.lines import fences, shell, tokens
from dovetail.formats.lines.paths import Form, has_known_end, in_line
from dovetail.formats.listings import whole, wrapped
from dovetail.formats.marked import misspelt
from dovetail.formats.scan import faults
from dovetail.formats.scan.place import Place, locate
from dovetail.formats.table import WHOLE
from dovetail.model.blocks import Kind
from dovetail.model.dataclasses import replace
from dovetail.model.patterns import late

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.scan.scanner import Scanner

_TAGGED = late(rf"\s*(?:{tokens.CALL_OPENS})")
_LEAST_NOTED = 2  # lines of a listing that may be a file's text


class Held(NamedTuple):
    """A fence whose content is known; `lines` stand over it, and its content begins at the reply's line `line`.

    cut_off: the reply ends in it.
    """

    scanner: Scanner
    fence: Fence
    lines: Sequence[str]
    line: int
    cut_off: bool


def file_of(scanner: Scanner, fence: Fence, lines: Sequence[str], *, lenient: bool = False) -> Place | None:
    """The file whose text the fence under `lines` may hold."""
    return whole.place_for(fence, _above(scanner, lines), lines, lenient=lenient)


def give(held: Held, content: str, left_from: int) -> None:
    """Give what the fence holds; `left_from` is the line of its first text."""
    scanner, fence = held.scanner, held.fence
    if fence.language not in fences.SHELLS and content.count("\n") <= 2 and whole.names_file(content.strip()):
        scanner.recent.add(content.strip() + "\n")  # the path alone in a fence of its own, the block in the next
    elif not (
        _is_call(held, content)
        or _is_python(held, content)
        or _is_listing(held, content)
        or _is_hunk(held, content, left_from)
        or _is_diff(scanner, fence, held.lines, content, left_from)
        or wrapped.tell(scanner, fence, content, held.line)
        or misspelt.in_fence(scanner, fence, held.lines, content, left_from)
    ):
        _suggest(held, content)
        _give_heredocs(held, content)
        _note_listing(held, content)
        if not (scanner.sink.draft or held.cut_off):
            text = fence.without_indent(content)
            scanner.notes.pairs.see(fence, held.lines, _above(scanner, held.lines), text, held.line)


def give_unread(scanner: Scanner, fence: Fence, lines: Sequence[str], content: str, line: int) -> None:
    """Give what stands beside the blocks of a fence, if it looks like an edit; `line` is its first."""
    if not misspelt.in_fence(scanner, fence, lines, content, line):
        _is_diff(scanner, fence, lines, content, line)


def _above(scanner: Scanner, lines: Sequence[str]) -> Place:
    """What the lines over a fence say."""
    return locate(lines, None, scanner.force, scanner.grammar.markers.fences)


def _is_call(held: Held, content: str) -> bool:
    scanner = held.scanner
    first = content.lstrip()[:1]
    if "tool-call" not in scanner.wanted or first not in ("{", "[", "<", "T"):
        return False
    from dovetail.formats.calls import tool_call

    if not tool_call.may_be_calls(held.fence):
        return False
    if first in "<T" and file_of(scanner, held.fence, held.lines) is not None:
        return False  # that file's text
    if first == "T":
        from dovetail.formats.calls import labelled_call

        return labelled_call.in_fence(scanner, content, held.line)
    if first == "<":
        return _holds_tagged_calls(held, content)
    above = _above(scanner, held.lines)
    return tool_call.in_fence(scanner, content, held.line, above.path if above.own else None)


def _holds_tagged_calls(held: Held, content: str) -> bool:
    """Whether a fence begins with the tag around a call, and holds calls in JSON; they are given."""
    if _TAGGED.match(content) is None:
        return False
    before = len(held.scanner.sink.blocks)
    held.scanner.inside(content, held.line, None, machines=frozenset(("tool-call",)))
    return len(held.scanner.sink.blocks) > before


def _is_python(held: Held, content: str) -> bool:
    """Whether the fence holds calls written as Python; they are given."""
    if held.fence.language != "tool_code" or "tool-call" not in held.scanner.wanted:
        return False
    from dovetail.formats.calls import pythonic

    return pythonic.in_fence(held.scanner, content, held.line)


def _is_listing(held: Held, content: str) -> bool:
    scanner, fence = held.scanner, held.fence
    asked = scanner.asked == WHOLE
    if "whole" not in scanner.wanted:
        return False
    if (labelled := whole.labelled(content)) is not None:
        return _is_sketch(held, *labelled)
    if not (asked or content.strip()):
        return False
    place = file_of(scanner, fence, held.lines)
    if asked:
        place = place or _own_place(held, content) or file_of(scanner, fence, held.lines, lenient=True)
    elif place is not None and whole.shows_session(content, place.path or ""):
        return False
    if place is None:
        return False
    block = whole.listing(place, fence, content, held.line, cut_off=held.cut_off)
    block = block if content.strip() else replace(block, kind=Kind.CREATE)  # it empties no file
    scanner.sink.whole(misspelt.doubted(block, fence, scanner.grammar.markers))
    scanner.put_in_force(place)
    return True


def _own_place(held: Held, content: str) -> Place | None:
    """The place of a listing whose first line names its file in a comment."""
    path = _on_first_line(content)
    return None if path is None or held.fence.language in fences.NO_FILES else Place(path, (), "diff", own=True)


def _is_sketch(held: Held, path: str, content: str) -> bool:
    """Give a listing whose first line is labelled with its file: all of a new one, or of one with lines left out."""
    from dovetail.formats.calls.call_edits import leaves_out

    scanner, place = held.scanner, Place(path, (), "diff", own=True)
    block = whole.listing(place, held.fence, content, held.line + 1, cut_off=held.cut_off)
    block = block if leaves_out(content) else replace(block, kind=Kind.CREATE)
    scanner.sink.whole(misspelt.doubted(block, held.fence, scanner.grammar.markers))
    scanner.put_in_force(place)
    return True


def _note_listing(held: Held, content: str) -> None:
    """Keep what is to be said of a listing, or of changed lines, that no line of its own names a file for."""
    scanner, fence = held.scanner, held.fence
    notes, line = scanner.notes, held.line - 1
    notes.look(content, held.line)
    if not notes.wanted or "whole" not in scanner.wanted:
        return
    if fence.language == whole.SUGGESTION:
        notes.take(faults.SUGGESTED, line)
    elif content.count("\n") < _LEAST_NOTED:
        return
    elif fence.language in fences.DIFFS:
        place = _diffed(scanner, fence, held.lines, lenient=True)
        path = None if place is None else place.path
        if hunks.changes(content):
            notes.take(faults.SHOWN if path else faults.SHOWN_NAMELESS, line, path)
    elif (place := file_of(scanner, fence, held.lines, lenient=True)) is not None and place.path is not None:
        notes.take(faults.SESSION if whole.shows_session(content, place.path) else faults.MENTIONED, line, place.path)
    elif (path := _on_first_line(content)) is not None and content.partition("\n")[0].strip() != path:
        notes.take(faults.NAMED_INSIDE, line, path)


def _on_first_line(content: str) -> str | None:
    """The path that is all that a listing's first line says, or all of its comment."""
    first = content.partition("\n")[0]
    best = next(iter(in_line(first)), None)
    return best.path if best is not None and best.form is Form.STRONG and has_known_end(best.path) else None


def _is_hunk(held: Held, content: str, line: int) -> bool:
    """Whether a diff fence holds changed lines of a known file and no other line of a diff; they are given.

    The file is the one right above the fence, in its info string or on its first line; and behind such a fence, that
    one's.
    """
    scanner, fence = held.scanner, held.fence
    if fence.language not in fences.DIFFS or "udiff" not in scanner.wanted or misspelt.has_hunk(content):
        return False
    text = fence.without_indent(content)
    place = _diffed(scanner, fence, held.lines)
    if place is None and text[:1] not in " \t+-" and (path := _on_first_line(text)) is not None:
        place = Place(path, (), "diff", own=True)
        text, line = text.partition("\n")[2], line + 1
    if place is None and _goes_on(scanner, above := _above(scanner, held.lines)):
        place = above
    if place is None:
        return False
    from dovetail.formats.diffs.udiff import headless

    block = headless(place, text, line, cut_off=held.cut_off)
    if block is None:
        return False
    scanner.sink.whole(block)
    scanner.put_in_force(place)
    return True


def _goes_on(scanner: Scanner, place: Place) -> bool:
    """Whether the last block was a hunk of the file in force, and nothing above says that this is of another."""
    last = scanner.sink.blocks[-1] if scanner.sink.blocks else None
    return last is not None and (last.format, last.path, last.draft) == ("udiff", place.path, scanner.sink.draft)


def _is_diff(scanner: Scanner, fence: Fence, lines: Sequence[str], content: str, line: int) -> bool:
    """Whether a diff fence holds what was meant for an edit, and is none; it is given."""
    if fence.language not in fences.DIFFS:
        return False
    return misspelt.bare_diff(scanner, _diffed(scanner, fence, lines) or Place(None, (), "diff"), content, line)


def _diffed(scanner: Scanner, fence: Fence, lines: Sequence[str], *, lenient: bool = False) -> Place | None:
    """The file whose changes a diff fence under `lines` may hold."""
    return file_of(scanner, fences.Fence(fence.mark, fence.path or ""), lines, lenient=lenient)


def _give_heredocs(held: Held, content: str) -> None:
    """Give the files that commands write, where listings were asked for; else keep what is to be said of the first."""
    scanner = held.scanner
    if held.fence.language not in fences.SHELLS or "<<" not in content or "whole" not in scanner.wanted:
        return
    from dovetail.formats.listings import heredoc

    bare = fences.Fence(held.fence.mark)
    for written in heredoc.heredocs(held.fence.without_indent(content)):
        place, line = Place(written.path, (), "diff", own=True), held.line + written.line
        if scanner.asked == WHOLE:
            block = whole.listing(place, bare, written.text, line, cut_off=False)
            scanner.sink.whole(misspelt.doubted(block, held.fence, scanner.grammar.markers))
        else:
            scanner.notes.take(faults.COMMANDED, line, written.path)


def _suggest(held: Held, content: str) -> None:
    if held.fence.language in fences.SHELLS:
        for suggestion in shell.in_fence(held.fence.without_indent(content), held.line):
            held.scanner.sink.suggest(suggestion)
