r"""An old text and the new one, each in a tag of its own, as prompts made at home ask for them.

Grammar::

    pair = "<search>" text "</search>" blank* "<replace>" text "</replace>"         or other names of `children`

The path stands above, as over any block; tags around the pair say nothing about it. A tag that no new text follows
belongs to the old text, and a pair that never ends is malformed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.formats.calls.tool_call import give
from dovetail.formats.lines import fences
from dovetail.formats.lines.paths import normalise, says_path
from dovetail.formats.lines.vocabulary import CALL_TAGS, OLD_TEXTS
from dovetail.formats.scan import faults
from dovetail.formats.scan.faults import Fault
from dovetail.formats.scan.keeping import EVERY, Keeping
from dovetail.formats.scan.place import locate
from dovetail.formats.scan.scanner import GiveBack
from dovetail.formats.tags import children

if TYPE_CHECKING:
    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.scan.place import Place
    from dovetail.formats.scan.scanner import Scanner

_OLD = re.compile(rf"[ \t]*<(?P<name>{OLD_TEXTS}){children.ATTRIBUTES}[ \t]*>", re.IGNORECASE)
_NEXT = re.compile(rf"\s*<(?P<name>[a-z][\w-]{{0,39}}){children.ATTRIBUTES}[ \t]*(?P<alone>/)?>", re.IGNORECASE)
_MARKUP = re.compile(r"[ \t]*</?[A-Za-z][\w-]{0,39}(?:[ \t][^<>\n]{0,400})?>(?:.{0,400}</[\w-]{1,40}>)?[ \t]*$")
_CALLS = (*CALL_TAGS.split("|"), "function", "invoke", "tool_call")
_ONE_SIDED = Fault(
    "The edit in tags has an old text and no new one right behind it.",
    "Write the new text in a tag right behind the old one, such as <replace>, even where it is empty.",
)


def opening(scanner: Scanner, text: str) -> re.Match[str] | None:
    """The tag of an old text that a line begins with. What no tag ends was tried once, and what stands in a call is the
    call's."""
    match = _OLD.match(text)
    tried = match is not None and not scanner.tried.unclosed.isdisjoint((match["name"].lower(), *_CALLS))
    return None if tried else match


class Pair(Keeping):
    """One pair, kept whole until the tag of its new text closes.

    old, new: the names of its tags, the second one as soon as it is met; `old_text` and `new_text` are where their
    texts begin and end in the whole. closed: the old text may have ended just here, `ever`: or further up. page: it
    stands in a fence under the path of a page, whose own tags these may be.
    """

    def __init__(self, scanner: Scanner, line: int, match: re.Match[str], fence: Fence | None) -> None:
        super().__init__(scanner, line)
        self.fence = fence
        self.given = match[0]
        self.old, self.new = match["name"].lower(), ""
        self.old_text = self.new_text = (match.end(), match.end())
        self.size = 0
        self.closed = self.ever = False
        self.page = fence is not None and fences.ends_as(scanner.place(fence).path, fences.MARKUP)
        self._wait_for(self.old)

    def bulk(self, text: str, _line: int) -> GiveBack | None:
        """Lines of a text, in which no tag of the pair closes."""
        self.kept.append(text)
        self.size += len(text)
        return None

    def line(self, text: str, line: int) -> GiveBack | None:
        """The opening line, every line that may close a text, and those between the two."""
        begins = self.old_text[0] if not self.kept else 0
        if self.kept and not self.new and (again := _OLD.match(text)) is not None and again["name"].lower() == self.old:
            self._tell()  # the next old text begins before this one had a new one
            return self.back(text)
        if self.page and self.fence is not None and self.fence.closes(text):
            return self.back(text)
        self.bulk(text, line)
        return self._read(text[begins:], line)

    def _read(self, text: str, line: int) -> GiveBack | None:
        """Go on with the rest of a line."""
        if self.closed:
            return self._look_for_new(text, line)
        closing = self.closing.search(text)
        if closing is None:
            return None
        stop, rest = self._at(text, closing.start()), text[closing.end() :]
        if self.new:
            self.new_text = (self.new_text[0], stop)
            return self._finish(rest, line)
        self.old_text = (self.old_text[0], stop)
        self.closed = self.ever = True
        self.interest = EVERY
        return self._look_for_new(rest, line)

    def _at(self, rest: str, offset: int) -> int:
        """Where an offset in the rest of the last line stands in the whole."""
        return self.size - len(rest) + offset

    def _look_for_new(self, text: str, line: int) -> GiveBack | None:
        """Behind the old text: blanks, and then the tag of the new one; else the old text goes on."""
        if not text.strip():
            return None
        self.closed = False
        match = _NEXT.match(text)
        if match is None or children.role_of(match["name"]) not in (children.Role.NEW, children.Role.TEXT):
            self._wait_for(self.old)
            return self._read(text, line)
        self.new, rest = match["name"].lower(), text[match.end() :]
        self.new_text = (self._at(rest, 0), self._at(rest, 0))
        if match["alone"]:
            return self._finish(rest, line)
        self._wait_for(self.new)
        return self._read(rest, line)

    def _wait_for(self, name: str) -> None:
        """Look for the tag that closes a text; another old one of its own kind begins anew."""
        self.closing = re.compile(rf"</{re.escape(name)}[ \t]*>(?=[ \t]*(?:<|\n|$))", re.IGNORECASE)
        again = rf"|[ \t]*<{re.escape(name)}[\s>]" if not self.new else ""
        again += r"|[ \t]*(?:`{3}|~{3})" if self.page else ""
        self.interest = re.compile(rf"\n(?:[^\n]*</{re.escape(name)}[ \t]*>{again})", re.IGNORECASE)

    def _finish(self, rest: str, line: int) -> GiveBack | None:
        scanner, text, place = self.scanner, "".join(self.kept), self._place()
        old, new = text[slice(*self.old_text)], text[slice(*self.new_text)]
        said = children.Said(place.path).given(children.attributes(self.given))
        if said.path is not None and said.path != place.path:
            place = place.at(normalise(said.path))
        block = replace(
            children.edit(said, old, new),
            raw=text[: len(text) - len(rest)],
            path_candidates=place.candidates,
            mentioned=place.mentioned,
            rivals=place.rivals,
        )
        self.leave()
        scanner.put_in_force(place)
        scanner.recent.clear()
        give(scanner, block, self.first)
        return GiveBack(rest, line) if rest.strip() else None

    def _place(self) -> Place:
        """Where the lines above say that it belongs; tags among them that name no file count as if not there."""
        scanner = self.scanner
        above = [line for line in scanner.recent.lines() if not _MARKUP.match(line) or says_path(line)]
        return locate(scanner, above, self.fence, scanner.since)

    def end(self) -> GiveBack | None:
        """The reply ends inside."""
        self._tell()
        self.scanner.tried.unclosed.add(self.old)
        return self.back()

    def _tell(self) -> None:
        """Tell of a pair that is none; a tag that may be any page's is text, unless a path stands right above it."""
        place = self._place()
        if self.page or not (self.new or "_" in self.old or (place.own and not place.mentioned)):
            return
        cut = self.new or not self.ever
        fault = faults.NO_END.at(self.first, format="tool-call") if cut else _ONE_SIDED.at(self.first)
        self.scanner.put_in_force(place)
        self.scanner.spoiled("tool-call", place.path, "".join(self.kept), self.first, fault)
