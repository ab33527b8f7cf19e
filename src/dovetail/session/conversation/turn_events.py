"""The events that a turn reports while it works with a model, one frozen value for each kind, and the costs.

Faces draw these; nothing here prints. Events come in the order in which things happen; `Piece` and `Located` of one
reply come between its `Sent` and its `Answered`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from dovetail.formats.events import Event
from dovetail.llm.values import CallPiece, Reply, Usage
from dovetail.model.results import BlockResult
from dovetail.session.apply.applying import Committed, Prepared
from dovetail.session.apply.records import Record, fields
from dovetail.session.conversation.chat_files import ChatFiles
from dovetail.session.conversation.rounds import REPAIRS, Round, Rounds, Step

USAGE_FIELDS = "input output cached written reasoning"


class End(StrEnum):
    """Why the model is not asked again although edits fail."""

    REPEATED = "repeated"  # they failed the same way twice
    ROUNDS = "rounds"  # every step was taken
    SILENT = "silent"  # the model sent no edit
    MODEL = "model"  # the model could not be asked
    YOURS = "yours"  # what failed is the user's to decide, not the model's
    STOPPED = "stopped"  # the user ended the request


_END_SENTENCES = {
    End.REPEATED: "The same failure came twice, so the model is not asked again.",
    End.ROUNDS: "The model is not asked more often; `max-rounds` says how often.",
    End.SILENT: "The model sent no edit in place of what failed.",
    End.MODEL: "The model could not be asked again.",
    End.YOURS: "What still fails is yours to decide, so the model is not asked about it.",
    End.STOPPED: "You stopped the repair.",
}


@dataclass(frozen=True, slots=True)
class Sent:
    """A request was sent. tokens: an estimate for all of it. seen: by path, the text of each file that it shows."""

    step: Step
    model: str
    tokens: int
    seen: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the reply, and the parser's events for it. The last one of a reply has no text.

    calling: a piece of a call of a tool; the whole call comes as text later.
    """

    text: str
    reasoning: str = ""
    events: tuple[Event, ...] = ()
    calling: CallPiece | None = None


@dataclass(frozen=True, slots=True)
class Located:
    """Where block `n` of this reply would land, as far as can be said before the reply is complete."""

    n: int
    result: BlockResult


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply is complete. cut: the numbers of its blocks that its early end cut short."""

    step: Step
    reply: Reply
    cut: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BrokeOff:
    """The turn ends before the person could decide about it; the error that ends it is raised after this.

    rounds: the replies that came whole. begun: the part that came of the next one, parsed to its end, if any.
    closing: the parser's events at that end. seen: by path, the text of each file that the model was shown.
    """

    rounds: Rounds
    begun: Round | None = None
    closing: tuple[Event, ...] = ()
    seen: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def with_begun(self) -> Rounds:
        """The whole replies, and the part of the last one."""
        return self.rounds if self.begun is None else self.rounds.adding(self.begun)


@dataclass(frozen=True, slots=True)
class Noted:
    """A sentence about the turn, and what to do about it."""

    text: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class NotRead:
    """The turn ends without an edit; these parts of its last reply look like a change, and were not read as edits."""

    results: tuple[BlockResult, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """A file was added to the conversation, or (`added` False) the user declined.

    whole: it was there in part, and all of it is shown from now on in this turn.
    """

    path: str
    added: bool
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Repairing:
    """Failed edits go back to the model, with this `message`."""

    step: Step
    failures: tuple[BlockResult, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """The model is not asked again, and edits still fail."""

    end: End
    failures: tuple[BlockResult, ...]
    detail: str = ""

    @property
    def sentence(self) -> str:
        """A sentence that says why; `detail` may add another one."""
        return _END_SENTENCES[self.end]


@dataclass(frozen=True, slots=True)
class PlanReady:
    """All replies of the turn are complete; this is their plan, under the files that the chat holds."""

    prepared: Prepared
    files: ChatFiles


@dataclass(frozen=True, slots=True)
class Outdated:
    """A file changed before the plan was written, as `reason` says: all is planned and shown again."""

    reason: str


@dataclass(frozen=True, slots=True)
class EditsWritten:
    """The edits that the user agreed to are written; `committed.operation` is None if there was nothing to write."""

    prepared: Prepared
    committed: Committed


@dataclass(frozen=True, slots=True)
class Declined:
    """The user declined; nothing was written."""

    prepared: Prepared


@dataclass(frozen=True, slots=True)
class Spent:
    """The cost of one request.

    sent, received: estimated tokens of all messages, and of the reply. usage: the provider's figures, if it gave any.
    message: of a repair, the tokens of the message alone. again: what sending the chat's files would have cost instead.
    Estimates are compared with estimates only.
    """

    step: Step
    model: str
    sent: int
    received: int
    usage: Usage | None = None
    message: int = 0
    again: int = 0

    @property
    def input(self) -> int:
        """Tokens of the request: the provider's figure, or the estimate if it gives none (or 0)."""
        return (self.usage.input if self.usage is not None else 0) or self.sent

    @property
    def output(self) -> int:
        """Tokens of the reply: the provider's figure, or the estimate if it gives none (or 0)."""
        return (self.usage.output if self.usage is not None else 0) or self.received

    @property
    def saved(self) -> int:
        """Tokens that the repair message saved; below 0 if it was the longer one."""
        return self.again - self.message if self.step in REPAIRS else 0

    @property
    def record(self) -> Record:
        """The figures as JSON; `message` and `again` are estimates, for repairs."""
        figures = fields(self, "step model sent received input output")
        return {**figures, "counted": self.usage is not None, **fields(self, "message again saved")}


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of the last request."""

    spent: Spent


TurnEvent = (
    Sent
    | Piece
    | Located
    | Answered
    | BrokeOff
    | Noted
    | NotRead
    | Joined
    | Repairing
    | Stopped
    | PlanReady
    | Outdated
    | EditsWritten
    | Declined
    | Cost
)


@dataclass(frozen=True, slots=True)
class Total:
    """Sums over requests; `messages` and `again` over the `repairs` alone."""

    requests: int = 0
    input: int = 0
    output: int = 0
    repairs: int = 0
    messages: int = 0
    again: int = 0

    @property
    def saved(self) -> int:
        """Tokens that repair messages saved against sending the files again."""
        return self.again - self.messages


@dataclass
class Ledger:
    """The cost of every request so far, in order."""

    entries: list[Spent] = field(default_factory=list)

    @property
    def total(self) -> Total:
        """Sums over all entries."""
        return total_of(self.entries)

    def by_step(self) -> dict[Step, Total]:
        """Sums for each step that was taken, in the order of `Step`."""
        taken = {step: [entry for entry in self.entries if entry.step is step] for step in Step}
        return {step: total_of(entries) for step, entries in taken.items() if entries}


def total_of(entries: Iterable[Spent]) -> Total:
    """Sums over some entries."""
    entries = list(entries)
    repairs = [entry for entry in entries if entry.step in REPAIRS]
    return Total(
        len(entries),
        sum(entry.input for entry in entries),
        sum(entry.output for entry in entries),
        len(repairs),
        sum(entry.message for entry in repairs),
        sum(entry.again for entry in repairs),
    )


def reply_record(reply: Reply) -> Record:
    """Return a reply's fields as JSON."""
    usage = None if reply.usage is None else fields(reply.usage, USAGE_FIELDS)
    return {**fields(reply, "text stop"), "usage": usage, **fields(reply, "model reasoning")}
