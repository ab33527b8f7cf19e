"""What a person may do with a turn: paste it, leave edits out, change them, settle conflicts, and have them written.

Each act checks, changes the choices, plans again and publishes. Only `apply` writes, and it writes the plan whose
number the person saw: where another one is in force by now, nothing happens.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from dovetail.formats import Stream
from dovetail.model.codes import Status
from dovetail.model.errors import ChangedError
from dovetail.session.applying import commit, with_only
from dovetail.session.diff import with_renames_joined
from dovetail.session.records import Record
from dovetail.session.rounds import Round, Rounds, Step
from dovetail.session.turn_edits import (
    CONFLICT_CHOICES,
    Choices,
    ConflictChoice,
    TurnWrite,
    as_recorded,
    changed_by_hand,
    with_line_ends_of,
    write_of,
)
from dovetail.web import fields
from dovetail.web.arriving import hear
from dovetail.web.faults import RequestError, bad, not_found
from dovetail.web.mentions import mentions_in
from dovetail.web.planning import after_writing, plan_again, seen_besides
from dovetail.web.turn_records import edits_of, of_edit, of_plan
from dovetail.web.turn_state import EditState, ShownRound, Turn, TurnState

if TYPE_CHECKING:
    from dovetail.session.applying import Prepared
    from dovetail.web.desk import Desk


def paste(desk: Desk, reply: str, reading: str) -> Turn:
    """Take a whole reply, read and planned; nobody is asked and nothing is written."""
    stream = Stream(format=reading, markers=desk.options.reply.markers)
    with desk.lock, desk.open() as workspace:
        turn = desk.new_turn("paste")
        shown = ShownRound(0, "paste", 0)
        turn.rounds.append(shown)
        hear(turn, shown, reply, "", stream.feed(reply))
        hear(turn, shown, "", "", stream.close())
        shown.answered = True
        shown.mentions = mentions_in(reply, workspace.tree())
        turn.choices = Choices(Rounds((Round(Step.REQUEST, reply, stream.parsed),)))
        turn.state = TurnState.OPEN
        plan_again(desk, turn, workspace, quiet=True)
        seen_besides(turn)
        desk.publish_turn(turn)
    return turn


def skip(desk: Desk, turn: Turn, numbers: Collection[int], *, out: bool) -> None:
    """Leave edits out, or take them back in."""
    choices = _choices(turn, numbers)
    choices.skipped = choices.skipped | set(numbers) if out else choices.skipped - set(numbers)
    _replan(desk, turn)


def place(desk: Desk, turn: Turn, n: int, line: int | None) -> None:
    """Say where an edit begins that fits several places; None takes that back."""
    choices, result = _choices(turn, [n]), turn.edits[n].result
    places = result.places if result is not None else ()
    if line is not None:
        fields.place(line, n, places, "line")
    others = {key: value for key, value in choices.places.items() if key != n}
    choices.places = others if line is None else {**others, n: line}
    _replan(desk, turn)


def change(desk: Desk, turn: Turn, n: int, wanted: tuple[str | None, str, str] | None) -> Record:
    """Give an edit another path, search and replacement, or (None) its own again; the edit and plan that come of it."""
    choices, edit = _choices(turn, [n]), turn.edits[n]
    if edit.state in (EditState.APPLIED, EditState.SUPERSEDED) or edit.block is None:
        raise RequestError(409, "settled", f"Edit {n} is {edit.state} already.", "Undo it first.")
    others = {key: block for key, block in choices.by_hand.items() if key != n}
    if wanted is not None:
        path, search, replacement = wanted
        others[n] = changed_by_hand(choices.original.blocks[n - 1], path, search, replacement)
    choices.by_hand = others
    _replan(desk, turn)
    told = of_edit(edit)
    desk.publish("edits", {"turn": turn.id, "edits": [told]})
    return {"edit": told, "plan": of_plan(turn)}


def resolve(desk: Desk, turn: Turn, path: str, choice: str | None, text: str | None, digest: str | None) -> None:
    """Settle a conflict: take a side, both with markers, or a text; None takes the settlement back."""
    choices, _ = turn.choices_and_plan
    choices.resolved = {name: known for name, known in choices.resolved.items() if name != path}
    with desk.open() as workspace:
        plan_again(desk, turn, workspace)
        if choice is not None:
            choices.resolved = {**choices.resolved, path: _resolved(turn, path, choice, text, digest)}
            plan_again(desk, turn, workspace)


def _resolved(turn: Turn, path: str, choice: str, text: str | None, digest: str | None) -> ConflictChoice:
    _, prepared = turn.choices_and_plan
    file = prepared.snapshot.files.get(path)
    if file is None or file.text is None:
        raise not_found(f"file `{path}` in this turn")
    if digest is not None and digest != file.digest:
        raise RequestError(409, "changed", f"`{path}` was changed again.", "Look at both sides once more.")
    if choice in CONFLICT_CHOICES:
        return ConflictChoice(choice, file.digest)
    if text is None:
        raise bad("`text` is missing.")
    return ConflictChoice(choice, file.digest, with_line_ends_of(file.text, text))


def look_again(desk: Desk, turn: Turn) -> None:
    """Plan a turn against the files as they are now."""
    with desk.open() as workspace:
        plan_again(desk, turn, workspace)


def decline(desk: Desk, turn: Turn) -> None:
    """Want none of what is left."""
    turn.state = TurnState.DECLINED
    desk.publish_state(turn)


def reopen(desk: Desk, turn: Turn) -> None:
    """Think again about what was declined."""
    turn.state = TurnState.OPEN
    desk.publish_state(turn)
    look_again(desk, turn)


def apply(
    desk: Desk, turn: Turn, version: int, numbers: Collection[int] | None, paths: Collection[str] | None
) -> Record:
    """Write a turn's edits: all that land, those of some files, or some of them. All are written, or none."""
    choices, prepared = turn.choices_and_plan
    if turn.state is TurnState.DECLINED:
        raise RequestError(409, "declined", "These edits were declined; nothing was written.", "Reopen the turn first.")
    if version != turn.version:
        raise RequestError(409, "plan-changed", "The plan has changed since; nothing was written.", "Look at it again.")
    chosen = _chosen(turn, prepared, numbers, paths)
    applied = sorted(chosen)
    with desk.open() as workspace:
        some = _narrowed(prepared, chosen)
        kept, theirs = as_recorded(some, chosen, by_hand=bool(choices.by_hand))
        try:
            committed = commit(kept, workspace=workspace)
        except ChangedError:
            plan_again(desk, turn, workspace)
            raise
        operation = committed.operation
        for finding in committed.findings:
            desk.note(turn, f"{finding.message} ({finding.path})", finding.hint)
        if operation is not None:
            _note_write(turn, write_of(operation.id, {n: theirs[n] for n in applied}, prepared, some), some)
            told = {"turn": turn.id, "operation": operation.id, "edits": applied, "paths": list(operation.paths)}
            desk.publish("written", told)
        else:
            plan_again(desk, turn, workspace)
        after_writing(desk, workspace, some.plan.changes, operation)
    return {"operation": operation.id if operation is not None else None, "edits": applied}


