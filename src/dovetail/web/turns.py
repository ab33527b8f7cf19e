"""A turn as every tab shows it: its replies in pieces, its edits, their results, and all of it as JSON.

The values are mutable and belong to the `PageSession`, whose lock is held while anything here changes. What arrives is
kept in the form in which it is sent, so a tab that comes late sees the same as one that was there. The JSON keys are
those of docs/reference/http.md. An edit has two parts: its text, sent once, and its outcome, sent with every plan.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from dovetail.formats.table import AUTO
from dovetail.llm.transport import Cancellation
from dovetail.model.codes import Code, Severity, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.session.apply.applying import USERS_OWN, UsableListing
from dovetail.session.apply.correction import merged_reading, retry_message
from dovetail.session.apply.diff import DiffHunk, counts, diff, diff_of, edit_window, hunks_of_edit, with_renames_joined
from dovetail.session.apply.records import Record, fields, kind_of, of_database, of_diagnostic, of_explained, of_shell
from dovetail.session.conversation.rounds import Rounds
from dovetail.session.conversation.turn_edits import conflicting
from dovetail.session.conversation.turn_events import BrokeOff
from dovetail.web.requests import RequestError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dovetail.model.blocks import Block, Reading
    from dovetail.model.results import BlockResult, FileChange
    from dovetail.model.text import Span
    from dovetail.session.apply.applying import Prepared
    from dovetail.session.apply.diff import EditWindow
    from dovetail.session.conversation.chat_state import Options
    from dovetail.session.conversation.turn_edits import Choices, TurnWrite
    from dovetail.session.conversation.turn_events import Repairing

_PREVIEW = 100


class TurnState(StrEnum):
    """The state of a turn."""

    RUNNING = "running"
    OPEN = "open"
    DONE = "done"
    DECLINED = "declined"
    CANCELLED = "cancelled"
    FAILED = "failed"


class EditState(StrEnum):
    """The state of an edit."""

    ARRIVING = "arriving"
    FITS = "fits"
    FAILED = "failed"
    LEFT_OUT = "left-out"
    STANDS_ALREADY = "stands-already"
    WRITTEN = "written"
    SUPERSEDED = "superseded"
    DRAFT = "draft"


_STATE_OF_STATUS = {
    Status.FITS: EditState.FITS,
    Status.FAILED: EditState.FAILED,
    Status.LEFT_OUT: EditState.LEFT_OUT,
    Status.STANDS_ALREADY: EditState.STANDS_ALREADY,
}


@dataclass
class ShownEdit:
    """One edit. `block` is None while it arrives; then its lines so far are in `search` and `replacement`.

    located: where it was found while its reply arrived. wish: the decision about it meanwhile: to leave it out, or to
    take it back in; None without one.
    written: the operation that wrote it, and the edit's number there. creates: it creates its file, as last known.
    These cache what is costly to compute, each with the values that it was computed from:
    own_hunks: the edit's own diff. file_hunks: what it changes in its file. corrected: how a failed edit reads on the
    nearest code. outcome: the outcome that was sent last.
    """

    n: int
    round: int
    format: str
    line: int
    path: str | None = None
    block: Block | None = None
    search: list[str] = field(default_factory=list)
    replacement: list[str] = field(default_factory=list)
    result: BlockResult | None = None
    superseded: bool = False
    original: Block | None = None
    skip: bool = False
    place: int | None = None
    written: tuple[str, int] | None = None
    creates: bool = False
    located: BlockResult | None = field(default=None, repr=False)
    wish: bool | None = None
    own_hunks: tuple[str, str, list[Record]] | None = field(default=None, repr=False)
    file_hunks: tuple[EditWindow, list[Record]] | None = field(default=None, repr=False)
    corrected: tuple[BlockResult, Reading | None] | None = field(default=None, repr=False)
    outcome: tuple[BlockResult | None, tuple[object, ...], Record] | None = field(default=None, repr=False)

    @property
    def state(self) -> EditState:
        """The state that its badge shows."""
        if self.block is None:
            return EditState.ARRIVING
        if self.superseded:
            return EditState.SUPERSEDED
        if self.written is not None:
            return EditState.WRITTEN
        if self.wish and self.result is not None:
            return EditState.LEFT_OUT
        if self.result is None:
            return EditState.DRAFT if self.block.draft else EditState.ARRIVING
        return EditState.DRAFT if self.result.code is Code.DRAFT else _STATE_OF_STATUS[self.result.status]

    @property
    def repairable(self) -> bool:
        """Return whether the model may mend it."""
        return self.state is EditState.FAILED and self.result is not None and self.result.code not in USERS_OWN


@dataclass
class ShownRound:
    """One reply, or as much of it as has come. `first` is the number of the turn's edits before its own.

    items: in the reply's order; the text of an item ``text`` is kept in pieces.
    """

    index: int
    step: str
    first: int
    model: str | None = None
    tokens: int = 0
    message: str | None = None
    repairs: tuple[int, ...] = ()
    reasoning: list[str] = field(default_factory=list)
    items: list[Record] = field(default_factory=list)
    tail: str = ""
    text: list[str] = field(default_factory=list)
    answered: bool = False
    truncated: bool = False
    mentions: dict[str, str] = field(default_factory=dict)


@dataclass
class PageTurn:
    """One pasted reply, or one request with all its replies.

    guarded: only files of the conversation may be edited.
    choices: what was chosen about the edits, once the replies are complete.
    arrived: the part that came of replies that broke off, until somebody uses it.
    early: edits that were written while the replies arrived, before there were choices.
    version: rises with each plan of other changes or outcomes.
    planned_for: the choices that the plan is made for. plans_begun: how many were. plan_taken: which of them it is.
    published_plan: the plan's record as the tabs have it.
    commands: the plan of what the commands of a turn without edits would change, where it is known.
    counted: for each file of the plan, its change and the lines that it adds and removes.
    known_written: the written edits that the model knows of; None before it was asked.
    reading: the format that its replies are read in. comments: on lines of its changes, as the tabs have them.
    kept_as: the name under which it is on disk; None if it is not. kept: what is kept there.
    planned_at: when the plan in force was begun, as file systems count time.
    last_change: a sentence about the last decision, for the error that the plan a person saw is outdated.
    """

    id: str
    kind: str
    time: str
    request: str | None = None
    state: TurnState = TurnState.RUNNING
    error: Record | None = None
    rounds: list[ShownRound] = field(default_factory=list)
    edits: dict[int, ShownEdit] = field(default_factory=dict)
    stopped: Record | None = None
    wanted: tuple[str, ...] = ()
    notes: list[Record] = field(default_factory=list)
    guarded: bool = False
    choices: Choices | None = None
    arrived: BrokeOff | None = field(default=None, repr=False)
    early: tuple[TurnWrite, ...] = ()
    prepared: Prepared | None = None
    version: int = 0
    planned_for: Choices | None = field(default=None, repr=False)
    plans_begun: int = 0
    plan_taken: int = 0
    published_plan: Record | None = field(default=None, repr=False)
    known_written: frozenset[int] | None = None
    commands: Prepared | None = None
    reading: str = AUTO
    comments: list[Record] = field(default_factory=list)
    kept_as: str | None = None
    kept: bytes | None = field(default=None, repr=False)
    planned_at: float = 0.0
    last_change: str = ""
    counted: dict[str, tuple[FileChange, tuple[int, int]]] = field(default_factory=dict, repr=False)

    @property
    def choices_and_plan(self) -> tuple[Choices, Prepared]:
        """Its choices and their plan. Raises `RequestError` before its replies are complete."""
        if self.choices is None or self.prepared is None:
            raise RequestError(409, "no-plan", "This turn has no edits to decide on.", "Paste or ask again.")
        return self.choices, self.prepared

    @property
    def written_edits(self) -> frozenset[int]:
        """The numbers of this turn's edits that are written and not undone."""
        return frozenset(self.choices.written) if self.choices is not None else frozenset()


