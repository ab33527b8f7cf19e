"""Plans a turn again and publishes what changed: its plan, and the outcomes that differ from before.

Every function expects that the session's lock is held. While it plans, which may take seconds, others have the lock.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.model.codes import Code, Status
from dovetail.session.conversation.conversation import FEWER, MORE, NOT_APPLIED, notes_on_hand_edits, notes_on_turn
from dovetail.session.conversation.turn_edits import operations_in_force, plan_touched, plan_turn, reading_commands
from dovetail.web.page_session import known_operations
from dovetail.web.turns import EditState, PageTurn, TurnState, outcome_record, without_texts

if TYPE_CHECKING:
    from dovetail.model.results import FileChange
    from dovetail.session.apply.applying import Prepared
    from dovetail.session.conversation.chat_files import ChatFiles
    from dovetail.session.conversation.chat_state import Options
    from dovetail.session.conversation.turn_edits import Choices
    from dovetail.web.page_session import PageSession
    from dovetail.workspace import Operation, Workspace

_MOST_TOUCHED = 4  # open turns that are planned again when files were written


def planned(
    choices: Choices,
    workspace: Workspace,
    options: Options,
    files: ChatFiles | None,
    tree: frozenset[str] | None = None,
) -> Prepared:
    """Return the plan of a turn whose replies are complete. It needs no lock, and may take seconds."""
    prepared = plan_turn(choices, workspace, options, files, tree)
    _ = prepared.plan, prepared.usable_listings  # computed at the first access, and cached
    return prepared


def plan_again(
    session: PageSession,
    turn: PageTurn,
    workspace: Workspace,
    *,
    quiet: bool = False,
    typing: bool = False,
    touched: Collection[int] = (),
    prepared: Prepared | None = None,
) -> None:
    """Plan what is left of a turn, and publish it unless `quiet`.

    A plan of the same changes and outcomes keeps its version, so whoever sees it may still apply it; what else it holds
    (commands, findings) is published all the same. With `typing`, only the files themselves are read again, not which
    files exist, nor the journal; with `touched`, a choice was made about these edits alone. `prepared` is the plan,
    where it was made already.
    """
    if turn.choices is None:
        return
    was_running = turn.state is TurnState.RUNNING
    begun = time.time()
    tree = turn.prepared.snapshot.tree if typing and turn.prepared is not None else None
    if not typing and turn.choices.writes:
        note_journal(turn, known_operations(workspace))
    if touched and prepared is None and turn.prepared is not None and turn.plans_begun == turn.plan_taken:
        prepared = plan_touched(turn.prepared, turn.choices, touched, workspace, session.held if turn.guarded else None)
    turn.plans_begun += 1
    mine = turn.plans_begun
    while prepared is None:
        choices, held, options = replace(turn.choices), session.held, session.options
        with session.lock.released():
            prepared = planned(choices, workspace, options, held if turn.guarded else None, tree)
        # While the lock was released everything may have changed. In this order: is the turn still to be planned, is a
        # newer plan there, and is this one made for what is chosen now.
        if turn.id not in session.turns or (turn.state is TurnState.RUNNING and not was_running):
            return  # it was forgotten, or the model is asked again: the turn is planned when that has answered
        if mine < turn.plan_taken:
            return  # there is a plan that was begun later, with newer files
        if (choices, held, options) != (turn.choices, session.held, session.options):
            if mine < turn.plans_begun:
                return  # the choices changed, and that change plans the turn itself
            prepared = None
    turn.plan_taken, turn.planned_for, turn.planned_at = mine, replace(turn.choices), begun
    before = {n: outcome_record(edit) for n, edit in turn.edits.items()}
    known, turn.prepared = turn.prepared, prepared
    shown, turn.commands = turn.commands, _commands_of(turn.choices, prepared, workspace, session, turn)
    _take_results(turn, turn.choices)
    changed = [n for n, edit in turn.edits.items() if outcome_record(edit) != before.get(n)]
    same = (
        known is not None and known.plan.changes == prepared.plan.changes and _changes(shown) == _changes(turn.commands)
    )
    # A person confirms a version: it must rise whenever anything of what would be written is another.
    turn.version += not same or bool(changed)
    state = turn.state
    if state in (TurnState.OPEN, TurnState.DONE, TurnState.RUNNING):
        undecided = any(edit.state in (EditState.FITS, EditState.FAILED) for edit in turn.edits.values())
        turn.state = TurnState.OPEN if undecided or turn.commands is not None else TurnState.DONE
    if not quiet:
        session.publish_plan(turn, changed)
        if turn.state is not state:
            session.publish_state(turn)


def _commands_of(
    choices: Choices, prepared: Prepared, workspace: Workspace, session: PageSession, turn: PageTurn
) -> Prepared | None:
    """Return the plan of what the commands of a turn without edits would change.

    None if they are not read, or not all of it could be written.
    """
    rounds = reading_commands(choices.rounds, prepared)
    if rounds is None:
        return None
    files = session.held if turn.guarded else None
    read = plan_turn(replace(choices, rounds=rounds), workspace, session.options, files, prepared.snapshot.tree)
    return read if read.plan.changes and not read.plan.failed else None


def _changes(read: Prepared | None) -> Sequence[FileChange]:
    return () if read is None else read.plan.changes


def _take_results(turn: PageTurn, choices: Choices) -> None:
    if turn.prepared is None:
        return
    written, superseded = choices.written, choices.rounds.superseded
    for result in turn.prepared.plan.results:
        if result.code is Code.UNREAD:
            continue  # not an edit: it is in `plan_record`
        edit = turn.edits[result.n]
        edit.block = result.block
        edit.written = written.get(result.n)
        if edit.written is None or edit.result is None:
            edit.result = result
        else:  # a written edit keeps the result that it had when it was written, but not the files' texts
            edit.result = without_texts(edit)
        edit.original = choices.original.blocks[result.n - 1] if result.n in choices.by_hand else None
        edit.path = result.block.path
        edit.skip = result.n in choices.skipped
        edit.place = choices.places.get(result.n)
        edit.superseded = result.n in superseded and result.status is Status.LEFT_OUT and not edit.skip


def plan_first(session: PageSession, turn: PageTurn, workspace: Workspace, prepared: Prepared | None = None) -> None:
    """Plan a turn whose replies have just become complete, and publish all of it."""
    plan_again(session, turn, workspace, quiet=True, prepared=prepared)
    note_seen(turn)
    session.publish_turn(turn)


def note_seen(turn: PageTurn) -> None:
    """Note files that the model did not see as they are now, so that later changes to them count as changes."""
    if turn.choices is not None and turn.prepared is not None:
        files = turn.prepared.snapshot.files
        now = {path: file.text for path, file in files.items() if file.text is not None}
        turn.choices.seen = {**now, **turn.choices.seen}
        turn.planned_for = replace(turn.choices)  # these texts change nothing of the plan


def note_journal(turn: PageTurn, operations: list[Operation]) -> bool:
    """Note which of a turn's operations are still in force; return whether that changed."""
    if turn.choices is None:
        return _note_early(turn, operations)
    if not turn.choices.writes:
        return False
    in_force = operations_in_force(operations, turn.choices.writes)
    changed = in_force != turn.choices.in_force
    turn.choices.in_force = in_force
    return changed


