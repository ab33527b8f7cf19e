"""Follows the model through one turn of the conversation: each event goes into the turn, and to the tabs.

One table from the session's events to what the page shows.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dovetail.llm.cancellation import Cancellation
from dovetail.model.codes import Code, Status
from dovetail.session import turn_events
from dovetail.session.records import Record
from dovetail.session.rounds import Rounds, Step
from dovetail.web.arriving import hear, hear_prose
from dovetail.web.mentions import mentions_in
from dovetail.web.planning import take_held
from dovetail.web.turn_records import of_fate, of_round
from dovetail.web.turn_state import ShownRound, Turn

if TYPE_CHECKING:
    from dovetail.model.results import BlockResult
    from dovetail.session.applying import Prepared
    from dovetail.session.turn_events import TurnEvent
    from dovetail.web.desk import Desk

_NOT_CHOSEN = "It was not chosen."


@dataclass(frozen=True, slots=True)
class Again:
    """Failed edits to ask for again, all results of their plan, and what is said about them."""

    failures: tuple[BlockResult, ...]
    results: tuple[BlockResult, ...]
    message: str


class Following:
    """One run of the model over a turn. `again` says which edits it is asked for again, None in a first run.

    cancel: stops it. thread: the one that it runs in.
    options: how the model is asked; what the page changes meanwhile is for later turns.
    seen: the texts that the model saw. left_out: files outside of the conversation whose edits are not wanted.
    broke_off: what came of the replies where the turn did not come to its end.
    """

    def __init__(self, desk: Desk, turn: Turn, again: Again | None) -> None:
        self.turn = turn
        self.again = again
        self.cancel = Cancellation()
        self.thread: threading.Thread | None = None
        self.options = desk.options
        self.seen: Mapping[str, str] = {}
        self.left_out: set[str] = set()
        self.broke_off = turn_events.BrokeOff(Rounds())
        self._desk = desk
        self._first_round = len(turn.rounds)
        self._first_edit = len(turn.edits)
        self._repairing: turn_events.Repairing | None = None

    def take(self, event: TurnEvent) -> None:
        """Take one event of the conversation."""
        with self._desk.lock:
            take = _TAKES.get(type(event))
            if take is not None:
                take(self, event)

    def unclear(self, prepared: Prepared) -> Mapping[int, int]:
        """Show the edits that fit several places; their numbers in the plan → in the turn."""
        numbers = {result.n: result.n + self._first_edit for result in prepared.ambiguous}
        with self._desk.lock:
            for result in prepared.ambiguous:
                self.turn.edits[numbers[result.n]].result = result
            self._publish_fates(list(numbers.values()))
        return numbers

    def leave_out(self, path: str) -> None:
        """The edits of a file that is not in the conversation are not wanted."""
        with self._desk.lock:
            self.left_out.add(path)
            left = []
            for edit in self.turn.edits.values():
                result = edit.result
                if result is not None and result.code is Code.NOT_IN_CHAT and result.path == path:
                    edit.skip = True
                    edit.result = replace(result, status=Status.SKIPPED, code=Code.NOT_SELECTED, reason=_NOT_CHOSEN)
                    left.append(edit.n)
            self._publish_fates(left)

    def forget(self) -> None:
        """Take the replies of this run out of the turn."""
        self._forget_from(self._first_round, self._first_edit)

    def forget_unfinished(self) -> bool:
        """Take a reply out that did not come to its end; whether there was one."""
        unfinished = len(self.turn.rounds) > self._first_round and not self._shown.answered
        if unfinished:
            self._forget_from(len(self.turn.rounds) - 1, self._shown.first)
        return unfinished

    def _forget_from(self, first_round: int, edits_before: int) -> None:
        del self.turn.rounds[first_round:]
        for n in [n for n in self.turn.edits if n > edits_before]:
            del self.turn.edits[n]

    @property
    def _shown(self) -> ShownRound:
        return self.turn.rounds[-1]

    def _sent(self, event: turn_events.Sent) -> None:
        self.seen = event.seen
        shown = ShownRound(len(self.turn.rounds), str(event.step), len(self.turn.edits), event.model, event.tokens)
        repairing, self._repairing = self._repairing, None
        if repairing is not None:
            shown.message = repairing.message
            shown.repairs = tuple(result.n + self._first_edit for result in repairing.failures)
        elif self.again is not None:
            shown.step = "retry"
            shown.repairs = tuple(result.n for result in self.again.failures)
        self.turn.rounds.append(shown)
        self._publish_round()

    def _piece(self, event: turn_events.Piece) -> None:
        if self._shown.step == Step.PLAN:
            told = hear_prose(self.turn, self._shown, event.text, event.reasoning)
        else:
            told = hear(self.turn, self._shown, event.text, event.reasoning, event.events)
        self._desk.publish("piece", told)

    def _located(self, event: turn_events.Located) -> None:
        n = self._shown.first + event.n
        self.turn.edits[n].result = replace(event.result, n=n)
        self._publish_fates([n])

    def _answered(self, event: turn_events.Answered) -> None:
        desk, shown, reply = self._desk, self._shown, event.reply
        shown.answered, shown.truncated = True, reply.truncated
        with desk.open() as workspace:
            shown.mentions = mentions_in(reply.text, workspace.tree())
        told = {"stop": str(reply.stop), "truncated": shown.truncated, "mentions": shown.mentions}
        desk.publish("answered", {"turn": self.turn.id, "round": shown.index, **told})

    def _broken(self, event: turn_events.BrokeOff) -> None:
        self.broke_off = event

    def _noted(self, event: turn_events.Noted) -> None:
        self._desk.note(self.turn, event.text, event.hint)

    def _joined(self, event: turn_events.Joined) -> None:
        desk = self._desk
        if event.added and event.path not in desk.held.paths:
            with desk.open() as workspace:
                take_held(desk, desk.held.adding(event.path), workspace)

    def _repairs(self, event: turn_events.Repairing) -> None:
        self._repairing = event

    def _stopped(self, event: turn_events.Stopped) -> None:
        edits = [result.n + self._first_edit for result in event.failures]
        self.turn.stopped = {"why": str(event.end), "said": event.sentence, "detail": event.detail, "edits": edits}

    def _cost(self, event: turn_events.Cost) -> None:
        self._desk.spend(self.turn, event.spent)

    def _publish_round(self) -> None:
        self._desk.publish("round", {"turn": self.turn.id, "round": of_round(self._shown)})

    def _publish_fates(self, numbers: list[int]) -> None:
        fates: list[Record] = [of_fate(self.turn.edits[n]) for n in numbers]
        self._desk.publish("fates", {"turn": self.turn.id, "fates": fates})


_TAKES: dict[type, Callable[[Following, Any], None]] = {
    turn_events.Sent: Following._sent,
    turn_events.Piece: Following._piece,
    turn_events.Located: Following._located,
    turn_events.Answered: Following._answered,
    turn_events.BrokeOff: Following._broken,
    turn_events.Noted: Following._noted,
    turn_events.Joined: Following._joined,
    turn_events.Repairing: Following._repairs,
    turn_events.Stopped: Following._stopped,
    turn_events.Cost: Following._cost,
}
