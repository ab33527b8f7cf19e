"""Asks the model, in a thread of its own: a request, or failed edits of a turn once more.

What happens goes into the turn and to the tabs as it comes (`following`); how it ended is settled here. A turn that
broke off leaves its files, and the edits of its earlier replies, as they were.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.llm.errors import CancelledError
from dovetail.llm.values import Message, Role
from dovetail.model.errors import DovetailError
from dovetail.session import repair
from dovetail.session.rounds import Rounds, superseded_by
from dovetail.session.saved_chat import Participants, SavedChat
from dovetail.session.turn_edits import Choices
from dovetail.web.at_page import AtPage
from dovetail.web.desk import Desk
from dovetail.web.faults import RequestError, busy, of_error, of_system
from dovetail.web.following import Again, Following
from dovetail.web.planning import (
    look_around,
    plan_again,
    seen_besides,
    show_planned,
    standing_edits,
    take_held,
    told_next,
)
from dovetail.web.turn_state import Turn, TurnState

if TYPE_CHECKING:
    from dovetail.model.results import BlockResult
    from dovetail.session.conversation import TurnOutcome

_PASTED = "Here is the reply that I got."


def ask(desk: Desk, request: str) -> Turn:
    """Begin a turn: ask the model for a change. Raises `RequestError` where it cannot be asked."""
    with desk.lock:
        _check_free(desk)
        look_around(desk)
        turn = desk.new_turn("ask", request)
        turn.guarded = True
        desk.publish_turn(turn)
        _start(desk, turn, None)
    return turn


def retry(desk: Desk, turn: Turn, numbers: Collection[int] | None) -> None:
    """Ask the model for failed edits of a turn again; None for all that it may mend."""
    with desk.lock:
        _check_free(desk)
        choices, prepared = turn.choices_and_plan
        failures = tuple(r for r in prepared.repairable if numbers is None or r.n in numbers)
        if not failures:
            raise RequestError(409, "nothing-failed", "None of these edits failed in a way that the model may mend.")
        asking = repair.ask_again(prepared, failures, choices.rounds.offset + 1)
        _hold_files_of(desk, failures)
        turn.state = TurnState.RUNNING
        turn.stopped = None
        desk.publish_state(turn)
        _start(desk, turn, Again(failures, prepared.plan.results, asking.message))


def cancel(desk: Desk, turn: Turn) -> None:
    """Stop the model. Raises `RequestError` where it is not at work on this turn."""
    if desk.running is None or desk.running.turn is not turn:
        raise RequestError(409, "not-running", "The model is not at work on this turn.")
    desk.stop_model()


def _check_free(desk: Desk) -> None:
    if desk.running is not None:
        raise busy()
    problem = desk.ready(desk.options)
    if problem is not None:
        raise problem


def _hold_files_of(desk: Desk, failures: Collection[BlockResult]) -> None:
    held = desk.held
    with desk.open() as workspace:
        paths = {r.path for r in failures if r.path is not None} - set(held.paths)
        known = workspace.snapshot(paths, tree=frozenset()).files
        for path in sorted(paths & set(known)):
            held = held.adding(path)
        if held != desk.held:
            take_held(desk, held, workspace)


def _start(desk: Desk, turn: Turn, again: Again | None) -> None:
    running = desk.running = Following(desk, turn, again)
    desk.publish("running", {"turn": turn.id})
    running.thread = threading.Thread(target=_run, args=(desk, running), name="dovetail-model", daemon=True)
    running.thread.start()


def _run(desk: Desk, running: Following) -> None:
    error: DovetailError | None = DovetailError(
        "Dovetail itself failed; the terminal says how.", hint="Please report it.", code="defect"
    )
    outcome: TurnOutcome | None = None
    try:
        outcome = _asked(desk, running)
        error = None
    except (DovetailError, OSError) as raised:
        error = _as_error(raised)
    finally:
        with desk.lock:
            desk.running = None
            try:
                _settle(desk, running, outcome, error)
            except (DovetailError, OSError) as raised:
                _end(desk, running, _as_error(raised))
            finally:
                desk.publish("running", {"turn": None})


def _as_error(raised: DovetailError | OSError) -> DovetailError:
    return raised if isinstance(raised, DovetailError) else of_system(raised)


def _asked(desk: Desk, running: Following) -> TurnOutcome:
    """Go through one turn of the conversation."""
    chat, again = _chat(desk), running.again
    conversation = chat.conversation
    with desk.lock:
        conversation.files = desk.held
        once = replace(running.options, max_rounds=0, architect=False)
        conversation.options = running.options if again is None else once
        conversation.notes = told_next(desk) if again is None else []
        said_before = list(conversation.history)
        if again is not None and desk.last_asked != running.turn.id and running.turn.choices is not None:
            said = running.turn.request or _PASTED
            reply = running.turn.choices.rounds.text
            conversation.history += [Message(Role.USER, said), Message(Role.ASSISTANT, reply)]
        before, standing = len(conversation.history), {turn.id: standing_edits(turn) for turn in desk.turns.values()}
    request = again.message if again is not None else running.turn.request or ""
    events = chat.ask(request, cancel=running.cancel)
    try:
        while True:
            running.take(next(events))
    except StopIteration as ended:
        outcome: TurnOutcome = ended.value
        return outcome
    finally:
        events.close()
        with desk.lock:
            if len(conversation.history) > before:
                _note_heard(desk, running.turn, standing if again is None else {})
            else:
                conversation.history = said_before


def _note_heard(desk: Desk, turn: Turn, standing: Mapping[str, frozenset[int]]) -> None:
    """The model answered: it knows what stood of its edits when it was asked, and its last ones are this turn's."""
    for name, edits in standing.items():
        known = desk.turns.get(name)
        if known is not None and (known.known is not None or name == desk.last_asked):
            known.known = edits
    desk.last_asked = turn.id


