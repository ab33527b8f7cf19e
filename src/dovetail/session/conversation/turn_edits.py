"""The edits of one turn with the user's choices about them, and the plan that both give.

Nothing is removed from a plan. Each choice (an edit left out, placed at a line, or changed by hand, a file's conflict
resolved) changes what is planned, and the plan is made again from the files as they are, so it shows what would be
written. Edits that were written are not planned until they are undone. Planning writes nothing and changes no choice.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from dovetail.formats import parse, render
from dovetail.match import merge
from dovetail.model.blocks import NO_HINTS, Block, Kind, Parsed
from dovetail.model.codes import Code, Commands, Conflicts, OnFailure, Status
from dovetail.model.errors import RenderError, UsageError
from dovetail.model.results import BlockResult, FileChange, Plan
from dovetail.model.snapshot import FileText
from dovetail.model.text import IndexedText, apply_edits, closed
from dovetail.plan import plan, wanted_paths, with_commands
from dovetail.session.apply.applying import Prepared, applied_before, not_selected, with_lines
from dovetail.session.apply.operations import edits_undone
from dovetail.session.conversation.chat_files import ChatFiles
from dovetail.session.conversation.chat_state import Options
from dovetail.session.conversation.rounds import Rounds
from dovetail.syntax import default_language
from dovetail.workspace import Operation, OperationState, Workspace

CONFLICT_CHOICES = {"file": Conflicts.OURS, "reply": Conflicts.THEIRS, "markers": Conflicts.MARKERS}
"""Which lines to use where both sides changed the same ones; all other changes of both sides are kept."""


@dataclass(frozen=True, slots=True)
class TurnWrite:
    """Edits that were written as one operation.

    edits: number in the turn → number in the operation. after: the changed files' texts, None for a removed one.
    stale: files that had changed since the model saw them.
    edits_of: path → numbers, in the operation, of the edits that changed the file.
    """

    operation: str
    edits: Mapping[int, int]
    after: Mapping[str, str | None]
    stale: frozenset[str] = frozenset()
    edits_of: Mapping[str, frozenset[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ConflictChoice:
    """How the user resolved a file in which both sides changed the same lines.

    choice: a key of `CONFLICT_CHOICES`, or ``text``. digest: that of the file; the choice holds while it is the same.
    text: the whole file, for the choice ``text``. Otherwise the file is planned each time, so that later choices about
    its edits count.
    """

    choice: str
    digest: str
    text: str | None = None


@dataclass
class Choices:
    """The user's choices; blocks are numbered from 1 through all replies of `rounds`.

    seen: the texts that the model saw, by path. writes_seen: by path, how many of `writes` that text includes.
    in_force: id of an operation that is not undone → numbers of its edits that are.
    """

    rounds: Rounds
    seen: Mapping[str, str] = field(default_factory=dict)
    skipped: frozenset[int] = frozenset()
    places: Mapping[int, int] = field(default_factory=dict)
    by_hand: Mapping[int, Block] = field(default_factory=dict)
    resolved: Mapping[str, ConflictChoice] = field(default_factory=dict)
    writes: tuple[TurnWrite, ...] = ()
    writes_seen: Mapping[str, int] = field(default_factory=dict)
    in_force: Mapping[str, frozenset[int]] = field(default_factory=dict)

    @property
    def original(self) -> Parsed:
        """The replies parsed, without the user's choices."""
        return self.rounds.parsed

    @property
    def parsed(self) -> Parsed:
        """The replies parsed, with blocks changed by hand and chosen lines."""
        parsed = self.original
        blocks = list(parsed.blocks)
        for n, block in self.by_hand.items():
            blocks[n - 1] = block
        return with_lines(replace(parsed, blocks=tuple(blocks)), {**self.rounds.places, **self.places})

    @property
    def written(self) -> dict[int, tuple[str, int]]:
        """The edits that are written and not undone: number → (operation's id, number there)."""
        return {
            n: (write.operation, number)
            for write in self.writes
            if write.operation in self.in_force
            for n, number in write.edits.items()
            if number not in self.in_force[write.operation]
        }

    @property
    def seen_now(self) -> dict[str, str]:
        """The texts, by path, that the model's edits that are not written refer to."""
        seen = dict(self.seen)
        for n, write in enumerate(self.writes):
            undone = self.in_force.get(write.operation)
            for path, text in write.after.items():
                known = n < self.writes_seen.get(path, 0)
                none_left = undone is None or write.edits_of.get(path, frozenset(write.edits.values())) <= undone
                if none_left and not known:
                    continue
                # The model's text of the file has edits that are undone by now, or some of them.
                if none_left or undone or text is None:
                    seen.pop(path, None)  # it has edits that are to be made again, so only the file itself counts
                elif not known and path not in write.stale:
                    seen[path] = text
        return seen


