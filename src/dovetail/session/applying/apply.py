"""Applying a reply: read it, plan it, let somebody choose, write what was planned.

A `Prepared` is a value, and its plan follows from it: each choice gives a new one, planned on the same snapshot, and
only `commit` touches a file. What `commit` writes is the plan that was shown.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dovetail.formats import parse
from dovetail.model.codes import Code, OnFailure, Status
from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.plan import wanted_paths
from dovetail.session.applying.applied_before import settled_by_journal
from dovetail.session.applying.select import left_out, placed, plan_without
from dovetail.session.shown import record
from dovetail.session.terms import DEFAULT_TERMS, Terms
from dovetail.workspace import Workspace
from dovetail.workspace.root import in_git
from dovetail.workspace.transaction import written

if TYPE_CHECKING:
    from dovetail.model.blocks import Parsed
    from dovetail.model.diagnostics import Diagnostic
    from dovetail.model.policy import Policy
    from dovetail.model.results import BlockResult, FileChange, Plan
    from dovetail.model.snapshot import Snapshot
    from dovetail.workspace import Operation, Staged


@dataclass(frozen=True)
class Prepared:
    """A reply and what its plan is made from.

    markers: those that the reply was read with. settled: blocks that are decided without planning.
    besides: files that are written as somebody wants them, whatever the edits come to.
    """

    workspace: Workspace
    reply: str
    parsed: Parsed
    snapshot: Snapshot
    policy: Policy
    markers: Markers = DEFAULT_MARKERS
    settled: Mapping[int, BlockResult] = field(default_factory=dict)
    besides: tuple[FileChange, ...] = ()

    @cached_property
    def plan(self) -> Plan:
        """What the reply does to the files."""
        made = plan_without(self.parsed, self.snapshot, self.policy, self.settled)
        changes = (*made.changes, *self.besides)
        return replace(made, changes=tuple(sorted(changes, key=lambda change: change.path)))

    @property
    def landed(self) -> tuple[BlockResult, ...]:
        """The results that a commit would write."""
        return tuple(result for result in self.plan.results if result.status is Status.APPLIED)

    @property
    def ambiguous(self) -> tuple[BlockResult, ...]:
        """The failures that a choice of place would settle."""
        return tuple(r for r in self.plan.failed if r.code is Code.AMBIGUOUS and r.places)

    @property
    def texts(self) -> Mapping[str, str]:
        """The text of every file that was read and has one, by its path."""
        return {path: file.text for path, file in self.snapshot.files.items() if file.text is not None}


@dataclass(frozen=True, slots=True)
class GitChoice:
    """What git is to do with what was written: stage it, or commit it.

    message: the commit's; where it is None or blank, one that says what was done.
    """

    add: bool = False
    commit: bool = False
    message: str | None = None


NO_GIT = GitChoice()


@dataclass(frozen=True, slots=True)
class Committed:
    """What was written, and the operation that takes it back; None where nothing was to write.

    `staged` is what git took. `git_error` says why git did not; the files are written all the same. `findings` are
    about the journal.
    """

    plan: Plan
    operation: Operation | None
    staged: Staged | None = None
    git_error: WorkspaceError | None = None
    findings: tuple[Diagnostic, ...] = ()


def prepare(root: Path, reply: str, terms: Terms = DEFAULT_TERMS, *, seen: Mapping[str, str] | None = None) -> Prepared:
    """Read a reply and plan it against the files under `root`. Writes nothing; the workspace stays open.

    `seen` has the texts that the model saw, by path, where they may not be what the files say now. Raises
    `UsageError` for a format that does not exist, `WorkspaceError` where the root cannot be read.
    """
    with ExitStack() as opened:
        prepared = _prepared(opened.enter_context(Workspace.open(root)), reply, terms, seen)
        opened.pop_all()
        return prepared


def _prepared(workspace: Workspace, reply: str, terms: Terms, seen: Mapping[str, str] | None) -> Prepared:
    parsed = parse(reply, format=terms.format, markers=terms.markers)
    tree = workspace.tree()
    snapshot = workspace.snapshot(wanted_paths(parsed, tree), seen=seen, tree=tree)
    prepared = Prepared(workspace, reply, parsed, snapshot, terms.policy, terms.markers)
    settled = settled_by_journal(workspace, reply, prepared.plan, snapshot)
    return replace(prepared, settled=settled) if settled else prepared


def with_on_failure(prepared: Prepared, on_failure: OnFailure) -> Prepared:
    """The same reply, where a failed edit means something else for the others."""
    return replace(prepared, policy=replace(prepared.policy, on_failure=on_failure))


def with_place(prepared: Prepared, n: int, line: int) -> Prepared:
    """The same reply, where edit `n` is said to begin at `line` of its file; settles an ambiguity.

    Both count from 1. Raises `UsageError` where the reply has no such edit.
    """
    _check_numbers(prepared, (n,))
    return replace(prepared, parsed=placed(prepared.parsed, {n: line}))


def with_only(prepared: Prepared, chosen: Collection[int]) -> Prepared:
    """The same reply with nothing written but edits in `chosen`, by number from 1. One that failed stays failed.

    What is written `besides` goes with the edits of its file. Raises `UsageError` where the reply has no such edit.
    """
    _check_numbers(prepared, chosen)
    paths = {result.path for result in prepared.landed if result.n in chosen}
    besides = tuple(change for change in prepared.besides if change.path in paths)
    made = first = prepared if besides == prepared.besides else replace(prepared, besides=besides)
    while True:
        out = left_out(made.plan, chosen, made.parsed, again=made is not first)
        more = {n: result for n, result in out.items() if made.settled.get(n) != result}
        if not more:
            return made
        made = replace(made, settled={**made.settled, **more})


def _check_numbers(prepared: Prepared, numbers: Collection[int]) -> None:
    count = len(prepared.parsed.blocks)
    for n in numbers:
        if not 1 <= n <= count:
            raise UsageError(f"The reply has no edit {n}.", hint="Take the `n` of one of the plan's results.")


def commit(prepared: Prepared, git: GitChoice = NO_GIT, *, workspace: Workspace | None = None) -> Committed:
    """Write the plan, whole or not at all, and record it in the journal; then let git have it.

    workspace: the one to write, where the one that was planned for is closed by now.
    Raises `ChangedError` where a file changed since the plan was made, other `WorkspaceError`s, and `UsageError`
    where git is asked for outside a work tree; then nothing is written.
    """
    plan, workspace = prepared.plan, workspace or prepared.workspace
    _check_git(workspace, git)
    if not plan.changes:
        return Committed(plan, None)
    told = len(workspace.findings)  # by an earlier commit of the same workspace
    results = [record.of_explained(result) for result in plan.results]
    terms = Terms(prepared.policy, markers=prepared.markers).record
    operation = workspace.commit(plan.changes, prepared.snapshot, reply=prepared.reply, results=results, terms=terms)
    try:
        with written(operation):
            staged = _given_to_git(workspace, operation, git)
    except WorkspaceError as error:
        return Committed(plan, operation, git_error=error, findings=workspace.findings[told:])
    return Committed(plan, operation, staged, findings=workspace.findings[told:])


def rehearse(prepared: Prepared, git: GitChoice = NO_GIT) -> None:
    """Raise what `commit` would raise before it writes: a dry run says yes only to what can be written."""
    _check_git(prepared.workspace, git)
    if prepared.plan.changes:
        prepared.workspace.check_commit(prepared.plan.changes, prepared.snapshot)


def _check_git(workspace: Workspace, git: GitChoice) -> None:
    if (git.add or git.commit) and not in_git(workspace.root):
        raise UsageError(f"`{workspace.root}` is in no git work tree.", hint="Leave out --git-add and --commit.")


def _given_to_git(workspace: Workspace, operation: Operation, git: GitChoice) -> Staged | None:
    if git.commit:
        return workspace.git_commit(operation.id, (git.message or "").strip() or _message(operation))
    return workspace.git_add(operation.id) if git.add else None


def _message(operation: Operation) -> str:
    paths = operation.paths
    subject = f"Apply edits to {paths[0]}" if len(paths) == 1 else f"Apply edits to {len(paths)} files"
    return subject + "\n\n" + "".join(f"- {path}\n" for path in paths)
