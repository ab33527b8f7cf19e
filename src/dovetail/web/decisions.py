"""What a person may do with a turn: paste it, leave edits out, change them, resolve conflicts, have them written.

Each act checks, changes the choices, plans again and publishes. Only `apply` writes, and only the plan whose number the
person saw: if the plan is another by now, nothing happens.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from dovetail.formats import Stream
from dovetail.model.codes import Status
from dovetail.model.errors import ChangedError
from dovetail.plan import wanted_paths, with_commands
from dovetail.session.apply.applying import commit, with_only
from dovetail.session.apply.diff import with_renames_joined
from dovetail.session.apply.placing import events_behind, placed
from dovetail.session.apply.records import Record
from dovetail.session.conversation.rounds import Round, Rounds, Step
from dovetail.session.conversation.turn_edits import (
    CONFLICT_CHOICES,
    Choices,
    ConflictChoice,
    as_recorded,
    changed_by_hand,
    reading_commands,
    with_line_ends_of,
    write_of,
)
from dovetail.web.arriving import take_decided
from dovetail.web.planning import after_writing, plan_again, plan_first, planned
from dovetail.web.requests import RequestError, bad, check_place, not_found
from dovetail.web.streaming import add_piece, mentions_in
from dovetail.web.turns import EditState, PageTurn, ShownRound, TurnState, edit_record, edits_of, plan_record

if TYPE_CHECKING:
    from dovetail.session.apply.applying import Prepared
    from dovetail.web.page_session import PageSession


def paste(session: PageSession, reply: str, reading: str) -> PageTurn:
    """Read and plan a whole reply. Nobody is asked and nothing is written.

    The turn is there when its plan is.
    """
    with session.open() as workspace:
        with session.lock.released():
            stream = Stream(format=reading, markers=session.options.reply.markers)
            arrived, closing = stream.feed(reply), stream.close()
            parsed, tree = stream.parsed, workspace.tree()
            files, commands = (
                workspace.snapshot(wanted_paths(parsed, tree), tree=tree),
                session.options.reply.policy.commands,
            )
            read = with_commands(placed(parsed, files), files, commands, root=str(workspace.root))
            closing = [*closing, *events_behind(parsed, read)]
            choices = Choices(Rounds((Round(Step.REQUEST, reply, read),)))
            prepared = planned(choices, workspace, session.options, None)
            mentions = mentions_in(reply, tree)
        turn = session.new_turn("paste")
        turn.reading = reading
        shown = ShownRound(0, "paste", 0)
        turn.rounds.append(shown)
        add_piece(turn, shown, reply, "", arrived)
        add_piece(turn, shown, "", "", closing)
        shown.answered = True
        shown.mentions = mentions
        turn.choices = choices
        turn.state = TurnState.OPEN
        plan_first(session, turn, workspace, prepared)
    return turn


def read_again(session: PageSession, turn: PageTurn, reading: str) -> PageTurn:
    """Read a pasted reply in another format, as a new turn; the first one is discarded unless it was written.

    Raises `RequestError` for a turn of the model.
    """
    choices, _ = turn.choices_and_plan
    if turn.kind != "paste":
        raise RequestError(409, "not-pasted", "This reply was not pasted.", "Paste it, and choose its format.")
    new = paste(session, choices.rounds.replies[0].text, reading)
    if turn.state is TurnState.OPEN and not choices.writes:
        decline(session, turn)
    return new


def use_arrived(session: PageSession, turn: PageTurn) -> None:
    """Plan what came of a turn that broke off: its complete replies, and the beginning of one that was not.

    An edit that was cut in the middle fails, as under a length limit. Raises `RequestError` if no edit came whole.
    """
    arrived = turn.arrived
    if arrived is None or not any(reply.has_whole_edits for reply in arrived.with_begun.replies):
        raise RequestError(409, "nothing-arrived", "No edit of this turn has arrived whole.", "Ask again.")
    add_piece(turn, turn.rounds[-1], "", "", arrived.closing)
    # The turn itself has not failed any more: why the reply is incomplete becomes a note.
    reason = "The reply was stopped before its end."
    if turn.state is TurnState.FAILED and turn.error is not None:
        reason = turn.error["message"]
    turn.notes.append({"text": reason, "hint": None})
    turn.error = turn.arrived = None
    turn.choices = Choices(arrived.with_begun, arrived.seen, writes=turn.early)
    take_decided(turn, turn.choices)
    turn.state = TurnState.OPEN
    with session.open() as workspace:
        plan_first(session, turn, workspace)
    session.publish_state(turn)


def skip(session: PageSession, turn: PageTurn, numbers: Collection[int], *, out: bool) -> None:
    """Leave edits out, or take them back in. Raises `RequestError`, as all acts on edits do for an unknown number."""
    choices = _choices(turn, numbers)
    choices.skipped = choices.skipped | set(numbers) if out else choices.skipped - set(numbers)
    turn.last_change = f"Edit {_listed(numbers)} was {'left out' if out else 'taken back in'}."
    _replan(session, turn, numbers)


def place(session: PageSession, turn: PageTurn, n: int, line: int | None) -> None:
    """Choose the line, from 1, where an edit begins that fits several places; None takes the choice back."""
    choices, result = _choices(turn, [n]), turn.edits[n].result
    if line is not None:
        check_place(line, n, result.places if result is not None else ())
    others = {key: value for key, value in choices.places.items() if key != n}
    choices.places = others if line is None else {**others, n: line}
    turn.last_change = f"A place was chosen for edit {n}."
    _replan(session, turn, [n])


def use_listing(session: PageSession, turn: PageTurn, line: int, path: str) -> Record:
    """Make an edit of a listing that is none by itself; return the edit's number. Raises `RequestError`."""
    choices, prepared = turn.choices_and_plan
    if (line, path) not in {(listing.line, listing.path) for listing in prepared.usable_listings}:
        raise not_found(f"listing in line {line} to use as `{path}`")
    before = choices.rounds.replies[-1].parsed
    choices.rounds = choices.rounds.using({line: path}, prepared.snapshot)
    add_piece(turn, turn.rounds[-1], "", "", events_behind(before, choices.rounds.replies[-1].parsed))
    with session.open() as workspace:
        plan_first(session, turn, workspace)
    return {"edit": max(turn.edits)}