def write_of(operation: str, edits: Mapping[int, int], before: Prepared, written: Prepared) -> TurnWrite:
    """Return the record of a write. edits: number in the turn → in the operation.

    before: the plan of the turn; written: the part of it that was committed.
    """
    after, files = {change.path: change.after for change in written.plan.changes}, before.snapshot.files
    stale = frozenset(path for path in after if path in files and files[path].is_stale)
    edits_of: dict[str, frozenset[int]] = {}
    for n, number in edits.items():
        path = written.plan.results[n - 1].path
        if path is not None:
            edits_of[path] = edits_of.get(path, frozenset()) | {number}
    return TurnWrite(operation, edits, after, stale, edits_of)


def operations_in_force(operations: Sequence[Operation], writes: Sequence[TurnWrite]) -> dict[str, frozenset[int]]:
    """Return the operations of some writes that are not undone, by id, with the numbers of their edits that are."""
    undone, mine = edits_undone(operations), {write.operation for write in writes}
    return {o.id: undone.get(o.id, frozenset()) for o in operations if o.id in mine and o.state is OperationState.DONE}


def plan_turn(
    choices: Choices,
    workspace: Workspace,
    options: Options,
    files: ChatFiles | None,
    tree: frozenset[str] | None = None,
) -> Prepared:
    """Plan the edits of a turn that are not written against the files as they are now. Raises `WorkspaceError`.

    files: the conversation's; None if any file may be edited. tree: the paths that exist, if they were listed a moment
    ago, as listing them may take longer than planning.
    """
    parsed = choices.parsed.relative_to(str(workspace.root))
    tree = workspace.tree() if tree is None else tree
    snapshot = workspace.snapshot(wanted_paths(parsed, tree), seen=choices.seen_now, tree=tree)
    if files is not None:
        snapshot = files.guarding(snapshot)
    policy = replace(options.reply.policy, on_failure=OnFailure.BLOCK)
    decided = _decided(choices, parsed)
    reply = choices.rounds.text
    prepared = Prepared(
        workspace, reply, parsed, snapshot, policy, options.reply.markers, decided,
        steps=choices.rounds.steps, listings=choices.rounds.listings,
    )  # fmt: skip
    mine = {n for write in choices.writes for n in write.edits}  # `choices.written` knows about these
    journal = applied_before(workspace, reply, prepared.plan, snapshot)
    more = {n: result for n, result in journal.items() if n not in mine}
    changes: list[FileChange] = []
    for path, choice in choices.resolved.items():
        change, results = _resolve(prepared, path, choice)
        more |= results
        changes += [change] if change is not None else []
    return replace(prepared, decided={**decided, **more}, extra_changes=tuple(changes)) if more else prepared


def _decided(choices: Choices, parsed: Parsed) -> dict[int, BlockResult]:
    """Return results, by number, of edits that are not planned: sent again, cut short, left out, written."""
    decided = {n: result for n, result in choices.rounds.decided().items() if n not in choices.by_hand}
    for n in choices.skipped:
        decided.setdefault(n, not_selected(n, parsed, parsed.blocks[n - 1].path))
    for n, (operation, _) in choices.written.items():
        block, reason = parsed.blocks[n - 1], f"Operation {operation} applied it."
        decided[n] = BlockResult(n, block, block.path, Status.STANDS_ALREADY, reason=reason)
    return decided


def plan_touched(
    before: Prepared, choices: Choices, touched: Collection[int], workspace: Workspace, files: ChatFiles | None
) -> Prepared | None:
    """Return the plan after a choice about the edits `touched`: their files are planned anew, the others are kept.

    None if that could differ from planning all: a file is renamed or removed, an edit has no file or gets another one,
    a conflict was resolved, listings could be used, or the reply has several steps. Before writing, all is planned.
    """
    parsed, old = choices.parsed.relative_to(str(workspace.root)), {r.n: r for r in before.plan.results}
    whole = (Kind.DELETE, Kind.RENAME)
    # In these cases one file's plan depends on another's, or on more than its edits.
    if (
        before.usable_listings
        or before.extra_changes
        or choices.resolved
        or before.steps
        or len(parsed.blocks) != len(before.parsed.blocks)
    ):
        return None
    if any(block.kind in whole or block.destination is not None for block in parsed.blocks):
        return None
    if any(old[n].path is None or parsed.blocks[n - 1].path != before.parsed.blocks[n - 1].path for n in touched):
        return None
    paths = {path for n in touched if (path := old[n].path) is not None}
    # An edit that has no file yet may find one by the choice.
    mine = {n for n in range(1, len(parsed.blocks) + 1) if old[n].path is None or old[n].path in paths}
    fresh = workspace.snapshot(paths, seen=choices.seen_now, tree=before.snapshot.tree)
    if files is not None:
        fresh = files.guarding(fresh)
    if fresh.refused or fresh.files.keys() != paths & before.snapshot.files.keys():
        return None
    snapshot = replace(before.snapshot, files={**before.snapshot.files, **fresh.files})
    known = _decided(choices, parsed)
    decided = {n: r for n, r in {**before.decided, **known}.items() if n not in mine or n in known}
    # For the files that are planned here, the others' results count as decided, and their changes as extra ones.
    others = {n: result for n, result in old.items() if n <= len(parsed.blocks) and n not in mine}
    rest = tuple(change for change in before.plan.changes if change.path not in paths)
    part = replace(
        before, workspace=workspace, parsed=parsed, snapshot=snapshot, decided={**decided, **others}, extra_changes=rest
    )
    if any(part.plan.results[n - 1].path != old[n].path for n in mine if n not in known):
        return None
    prepared = replace(before, workspace=workspace, parsed=parsed, snapshot=snapshot, decided=decided)
    prepared.__dict__["plan"] = part.plan  # as the cached property would keep it
    prepared.__dict__["usable_listings"] = before.usable_listings
    return prepared


