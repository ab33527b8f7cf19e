"""What came of a turn that broke off: its complete replies, and the beginning of one that was not.

Kept aside until the user wants it. Then an edit that was cut in the middle has failed, as under a length limit; the
others are planned like those of any reply, and wait for a decision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.session.turn_edits import Choices
from dovetail.web.arriving import hear
from dovetail.web.faults import RequestError
from dovetail.web.planning import show_planned
from dovetail.web.turn_state import Turn, TurnState

if TYPE_CHECKING:
    from dovetail.web.desk import Desk


def use_arrived(desk: Desk, turn: Turn) -> None:
    """Plan what came of a turn that broke off. Raises `RequestError` where no edit did."""
    arrived = turn.arrived
    if arrived is None or not any(reply.has_whole_edits for reply in arrived.with_begun.replies):
        raise RequestError(409, "nothing-arrived", "No edit of this turn has arrived whole.", "Ask again.")
    hear(turn, turn.rounds[-1], "", "", arrived.closing)
    _say_what_happened(turn)
    turn.arrived = None
    turn.choices = Choices(arrived.with_begun, arrived.seen)
    turn.state = TurnState.OPEN
    show_planned(desk, turn)


def _say_what_happened(turn: Turn) -> None:
    """Keep why the reply is not whole as a note: the turn itself has not failed any more."""
    said = "The reply was stopped before its end."
    if turn.state is TurnState.FAILED and turn.error is not None:
        said = turn.error["message"]
    turn.notes.append({"text": said, "hint": None})
    turn.error = None