@dataclass(frozen=True, slots=True)
class Retried:
    """Failed edits that the model is asked for again, with all results of their plan and the message to the model."""

    failures: tuple[BlockResult, ...]
    results: tuple[BlockResult, ...]
    message: str


@dataclass
class Running:
    """One run of the model over a turn. `again` names the edits that it is asked for again, None in a first run.

    options: how the model is asked; changes on the page meanwhile are for later turns.
    first_round, first_edit: how many rounds and edits the turn had before. seen: the texts that the model saw.
    left_out: files outside the conversation whose edits are not wanted. repairing: the repair whose reply comes next.
    broke_off: the part that came of the replies if the turn did not end.
    """

    turn: PageTurn
    again: Retried | None
    options: Options
    first_round: int
    first_edit: int
    cancel: Cancellation = field(default_factory=Cancellation)
    thread: threading.Thread | None = None
    seen: Mapping[str, str] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)
    repairing: Repairing | None = None
    broke_off: BrokeOff = field(default_factory=lambda: BrokeOff(Rounds()))

    @property
    def round(self) -> ShownRound:
        """The reply that arrives; the last one if none does."""
        return self.turn.rounds[-1]


# --- JSON


def turn_record(turn: PageTurn) -> Record:
    """Return all of a turn."""
    return {
        **fields(turn, "id kind time request state error"),
        "rounds": [round_record(shown) for shown in turn.rounds],
        "edits": [edit_record(edit) for edit in turn.edits.values()],
        "plan": plan_record(turn),
        **fields(turn, "stopped wanted notes comments"),
    }