def reading_commands(rounds: Rounds, prepared: Prepared) -> Rounds | None:
    """Return the replies with the newest one's commands read as the edits that they would make; None if there are none.

    Commands are never run, so a person can be asked to agree to these edits instead.
    """
    if prepared.policy.commands is not Commands.LIST or rounds.has_edits or not rounds.replies:
        return None
    last, root = rounds.replies[-1], str(prepared.workspace.root)
    parsed = with_commands(last.parsed, prepared.snapshot, Commands.EDITS, root=root)
    if not parsed.has_edits:
        return None
    return replace(rounds, replies=(*rounds.replies[:-1], replace(last, parsed=parsed)))


def _resolve(prepared: Prepared, path: str, choice: ConflictChoice) -> tuple[FileChange | None, dict[int, BlockResult]]:
    """Return the change that resolves a file's conflict, and results for the file's edits, by number.

    None and no results if the file has changed since the choice, or has no edits any more.
    """
    file, edits = prepared.snapshot.files.get(path), _edits_of_file(prepared, path)
    if file is None or file.digest != choice.digest or not edits:
        return None, {}
    failed: dict[int, BlockResult] = {}
    text = choice.text
    if text is None:
        resolved = _plan_file(prepared, edits, file, CONFLICT_CHOICES[choice.choice])
        text, failed = _text_after(resolved, file), {result.n: result for result in resolved.failed}
    results: dict[int, BlockResult] = {}
    for edit in edits:
        if file.text != text:
            result = BlockResult(edit.n, edit.block, path, Status.FITS, reason="You resolved its conflict.")
        else:
            reason = "You kept the file as it is."
            result = BlockResult(edit.n, edit.block, path, Status.LEFT_OUT, Code.NOT_SELECTED, reason)
        # With `file` or `markers` chosen an edit may still fail for another reason than the conflict.
        results[edit.n] = failed.get(edit.n, result)
    change = FileChange(path, file.text, text, marks=(file.marked, file.marked)) if file.text != text else None
    return change, results


def changed_by_hand(block: Block, path: str | None, search: str, replacement: str) -> Block:
    """Return a block with another path, search and replacement, without other readings and hints about its place."""
    kind = block.kind
    if kind is not Kind.EDIT and (search or kind in (Kind.DELETE, Kind.RENAME)):
        kind = Kind.EDIT
    if not block.inline:
        search, replacement = (closed(text.replace("\r\n", "\n")) for text in (search, replacement))
    return replace(
        block.with_path(path),
        kind=kind,
        search=search,
        replace=replacement,
        readings=(),
        parts=None,
        hints=NO_HINTS,
        last_end=None,
        destination=None if kind is not block.kind else block.destination,
        malformed=None,
    )


@dataclass(frozen=True, slots=True)
class ConflictSides:
    """Both sides of a file that changed since the model saw it.

    digest: that of the file. base: the text that the model saw. file: the text now. reply: `base` with the edits.
    merged: both, with markers where they clash. edits: numbers of the file's edits.
    clashes: first and last line of each, from 1, in `file`.
    """

    path: str
    digest: str
    base: str
    file: str
    reply: str
    merged: str
    edits: tuple[int, ...]
    clashes: tuple[tuple[int, int], ...]


def conflicting(prepared: Prepared) -> tuple[str, ...]:
    """Paths whose edits clash with what the user changed since the model saw them."""
    changed = {path for path, file in prepared.snapshot.files.items() if file.is_stale}
    failed = (r.path for r in prepared.plan.failed if r.code is Code.STALE)
    return tuple(dict.fromkeys(path for path in failed if path in changed))


