"""Plans a turn anew and tells the tabs what changed: its plan, and the fates that are others than before."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING

from dovetail.model.codes import Status
from dovetail.session.notes import FEWER, MORE, NOT_APPLIED, notes_on_hand_edits, notes_on_turn
from dovetail.session.records import Record
from dovetail.session.turn_edits import operations_in_force, plan_turn
from dovetail.web.desk import known_operations
from dovetail.web.turn_records import of_fate, without_texts
from dovetail.web.turn_state import EditState, Turn, TurnState

if TYPE_CHECKING:
    from dovetail.model.results import FileChange
    from dovetail.session.applying import Prepared
    from dovetail.session.chat_files import ChatFiles
    from dovetail.web.desk import Desk
    from dovetail.workspace import Operation, Workspace

_MOST_TOUCHED = 4
_WAITING = frozenset({EditState.READY, EditState.FAILED})


def plan_again(desk: Desk, turn: Turn, workspace: Workspace, *, quiet: bool = False, typing: bool = False) -> None:
    """Plan what is left of a turn, and publish it unless `quiet`. The desk's lock is held.

    A plan of the same changes and fates keeps its version, so that who has it on the screen may still apply it; what
    else it holds (commands, findings) is told all the same. With `typing` on, only the files themselves are read anew,
    not which there are, nor the journal.
    """
    if turn.choices is None:
        return
    tree = turn.prepared.snapshot.tree if typing and turn.prepared is not None else None
    if not typing and turn.choices.writes:
        look_at_journal(turn, known_operations(workspace))
    before = {n: of_fate(edit) for n, edit in turn.edits.items()}
    known = turn.prepared
    turn.prepared = plan_turn(turn.choices, workspace, desk.options, desk.held if turn.guarded else None, tree)
    _take(turn, turn.prepared)
    changed = _changed(turn, before)
    turn.version += known is None or bool(changed) or known.plan.changes != turn.prepared.plan.changes
    was = turn.state
    if turn.state in (TurnState.OPEN, TurnState.DONE, TurnState.RUNNING):
        waiting = any(edit.state in _WAITING for edit in turn.edits.values())
        turn.state = TurnState.OPEN if waiting else TurnState.DONE
    if quiet:
        return
    desk.publish_plan(turn, changed)
    if turn.state is not was:
        desk.publish_state(turn)


def show_planned(desk: Desk, turn: Turn) -> None:
    """Plan a turn whose replies came to their end out of turn, and tell it whole."""
    with desk.open() as workspace:
        plan_again(desk, turn, workspace, quiet=True)
    seen_besides(turn)
    desk.publish_turn(turn)
    desk.publish_state(turn)


def seen_besides(turn: Turn) -> None:
    """Note files that the model did not see as they are now, so that changes from here on are told from its own."""
    if turn.choices is not None and turn.prepared is not None:
        files = turn.prepared.snapshot.files
        now = {path: file.text for path, file in files.items() if file.text is not None}
        turn.choices.seen = {**now, **turn.choices.seen}


def _changed(turn: Turn, before: dict[int, Record]) -> list[int]:
    return [n for n, edit in turn.edits.items() if of_fate(edit) != before.get(n)]


def _take(turn: Turn, prepared: Prepared) -> None:
    """Put what was planned into the edits."""
    choices = turn.choices
    if choices is None:
        return
    written, own = choices.written, choices.rounds.superseded
    for result in prepared.plan.results:
        edit = turn.edits[result.n]
        edit.block = result.block
        edit.written = written.get(result.n)
        if edit.written is None or edit.result is None:
            edit.result = result
        else:  # one that stands in the files keeps what was said when it was written, but not the files' texts
            edit.result = without_texts(edit)
        edit.original = choices.original.blocks[result.n - 1] if result.n in choices.by_hand else None
        edit.path = result.block.path
        edit.skip = result.n in choices.skipped
        edit.place = choices.places.get(result.n)
        edit.superseded = result.n in own and result.status is Status.SKIPPED and not edit.skip


def look_at_journal(turn: Turn, operations: list[Operation]) -> bool:
    """Take notice of which of a turn's operations stand; whether that is news."""
    if turn.choices is None or not turn.choices.writes:
        return False
    standing = operations_in_force(operations, turn.choices.writes)
    news = standing != turn.choices.in_force
    turn.choices.in_force = standing
    return news