def _chosen(
    turn: Turn, prepared: Prepared, numbers: Collection[int] | None, paths: Collection[str] | None
) -> frozenset[int]:
    """Numbers of the edits to write; a file that was settled by hand is written whole."""
    landed = {r.n: r for r in prepared.landed}
    wanted = set(landed)
    if numbers is not None:
        wanted = set(numbers)
        wrong = sorted(wanted - set(landed))
        if wrong:
            raise RequestError(409, "not-ready", f"Edit {wrong[0]} does not land; nothing was written.")
    if paths is not None:
        wanted &= _edits_of_files(turn, prepared, paths)
    whole = {landed[n].path for n in wanted} & set(turn.choices_and_plan[0].resolved)
    wanted |= {n for n, result in landed.items() if result.path in whole}
    if not wanted:
        raise RequestError(409, "nothing-to-write", "There is nothing to write.", "Choose an edit that lands.")
    return frozenset(wanted)


def _edits_of_files(turn: Turn, prepared: Prepared, paths: Collection[str]) -> set[int]:
    """Numbers of the edits of some files; of one that is renamed, by either name."""
    changed = (c for c in with_renames_joined(prepared.plan.changes) if c.path in paths or c.source in paths)
    named = (r.n for r in prepared.landed if r.path in paths or r.block.destination in paths)
    return {*named, *(n for change in changed for n in edits_of(turn, change))}


def _narrowed(prepared: Prepared, chosen: frozenset[int]) -> Prepared:
    """The plan with the chosen edits alone. Raises `RequestError` where one of them stands on another."""
    some = with_only(prepared, chosen)
    fallen = [r for r in some.plan.results if r.n in chosen and r.status is not Status.APPLIED]
    if fallen:
        n = fallen[0].n
        raise RequestError(
            409,
            "edit-depends",
            f"Edit {n} stands on an edit that was not chosen; nothing was written.",
            "Choose that one too, or apply the whole file.",
        )
    return some


def _note_write(turn: Turn, write: TurnWrite, written: Prepared) -> None:
    choices, _ = turn.choices_and_plan
    for n in write.edits:
        turn.edits[n].result = written.plan.results[n - 1]
    choices.writes = (*choices.writes, write)
    choices.resolved = {path: known for path, known in choices.resolved.items() if path not in write.after}


def _replan(desk: Desk, turn: Turn) -> None:
    with desk.open() as workspace:
        plan_again(desk, turn, workspace, typing=True)


def _choices(turn: Turn, numbers: Collection[int]) -> Choices:
    """The turn's choices. Raises `RequestError` where it has no such edit."""
    unknown = [n for n in numbers if n not in turn.edits]
    if unknown:
        raise not_found(f"edit {unknown[0]} in this turn")
    return turn.choices_and_plan[0]