def change(session: PageSession, turn: PageTurn, n: int, new: tuple[str | None, str, str] | None) -> Record:
    """Give an edit another path, search and replacement, or (None) its own again; return the edit and the plan."""
    choices, edit = _choices(turn, [n]), turn.edits[n]
    if edit.state in (EditState.WRITTEN, EditState.SUPERSEDED) or edit.block is None:
        if edit.state is EditState.WRITTEN:
            raise RequestError(409, "settled", f"Edit {n} is written already.", "Undo it first.")
        raise RequestError(409, "settled", f"Edit {n} was sent again, or has not arrived.", "Change the later one.")
    others = {key: block for key, block in choices.by_hand.items() if key != n}
    if new is not None:
        path, search, replacement = new
        others[n] = changed_by_hand(choices.original.blocks[n - 1], path, search, replacement)
    choices.by_hand = others
    turn.last_change = f"Edit {n} was changed by hand."
    _replan(session, turn)
    record = edit_record(edit)
    session.publish("edits", {"turn": turn.id, "edits": [record]})
    return {"edit": record, "plan": plan_record(turn)}


def resolve(
    session: PageSession, turn: PageTurn, path: str, choice: str | None, text: str | None, digest: str | None
) -> None:
    """Resolve a conflict: take a side, both with markers, or a text; None takes the resolution back.

    digest: the file's state that the person saw. Raises `RequestError` if the file has changed since.
    """
    choices, _ = turn.choices_and_plan
    # Planned first without the earlier resolution: it would hide the conflict that is looked at here.
    choices.resolved = {name: known for name, known in choices.resolved.items() if name != path}
    with session.open() as workspace:
        plan_again(session, turn, workspace)
        if choice is None:
            return
        file = turn.choices_and_plan[1].snapshot.files.get(path)
        if file is None or file.text is None:
            raise not_found(f"file `{path}` in this turn")
        if digest is not None and digest != file.digest:
            raise RequestError(409, "changed", f"`{path}` was changed again.", "Look at both sides once more.")
        if choice in CONFLICT_CHOICES:
            resolved = ConflictChoice(choice, file.digest)
        elif text is not None:
            resolved = ConflictChoice(choice, file.digest, with_line_ends_of(file.text, text))
        else:
            raise bad("`text` is missing.")
        choices.resolved = {**choices.resolved, path: resolved}
        plan_again(session, turn, workspace)


