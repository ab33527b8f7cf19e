"""One turn as every tab shows it: its replies in pieces, its edits, and what planning says of them.

Mutable, and owned by the desk, which holds its lock while anything here is touched. What arrives is kept in the form
in which it is sent, so that a tab that comes late sees the same as one that was there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from dovetail.model.codes import Code, Status
from dovetail.session.applying import USERS_OWN
from dovetail.session.records import Record
from dovetail.web.faults import RequestError

if TYPE_CHECKING:
    from dovetail.model.blocks import Block, Reading
    from dovetail.model.results import BlockResult, FileChange
    from dovetail.session.applying import Prepared
    from dovetail.session.diff import EditWindow
    from dovetail.session.turn_edits import Choices
    from dovetail.session.turn_events import BrokeOff


class TurnState(StrEnum):
    """Where a turn stands."""

    RUNNING = "running"
    OPEN = "open"
    DONE = "done"
    DECLINED = "declined"
    CANCELLED = "cancelled"
    FAILED = "failed"


class EditState(StrEnum):
    """Where an edit stands."""

    ARRIVING = "arriving"
    READY = "ready"
    FAILED = "failed"
    SKIPPED = "skipped"
    ALREADY = "already"
    APPLIED = "applied"
    SUPERSEDED = "superseded"
    DRAFT = "draft"


_OF_STATUS = {
    Status.APPLIED: EditState.READY,
    Status.FAILED: EditState.FAILED,
    Status.SKIPPED: EditState.SKIPPED,
    Status.ALREADY_APPLIED: EditState.ALREADY,
}


@dataclass
class ShownEdit:
    """One edit. `block` is None while it arrives; then its lines so far are in `search` and `replacement`.

    hunks: its own diff as it was last told, with the search and replacement that it is made of.
    drawn: what it changes in its file, as it was last told, with the lines that it is made of.
    creates: it makes its file, as far as was last known.
    carried: how a failed edit reads on the nearest code, with the result that says what is near.
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
    hunks: tuple[str, str, list[Record]] | None = field(default=None, repr=False)
    drawn: tuple[EditWindow, list[Record]] | None = field(default=None, repr=False)
    creates: bool = False
    carried: tuple[BlockResult, Reading | None] | None = field(default=None, repr=False)

    @property
    def state(self) -> EditState:
        """What its badge says."""
        if self.block is None:
            return EditState.ARRIVING
        if self.superseded:
            return EditState.SUPERSEDED
        if self.written is not None:
            return EditState.APPLIED
        if self.result is None:
            return EditState.DRAFT if self.block.draft else EditState.ARRIVING
        if self.result.code is Code.DRAFT:
            return EditState.DRAFT
        return _OF_STATUS[self.result.status]

    @property
    def repairable(self) -> bool:
        """Whether the model may mend it."""
        return self.state is EditState.FAILED and self.result is not None and self.result.code not in USERS_OWN


@dataclass
class ShownRound:
    """One reply, or as much of it as came. `first` is how many edits of the turn stand before its own.

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
class Turn:
    """One pasted reply, or one request with all its replies.

    guarded: only files of the conversation may be edited.
    choices: the edits with what was chosen about them, once the replies are complete. arrived: what there is of replies
    that broke off, as long as nobody wanted it.
    version: goes up with each plan of other changes or fates. told: its plan as the tabs know it.
    counted: for each file of the plan, its change and the lines that it adds and removes.
    known: the edits that stand as far as the model was told, once it was told.
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
    prepared: Prepared | None = None
    version: int = 0
    told: Record | None = field(default=None, repr=False)
    known: frozenset[int] | None = None
    counted: dict[str, tuple[FileChange, tuple[int, int]]] = field(default_factory=dict, repr=False)

    @property
    def choices_and_plan(self) -> tuple[Choices, Prepared]:
        """What was chosen about its edits, and the plan of that. Raises `RequestError` before its replies are whole."""
        if self.choices is None or self.prepared is None:
            raise RequestError(409, "no-plan", "This turn has no edits to decide on.", "Paste or ask again.")
        return self.choices, self.prepared
