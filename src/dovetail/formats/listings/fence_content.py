"""What a closed fence is in which no block has begun: calls, a file's text, a whole reply, commands, an example.

Owns the order of these questions. What looks like an edit and is none of them is malformed; all else is left alone.
Calls are loaded when a fence may hold one: most hold a block, or text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from dovetail.formats.diffs import hunks
from dovetail.formats.lines import fences, shell, tokens
from dovetail.formats.lines.paths import Form, has_known_end, in_line
from dovetail.formats.listings import whole, wrapped
from dovetail.formats.marked import misspelt
from dovetail.formats.scan import faults
from dovetail.formats.scan.place import UNNAMED, Place
from dovetail.formats.table import WHOLE
from dovetail.model.blocks import Kind

if TYPE_CHECKING:
    from dovetail.formats.listings.above import Above
    from dovetail.formats.scan.scanner import Scanner

_TAGGED = re.compile(rf"\s*(?:{tokens.CALL_OPENS})")
_LEAST_NOTED = 2  # lines of a listing that may be a file's text


class FenceContent:
    """The text in a fence, or a part of it that no machine has read; it begins at the reply's line `line`.

    above: what stands over the fence. cut_off: the reply ends in it. unsure: it may end before.
    """

    def __init__(self, above: Above, text: str, line: int, *, cut_off: bool = False, unsure: bool = False) -> None:
        self.scanner = above.scanner
        self.fence = above.fence
        self.is_diff = above.fence.language in fences.DIFFS
        self.above = above
        self.text = text
        self.line = line
        self.cut_off = cut_off
        self.unsure = unsure

    @cached_property
    def outdented(self) -> str:
        """The text less the blank that stands before the fence."""
        return self.fence.without_indent(self.text)

    def give(self) -> None:
        """Give what it is."""
        scanner, text = self.scanner, self.text
        if self.fence.language not in fences.SHELLS and text.count("\n") <= 2 and whole.names_file(text.strip()):
            scanner.recent.add(text.strip() + "\n")  # the path alone in a fence of its own, the block in the next
        elif not (
            self._give_calls()
            or self._give_listing()
            or self._give_hunk()
            or self._give_bare_diff()
            or wrapped.tell(scanner, self.fence, text, self.line)
            or self._give_misspelt()
        ):
            self._give_commands()
            self._note_listing()
            if not (scanner.sink.draft or self.cut_off):
                above = self.above
                scanner.notes.pairs.see(self.fence, above.lines, above.place, self.outdented, self.line)

    def give_unread(self) -> None:
        """Give what stands beside the blocks of a fence, if it looks like an edit."""
        if not self._give_misspelt():
            self._give_bare_diff()

    def _give_misspelt(self) -> bool:
        return misspelt.in_fence(self.scanner, self.fence, self.above.lines, self.text, self.line)

    def _give_calls(self) -> bool:
        if "tool-call" not in self.scanner.wanted:
            return False
        given = self._give_encoded_calls()
        if not given and self.fence.language == "tool_code":
            from dovetail.formats.calls import python_call

            given = python_call.in_fence(self.scanner, self.text, self.line)
        return given

    def _give_encoded_calls(self) -> bool:
        first = self.text.lstrip()[:1]
        if first not in ("{", "[", "<"):
            return False
        from dovetail.formats.calls import json_call

        if self.fence.language not in json_call.JSON or (first == "<" and self.above.file is not None):
            return False  # that file's text
        if first == "<":
            return self._give_tagged_calls()
        return json_call.in_fence(
            self.scanner, self.text, self.line, self.above.place.path if self.above.place.own else None
        )

    def _give_tagged_calls(self) -> bool:
        """Where it begins with the tag around a call, give the calls in JSON that it holds."""
        if _TAGGED.match(self.text) is None:
            return False
        before = len(self.scanner.sink.blocks)
        self.scanner.inside(self.text, self.line, machines=frozenset(("tool-call",)))
        return len(self.scanner.sink.blocks) > before

    def _give_listing(self) -> bool:
        """Give a file's text: under its path, or below a label with it; if the user asks for listings, also where a
        comment on the first line or a sentence names the file."""
        scanner, text = self.scanner, self.text
        if "whole" not in scanner.wanted:
            return False
        if (labelled := whole.labelled(text)) is not None:
            from dovetail.formats.calls.call import leaves_out

            path, below = labelled
            return self._give_file(Place(path, own=True), below, self.line + 1, creates=not leaves_out(below))
        place = self.above.file
        if scanner.asked == WHOLE:
            own = None if self.fence.language in fences.NO_FILES else _on_first_line(text)
            place = place or own or self.above.mentioned_file
        elif not text.strip() or (place is not None and whole.shows_session(text, place.path or "")):
            return False
        return place is not None and self._give_file(place, text, self.line, creates=not text.strip())

    def _give_file(self, place: Place, text: str, line: int, *, creates: bool) -> bool:
        """Give a text as all of a file, or of a new one; an empty one empties no file."""
        block = whole.listing(place, self.fence, text, line, cut_off=self.cut_off)
        block = replace(block, kind=Kind.CREATE if creates else block.kind, complete=self.above.says_all())
        block = faults.spoil(block, faults.FENCES_INSIDE.at(line) if self.unsure else None)
        self.scanner.sink.whole(misspelt.doubted(block, self.fence, self.scanner.grammar.markers))
        self.scanner.put_in_force(place)
        return True

    def _give_hunk(self) -> bool:
        """Give the changed lines of a known file in a diff fence that holds no other line of a diff.

        The file is the one right above the fence, in its info string or on its first line; and behind such a fence,
        that one's.
        """
        scanner = self.scanner
        if not self.is_diff or "udiff" not in scanner.wanted or misspelt.has_hunk(self.text):
            return False
        place, text, line = self.above.changed_file(), self.outdented, self.line
        if place is None and text[:1] not in " \t+-" and (place := _on_first_line(text)) is not None:
            text, line = text.partition("\n")[2], line + 1
        if place is None and _goes_on(scanner, self.above.place):
            place = self.above.place
        if place is None:
            return False
        from dovetail.formats.diffs.udiff import headless

        block = headless(place, text, line, cut_off=self.cut_off)
        if block is None:
            return False
        scanner.sink.whole(block)
        scanner.put_in_force(place)
        return True

    def _give_bare_diff(self) -> bool:
        """Give what was meant for an edit in a diff fence, and is none."""
        place = (self.above.changed_file() if self.is_diff else None) or UNNAMED
        return self.is_diff and misspelt.bare_diff(self.scanner, place, self.text, self.line)

    def _give_commands(self) -> None:
        """List the commands of a shell fence. The files that they write are given where listings were asked for; else
        what is to be said of the first is kept."""
        scanner, text = self.scanner, self.outdented
        if self.fence.language not in fences.SHELLS:
            return
        for suggestion in shell.in_fence(text, self.line):
            scanner.sink.suggest(suggestion)
        if "<<" not in text or "whole" not in scanner.wanted:
            return
        from dovetail.formats.listings import heredoc

        bare = fences.Fence(self.fence.mark)
        for written in heredoc.heredocs(text):
            line = self.line + written.line
            if scanner.asked != WHOLE:
                scanner.notes.take(faults.COMMANDED, line, written.path)
                continue
            block = whole.listing(Place(written.path, own=True), bare, written.text, line, cut_off=False)
            scanner.sink.whole(misspelt.doubted(block, self.fence, scanner.grammar.markers))

    def _note_listing(self) -> None:
        """Keep what is to be said of a listing, or of changed lines, that no line of its own names a file for."""
        scanner, notes, line, text = self.scanner, self.scanner.notes, self.line - 1, self.text
        notes.look(text, self.line)
        if not notes.wanted or "whole" not in scanner.wanted:
            return
        if self.fence.language == whole.SUGGESTION:
            notes.take(faults.SUGGESTED, line)
        elif text.count("\n") < _LEAST_NOTED:
            return
        elif self.is_diff:
            place = self.above.changed_file(lenient=True)
            if hunks.changes(text):
                path = None if place is None else place.path
                notes.take(faults.SHOWN if path else faults.SHOWN_NAMELESS, line, path)
        elif (place := self.above.mentioned_file) is not None and place.path is not None:
            notes.take(faults.SESSION if whole.shows_session(text, place.path) else faults.MENTIONED, line, place.path)
        elif (place := _on_first_line(text)) is not None and text.partition("\n")[0].strip() != place.path:
            notes.take(faults.NAMED_INSIDE, line, place.path)


def _on_first_line(text: str) -> Place | None:
    """The file whose path is all that a listing's first line says, or all of its comment."""
    for best in in_line(text.partition("\n")[0])[:1]:
        if best.form is Form.STRONG and has_known_end(best.path):
            return Place(best.path, own=True)
    return None


def _goes_on(scanner: Scanner, place: Place) -> bool:
    """Whether the last block was a hunk of the file in force, and nothing above says that this is of another."""
    last = scanner.sink.last
    return last is not None and (last.format, last.path, last.draft) == ("udiff", place.path, scanner.sink.draft)
