"""What a session says while it works with a model: the steps of a turn, and one frozen value for everything told.

Faces draw these; nothing here prints. Events come in the order in which things happen, and `Piece` and `Located` of
one reply stand between its `Sent` and its `Answered`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dovetail.formats.events import Event as FormatEvent
    from dovetail.llm.values import Reply
    from dovetail.model.results import BlockResult
    from dovetail.session.applying.apply import Committed, Prepared
    from dovetail.session.loop.held_files import HeldFiles
    from dovetail.session.loop.ledger import Spent
    from dovetail.session.loop.rounds import Round, Rounds


class Step(StrEnum):
    """Why a model is asked."""

    REQUEST = "request"  # what the user wants, as edits
    PLAN = "plan"  # what the user wants, as a plan in prose: architect mode
    EDITS = "edits"  # that plan, as edits
    ADDED = "added"  # the request again, with files that the model asked for
    REPAIR = "repair"  # failed edits, with what is wrong with them
    WIDER = "wider"  # the same, with the definitions around them
    WHOLE = "whole"  # one file, whole


class Why(StrEnum):
    """Why a file might be added to the conversation."""

    ASKED = "asked"  # the model names it and sends no edit
    EDITED = "edited"  # the model edits it


class End(StrEnum):
    """Why no further reply was asked for although edits fail."""

    REPEATED = "repeated"  # they failed the same way twice
    ROUNDS = "rounds"  # every step was taken
    SILENT = "silent"  # the model sent no edit
    MODEL = "model"  # the model could not be asked
    YOURS = "yours"  # what failed is the user's to decide, not the model's
    STOPPED = "stopped"  # the user ended the request


_SAID = {
    End.REPEATED: "The same failure came twice, so the model is not asked again.",
    End.ROUNDS: "The model is not asked more often; `max-rounds` says how often.",
    End.SILENT: "The model sent no edit in place of what failed.",
    End.MODEL: "The model could not be asked again.",
    End.YOURS: "The model cannot mend that; it is yours to decide.",
    End.STOPPED: "You stopped the repair.",
}


@dataclass(frozen=True, slots=True)
class Sent:
    """A request is on its way. `tokens` is an estimate of all of it.

    seen: the whole text of each file that the model is shown.
    """

    step: Step
    model: str
    tokens: int
    seen: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the reply, and what became certain with it. The last one of a reply has no text."""

    text: str
    reasoning: str = ""
    events: tuple[FormatEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Located:
    """Where block `n` of this reply would land, as far as can be said before the reply is complete."""

    n: int
    result: BlockResult


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply is complete. `cut` numbers the blocks in it that its early end cut short."""

    step: Step
    reply: Reply
    cut: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BrokeOff:
    """The turn ends before anybody could decide on it; the error that ends it is raised behind this.

    rounds: the replies that came whole. begun: what had come of one that did not, read to its end, if any.
    closing: what became certain of it only then. seen: the whole text of each file that the model was shown.
    """

    rounds: Rounds
    begun: Round | None = None
    closing: tuple[FormatEvent, ...] = ()
    seen: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def with_begun(self) -> Rounds:
        """All that came."""
        return self.rounds if self.begun is None else self.rounds.adding(self.begun)


@dataclass(frozen=True, slots=True)
class Noted:
    """One sentence about the turn, and the next act."""

    text: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """A file was added to the conversation, or (`added` False) the user would rather not."""

    path: str
    added: bool


@dataclass(frozen=True, slots=True)
class Repairing:
    """Failed edits go back to the model. `message` is what it is told."""

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
    def said(self) -> str:
        """Why, in a sentence; `detail` is another."""
        return _SAID[self.end]


@dataclass(frozen=True, slots=True)
class Planned:
    """All replies of the turn are complete; this is what they come to together, under the files that the chat holds."""

    prepared: Prepared
    held: HeldFiles


@dataclass(frozen=True, slots=True)
class Outdated:
    """A file changed before the plan was written, and `reason` says which: all is planned again, and shown again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Written:
    """What the user agreed to is written; `committed.operation` is None where there was nothing to write."""

    prepared: Prepared
    committed: Committed


@dataclass(frozen=True, slots=True)
class Declined:
    """The user does not want it; nothing was written."""

    prepared: Prepared


@dataclass(frozen=True, slots=True)
class Cost:
    """What the last request cost."""

    spent: Spent


Event = (
    Sent
    | Piece
    | Located
    | Answered
    | BrokeOff
    | Noted
    | Joined
    | Repairing
    | Stopped
    | Planned
    | Outdated
    | Written
    | Declined
    | Cost
)
