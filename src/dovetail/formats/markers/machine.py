"""The one machine for all formats whose blocks stand between marker lines; `FAMILIES` has the markers of each.

Grammar::

    block   = start line* divider line* end
    line    = anything, marker lines that turn out to be content included

Owns where a block ends. A marker may be content, so nested starts are counted and must be balanced. Some lines only
*may* end a block: one that closes the fence around it, an end marker without its word, or one with another indentation
than the start. Such a line was content if a plain end marker follows before any other start; else the block ended
there.

Invariant: no line is given back twice by one machine, and a start known to have no end (`hopeless`) ends at the next
start without a further search, so that any reply is parsed in linear time.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Literal, NamedTuple

from dovetail.formats import faults, fences, reasoning
from dovetail.formats.fences import unfenced
from dovetail.formats.markers import readings
from dovetail.formats.markers.readings import Divider
from dovetail.formats.paths.forms import says_path
from dovetail.formats.scanner import Cut, GiveBack, Keeping
from dovetail.formats.table import FAMILIES
from dovetail.model.blocks import NO_HINTS, Block, Hints, Kind, Parts, Reading
from dovetail.text.languages import is_document
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from dovetail.formats.around import Place
    from dovetail.formats.events import Part
    from dovetail.formats.faults import Fault
    from dovetail.formats.grammar import Grammar, Start
    from dovetail.formats.scanner import Scanner, State
    from dovetail.model.diagnostics import Diagnostic

MOST_DIVIDERS = 64  # dividers of one body that are kept; at most `readings.MOST` readings come of them
_CORRECTS = pattern(
    r"(?i)\b(?:wait|hold on|on second thought|oops|scratch that)\b|\bactually,"
    r"|\blet me (?:correct|fix|redo|revise|update)\b"
)
"""Words above a block that retract the block before it."""
# Families whose blocks may be quoted in each other, so that their starts and ends are counted together.
_NESTS = {"angle": ("angle", "dash"), "dash": ("angle", "dash")}
Role = Literal["start", "divider", "end", "bare-end"]


class Nested(NamedTuple):
    """A start marker inside a body.

    offset: in the body. line: of the reply. divided: a divider of the outer block stands above it.
    """

    offset: int
    line: int
    divided: bool


class MayEnd(NamedTuple):
    """A line that may have ended the block.

    stop: the offset where the body would end. resume: the offset from which the rest would be fed again; `line`: its
    line in the reply. held: the lines since then, which were not sent to listeners. marker: the line itself if it is an
    end marker, else "".
    """

    stop: int
    resume: int
    line: int
    held: list[tuple[Part, str]]
    marker: str = ""


class MarkerBlock:
    """One block, from its start marker on."""

    def __init__(self, scanner: Scanner, start: Start, text: str, line: int, place: Place) -> None:
        self.scanner = scanner
        self.parent: State = scanner.state
        self.family = "angle" if start.family == "conflict" else start.family
        self.row = FAMILIES[self.family]
        self.start = start
        self.head = text
        self.first = line
        self.place = place
        self.fence = place.fence
        self.format = self.row.format or scanner.format_name(place.format)
        self.has_divider = self.row.body != "text"
        self.divided = not self.has_divider
        self.part: Part = "search" if self.has_divider else "replace"
        self.pieces: list[str] = []
        self.size = 0
        self.dividers: list[Divider] = []
        self.last_divider: Divider | None = None
        self.nested: Nested | None = None
        self._open: list[Nested] = []
        self._inner_fences = 0
        self._may_end: MayEnd | None = None
        scanner.sink.counts[self.format, "start"] += 1
        scanner.put_in_force(place)
        # The words that introduce it, the nearest first; a path alone is none.
        above = [text for text in scanner.recent.lines() if text.strip() and not fences.is_fence_line(text)]
        self.above = () if all(map(says_path, above)) else tuple(reversed(above))
        self.n = scanner.sink.open(self.format, line, place.path)

    def take(self, text: str, at: int, line: int) -> tuple[int, GiveBack | None]:
        """Take content and dividers, up to a line that may be another marker, and that line."""
        grammar = self.scanner.grammar
        # `before` turns an offset in `text` into one in the body. What lies before `sent` was told to listeners
        # already.
        sent, stop, before = at, at, self.size - at
        while (found := grammar.block.search(text, stop - 1)) is not None:
            start = found.start() + 1
            stop = text.index("\n", start) + 1
            marker = text[start:stop]
            role = _role(grammar, self.family, marker)
            if role != "divider":
                self._keep(text[at:start], text[sent:start])
                return stop, self._on_marker(role, marker, line + text.count("\n", at, start))
            self._tell(text[sent:start])
            sent = stop if self._on_divider(marker, before + start) else start
        self._keep(text[at:], text[sent:])
        return len(text), None

    def _on_marker(self, role: Role | None, text: str, line: int) -> GiveBack | None:
        """Take a line that may be a marker other than a divider."""
        if role == "start":
            return self._on_start(text, line)
        if role == "end":
            return self._on_end(text, line)
        # `>>>>>>>` before the divider, or inside a quoted block, is content; of several the first counts.
        if role == "bare-end" and self.divided and self._may_end is None and not self._open:
            self._may_end = MayEnd(self.size, self.size + len(text), line + 1, [])
        elif self.scanner.sink.draft and reasoning.closes(text):
            self._note_possible_end(line)
        elif self.fence is not None and self.fence.closes(text):
            if self._inner_fences:
                self._inner_fences -= 1
            # A run that is indented deeper than the fence belongs to the code, as in a list or a docstring.
            elif not self.fence.is_above(text):
                self._note_possible_end(line)
        # Only a run with an info string surely opens; a bare one has just been taken for an end. A shorter fence inside
        # cannot close this one, and is not counted.
        elif self.fence is not None and (inner := self.fence.opens(text)) is not None and not inner.may_close:
            self._inner_fences += len(inner.mark) >= len(self.fence.mark)
        self._keep(text, text)
        return None

    def _note_possible_end(self, line: int) -> None:
        """Note that the block may have ended above the next line, number `line`."""
        if self._may_end is None:
            self._may_end = MayEnd(self.size, self.size, line, [])

    def _keep(self, text: str, untold: str) -> None:
        """Add whole lines to the body. `untold` is the part that was not sent to listeners yet."""
        self.pieces.append(text)
        self.size += len(text)
        self._tell(untold)

    def _tell(self, text: str) -> None:
        if self._may_end is None:
            self.scanner.sink.lines(self.n, self.part, text)
        else:
            self._may_end.held.append((self.part, text))

    def _release(self) -> None:
        """Send the lines that were held back to listeners: the possible end was content."""
        if self._may_end is not None:
            for part, text in self._may_end.held:
                self.scanner.sink.lines(self.n, part, text)
            self._may_end = None

    def _on_divider(self, text: str, start: int) -> bool:
        """Note a line that may divide the body at the offset `start`. Return whether it seems to end the search."""
        depth = 1 + len(self._open)
        stripped = text.strip()
        # A divider with a word (`═══ REPL`) is told by it, whatever its length.
        length = self.start.length if self.row.divider[1] else len(stripped)
        # A line that seemed to end the block was in its search. A fence that the search quotes in part does not count
        # for the replacement.
        if depth == 1 and not self.divided:
            self._release()
            self._inner_fences = 0
            self.divided = True
            self.scanner.sink.counts[self.format, "divider"] += 1
        self.last_divider = Divider(start, start + len(text), length, len(text) - len(text.lstrip()), depth)
        if len(self.dividers) < MOST_DIVIDERS:
            self.dividers.append(self.last_divider)
        # For listeners only: `readings` decides which half a line belongs to, once the body is complete.
        if self.part == "replace" or depth > 1 or length != self.start.length:
            return False
        self.part = "replace"
        return True

    def _on_start(self, text: str, line: int) -> GiveBack | None:
        """Take another start marker. It follows the block if a line above may have ended that; else it is nested in it,
        as an example, which must be balanced."""
        if self._may_end is not None:
            # A closing fence and then a new start: the end marker was forgotten, and the next block stands in a fence
            # of its own, or at least behind a blank line. Right above a start marker a fence opens, inside the block.
            first, *between, _ = "".join(held for _, held in self._may_end.held).split("\n")
            fenced = not self._may_end.marker and fences.is_fence_line(first) and len(between) <= 1
            if not fenced or any(fences.is_fence_line(one) or not one for one in between):
                return self._split(self._may_end, text)
            self._release()
            self._inner_fences = 1
        # An outer block was given up: no end is left for this one either, and to look for one again would be quadratic.
        if self.first in self.scanner.tried.hopeless:
            self.scanner.tried.hopeless.discard(self.first)
            return self._cut(self.size, line, text, self._fault(faults.NO_END))
        nested = Nested(self.size, line, divided=self.divided)
        self.nested = self.nested or nested
        self._open.append(nested)
        self._keep(text, text)
        return None

    def _on_end(self, text: str, line: int) -> GiveBack | None:
        if self._open:
            self._open.pop()
            self._keep(text, text)
            return None
        self.scanner.sink.counts[self.format, "end"] += 1
        # `    >>>>>>> REPLACE` in a block at the margin: an example in a docstring, or the end all the same. The next
        # start or end decides.
        if len(text) - len(text.lstrip()) != self.start.indent and self.divided and self._may_end is None:
            self._may_end = MayEnd(self.size, self.size + len(text), line + 1, [], text)
            self._keep(text, text)
            return None
        self._release()
        self.finish(self.size, text, None if self.divided else self._fault(faults.NO_DIVIDER))
        return None

    def end(self) -> GiveBack | None:
        """The reply ends inside the block."""
        if self._may_end is not None:
            return self._split(self._may_end, "")
        if self.nested is not None:
            return self._cut_at_nested(self.nested, self._fault(faults.NO_END))
        self.finish(self.size, "", self._fault(faults.NO_END if self.divided else faults.CUT_OFF))
        return None

    def _split(self, ended: MayEnd, text: str) -> GiveBack:
        """End the block at the line that may have ended it; give back the lines after that, and then `text`."""
        fault = None if self.divided else self._fault(faults.NO_DIVIDER)
        # A start above the possible end was never closed: the outer block swallowed another, and its end is unknown.
        if self.nested is not None and self.nested.offset < ended.stop:
            back = self._cut_at_nested(self.nested, self._fault(faults.NESTED_UNENDED, at=self.nested.line))
            return GiveBack(back.text + text, back.line)
        if fault is None and not ended.marker:
            self.scanner.sink.diagnose(faults.CLOSED_BY_FENCE.at(ended.line, format=self.format))
        behind = "".join(self.pieces)[ended.resume :]
        self.finish(ended.stop, ended.marker, fault)
        if fault is not None:
            self._note_cut()
        return GiveBack(behind + text, ended.line)

    def _fault(self, fault: Fault, **facts: object) -> Diagnostic:
        """Return the diagnostic for a fault of this block."""
        return fault.at(self.first, format=self.format, **facts)

    def _cut_at_nested(self, nested: Nested, fault: Diagnostic) -> GiveBack:
        """End the outer block at the first start marker inside it, and give back the text from there.

        If no divider stands above that start, that is the fault, and not `fault`.
        """
        if not nested.divided:
            fault = self._fault(faults.NESTED_UNDIVIDED, at=nested.line)
        self.scanner.tried.hopeless.update(one.line for one in self._open)
        rest = "".join(self.pieces)[nested.offset :]
        return self._cut(nested.offset, nested.line, rest, fault)

    def _cut(self, stop: int, line: int, rest: str, fault: Diagnostic) -> GiveBack:
        """End the block as malformed at the offset `stop`, and give `rest` back. The lines of the body may name the
        next block's path."""
        body = "".join(self.pieces)[:stop]
        self.finish(stop, "", fault)
        self._note_cut()
        self.scanner.recent.add(body)
        return GiveBack(rest, line)

    def _note_cut(self) -> None:
        """Note that a block was given up: the next end marker without a start may be its own."""
        self.scanner.tried.cut = self.scanner.tried.cut or Cut(self.first, len(self.scanner.sink.blocks))

    def finish(self, stop: int, end_line: str, fault: Diagnostic | None = None) -> None:
        """Pass the block to the sink, and hand over to the enclosing machine."""
        body = "".join(self.pieces)[:stop]
        block, wrong = self._build(body, self.head + body + end_line)
        # Of several faults one is reported. A misspelt end explains all others, so it replaces what the caller found.
        # Each check below is for a block without a fault so far; the path comes last, as it stands outside the block.
        fault = fault or wrong
        if self.divided and (marker := self._misspelt_in(body, block.search, ended=bool(end_line))) is not None:
            fault = faults.misspelt(self.first, marker, self.scanner.grammar.markers)
        if fault is None and len(block.readings) > 1 and readings.undecided(block.readings):
            fault = self._fault(faults.SEVERAL_TEXTS, new_file=faults.new_file(self.scanner.grammar.markers))
        if fault is None and ">>>>> " in body and (glued := self.scanner.grammar.glued_end.search(body)) is not None:
            document = is_document(self.place.path)
            fault = None if document else self._fault(faults.MARKER_IN_CONTENT, text=faults.quoted(glued[0]))
        if fault is None and block.path is None and not block.quotes(block.readings[0]):  # else its text tells the file
            fault = faults.no_path(self.first, self.format)
        self.scanner.recent.clear()
        self.scanner.state = self.parent
        self.scanner.sink.close(self.n, block, fault)

    def _misspelt_in(self, body: str, search: str, *, ended: bool) -> str | None:
        """Return the line of the new text that was meant as the block's end marker, or None.

        Lines that the search quotes are the file's own. In a block with an end marker, a document may be about markers,
        and a well-spelt marker of another length is content.
        """
        grammar = self.scanner.grammar
        # Without an end marker the last line may be one that was misspelt beyond recognition: `>>>>>>> DONE`.
        last = "" if ended else body.rstrip().rpartition("\n")[2]
        if grammar.misspelt_end.match(last) or grammar.bare_word.match(last):
            return last
        for match in grammar.near_ends[self.family].finditer("\n" + body):
            line = match[0][1:]
            well_spelt = grammar.is_any_end(line) or (ended and grammar.well_spelt.match(line) is not None)
            # A line that the search has, too, is the file's own, and may be written back.
            if not well_spelt and line not in search:
                return None if ended and is_document(self.place.path) else line
        return None

    def _build(self, body: str, raw: str) -> tuple[Block, Diagnostic | None]:
        """Build the block from its body, by its family. Return it and a fault of the body, or None."""
        grammar, name = self.scanner.grammar, self.format
        corrects = any(map(_CORRECTS.search, self.above))
        built = partial(self.place.block, raw=raw, line=self.first, above=self.above, corrects=corrects)
        if self.row.body == "text":
            # A start marker in a list is indented, and the new file's text with it.
            text = _file_text(dedented if (dedented := readings.dedented(body, self.start.indent)) else body, grammar)
            found: tuple[Reading, ...] = (Reading("", unfenced(text, self.place.path)),)
            return built(name, found, kind=Kind.CREATE), None
        if self.row.body == "anchored":
            every = readings.anchored_parts(body, self.dividers, grammar)
            parts = every[0] if every else Parts("", body, "", "")
            found = tuple(dict.fromkeys(map(readings.joined, every))) or (readings.joined(parts),)
            # An empty leading anchor hints at the file's start, an empty trailing one at its end.
            empty = not (parts.leading or parts.old or parts.trailing)
            hints = NO_HINTS if empty else Hints(at_start=not parts.leading, at_end=not parts.trailing)
            fault = None if every or not self.divided else faults.NO_ANCHORS.at(self.first)
            return built(name, found, hints=hints, parts=parts), fault
        found = readings.pairs(body, self.dividers, self.last_divider, self.start, self.place.path)
        if self.row.body == "shared":
            return built(name, found, parts=readings.shared_parts(found[0])), None
        hints = Hints(line=self.start.hint) if self.start.hint is not None else NO_HINTS
        if body.lstrip(" \t")[:1] in (":", "-"):  # what roo writes over a search: `:start_line: 7`, `-------`
            found, line, has_header = readings.without_roo_header(found, grammar, in_roo=name == "roo")
            name, hints = "roo" if has_header else name, hints if line is NO_HINTS else line
        # `:start_line: 7` in the replacement would be written into the file.
        misplaced = name == "roo" and any(map(readings.ROO_LINE.match, found[0].replace.split("\n")))
        if self.start.escaped or "\\" in body:
            found = readings.unescaped(found, grammar, entities=self.start.escaped, in_roo=name == "roo")
        return built(name, found, hints=hints), faults.LINE_MISPLACED.at(self.first) if misplaced else None


