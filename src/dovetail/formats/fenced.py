r"""The machine inside a fence: what the fence holds is known when a marker or a diff begins in it, or when it closes.

Grammar::

    fence = open line* close            close: a line that `Fence.closes`, or the reply's end

A fence closes as in CommonMark: at a run of its own sign, at least as long, without an info string. In a file's text
and in Markdown a run with an info string opens a fence inside, which the next bare run ends. If a bare run there may
open a fence, the listing's end is uncertain: it is malformed, and the hint asks for a longer fence. `listings` decides
what a fence without blocks is when it closes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats import fences, reasoning
from dovetail.formats.listings import Above, give_bare_diff, give_content, names_file
from dovetail.formats.openers import CONFLICT, on_stray_end, open_block, open_head, tell_misspelt
from dovetail.formats.paths.forms import says_path
from dovetail.formats.scanner import ByInterest, EveryLine, GiveBack
from dovetail.model.blocks import Reading
from dovetail.model.text import closed, split_lines
from dovetail.text.languages import is_document, language_of
from dovetail.text.pattern import pattern
from dovetail.text.strings import string_left_open

if TYPE_CHECKING:
    from dovetail.formats.fences import Fence
    from dovetail.formats.scanner import Scanner

# Any line that is not blank: the first one of a fence may begin a diff (`-old`), which no marker pattern matches.
_FIRST = pattern(r"\n[ \t]*+[^\s]")
_HEADS = frozenset("*-+@d")
_ONLY_TAGS = pattern(r"(?:\s*+<[\w:]{1,40}>)*\s*$")


class Fenced(ByInterest):
    """One fence, from its opening line on, which is `text`.

    only_tags: it holds only tags so far. has_text: it holds more than paths.
    left_told: the text before the first block has been checked for a diff without a head.
    inner: how many fences are open inside it whose closing lines could close it, too.
    has_block: a block, or another machine, began in it, so it is no listing. first_block: the line of the first one,
    and how many blocks the reply had before it.
    string: what ends the string of several lines that the first `strings_read` pieces end in, or "".
    """

    def __init__(self, scanner: Scanner, fence: Fence, text: str, line: int) -> None:
        self.scanner = scanner
        self.parent = scanner.state
        self.interest = _FIRST
        self.fence = fence
        self.above = Above(scanner, fence, scanner.recent.lines())
        self.first = line
        self.pieces: list[str] = []
        self.only_tags = True
        self.has_text = False
        self.left_told = False
        self.inner = 0
        self.has_block = False
        self.first_block = (0, 0)
        self.string = ""
        self.strings_read = 0
        scanner.recent.add(text)  # behind `above`, whose lines stand above the fence
        scanner.sink.text(text, line, code=True)

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Take content."""
        # The same line is back, and no block has been added since.
        if self.first_block == (line, len(self.scanner.sink.blocks)):
            self.has_block = False  # the machine that began here found no block, and gave its lines back
        self.only_tags = self.only_tags and _ONLY_TAGS.match(text) is not None
        self.pieces.append(text)
        self.scanner.recent.add(text)
        self.scanner.sink.text(text, line, code=True)
        return None

    def line(self, text: str, line: int) -> GiveBack | None:
        """Take the first line that is not blank, or one that may be a marker or a fence's."""
        # The surest first: a marker, a misspelt one, the fence's end, and last machines that a first character
        # announces.
        scanner = self.scanner
        # From here on only lines that may be markers are looked at.
        first = self.interest is _FIRST
        self.interest = scanner.grammar.fenced
        tried = line in scanner.tried.text
        start = scanner.grammar.start(text)
        misspelt = start is None and scanner.grammar.misspelt.match(text) is not None
        marker = start is not None or misspelt or scanner.grammar.is_any_end(text)
        example = marker and self._is_example(text)
        if start is not None and not tried and not example and open_block(scanner, start, text, line, self.fence):
            # What may be a merge conflict comes back, as text or as an edit.
            if start.family != "conflict" or line in scanner.tried.edits:
                self.pieces.clear()
                self.string, self.strings_read = "", 0
                self._note_block(line)
            return None
        if misspelt and not example:
            self._note_block(line)
            tell_misspelt(scanner, text, line, self.fence)
            return None
        # A fence that a draft left open ends with the draft: else it would hide the answer.
        if scanner.sink.draft and reasoning.closes(text):
            self.close("", line)
            return GiveBack(text, line)
        ends = self.fence.closes(text)
        if not ends and self.has_block and (run := fences.opening(text)) is not None and run.may_close:
            # Right behind a block a bare run of another kind or length can only end the fence.
            ends = not any(map(str.strip, scanner.recent.lines()))
        if ends:
            if self.inner and not self.has_block:  # it ends a fence inside, which was opened last
                self.inner -= 1
                return self.bulk(text, line)
            # It may be an inner fence of the file, opened without info. The next line tells.
            if not self.has_block and self.above.file is not None:
                scanner.state = _BehindRun(self, text, line)
            else:
                self.close(text, line)
            return None
        if start is None and not tried and self._may_open_head(text, first=first):
            begun = open_head(scanner, text.lstrip()[:1], text, line, self.fence, first=first)
            if begun is not None:
                if not (self.has_block or self.left_told) and self.pieces and self.fence.language in fences.DIFFS:
                    self.left_told = True
                    give_bare_diff(self.above, "".join(self.pieces), self.first + 1)
                self._note_block(line)
                return begun.line(text, line)
        if not (tried or example) and (self._give_unbegun(text) or on_stray_end(scanner, text, line, self.fence)):
            self._note_block(line)
            return None
        inner = None if self.has_block else self.fence.opens(text)
        if inner is not None and not inner.may_close and not inner.item and inner.mark[0] == self.fence.mark[0]:
            holds_fences = self.above.holds_fences or self.above.file is not None
            # Only in a text that may hold fences (Markdown, a named file): elsewhere the next bare run ends this fence.
            self.inner += holds_fences and len(inner.mark) >= len(self.fence.mark)
        return self.bulk(text, line)

    def _is_example(self, text: str) -> bool:
        """Return whether the marker `text` follows other text of a document, and so is part of an example for its
        readers, or stands inside a string that the text above it opens, as in a test of a reader of edits."""
        if self.has_block:
            return False
        if not self.has_text:
            lines = (line for piece in self.pieces for line in piece.split("\n") if line.strip())
            # Below a file that only a sentence names, a path and a fence may be the block's own, inside another fence.
            framed = self.above.file is None
            self.has_text = not all(names_file(line) or (framed and fences.is_fence_line(line)) for line in lines)
        if not self.has_text:
            return False
        # A fence of Markdown may also be around a whole reply: then the line above names no document.
        file = self.above.mentioned_file if self.above.holds_fences else self.above.file
        return (file is not None and is_document(file.path)) or self._is_in_string(text)

    def _is_in_string(self, text: str) -> bool:
        """Return whether the line `text` is inside a string of several lines."""
        language = "bash" if self.fence.language in fences.SHELLS else language_of(f"x.{self.fence.language}")
        if language == "yaml":  # whose texts are indented
            return bool(self.pieces) and text[len(self.fence.shared(text)) :][:1].isspace()
        new = "".join(self.pieces[self.strings_read :])
        self.string = string_left_open(new, language or self.fence.language, self.string)
        self.strings_read = len(self.pieces)
        return bool(self.string)

    def _give_unbegun(self, text: str) -> bool:
        """Pass on a block without a start marker that the line `text` ends; return whether there is one.

        It counts only if the fence holds nothing else, and a path on a line of its own is above it.
        """
        scanner, place = self.scanner, self.above.file
        if self.has_block or place is None or place.mentioned or not scanner.grammar.is_end(text):
            return False
        lines = split_lines("".join(self.pieces))
        dividers = [at for at, line in enumerate(lines) if scanner.grammar.is_divider(line)]
        # Two dividers leave open where the search ends; an empty search would land anywhere.
        if len(dividers) != 1 or not any(map(str.strip, lines[: dividers[0]])) or any(map(CONFLICT.match, lines)):
            return False
        search, new = (closed("\n".join(part)) for part in (lines[: dividers[0]], lines[dividers[0] + 1 :]))
        name = scanner.format_name(place.format)
        scanner.sink.whole(place.block(name, (Reading(search, new),), "".join(self.pieces) + text, self.first + 1))
        scanner.put_in_force(place)
        scanner.recent.clear()
        return True

    def _may_open_head(self, text: str, *, first: bool) -> bool:
        """Return whether a diff, a patch or a tool's tag may begin at a line: at the fence's first one, or if the fence
        is not expected to hold a file's text."""
        if first or self.has_block:
            return True
        if self._is_in_string(text):
            return False
        if self.fence.language in fences.SHELLS and text.lstrip()[:1] in _HEADS:
            return False  # only the command word tells whether it is a patch, when the fence closes
        return self.above.file is None and (self.only_tags or text.lstrip()[:1] != "<")

    def _note_block(self, line: int) -> None:
        """Note that a block, or another machine, begins at `line`."""
        if not self.has_block:
            self.has_block, self.first_block = True, (line, len(self.scanner.sink.blocks))

    def end(self) -> GiveBack | None:
        """The reply ends inside the fence."""
        self.close("", self.first, cut_off=True)
        return None

    def close(self, text: str, line: int, *, cut_off: bool = False, unsure: bool = False) -> None:
        """End the fence, and pass on its content. `text` is the closing line, "" if there is none.

        cut_off: the reply ends in it. unsure: this may not be its real end.
        """
        scanner = self.scanner
        scanner.state = self.parent
        scanner.sink.text(text, line, code=True)
        scanner.recent.clear()
        if not self.has_block:
            give_content(self.above, "".join(self.pieces), self.first + 1, cut_off=cut_off, unsure=unsure)


