"""Decisions on the edits of a reply that still arrives: leave them out, choose their places, have them written.

What is left out or placed is noted with its edit and becomes a choice when the turn has ended. What is placed or
written is planned from the replies as far as they have come, in the same way as later; its blocks have the same numbers
in the whole reply.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.formats import Stream
from dovetail.model.codes import Status
from dovetail.session.apply.applying import commit, with_only
from dovetail.session.conversation.rounds import Round, Rounds, Step
from dovetail.session.conversation.turn_edits import Choices, write_of
from dovetail.web.planning import after_writing, planned
from dovetail.web.requests import RequestError, check_place, not_found
from dovetail.web.turns import EditState, PageTurn, Running, ShownEdit

if TYPE_CHECKING:
    from dovetail.session.apply.records import Record
    from dovetail.web.page_session import PageSession


def skip_arriving(session: PageSession, turn: PageTurn, numbers: Collection[int], *, out: bool) -> None:
    """Leave edits out of a turn whose replies still arrive, or take them back in. Raises `RequestError`."""
    for edit in [_unwritten(turn, n) for n in numbers]:
        edit.wish = out
    session.publish_outcomes(turn, numbers)


def place_arriving(session: PageSession, turn: PageTurn, n: int, line: int | None) -> None:
    """Choose the line, from 1, where an edit begins whose turn is still arriving; None takes the choice back.

    Raises `RequestError`.
    """
    running, edit = _running(session, turn), _unwritten(turn, n)
    if line is not None:
        check_place(line, n, edit.result.places if edit.result is not None else ())
    edit.place = line
    choices, held, options = _choices_so_far(session, running), session.held, session.options
    choices.skipped -= {n}  # one that is left out is located too, and its wish keeps it out
    with session.open() as workspace, session.lock.released():
        prepared = planned(choices, workspace, options, held if turn.guarded else None)
    # If the turn has ended meanwhile, it was planned with this choice.
    unchanged = turn.edits.get(n) is edit and edit.place == line and edit.written is None
    if session.running is running and unchanged:
        edit.located = edit.result = next((r for r in prepared.plan.results if r.n == n), edit.result)
        session.publish_outcomes(turn, [n])


def take_decided(turn: PageTurn, choices: Choices) -> None:
    """Turn the decisions that were made while the replies arrived into choices."""
    out = {n for n, edit in turn.edits.items() if edit.wish}
    back = {n for n, edit in turn.edits.items() if edit.wish is False}
    choices.skipped = (choices.skipped | out) - back
    choices.places = _places(turn)
    for edit in turn.edits.values():
        edit.wish = None


def _places(turn: PageTurn) -> dict[int, int]:
    return {n: edit.place for n, edit in turn.edits.items() if edit.place is not None}


def _running(session: PageSession, turn: PageTurn) -> Running:
    running = session.running
    if running is None or running.turn is not turn:
        raise RequestError(409, "not-running", "The model is not at work on this turn.")
    return running


def _unwritten(turn: PageTurn, n: int) -> ShownEdit:
    if n not in turn.edits:
        raise not_found(f"edit {n} in this turn")
    if turn.edits[n].written is not None:
        raise RequestError(409, "settled", f"Edit {n} is written already.", "Undo it first.")
    return turn.edits[n]


def apply_arriving(session: PageSession, turn: PageTurn, numbers: Collection[int]) -> Record:
    """Write edits that have arrived whole and fit, while others still come. All are written, or none.

    Raises `RequestError`, and `ChangedError` if a file changed between planning and writing.
    """
    running = _running(session, turn)
    for n in numbers:
        edit = turn.edits.get(n)
        if edit is None or edit.state is not EditState.FITS:
            raise RequestError(409, "not-ready", f"Edit {n} does not fit; nothing was written.")
    choices, chosen = _choices_so_far(session, running), frozenset(numbers)
    with session.open() as workspace:
        held, options = session.held, session.options
        with session.lock.released():
            prepared = planned(choices, workspace, options, held if turn.guarded else None)
            narrowed = with_only(prepared, chosen)
            results = {result.n: result for result in narrowed.plan.results}
        wrong = [n for n in sorted(chosen) if n not in results or results[n].status is not Status.FITS]
        if wrong:
            message = f"Edit {wrong[0]} depends on an edit that was not chosen; nothing was written."
            raise RequestError(409, "edit-depends", message, "Choose that one too, or wait for the whole reply.")
        operation = commit(narrowed, workspace=workspace).operation
        if operation is None:
            return {"operation": None, "edits": [], "plan": None}
        write = write_of(operation.id, {n: n for n in sorted(chosen)}, prepared, narrowed)
        if turn.choices is not None:
            turn.choices.writes = (*turn.choices.writes, write)
            turn.choices.in_force = {**turn.choices.in_force, operation.id: frozenset()}
        else:
            turn.early = (*turn.early, write)
        for n in write.edits:
            turn.edits[n].result, turn.edits[n].written = results[n], (operation.id, n)
        session.publish_outcomes(turn, chosen)
        written = {"operation": operation.id, "edits": sorted(chosen), "paths": list(operation.paths)}
        session.publish("written", {"turn": turn.id, **written})
        after_writing(session, workspace, narrowed.plan.changes, operation)
    return {"operation": operation.id, "edits": sorted(chosen), "plan": None}


def _choices_so_far(session: PageSession, running: Running) -> Choices:
    """Return the choices as if the replies ended here, without an edit that has not arrived whole."""
    turn = running.turn
    choices = replace(turn.choices) if turn.choices is not None else Choices(Rounds(), running.seen, writes=turn.early)
    for shown in turn.rounds[running.first_round :]:
        stream = Stream(format=turn.reading, markers=session.options.reply.markers)
        stream.feed(text := "".join(shown.text))
        step = Step(shown.step) if shown.step in list(Step) else Step.REQUEST
        choices.rounds = choices.rounds.adding(Round(step, text, stream.parsed))
    choices.in_force = {**choices.in_force, **{write.operation: frozenset() for write in turn.early}}
    written = {n for write in turn.early for n in write.edits if turn.edits[n].written is None}
    choices.writes = tuple(write for write in choices.writes if not written & set(write.edits))
    choices.skipped |= {n for n, edit in turn.edits.items() if edit.wish}
    choices.places = _places(turn)
    return choices
