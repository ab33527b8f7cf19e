"""Draws a turn while it happens: the model's words line by line, each edit's place as its block closes, each round.

A line that has not come to its end is shown in its place on a terminal and written over; elsewhere only whole lines
are written. Whatever happens, `settle` leaves the cursor at a line's start with nothing half-drawn.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from dovetail.cli import words
from dovetail.cli.plan_view import draw_notes, draw_plan, report_of, why_unwritten
from dovetail.cli.screen import Part, Screen, Styled, TextStyle, can_redraw, end_within, visible
from dovetail.formats.events import BlockClosed, BlockOpened, Event, LinesSoFar, Text
from dovetail.model.codes import Status
from dovetail.session.conversation.rounds import REPAIRS, Step
from dovetail.session.conversation.turn_events import (
    Answered,
    BrokeOff,
    Cost,
    Declined,
    EditsWritten,
    Joined,
    Located,
    Noted,
    NotRead,
    Outdated,
    Piece,
    PlanReady,
    Repairing,
    Sent,
    Stopped,
    TurnEvent,
)

_STEPS = {
    Step.FORM: "Back to the model, for the edits that its reply shows as code",
    Step.REPAIR: "Back to the model, with what is wrong",
    Step.WIDER: "Back to the model, with the definitions around",
    Step.WHOLE: "Back to the model, for the whole file instead of",
}

_WIDEST = 1_000  # columns of any terminal
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})[\w+.#=/ -]*")


class StreamView:
    """Draws events on a screen. A person types `undo` to undo a write, and `allow` to let a file be edited.

    The words of a reply wait in `_pending` until it is known whether they belong to an edit: its place is reported
    after the events that close it, and its fence and path are not drawn.
    """

    def __init__(
        self,
        screen: Screen,
        *,
        undo: str = "dovetail undo",
        allow: str = "Name it as a file to edit: {path}",
        dry_run: bool = False,
    ) -> None:
        self._screen = screen
        self._dry_run = dry_run
        self._undo = undo
        self._allow = allow
        self._redraws = can_redraw(screen.stream)
        self._pending: deque[Event] = deque()
        self._tail: list[str] = []
        self._drawn = False
        self._block: BlockOpened | None = None
        self._lines = 0
        self._calling = ("", 0)
        self._step = Step.REQUEST
        self._model = ""
        self._waiting: list[str] = []
        self._after_edit = False
        self._blank = False
        self._left_out = False
        self._earlier = 0  # blocks of the turn's replies before this one, so that an edit's number is the plan's
        self._blocks = 0

    def begin(self) -> None:
        """Begin a turn; show that files are read, as that (and the map of a large repository) precedes the request."""
        self._earlier = self._blocks = 0
        self._passing("Reading the files …")

    def draw(self, event: TurnEvent) -> None:
        """Draw one event."""
        line = self._line
        if not isinstance(event, Located):
            self._draw_pending()
        if not isinstance(event, Piece | Located):
            self._release()
        match event:
            case Sent(step=step, model=model, tokens=tokens):
                self._tail, self._block, self._step, self._model = [], None, step, model
                self._earlier, self._blocks = self._earlier + self._blocks, 0
                self._after_edit = self._blank = self._left_out = False
                if step is Step.EDITS:
                    line(Styled(f"{model} turns the plan into edits.", TextStyle.FAINT))
                self._passing(f"{model} is asked ({tokens:,} tokens) …")
            case Piece():
                self._piece(event)
            case Located(n=n, result=result):
                reason = f"  {result.reason}" if result.status is Status.FAILED and result.reason else ""
                place = Styled(words.place(result), TextStyle.PLACE)
                line(f"  edit {self._earlier + n}  ", *words.badge(result), "  ", place, reason)
                self._draw_pending(to_edit=True)
            case Answered(step=step, cut=cut):
                rest = "".join(self._tail) if step is Step.PLAN else ""
                self._tail = []
                if rest:
                    line(rest)
                if cut:
                    self._cut_short(cut)
            case BrokeOff():
                self.interrupted()
            case Noted(text=text, hint=hint):
                line(Styled(text, TextStyle.WARN))
                if hint is not None:
                    line("next  ", hint)
            case NotRead(results=unread):
                for result in unread:
                    line(Styled(result.reason or "", TextStyle.WARN))
                    line("next  ", result.hint or "")
            case Joined(path=path, added=added, whole=whole):
                if added:
                    line(f"All of {path} is shown." if whole else f"{path} is in the chat now.")
            case Repairing(step=step, failures=failures):
                line()
                number = f": {words.count(len(failures), 'edit')}" if step is not Step.FORM else ""
                line(Styled(f"{_STEPS[step]}{number}.", TextStyle.TITLE))
                for result in failures:
                    line("  ", words.place(result), "  ", result.reason or "")
            case Stopped(failures=failures, detail=detail):
                self.interrupted()  # the last reply may have broken off
                line()
                if not failures:  # it had no edit, and has none: nothing failed
                    return
                which = words.count(len(failures), "edit still fails. ", "edits still fail. ") if failures else ""
                line(Styled(f"{which}{event.sentence}", TextStyle.WARN), f" {detail}" if detail else "")
            case PlanReady(prepared=prepared, files=files):
                line()
                plan = prepared.plan
                results = (  # with what to do here about a file that the conversation holds back
                    replace(r, hint=self._allow.format(path=shlex.quote(r.path or ""))) if files.blocks(r) else r
                    for r in plan.results
                )
                draw_plan(self._screen, replace(plan, results=tuple(results)))
                line(Styled(words.tally(plan.results), TextStyle.TITLE))
            case Outdated(reason=reason):
                line(Styled(reason, TextStyle.WARN), " The edits are planned again.")
            case EditsWritten(committed=committed):
                if committed.operation is None:
                    line(why_unwritten(committed.plan, dry_run=False))
                else:
                    line(f"{report_of(committed).sentence}. To take it back: {self._undo}")
                    draw_notes(self._screen, committed)
            case Declined(prepared=prepared):
                line(why_unwritten(prepared.plan, dry_run=self._dry_run))
            case Cost(spent=spent):
                figures = f"{spent.input:,} tokens in, {spent.output:,} out"
                if spent.step in REPAIRS:
                    figures += f"; the message {spent.message:,}, the files again {spent.again:,}"
                line(Styled(figures, TextStyle.FAINT))

    def settle(self) -> None:
        """Remove the line that is only shown for a moment."""
        if self._drawn:
            self._screen.stream.write("\r\x1b[K")
            self._drawn = False
        self._screen.stream.flush()

    def interrupted(self) -> None:
        """End a turn that was stopped: write the part of the last line that arrived, or name the edit that it is in."""
        self._draw_pending()
        self.settle()
        self._release()
        tail = "".join(self._tail)
        if self._block is not None:
            self._cut_short([self._block.n])
        elif tail:
            self._screen.line(tail)
        self._tail = []
        self._block = None

    def _line(self, *parts: Part) -> None:
        self.settle()
        self._screen.line(*parts)

    def _piece(self, event: Piece) -> None:
        if event.reasoning and not event.text:
            self._passing(f"{self._model} thinks …")
            return
        if event.calling is not None:
            name, characters = self._calling
            name, characters = (event.calling.name, 0) if event.calling.name else (name, characters)
            self._calling = name, characters + len(event.calling.arguments)
            self._passing(f"  a call of {name}, {words.count(self._calling[1], 'character')} …")
            return
        if not event.events:
            self._tail.append(event.text)
        if self._step is Step.PLAN and "\n" in event.text:  # nothing in it is an edit, so each line is what it seems
            *lines, rest = "".join(self._tail).split("\n")
            self._tail = [rest]
            for line in lines:
                self._line(line)
        self._pending.extend(event.events)
        self._draw_pending(to_edit=True)
        if event.events:
            self._tail = [event.text.rpartition("\n")[2]]
        if self._block is not None:
            name = f" of {self._block.path}" if self._block.path else ""
            self._passing(f"  edit {self._earlier + self._block.n}{name}, {words.count(self._lines, 'line')} …")
            return
        pieces: list[str] = []  # of the line's end, as much as a terminal shows, however long it is by now
        room = _WIDEST
        for piece in reversed(self._tail):
            pieces.append(piece[-room:])
            room -= len(piece)
            if room <= 0:
                break
        self._passing("".join(reversed(pieces)).rpartition("\n")[2])

    def _draw_pending(self, *, to_edit: bool = False) -> None:
        """Draw the pending events; with `to_edit` only those up to the end of an edit, whose place is reported next."""
        while self._pending:
            match event := self._pending.popleft():
                case Text(text=text):
                    for line in text.removesuffix("\n").split("\n"):
                        self._prose(line)
                case BlockOpened():
                    self._release(event.path)
                    self._block, self._lines, self._left_out = event, 0, True
                    self._blocks = max(self._blocks, event.n)
                case LinesSoFar(text=text):
                    self._lines += text.count("\n")
                case BlockClosed(block=block):
                    self._block, self._after_edit = None, True
                    if to_edit and not block.draft:
                        return
                case _:
                    pass

    def _prose(self, line: str) -> None:
        """Draw a line of words. A line that may be an edit's fence or path waits until that is known."""
        after_edit, self._after_edit = self._after_edit, False
        if after_edit and _FENCE.fullmatch(line):
            return
        # A line of one word may be the path of the edit that comes next.
        if _FENCE.fullmatch(line) or (line.strip() and " " not in line.strip()):
            self._waiting.append(line)
            return
        self._release()
        blank = not line.strip()
        if blank and self._blank and self._left_out:  # an edit is often between two blank lines
            return
        self._line(line)
        self._blank, self._left_out = blank, False

    def _release(self, path: str | None = None) -> None:
        """Draw the lines that waited; before a block only those that neither fence it nor name its file."""
        waiting, self._waiting = self._waiting, []
        for line in waiting:
            if path is None or not (_FENCE.fullmatch(line) or path in line):
                self._line(line)
                self._blank = self._left_out = False

    def _passing(self, text: str) -> None:
        """Show a text until the next one is drawn; only on a terminal."""
        if not self._redraws:
            return
        # A column is left free: a full line would wrap, and only its last row could be written over.
        columns = max(20, shutil.get_terminal_size().columns - 1)
        shown = end_within(visible(text.expandtabs()), columns)
        self.settle()
        if shown:
            self._screen.stream.write(shown)
            self._screen.stream.flush()
            self._drawn = True

    def _cut_short(self, edits: Sequence[int]) -> None:
        cut = words.listed([str(self._earlier + n) for n in edits])
        self._line(Styled(f"Cut short in edit {cut}, which is not applied.", TextStyle.WARN))
