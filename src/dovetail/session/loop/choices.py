"""The edits of one turn with what the user chose about them, and the plan that both come to.

The idea: nothing is ever taken out of a plan. Each choice (leave this edit out, it begins at that line, the edit
changed by hand, a file's conflict settled) changes what is planned, and the plan is made again from the files as they
are, so what is shown is what would be written. Edits that were written already take no part until they are undone.
Invariant: planning writes nothing and changes no choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dovetail.model.blocks import NO_HINTS, Block, Kind, Parsed
from dovetail.model.codes import Code, OnFailure, Status
from dovetail.model.results import BlockResult, FileChange
from dovetail.model.text import closed
from dovetail.plan import wanted_paths
from dovetail.session.applying.applied_before import settled_by_journal
from dovetail.session.applying.apply import Prepared
from dovetail.session.applying.conflict import Settled, edits_of, settled_as
from dovetail.session.applying.select import not_selected, placed
from dovetail.session.journal.emptied import edits_taken_back
from dovetail.session.loop.rounds import Rounds
from dovetail.workspace import State

if TYPE_CHECKING:
    from dovetail.session.loop.conversation import Options
    from dovetail.session.loop.held_files import HeldFiles
    from dovetail.workspace import Operation, Workspace


@dataclass(frozen=True, slots=True)
class Write:
    """Edits that were written together: their numbers here → their numbers in the operation.

    after: the files as they were left. stale: those that had changed since the model saw them.
    made: for each file the edits, by their numbers in the operation, that it was changed by.
    """

    operation: str
    edits: Mapping[int, int]
    after: Mapping[str, str | None]
    stale: frozenset[str] = frozenset()
    made: Mapping[str, frozenset[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Resolved:
    """How the user wants a file to be in which both sides changed the same lines; holds while its bytes are the same.

    `choice` is the word that was chosen, `text` the whole file where the user wrote it out. Of the other choices the
    text is planned each time, so that an edit that is left out or changed by hand afterwards counts as it then is.
    """

    choice: str
    digest: str
    text: str | None = None


@dataclass
class Choices:
    """Blocks are numbered from 1 through all replies of `rounds`.

    seen: the texts that the model saw, by path. seen_behind: how many of `writes` were in such a text, where any was.
    standing: the operations, and for each the edits taken back since.
    """

    rounds: Rounds
    seen: Mapping[str, str] = field(default_factory=dict)
    skipped: frozenset[int] = frozenset()
    places: Mapping[int, int] = field(default_factory=dict)
    by_hand: Mapping[int, Block] = field(default_factory=dict)
    resolved: Mapping[str, Resolved] = field(default_factory=dict)
    writes: tuple[Write, ...] = ()
    seen_behind: Mapping[str, int] = field(default_factory=dict)
    standing: Mapping[str, frozenset[int]] = field(default_factory=dict)

    @property
    def own(self) -> Parsed:
        """What the replies say, before anything was chosen."""
        return self.rounds.parsed

    @property
    def parsed(self) -> Parsed:
        """What the replies say, with what the user changed."""
        parsed = self.own
        blocks = list(parsed.blocks)
        for n, block in self.by_hand.items():
            blocks[n - 1] = block
        return placed(replace(parsed, blocks=tuple(blocks)), {**self.rounds.places, **self.places})

    @property
    def written(self) -> dict[int, tuple[str, int]]:
        """The edits that stand in the files: operation and number there."""
        return {
            n: (write.operation, theirs)
            for write in self.writes
            if write.operation in self.standing
            for n, theirs in write.edits.items()
            if theirs not in self.standing[write.operation]
        }

    @property
    def seen_now(self) -> dict[str, str]:
        """The texts against which the edits that are left were written."""
        seen = dict(self.seen)
        for n, write in enumerate(self.writes):
            taken_back = self.standing.get(write.operation)
            for path, text in write.after.items():
                known = n < self.seen_behind.get(path, 0)
                none_left = taken_back is None or write.made.get(path, frozenset(write.edits.values())) <= taken_back
                if none_left and not known:
                    continue
                if none_left or taken_back or text is None:
                    seen.pop(path, None)  # edits are in it that are to be made again: the file itself is what counts
                elif not known and path not in write.stale:
                    seen[path] = text
        return seen


def written_as(operation: str, edits: Mapping[int, int], before: Prepared, written: Prepared) -> Write:
    """Edits of a plan that were `written`, some of what it was `before`; their numbers there → in the operation."""
    after, files = {change.path: change.after for change in written.plan.changes}, before.snapshot.files
    stale = frozenset(path for path in after if path in files and files[path].seen is not None)
    made: dict[str, frozenset[int]] = {}
    for n, theirs in edits.items():
        path = written.plan.results[n - 1].path
        if path is not None:
            made[path] = made.get(path, frozenset()) | {theirs}
    return Write(operation, edits, after, stale, made)


def standing_in(operations: Sequence[Operation], writes: Sequence[Write]) -> dict[str, frozenset[int]]:
    """The operations of some writes that stand by the journal, and for each the edits that were taken back since."""
    taken_back, mine = edits_taken_back(operations), {write.operation for write in writes}
    return {o.id: taken_back.get(o.id, frozenset()) for o in operations if o.id in mine and o.state is State.DONE}


def planned(
    choices: Choices,
    workspace: Workspace,
    options: Options,
    held: HeldFiles | None,
    tree: frozenset[str] | None = None,
) -> Prepared:
    """Plan what is left of a turn against the files as they are now. Raises `WorkspaceError`.

    `held` is None where any file may be edited. `tree` names the paths that exist, where they were listed a moment ago;
    listing them may take longer than planning.
    """
    parsed = choices.parsed
    tree = workspace.tree() if tree is None else tree
    snapshot = workspace.snapshot(wanted_paths(parsed, tree), seen=choices.seen_now, tree=tree)
    if held is not None:
        snapshot = held.guarding(snapshot)
    policy = replace(options.terms.policy, on_failure=OnFailure.BLOCK)
    reply = choices.rounds.text
    prepared = Prepared(workspace, reply, parsed, snapshot, policy, options.terms.markers, _settled(choices, parsed))
    mine = {n for write in choices.writes for n in write.edits}  # whether these stand the choices themselves tell
    journal = settled_by_journal(workspace, reply, prepared.plan, snapshot)
    more = {n: result for n, result in journal.items() if n not in mine}
    besides = _by_resolution(choices, prepared, more)
    return replace(prepared, settled={**prepared.settled, **more}, besides=besides) if more else prepared


def changed_by_hand(block: Block, path: str | None, search: str, replacement: str) -> Block:
    """A block with another path, search and replacement; whatever its format said about its place is forgotten."""
    kind = block.kind
    if kind is not Kind.EDIT and (search or kind in (Kind.DELETE, Kind.RENAME)):
        kind = Kind.EDIT
    if not block.inline:
        search, replacement = _whole_lines(search), _whole_lines(replacement)
    return replace(
        block,
        kind=kind,
        path=path,
        path_candidates=(),
        mentioned=False,
        rivals=(),
        search=search,
        replace=replacement,
        readings=(),
        parts=None,
        hints=NO_HINTS,
        last_end=None,
        destination=None if kind is not block.kind else block.destination,
        doubt=None,
        malformed=None,
    )


def _whole_lines(text: str) -> str:
    return closed(text.replace("\r\n", "\n"))


def _settled(choices: Choices, parsed: Parsed) -> dict[int, BlockResult]:
    """The blocks that are decided without planning."""
    settled = {n: result for n, result in choices.rounds.settled().items() if n not in choices.by_hand}
    for n in choices.skipped:
        settled.setdefault(n, not_selected(n, parsed, parsed.blocks[n - 1].path))
    for n, (operation, _) in choices.written.items():
        block, reason = parsed.blocks[n - 1], f"Operation {operation} applied it."
        settled[n] = BlockResult(n, block, block.path, Status.ALREADY_APPLIED, reason=reason)
    return settled


def _by_resolution(choices: Choices, prepared: Prepared, settled: dict[int, BlockResult]) -> tuple[FileChange, ...]:
    """The changes that settle a conflict, with the results of the edits that they stand for put into `settled`."""
    changes = []
    for path, wanted in choices.resolved.items():
        file = prepared.snapshot.files.get(path)
        mine = edits_of(prepared, path)
        if file is None or file.digest != wanted.digest or not mine:
            continue
        made = settled_as(prepared, path, wanted.choice) if wanted.text is None else Settled(wanted.text, {})
        for result in mine:
            by_hand = _settled_by_hand(result, changes_file=file.text != made.text)
            settled[result.n] = made.failed.get(result.n, by_hand)
        if file.text != made.text:
            changes.append(FileChange(path, file.text, made.text, marks=(file.marked, file.marked)))
    return tuple(changes)


def _settled_by_hand(result: BlockResult, *, changes_file: bool) -> BlockResult:
    n, block, path = result.n, result.block, result.path
    if changes_file:
        return BlockResult(n, block, path, Status.APPLIED, reason="You settled its conflict.")
    return BlockResult(n, block, path, Status.SKIPPED, Code.NOT_SELECTED, "You kept the file as it is.")