def _file_text(body: str, grammar: Grammar) -> str:
    """Return a new file's text. A divider on its first line is dropped, unless it is the rule above a title."""
    first, _, rest = body.partition("\n")
    under = rest.split("\n", 2)[1:2]
    # `=======`, a title, `=======` is a heading of the new file; one line `=======` alone is a divider that `NEW_FILE`
    # has not.
    over = bool(under) and under[0].rstrip() == first.rstrip()
    return rest if grammar.is_divider(first) and not over else body


@lru_cache(maxsize=256)
def _role(grammar: Grammar, family: str, text: str) -> Role | None:
    """Return the role of a line in a block of `family`, or None if it is content. Cached, as most markers of a reply
    are spelt alike."""
    shapes, is_text = grammar.shapes[family], FAMILIES[family].body == "text"
    if not is_text and shapes.divider.match(text) is not None:
        return "divider"
    # An angle block quoted in a dash block ends with its own marker: both ends count in both.
    nests = _NESTS.get(family)
    if shapes.end.match(text) is not None or (nests and grammar.is_end(text)):
        return "end"
    # Behind the ends with a word: `>>>>>>>` alone only may be one.
    if family == "angle" and grammar.bare_end.match(text):
        return "bare-end"
    start = grammar.start(text)
    return "start" if start is not None and start.family in (nests or (family,)) else None


class ConflictBlock(Keeping):
    """The lines from the start of a merge conflict to the first marker that decides what it is.

    Some models write ``<<<<<<< HEAD`` … ``>>>>>>> REPLACE`` for a block. No block is opened until an edit's end marker
    is seen; a real conflict goes back as text.
    """

    def __init__(self, scanner: Scanner, line: int, text: str) -> None:
        super().__init__(scanner, line, text)
        self.interest = scanner.grammar.block

    def line(self, text: str, _line: int) -> GiveBack | None:
        """Take a marker. An edit's end marker makes this an edit; another start or an end without its word makes it
        text."""
        grammar = self.scanner.grammar
        self.kept.append(text)
        if grammar.is_end(text):
            self.scanner.tried.edits.add(self.first)
            self.leave()
            return GiveBack("".join(self.kept), self.first)
        if grammar.start(text) is not None or text.lstrip().startswith(">" * grammar.markers.shortest):
            return self.back()
        return None