def _chat(desk: Desk) -> SavedChat:
    """The desk's conversation, begun when it is first needed."""
    if desk.chat is None:
        desk.chat = SavedChat.begin(desk.open(), Participants(desk.model, AtPage(desk)), desk.options)
    return desk.chat


def _settle(desk: Desk, following: Following, outcome: TurnOutcome | None, error: DovetailError | None) -> None:
    """Say how a turn ended. What was complete when somebody stopped the model is planned. The desk's lock is held."""
    turn, again = following.turn, following.again
    came = outcome.rounds if outcome is not None else following.broke_off.rounds
    if outcome is not None:
        turn.wanted = outcome.wanted
    elif error is not None and not (isinstance(error, CancelledError) and came.has_edits):
        _broke_off(desk, following, error)
        return
    elif following.forget_unfinished():
        turn.notes.append({"text": "Stopped. The answer that was arriving is left out.", "hint": None})
    if again is None and came.has_edits:
        turn.choices = _first_choices(came, following.seen)
    elif again is not None and turn.choices is not None:
        _add_rounds(turn.choices, following, again, came)
        if not came.has_edits:
            desk.note(turn, "The model sent no edit.", "Change the edit by hand, or leave it out.")
    if turn.choices is None:
        turn.state = TurnState.DONE
        desk.publish_state(turn)
        return
    _take_skipped(desk, turn)
    if outcome is None:
        show_planned(desk, turn)
        return
    with desk.open() as workspace:
        plan_again(desk, turn, workspace)
    seen_besides(turn)


def _take_skipped(desk: Desk, turn: Turn) -> None:
    """Leave out what was left out while the model was asked, but for files that joined the conversation since."""
    if turn.choices is not None:
        held = desk.held.editable
        skipped = {n for n, e in turn.edits.items() if e.skip and (e.result is None or e.result.path not in held)}
        turn.choices.skipped |= skipped


def _first_choices(came: Rounds, seen: Mapping[str, str]) -> Choices:
    """The places that were chosen while the model was asked may be chosen anew."""
    return Choices(replace(came, places={}), seen, places=came.places)


def _add_rounds(choices: Choices, following: Following, again: Again, came: Rounds) -> None:
    """Take further replies into the choices; edits that came again stand for those that failed."""
    # The model saw these files anew, so its earlier edits are read against that text too.
    anew = {r.path: following.seen[r.path] for r in again.failures if r.path is not None and r.path in following.seen}
    choices.seen = {**choices.seen, **anew}
    choices.writes_seen = {**choices.writes_seen, **dict.fromkeys(anew, len(choices.writes))}
    for reply in came.replies:
        gone = superseded_by(again.results, again.failures, reply.parsed) if reply.parsed.has_edits else {}
        choices.rounds = choices.rounds.adding(reply, gone)


def _broke_off(desk: Desk, following: Following, error: DovetailError) -> None:
    """The first replies of a turn are shown and cannot be applied; a further one leaves the turn as it was."""
    turn = following.turn
    if following.again is None or turn.choices is None:
        _end(desk, following, error)
        return
    following.forget()
    turn.state = TurnState.OPEN
    turn.notes.append({"text": error.message, "hint": error.hint})
    desk.publish_turn(turn)
    with desk.open() as workspace:
        plan_again(desk, turn, workspace)


def _end(desk: Desk, following: Following, error: DovetailError) -> None:
    """End a turn with an error; what came of it is kept aside."""
    turn = following.turn
    turn.state = TurnState.CANCELLED if isinstance(error, CancelledError) else TurnState.FAILED
    turn.error = of_error(error)
    turn.arrived = following.broke_off
    desk.publish_state(turn)