def conflict_sides(prepared: Prepared, path: str) -> ConflictSides:
    """Return both sides of a file, to choose from. Raises `UsageError` if it did not change since the model saw it."""
    file = prepared.snapshot.files.get(path)
    if file is None or file.text is None or file.seen is None or not file.is_stale:
        raise UsageError(f"`{path}` has not changed since the model saw it.", hint="Plan again.")
    edits = _edits_of_file(prepared, path)
    seen = replace(file, text=file.seen, seen=None)
    reply = _text_after(_plan_file(prepared, edits, seen, Conflicts.REFUSE), seen)
    lines = IndexedText(file.text)
    clashes = tuple(
        (lines.line_at(c.ours.start) + 1, lines.line_at(max(c.ours.start, c.ours.end - 1)) + 1)
        for c in merge(file.seen, file.text, reply).clashes
    )
    merged = _text_after(_plan_file(prepared, edits, file, Conflicts.MARKERS), file)
    numbers = tuple(edit.n for edit in edits)
    return ConflictSides(path, file.digest, file.seen, file.text, reply, merged, numbers, clashes)


def with_line_ends_of(file: str, text: str) -> str:
    """Return a text from an input field, which has only LF, with the line ends of the file."""
    return apply_edits(file, merge(file, file, text).edits) if "\r" in file else text


def _edits_of_file(prepared: Prepared, path: str) -> list[BlockResult]:
    results = (r for r in prepared.plan.results if r.status in (Status.FITS, Status.FAILED))
    return [r for r in results if r.path == path and r.code is not Code.MALFORMED]


def _plan_file(prepared: Prepared, edits: Sequence[BlockResult], file: FileText, conflicts: Conflicts) -> Plan:
    blocks, numbers = tuple(edit.block for edit in edits), tuple(edit.n for edit in edits)
    snapshot = replace(prepared.snapshot, files={**prepared.snapshot.files, file.path: file})
    policy = replace(prepared.policy, conflicts=conflicts)
    return plan(blocks, snapshot, policy, default_language(), numbers=numbers)


def _text_after(planned: Plan, file: FileText) -> str:
    return next((change.after for change in planned.changes if change.path == file.path), file.text) or ""


def as_recorded(prepared: Prepared, chosen: Collection[int], *, by_hand: bool) -> tuple[Prepared, Mapping[int, int]]:
    """Return the plan to commit, and the number in it of each chosen edit. by_hand: the user changed some edits.

    The journal needs a reply that can be planned again, so that one edit can be undone. That is the reply as it came,
    unless the user changed an edit by hand or resolved a conflict. Then the edits are rendered as a new reply, a
    resolved file as one rewrite, which is recorded if it plans to the very same changes.
    """
    resolved = {change.path for change in prepared.extra_changes}
    if not by_hand and not resolved:
        return prepared, {n: n for n in chosen}
    blocks, numbers = _written_blocks(prepared, chosen, resolved)
    unseen = {
        path: replace(file, seen=None) if path in resolved else file for path, file in prepared.snapshot.files.items()
    }
    snapshot = replace(prepared.snapshot, files=unseen)
    behind = [[numbers[n] for n in numbers if n >= step] for step in prepared.steps]
    steps = tuple(sorted({min(later) for later in behind if later}))
    # The reply's own format first; then two that can say any text, one with markers and one in JSON.
    for name in dict.fromkeys((blocks[0].format, "diff", "tool-call")):
        with suppress(RenderError):
            reply = render(blocks, name, markers=prepared.markers)
            parsed = parse(reply, format=name, markers=prepared.markers)
            again = replace(prepared, reply=reply, parsed=parsed, snapshot=snapshot, steps=steps)
            again = replace(again, decided={}, extra_changes=(), listings={})
            if again.plan.changes == prepared.plan.changes:
                return again, numbers
    return prepared, {n: n for n in chosen}


def _written_blocks(
    prepared: Prepared, chosen: Collection[int], resolved: Collection[str]
) -> tuple[list[Block], Mapping[int, int]]:
    """Return the chosen edits as blocks, a resolved file as one rewrite, and the number of each edit's block."""
    blocks: list[Block] = []
    numbers: dict[int, int] = {}
    rewrites: dict[str, int] = {}
    for n in sorted(chosen):
        block, path = prepared.plan.results[n - 1].block, prepared.plan.results[n - 1].path
        if path is None or path not in resolved:
            blocks.append(replace(block, path=path))
            numbers[n] = len(blocks)
            continue
        if path not in rewrites:
            after = next(change.after for change in prepared.plan.changes if change.path == path) or ""
            text = after.removeprefix("\ufeff").replace("\r\n", "\n")  # the file's own mark and line ends stay
            blocks.append(Block(block.format, Kind.REWRITE, path, "", text))
            rewrites[path] = len(blocks)
        numbers[n] = rewrites[path]
    return blocks, numbers