def look_again(session: PageSession, turn: PageTurn) -> None:
    """Plan a turn against the files as they are now."""
    with session.open() as workspace:
        plan_again(session, turn, workspace)


def decline(session: PageSession, turn: PageTurn) -> None:
    """Refuse all that is left of a turn."""
    turn.state = TurnState.DECLINED
    session.publish_state(turn)


def reopen(session: PageSession, turn: PageTurn) -> None:
    """Take a refusal (`decline`) back."""
    turn.state = TurnState.OPEN
    session.publish_state(turn)
    look_again(session, turn)


def apply(
    session: PageSession,
    turn: PageTurn,
    version: int,
    numbers: Collection[int] | None,
    paths: Collection[str] | None,
) -> Record:
    """Write a turn's edits: all that are ready, those of some files, or some of them. All are written, or none.

    version: the number of the plan that the person saw. Raises `RequestError`, and `ChangedError` if a file changed
    between planning and writing.
    """
    choices, prepared = _confirmed(turn, version)
    chosen = _chosen(turn, prepared, numbers, paths)
    with session.lock.released():
        narrowed = with_only(prepared, chosen)
        _ = narrowed.plan
    # Checked again: while the lock was released, another tab may have decided something else.
    _confirmed(session.planned_turn(turn.id), version)
    for result in narrowed.plan.results:
        if result.n in chosen and result.status is not Status.FITS:
            raise RequestError(
                409,
                "edit-depends",
                f"Edit {result.n} depends on an edit that was not chosen; nothing was written.",
                "Choose that one too, or apply the whole file.",
            )
    with session.open() as workspace:
        kept, numbers_kept = as_recorded(narrowed, chosen, by_hand=bool(choices.by_hand))
        try:
            committed = commit(kept, workspace=workspace)
        except ChangedError:
            plan_again(session, turn, workspace)
            raise
        operation = committed.operation
        for finding in committed.findings:
            session.note(turn, f"{finding.message} ({finding.path})", finding.hint)
        if operation is not None:
            write = write_of(operation.id, {n: numbers_kept[n] for n in sorted(chosen)}, prepared, narrowed)
            for n in write.edits:
                turn.edits[n].result = narrowed.plan.results[n - 1]
            choices.writes = (*choices.writes, write)
            choices.resolved = {path: known for path, known in choices.resolved.items() if path not in write.after}
            turn.last_change = f"Edit {_listed(chosen)} was written."
            written = {"operation": operation.id, "edits": sorted(chosen), "paths": list(operation.paths)}
            session.publish("written", {"turn": turn.id, **written})
        else:
            plan_again(session, turn, workspace)
        after_writing(session, workspace, narrowed.plan.changes, operation)
    done = operation.id if operation is not None else None
    return {"operation": done, "edits": sorted(chosen), "plan": turn.version}


def write_commands(session: PageSession, turn: PageTurn, version: int) -> Record:
    """Write what a turn's commands would change: from here on these are edits of it. No command is run.

    version: the number of the plan that the person saw. Raises `RequestError`, and `ChangedError`, as `apply` does.
    """
    choices, prepared = _confirmed(turn, version)
    rounds = reading_commands(choices.rounds, prepared) if turn.commands is not None else None
    if rounds is None:
        raise RequestError(
            409, "nothing-to-write", "What the commands would change is not known.", "Run them yourself."
        )
    shown, listed = turn.rounds[-1], choices.rounds.replies[-1].parsed
    add_piece(turn, shown, "", "", events_behind(listed, rounds.replies[-1].parsed))
    choices.rounds = rounds
    with session.open() as workspace:
        plan_first(session, turn, workspace)
    return apply(session, turn, turn.version, None, None)