def after_writing(
    desk: Desk, workspace: Workspace, changes: Collection[FileChange], operation: Operation | None
) -> None:
    """Files were written, or taken back: plan again what looks different now, and tell it. The desk's lock is held.

    Of the turns that only speak of the same files the newest are planned; an older one notices when it is applied.
    """
    paths = {change.path for change in changes}
    _plan_with_news(desk, workspace, [turn for turn in desk.turns.values() if _speaks_of(turn, paths)])
    if desk.chat is not None:
        with suppress(OSError):  # the files are written, and that is what is answered
            desk.chat.note_next(told_next(desk))
    desk.publish_journal(workspace, operation)
    if any(change.before is None or change.after is None for change in changes):
        desk.publish("tree", {})


def told_next(desk: Desk) -> list[str]:
    """Sentences about the turn that the model answered last, and about earlier ones of which other edits stand by now.

    None where all is as the model knows it: it sent no edits, or all were applied and stand.
    """
    turn = desk.turns.get(desk.last_asked or "")
    said = _told_of_last(turn) if turn is not None else []
    earlier = [(other.known, standing_edits(other)) for other in desk.turns.values() if other is not turn]
    fewer = any(known is not None and known - now for known, now in earlier)
    more = any(known is not None and now - known for known, now in earlier)
    return [*said, *([FEWER] if fewer else ()), *([MORE] if more else ())]


def _told_of_last(turn: Turn) -> list[str]:
    choices = turn.choices
    if choices is None or turn.prepared is None:  # it broke off
        return [NOT_APPLIED] if any(edit.state is not EditState.DRAFT for edit in turn.edits.values()) else []
    written, results = choices.written, turn.prepared.plan.results
    told = notes_on_turn(results, written, choices.rounds.superseded, undone=bool(choices.writes))
    return [*told, *notes_on_hand_edits(written.keys() & choices.by_hand.keys())]


def standing_edits(turn: Turn) -> frozenset[int]:
    """The edits of a turn that stand in the files."""
    return frozenset(turn.choices.written) if turn.choices is not None else frozenset()


def look_around(desk: Desk, *, at_files: bool = False) -> None:
    """Notice what a terminal did with the journal meanwhile, in every turn, done or not. The desk's lock is held.

    With `at_files` on, the newest turns that are to be decided on are planned against the files as they are.
    """
    with desk.open() as workspace:
        _plan_with_news(desk, workspace, list(desk.turns.values()) if at_files else [])
        desk.publish_journal(workspace)


def take_held(desk: Desk, held: ChatFiles, workspace: Workspace) -> None:
    """Have other files in the conversation: what asks for one of them, or waits for it, has it. The lock is held."""
    if desk.chat is not None:
        desk.chat.note_files(held)
    desk.held = held
    desk.publish("held", desk.held.record)
    for question in tuple(desk.questions.values()):
        if question.settled_by(held):
            question.answer(True)
    for turn in desk.turns.values():
        if turn.guarded and turn.state is TurnState.OPEN:
            plan_again(desk, turn, workspace)


def _plan_with_news(desk: Desk, workspace: Workspace, others: list[Turn]) -> None:
    """Plan each turn of which other operations stand than before, and the newest of others that are open.

    One that the model answers is planned when it has.
    """
    operations = known_operations(workspace)
    news = [turn for turn in desk.turns.values() if look_at_journal(turn, operations)]
    waiting = [turn for turn in others if turn.state is TurnState.OPEN][-_MOST_TOUCHED:]
    for turn in {turn.id: turn for turn in (*news, *waiting)}.values():
        if turn.state is not TurnState.RUNNING:
            plan_again(desk, turn, workspace)


def _speaks_of(turn: Turn, paths: Collection[str]) -> bool:
    return any(
        edit.path in paths or (edit.result is not None and edit.result.path in paths) for edit in turn.edits.values()
    )
