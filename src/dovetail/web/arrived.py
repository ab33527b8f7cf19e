"""What came of a turn that broke off: its complete replies, and the beginning of one that was not.

Kept aside until the user wants it. Then an edit that was cut in the middle has failed, as under a length limit; the
others are planned like those of any reply, and wait for a decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dovetail.formats import Stream
from dovetail.session.loop.choices import Choices
from dovetail.session.loop.rounds import Round, Rounds
from dovetail.session.loop.steps import Step
from dovetail.web.arriving import hear
from dovetail.web.faults import RequestError
from dovetail.web.planning import plan_again
from dovetail.web.turn_state import ShownRound, Turn, TurnState

if TYPE_CHECKING:
    from dovetail.formats.events import Event
    from dovetail.session.loop.conversation import Options
    from dovetail.web.desk import Desk


@dataclass(frozen=True, slots=True)
class Arrived:
    """replies: the complete ones. superseded: edits in them that came again. seen: the texts that the model saw.

    options: how the replies are read.
    """

    replies: tuple[Round, ...]
    superseded: frozenset[int]
    seen: Mapping[str, str]
    options: Options


def use_arrived(desk: Desk, turn: Turn) -> None:
    """Plan what came of a turn that broke off. Raises `RequestError` where no edit did."""
    arrived = turn.arrived
    begun = _begun(turn, arrived.options) if arrived is not None else None
    replies = (*arrived.replies, *([begun.reply] if begun is not None else [])) if arrived is not None else ()
    if arrived is None or not any(_has_whole_edits(reply) for reply in replies):
        raise RequestError(409, "nothing-arrived", "No edit of this turn has arrived whole.", "Ask again.")
    if begun is not None:
        _show(turn, begun)
    _say_what_happened(turn)
    turn.arrived = None
    turn.choices = Choices(Rounds(replies, arrived.superseded), arrived.seen)
    turn.state = TurnState.OPEN
    show_planned(desk, turn)


def show_planned(desk: Desk, turn: Turn) -> None:
    """Plan a turn whose replies came to their end out of turn, and tell it whole."""
    with desk.open() as workspace:
        plan_again(desk, turn, workspace, quiet=True)
    seen_besides(turn)
    desk.publish_turn(turn)
    desk.publish_state(turn)


def _say_what_happened(turn: Turn) -> None:
    """Keep why the reply is not whole as a note: the turn itself has not failed any more."""
    said = "The reply was stopped before its end."
    if turn.state is TurnState.FAILED and turn.error is not None:
        said = turn.error["message"]
    turn.notes.append({"text": said, "hint": None})
    turn.error = None


def seen_besides(turn: Turn) -> None:
    """Note files that the model did not see as they are now, so that changes from here on are told from its own."""
    if turn.choices is not None and turn.prepared is not None:
        files = turn.prepared.snapshot.files
        now = {path: file.text for path, file in files.items() if file.text is not None}
        turn.choices.seen = {**now, **turn.choices.seen}


@dataclass(frozen=True, slots=True)
class _Begun:
    """The beginning of a reply, read to its end."""

    reply: Round
    events: tuple[Event, ...]


def _begun(turn: Turn, options: Options) -> _Begun | None:
    shown = turn.rounds[-1] if turn.rounds else None
    if shown is None or shown.answered or shown.step == Step.PLAN:
        return None
    text = "".join(shown.text)
    stream = Stream(format=options.reading, markers=options.markers)
    events = stream.feed(text)
    whole = len(stream.parsed.blocks)
    events += stream.close()
    cut = tuple(range(whole + 1, len(stream.parsed.blocks) + 1))
    return _Begun(Round(Step(shown.step), text, stream.parsed, cut), tuple(events))


def _has_whole_edits(reply: Round) -> bool:
    return any(not block.draft and n not in reply.cut for n, block in enumerate(reply.parsed.blocks, start=1))


def _show(turn: Turn, begun: _Begun) -> None:
    """Have the turn show the blocks that are planned, instead of those that were still open."""
    shown = turn.rounds[-1]
    fresh = ShownRound(shown.index, shown.step, shown.first, shown.model, shown.tokens, shown.message, shown.repairs)
    turn.rounds[-1] = fresh
    turn.edits = {n: edit for n, edit in turn.edits.items() if n <= shown.first}
    hear(turn, fresh, begun.reply.text, "".join(shown.reasoning), begun.events)
    fresh.tail = ""