def round_record(shown: ShownRound) -> Record:
    """Return one reply."""
    return {
        **fields(shown, "index step model tokens message repairs"),
        "reasoning": "".join(shown.reasoning),
        "items": [{**i, "text": "".join(i["text"])} if i["k"] == "text" else i for i in shown.items],
        **fields(shown, "tail answered truncated mentions"),
    }


def edit_record(edit: ShownEdit) -> Record:
    """Return an edit's text and its outcome."""
    block, original = edit.block, edit.original
    search = "".join(edit.search) if block is None else block.search
    replacement = "".join(edit.replacement) if block is None else block.replace
    if block is not None and (edit.own_hunks is None or edit.own_hunks[:2] != (search, replacement)):
        edit.own_hunks = (search, replacement, hunk_records(diff(search, replacement)))
    return {
        "round": edit.round,
        "format": edit.format,
        "kind": str(block.kind) if block is not None else "edit",
        "destination": block.destination if block is not None else None,
        "line": edit.line,
        "search": search,
        "replace": replacement,
        "original": None if original is None else fields(original, "path search replace"),
        "raw": block.raw if block is not None else "",
        "preview": search[:_PREVIEW],
        "diff": edit.own_hunks[2] if block is not None and edit.own_hunks is not None else None,
        **outcome_record(edit),
    }


def outcome_record(edit: ShownEdit) -> Record:
    """Return the outcome of an edit; the same object as long as nothing of it has changed."""
    # Results are compared by identity: each plan makes new ones, and to compare their texts would cost more than to
    # make the record anew.
    causes = (edit.state, edit.skip, edit.wish, edit.place, edit.written, edit.path, edit.block)
    known = edit.outcome
    if known is None or known[0] is not edit.result or known[1] != causes:
        known = edit.outcome = (edit.result, causes, _outcome(edit))
    return known[2]


def _outcome(edit: ShownEdit) -> Record:
    result, state = edit.result, edit.state
    nearest = result.nearest if result is not None else None
    hunks: list[Record] | None = None
    if result is not None and (state in (EditState.FITS, EditState.WRITTEN) or edit.skip or edit.wish):
        # One that was written or left out keeps what was drawn when it was.
        if state is EditState.FITS or result.effect is not None:
            _draw(edit, result)
        hunks = edit.file_hunks[1] if edit.file_hunks is not None else None
    return {
        "n": edit.n,
        "state": str(state),
        "path": result.path if result is not None and result.path is not None else edit.path,
        "result": of_explained(result) | {"n": edit.n} if result is not None else None,
        "skip": edit.skip if edit.wish is None else edit.wish,
        "place": edit.place,
        "written": None if edit.written is None else {"operation": edit.written[0], "edit": edit.written[1]},
        "repairable": edit.repairable,
        "differs": nearest.summary if nearest is not None else None,
        "carried": _corrected(edit),
        "hunks": hunks,
        "creates": edit.creates and state is not EditState.FAILED,
    }


def _diagnostic_of(unread: BlockResult) -> Diagnostic:
    """Return an unread part of the reply as a finding, as the page has no edit for it."""
    return Diagnostic(Code.UNREAD, unread.reason or "", Severity.WARNING, unread.path, unread.block.line, unread.hint)


def _draw(edit: ShownEdit, result: BlockResult) -> None:
    """Store the hunks of the edit's change to its file, and whether it creates the file."""
    if result.effect is not None:
        edit.creates = result.effect.creates
    lines = edit_window(result.effect) if result.effect is not None else None
    if lines is None:
        edit.file_hunks = None
    elif edit.file_hunks is None or edit.file_hunks[0] != lines:
        edit.file_hunks = (lines, hunk_records(hunks_of_edit(lines)))


def without_texts(edit: ShownEdit) -> BlockResult | None:
    """Return an edit's result without the texts of its file; the hunks made of them stay with the edit."""
    result = edit.result
    if result is None:
        return None
    if result.effect is not None:
        _draw(edit, result)
    return replace(result, effect=None)


def _corrected(edit: ShownEdit) -> Record | None:
    result = edit.result
    if result is None or result.nearest is None or edit.state is not EditState.FAILED:
        return None
    if edit.corrected is None or edit.corrected[0] is not result:
        edit.corrected = (result, merged_reading(result))
    reading = edit.corrected[1]
    return fields(reading, "search replace") if reading is not None else None