def _note_early(turn: PageTurn, operations: list[Operation]) -> bool:
    """Do the same for the edits that were written while the turn's replies arrived."""
    in_force = operations_in_force(operations, turn.early)
    undone = [e for e in turn.edits.values() if e.written is not None and e.written[0] not in in_force]
    for edit in undone:
        edit.written, edit.result = None, edit.located
    return bool(undone)


def after_writing(
    session: PageSession, workspace: Workspace, changes: Collection[FileChange], operation: Operation | None
) -> None:
    """Plan again, after a write or an undo, the turns that may differ now, and publish them.

    Of the turns that only name the same files, the newest are planned; an older one is planned when it is applied.
    """
    paths = {change.path for change in changes}

    def names_one(turn: PageTurn) -> bool:
        return any(e.path in paths or (e.result is not None and e.result.path in paths) for e in turn.edits.values())

    _plan_changed(session, workspace, [turn for turn in session.turns.values() if names_one(turn)])
    if session.chat is not None:
        with suppress(OSError):  # the files are written, and the answer says so
            session.chat.note_next(notes_for_model(session))
    session.publish_journal(workspace, operation)
    if any(change.before is None or change.after is None for change in changes):
        session.publish("tree", {})


def notes_for_model(session: PageSession) -> list[str]:
    """Return sentences about edits whose outcome the model does not know: those of the turn that it answered last, and
    of earlier turns. There are none if it sent no edits, or if all were applied and are in force.
    """
    notes: list[str] = []
    last = session.turns.get(session.last_asked or "")
    if last is not None and (last.choices is None or last.prepared is None):  # it broke off
        notes += [NOT_APPLIED] if any(edit.state is not EditState.DRAFT for edit in last.edits.values()) else []
    elif last is not None and last.choices is not None and last.prepared is not None:
        choices, written = last.choices, last.choices.written
        results = last.prepared.plan.results
        notes += notes_on_turn(results, written, choices.rounds.superseded, undone=bool(choices.writes))
        notes += notes_on_hand_edits(written.keys() & choices.by_hand.keys())
    fewer = more = False
    for turn in session.turns.values():
        if turn is not last and turn.known_written is not None:
            fewer = fewer or bool(turn.known_written - turn.written_edits)
            more = more or bool(turn.written_edits - turn.known_written)
    return [*notes, *([FEWER] if fewer else ()), *([MORE] if more else ())]


def look_around(session: PageSession, *, at_files: bool = False) -> None:
    """Update every turn to what a terminal did with the journal meanwhile.

    With `at_files`, the newest turns that need a decision are planned against the files as they are now.
    """
    with session.open() as workspace:
        _plan_changed(session, workspace, list(session.turns.values()) if at_files else [])
        session.publish_journal(workspace)


def _plan_changed(session: PageSession, workspace: Workspace, others: list[PageTurn]) -> None:
    """Plan each turn whose operations in force changed, and the newest of the `others` that are open.

    A turn that the model answers is planned when it has answered.
    """
    operations = known_operations(workspace)
    changed = [turn for turn in session.turns.values() if note_journal(turn, operations)]
    undecided = [turn for turn in others if turn.state is TurnState.OPEN][-_MOST_TOUCHED:]
    for turn in {turn.id: turn for turn in (*changed, *undecided)}.values():
        if turn.state is not TurnState.RUNNING:
            plan_again(session, turn, workspace)
        elif turn in changed:
            session.publish_outcomes(turn, turn.edits)


def take_held(session: PageSession, held: ChatFiles, workspace: Workspace) -> None:
    """Change the conversation's files; answer questions about them, and plan the edits that wait for them."""
    if session.chat is not None:
        session.chat.note_files(held)
    session.held = held
    session.publish("held", session.held.record)
    for question in tuple(session.questions.values()):
        if question.is_answered_by(held):
            question.answer(True)
    for turn in tuple(session.turns.values()):
        if turn.guarded and turn.state is TurnState.OPEN:
            plan_again(session, turn, workspace)