def _confirmed(turn: PageTurn, version: int) -> tuple[Choices, Prepared]:
    """Return a turn's choices and the plan that the person saw. Raises `RequestError` if that plan is outdated."""
    choices, prepared = turn.choices_and_plan
    if turn.state is TurnState.DECLINED:
        raise RequestError(409, "declined", "These edits were declined; nothing was written.", "Reopen the turn first.")
    # The number tells what the person saw; the choices tell whether a plan of newer ones is still being made.
    if version != turn.version or choices != turn.planned_for:
        why = f" {turn.last_change}" if turn.last_change else ""
        message = f"The plan has changed since; nothing was written.{why}"
        raise RequestError(409, "plan-changed", message, "Look at it again.")
    return choices, prepared


def _chosen(
    turn: PageTurn, prepared: Prepared, numbers: Collection[int] | None, paths: Collection[str] | None
) -> frozenset[int]:
    """Return the numbers of the edits to write. A file that was resolved by hand is written whole."""
    landed = {r.n: r for r in prepared.landed}
    chosen = set(landed)
    if numbers is not None:
        chosen = set(numbers)
        wrong = sorted(chosen - set(landed))
        if wrong:
            raise RequestError(409, "not-ready", f"Edit {wrong[0]} does not fit; nothing was written.")
    if paths is not None:  # a renamed file is meant by either name
        changes = (c for c in with_renames_joined(prepared.plan.changes) if c.path in paths or c.source in paths)
        of_files = {r.n for r in prepared.landed if r.path in paths or r.block.destination in paths}
        chosen &= of_files.union(*(edits_of(turn, change) for change in changes))
    # The text that a person settled on holds all of the file's edits: there is no part of it to write.
    whole = {landed[n].path for n in chosen} & set(turn.choices_and_plan[0].resolved)
    chosen |= {n for n, result in landed.items() if result.path in whole}
    if not chosen:
        raise RequestError(409, "nothing-to-write", "There is nothing to write.", "Choose an edit that fits.")
    return frozenset(chosen)


def _listed(numbers: Collection[int]) -> str:
    first, *rest = sorted(numbers) or [0]
    return f"{first} and {len(rest)} more" if rest else str(first)


def comment(session: PageSession, turn: PageTurn, wanted: int | None, now: Record | None, before: str | None) -> Record:
    """Keep a comment on a line (wanted: None), give one another text, or remove it (now: None); return its number.

    before: the text that the person saw. Raises `RequestError` if another tab has changed it since.
    """
    known = next((one for one in turn.comments if one["id"] == wanted), None)
    if wanted is not None and (known is None or known["text"] != before):
        what = "removed it" if known is None else f"wrote: {known['text']}"
        raise RequestError(409, "changed", f"Another tab has changed this comment; it {what}.", "Look at it again.")
    turn.comments = [one for one in turn.comments if one["id"] != wanted]
    number = wanted or 1 + max((one["id"] for one in turn.comments), default=0)
    if now is not None:
        turn.comments.append({"round": None, **(known or {}), **now, "id": number})
        turn.comments.sort(key=lambda one: one["id"])
    session.publish_comments(turn)
    return {"comment": number}


def _replan(session: PageSession, turn: PageTurn, touched: Collection[int] = ()) -> None:
    with session.open() as workspace:
        plan_again(session, turn, workspace, typing=True, touched=touched)


def _choices(turn: PageTurn, numbers: Collection[int]) -> Choices:
    """Return the turn's choices. Raises `RequestError` if it has no such edit."""
    unknown = [n for n in numbers if n not in turn.edits]
    if unknown:
        raise not_found(f"edit {unknown[0]} in this turn")
    return turn.choices_and_plan[0]