def plan_record(turn: PageTurn) -> Record | None:
    """Return the plan of what is left to write; None while the turn has no plan."""
    prepared, choices = turn.prepared, turn.choices
    if prepared is None or choices is None:
        return None
    plan = prepared.plan
    unread = plan.unread if turn.commands is None else turn.commands.plan.unread
    waiting = [r.path for r in plan.failed if r.code is Code.NOT_IN_CHAT and r.path is not None]
    states = Counter(edit.state for edit in turn.edits.values())
    return {
        "version": turn.version,
        "files": [_file_record(turn, choices, change) for change in with_renames_joined(plan.changes)],
        "counts": {str(state): states[state] for state in EditState if state is not EditState.ARRIVING},
        "conflicts": list(conflicting(prepared)),
        "listings": list(map(_listing_record, prepared.usable_listings)),
        "waiting": list(dict.fromkeys(waiting)),
        "shell_suggestions": [of_shell(suggestion) for suggestion in plan.shell_suggestions],
        "commands": _commands_record(turn),
        "database_actions": [of_database(action) for action in plan.database_actions],
        "diagnostics": [of_diagnostic(diagnostic) for diagnostic in (*plan.diagnostics, *map(_diagnostic_of, unread))],
        "retry": retry_message(
            plan.results if choices.written else plan.with_rivals,
            written=bool(choices.written),
            markers=prepared.markers,
            files=prepared.texts,
        ),
    }


def _commands_record(turn: PageTurn) -> Record | None:
    """Return what the commands of a turn would change; None if it is not known, or these are edits already."""
    if turn.commands is None:
        return None
    files = []
    for change in with_renames_joined(turn.commands.plan.changes):
        added, removed = counts(diff_of(change, 0))
        files.append({**change_record(change), "added": added, "removed": removed})
    return {"files": files}


def _listing_record(listing: UsableListing) -> Record:
    """Return a listing that is no edit, with what it would change if it were used."""
    window = edit_window(listing.result.effect) if listing.result.effect is not None else None
    hunks = hunks_of_edit(window) if window is not None else diff_of(listing.change) if listing.change else []
    added, removed = counts(hunks)
    change = kind_of(listing.change) if listing.change is not None else "edit"
    return {
        **fields(listing, "line path reason"),
        "change": change,
        "added": added,
        "removed": removed,
        "hunks": hunk_records(hunks),
    }


def _file_record(turn: PageTurn, choices: Choices, change: FileChange) -> Record:
    known = turn.counted.get(change.path)
    if known is None or known[0] != change:
        known = turn.counted[change.path] = (change, counts(diff_of(change, 0)))
    added, removed = known[1]
    return {
        "path": change.path,
        "change": kind_of(change),
        "source": change.source,
        "added": added,
        "removed": removed,
        "edits": edits_of(turn, change),
        "resolved": change.path in choices.resolved,
        "digest": _digest_before(turn, change),
    }


def _digest_before(turn: PageTurn, change: FileChange) -> str | None:
    """Return the digest of the file that a change was made from; None if it is not known."""
    prepared = turn.prepared
    file = prepared.snapshot.files.get(change.source or change.path) if prepared is not None else None
    return file.digest if file is not None else None


def edits_of(turn: PageTurn, change: FileChange) -> list[int]:
    """Return the numbers of the edits that a file's change consists of."""
    landed = turn.prepared.landed if turn.prepared is not None else ()
    paths = {change.path, change.source}
    return [r.n for r in landed if r.path in paths or r.block.destination == change.path]


def change_record(change: FileChange) -> Record:
    """Return one file's change with its hunks."""
    return {
        "path": change.path,
        "change": kind_of(change),
        "source": change.source,
        "hunks": hunk_records(diff_of(change)),
    }


def hunk_records(hunks: Sequence[DiffHunk]) -> list[Record]:
    """Return hunks with their lines. Marks count in UTF-16 code units, as a browser's strings do."""
    return [
        {
            **fields(hunk, "header old_start old_count new_start new_count"),
            "lines": [
                {"s": line.sign, "t": line.text, "m": [_units(line.text, mark) for mark in line.marks], "e": line.end}
                for line in hunk.lines
            ],
        }
        for hunk in hunks
    ]


def _units(text: str, span: Span) -> list[int]:
    if text.isascii():
        return [span.start, span.end]
    # A character beyond U+FFFF is one here and two UTF-16 units in a browser.
    return [len(text[:end].encode("utf-16-le", "surrogatepass")) // 2 for end in (span.start, span.end)]