class _BehindRun(EveryLine):
    """The state after a bare run in a file's text, which the next line decides.

    If prose follows right away, the run may have opened a fence inside, provided that the file may hold fences, or the
    run is indented deeper than the fence, or follows a blank line or a colon. After any other run the fence is closed.
    """

    def __init__(self, fenced: Fenced, text: str, line: int) -> None:
        self.fenced = fenced
        self.text = text
        self.at = line

    def line(self, text: str, line: int) -> GiveBack | None:
        """Decide by the line behind the run whether that closed the fence."""
        fenced = self.fenced
        holds = fenced.above.holds_fences
        # plain: a line that is prose by its first sign, and no heading, item, rule, tag, quotation or path, which may
        # stand between fences.
        last = "".join(fenced.pieces[-2:]).removesuffix("\n").rpartition("\n")[2].strip()
        gap = bool(fenced.pieces) and (not last or last.endswith(":"))  # such a line stands above a fence that opens
        plain = bool(text[:1].strip()) and not (text.startswith(("#", "*", "-", "_", "<", ">")) or says_path(text))
        opens = bool(text.strip()) and (
            (plain and (gap or fenced.fence.is_above(self.text))) or (holds and (plain or gap))
        )
        self.fenced.close(self.text, self.at, unsure=opens and not fences.is_fence_line(text))
        return GiveBack(text, line)

    def end(self) -> GiveBack | None:
        """The reply ends behind the run, which closed the fence."""
        self.fenced.close(self.text, self.at)
        return None
