"""Apply a reply: read it, plan it, let somebody choose among its edits, write what was planned.

A `Prepared` is a value and its plan follows from it: each choice (`with_only`, `with_place`, `with_on_failure`) gives a
new one, planned on the same snapshot. A choice is made before planning, never after: a block that was not chosen takes
no part. Only `commit` writes, and it writes the plan that was shown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dovetail.formats import parse
from dovetail.guards.run_names import RunKind, Runner, run_of
from dovetail.model.blocks import Kind, Parsed
from dovetail.model.codes import MISSED, Code, Commands, OnFailure, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.errors import ChangedError, UsageError, WorkspaceError
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.policy import Policy
from dovetail.model.results import BlockResult, FileChange, Plan
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.plan import COMMAND_FORMAT, listing_for, plan, wanted_paths, with_commands
from dovetail.session.apply import records
from dovetail.session.apply.placing import placed
from dovetail.session.settings import DEFAULT_REPLY_OPTIONS, ReplyOptions
from dovetail.syntax import default_language
from dovetail.workspace import Operation, Origin, Workspace
from dovetail.workspace.git import hooks_folder
from dovetail.workspace.root import in_git
from dovetail.workspace.transaction import written

if TYPE_CHECKING:
    from dovetail.workspace import Staged  # it loads what only `--commit` needs

USERS_OWN = frozenset({Code.READ_ONLY, Code.UNREADABLE, Code.NOT_IN_CHAT, Code.BINARY, Code.ENCODING})
"""Failures that the user has to decide: no other wording of the edit would land."""

_TRIES = 50  # to write a plan that others change the files of
_DONE = (Status.FITS, Status.STANDS_ALREADY)


class UsableListing(NamedTuple):
    """A listing that is no edit by itself, and would be one of the file at `path`.

    line: where it begins in the reply. reason: why it is not read. result: what becomes of it if it is used.
    change: that of its file then.
    """

    line: int
    path: str
    reason: str
    result: BlockResult
    change: FileChange | None


_DECIDED_AS_FAILED = Diagnostic(Code.MALFORMED, "It was decided before planning.")
"""Makes a block fail whatever the files say; the result that is shown for it is the one in `Prepared.decided`."""


@dataclass(frozen=True)
class Prepared:
    """A reply and what its plan is made from.

    markers: those that the reply was read with.
    decided: results, by the number of the block from 1, of blocks that are not planned.
    extra_changes: whole files as the user wants them, written whatever the edits come to.
    steps: blocks from which on edits are located in the files with all edits before, as `plan` takes them.
    listings: the files that a person said listings of the reply are for, by the line in which each begins.
    """

    workspace: Workspace
    reply: str
    parsed: Parsed
    snapshot: Snapshot
    policy: Policy
    markers: Markers = DEFAULT_MARKERS
    decided: Mapping[int, BlockResult] = field(default_factory=dict)
    extra_changes: tuple[FileChange, ...] = ()
    steps: tuple[int, ...] = ()
    listings: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def plan(self) -> Plan:
        """What the reply does to the files; each block keeps its number in the reply."""
        # What somebody settled beforehand (skipped, placed by hand, failed) is not planned again. A block that was
        # settled as a failure stays in the plan all the same, as one that cannot be parsed: it has to fail there, so
        # that "all or nothing" and the edits that depend on it see a failure. Its own result is put back below.
        decided = self.decided
        blocks = {
            n: block if n not in decided else replace(block, malformed=_DECIDED_AS_FAILED)
            for n, block in enumerate(self.parsed.blocks, start=1)
            if n not in decided or decided[n].status is Status.FAILED  # a failure counts for the other blocks
        }
        parsed = replace(self.parsed, blocks=tuple(blocks.values()))
        # Numbers are the reply's; what was not read as edits is counted behind all blocks, decided ones too.
        after = len(self.parsed.blocks) + 1
        numbers = (*blocks, *range(after, after + len(parsed.unread)))
        language = default_language()
        planned = plan(parsed, self.snapshot, self.policy, language, numbers=numbers, steps=self.steps)
        results = {**{result.n: result for result in planned.results}, **decided}
        changes = sorted((*planned.changes, *self.extra_changes), key=lambda change: change.path)
        return replace(planned, results=tuple(results[n] for n in sorted(results)), changes=tuple(changes))

    @cached_property
    def usable_listings(self) -> tuple[UsableListing, ...]:
        """The listings that are not read and could be used as the file that each seems to be for.

        One that would leave its file with fewer lines is none of them.
        """
        alone = with_on_failure(self, OnFailure.BLOCK, partial=True)  # whatever becomes of the other edits
        found: list[UsableListing] = []
        for unread in self.plan.unread:
            line, path = unread.block.line, unread.path
            if not unread.block.is_listing or path is None or path not in self.texts:
                continue
            used = with_listing(alone, line, path)
            number = len(used.parsed.blocks)
            result = next((result for result in used.landed if result.n == number), None)
            # A listing that is used becomes the last block; with as many blocks as before, none was made of it.
            if result is None or number == len(alone.parsed.blocks) or _length(used, path) < _length(alone, path):
                continue
            change = next((change for change in used.plan.changes if change.path == path), None)
            found.append(UsableListing(line, path, unread.reason or "", result, change))
        return tuple(found)

    @property
    def landed(self) -> tuple[BlockResult, ...]:
        """The results that a commit would write."""
        return tuple(result for result in self.plan.results if result.status is Status.FITS)

    @property
    def of_commands(self) -> bool:
        """Return whether commands that are only listed by default were read as edits: these need a yes of their own."""
        # Under LIST no reply's commands become blocks by themselves, so such a block was asked for by a person.
        listed = self.policy.commands is Commands.LIST
        return listed and any(block.format == COMMAND_FORMAT for block in self.parsed.blocks)

    @property
    def ambiguous(self) -> tuple[BlockResult, ...]:
        """The failures that a choice of place would resolve."""
        return tuple(r for r in self.plan.failed if r.code is Code.AMBIGUOUS and r.places)

    @property
    def options(self) -> tuple[tuple[BlockResult, ...], ...]:
        """The failures of which each group puts several texts in one place, to choose from."""
        groups: dict[tuple[str | None, str], list[BlockResult]] = {}
        for result in self.plan.failed:
            if result.code is Code.CONFLICT and result.block.search:
                groups.setdefault((result.path, result.block.search), []).append(result)
        return tuple(tuple(group) for group in groups.values() if len(group) > 1)

    @property
    def repairable(self) -> tuple[BlockResult, ...]:
        """The failures that the model may correct, and what of the reply was not read.

        Where two edits change the same lines, the one that fits is among them: one edit is to be made of both.
        """
        failed = [r for r in self.plan.with_rivals if r.status is Status.FAILED and r.code not in USERS_OWN]
        return (*failed, *self.plan.missed)

    @property
    def texts(self) -> Mapping[str, str]:
        """The text of every text file that was read, by path."""
        return {path: file.text for path, file in self.snapshot.files.items() if file.text is not None}


def prepare(
    root: Path,
    reply: str,
    options: ReplyOptions = DEFAULT_REPLY_OPTIONS,
    *,
    seen: Mapping[str, str] | None = None,
    from_root: Callable[[str], str] | None = None,
    listing_as: str | None = None,
) -> Prepared:
    """Read a reply and plan it against the files under `root`. Writes nothing; the workspace stays open.

    `seen` has the texts that the model saw, by path, where the files may have changed since. `from_root` turns a path
    of the reply into one that counts from the root. `listing_as` is the file that the reply's one listing is for which
    is no edit by itself. Raises `UsageError` for a format that does not exist, and where there is no such listing, or
    it has no place in its file; `WorkspaceError` if the root cannot be read.
    """
    with ExitStack() as opened:
        workspace = opened.enter_context(Workspace.open(root, encoding=options.encoding))
        parsed = parse(reply, format=options.format, markers=options.markers)
        if from_root is not None:
            parsed = parsed.with_paths(from_root)
        parsed = parsed.relative_to(str(workspace.root))
        tree = workspace.tree()
        # Which listings and commands are edits depends on the files, and which files are read on the edits: so it is
        # read, placed, and read again where that found more.
        wanted = dict.fromkeys((*wanted_paths(parsed, tree), *([listing_as] if listing_as is not None else ())))
        snapshot = workspace.snapshot(tuple(wanted), seen=seen, tree=tree)
        used: dict[int, str] = {}
        if listing_as is not None:
            line = listing_for(parsed, snapshot, default_language(), listing_as)
            used = {line: listing_as} if line is not None else {}
        read = placed(parsed, snapshot, used)
        readied = with_commands(read, snapshot, options.policy.commands, root=str(workspace.root))
        if readied.blocks != parsed.blocks:
            snapshot = workspace.snapshot(wanted_paths(readied, tree), seen=seen, tree=tree)
        parsed = readied
        prepared = Prepared(workspace, reply, parsed, snapshot, options.policy, options.markers, listings=used)
        before = applied_before(workspace, reply, prepared.plan, snapshot)
        # Nothing failed, so the workspace stays open: it is the caller's from here on.
        opened.pop_all()
        return replace(prepared, decided=before) if before else prepared


def with_commands_read(prepared: Prepared) -> Prepared | None:
    """The same reply with its commands read as the edits that they would make; None where that changes no file.

    For whoever can be asked: nothing runs a command, and this is what to agree to instead.
    """
    root, policy = str(prepared.workspace.root), replace(prepared.policy, commands=Commands.EDITS)
    if prepared.policy.commands is not Commands.LIST or not prepared.parsed.shell_suggestions:
        return None
    parsed = with_commands(prepared.parsed, prepared.snapshot, policy.commands, root=root)
    if parsed.blocks == prepared.parsed.blocks:
        return None
    tree, seen = prepared.snapshot.tree, {p: f.seen for p, f in prepared.snapshot.files.items() if f.seen is not None}
    snapshot = prepared.workspace.snapshot(wanted_paths(parsed, tree), seen=seen, tree=tree)
    read = replace(prepared, parsed=parsed, snapshot=snapshot, policy=policy)
    return read if read.plan.changes else None


def _length(prepared: Prepared, path: str) -> int:
    """How many lines a file would have, blank ones aside."""
    after = next((change.after for change in prepared.plan.changes if change.path == path), prepared.texts[path])
    return sum(1 for line in (after or "").splitlines() if line.strip())


def with_listing(prepared: Prepared, line: int, path: str) -> Prepared:
    """The same reply with the listing that begins at `line`, from 1, used as the file at `path`."""
    parsed = placed(prepared.parsed, prepared.snapshot, {line: path})
    return replace(prepared, parsed=parsed, listings={**prepared.listings, line: path})


def listing_option(prepared: Prepared) -> str | None:
    """The file that `prepare` can be told as `listing_as`, if a listing is not read and would be an edit of it then."""
    for listing in prepared.usable_listings:
        with suppress(UsageError):
            if listing_for(prepared.parsed, prepared.snapshot, default_language(), listing.path) == listing.line:
                return listing.path
    return None


def as_planned(prepared: Prepared) -> Snapshot:
    """The files as the plan would leave them, for a model that goes on from there.

    The tree lists those that were listed, and those that the plan makes: not an ignored one that an edit only named.
    """
    files = dict(prepared.snapshot.files)
    gone = {change.path for change in prepared.plan.changes if change.after is None}
    for change in prepared.plan.changes:
        if change.after is not None:
            known = files.get(change.path) or FileText(change.path, "")
            files[change.path] = replace(known, text=change.after, seen=None)
    files = {path: file for path, file in files.items() if path not in gone}
    made = {change.path for change in prepared.plan.changes}
    return replace(prepared.snapshot, files=files, tree=(prepared.snapshot.tree | made) - gone)


def applied_before(workspace: Workspace, reply: str, plan: Plan, snapshot: Snapshot) -> Mapping[int, BlockResult]:
    """Results, by number, of edits that the journal knows as applied and that the plan takes for open or failed.

    The files alone cannot always tell: a deleted line leaves no trace, and a line put behind each of its kind could be
    put there again. Where the journal holds this very reply, applied and not undone, an edit of it is already applied
    if it is a deletion or move that finds nothing now, or while its file is still as the operation left it.
    """
    open_results = [
        result
        for result in plan.results
        if result.status in (Status.FITS, Status.FAILED)
        or (result.status is Status.LEFT_OUT and result.code is Code.OTHER_FAILED)
    ]
    operation = workspace.find_reply(reply) if open_results else None
    if operation is None:
        return {}
    done = (Status.WRITTEN, Status.STANDS_ALREADY)
    applied = {result["n"] for result in workspace.show(operation.id).results if result["status"] in done}
    left = {file.path: file.after.digest for file in operation.files if file.after is not None}
    files = snapshot.files

    def is_as_left(path: str | None) -> bool:
        return path is not None and path in left and path in files and files[path].digest == left[path]

    return {
        result.n: replace(
            result,
            status=Status.STANDS_ALREADY,
            code=None,
            reason=f"Operation {operation.id} applied it.",
            hint=None,
            nearest=None,
            places=(),
            enclosing=(),
            warnings=(),
        )
        for result in open_results
        # An edit that the operation did not apply is open, whatever the file looks like.
        if result.n in applied and (_finds_nothing_to_remove(result) or is_as_left(result.path))
    }


def _finds_nothing_to_remove(result: BlockResult) -> bool:
    """Return whether a deletion finds nothing, or a move no file."""
    if result.status is not Status.FAILED or result.code not in (*MISSED, Code.FILE_MISSING):
        return False
    block = result.block
    removes = block.kind in (Kind.DELETE, Kind.RENAME) or (block.kind is Kind.EDIT and not block.replace.strip())
    return removes or (result.code is Code.FILE_MISSING and block.destination is not None)


def with_on_failure(prepared: Prepared, on_failure: OnFailure, *, partial: bool = False) -> Prepared:
    """The same reply under another rule for what a failed edit means for the others.

    partial: somebody agreed that parts of the reply which are not read hold back nothing.
    """
    policy = replace(prepared.policy, on_failure=on_failure, partial=partial or prepared.policy.partial)
    return replace(prepared, policy=policy)


def with_place(prepared: Prepared, n: int, line: int) -> Prepared:
    """The same reply with edit `n` beginning at `line` of its file; resolves an ambiguity.

    Both count from 1. Raises `UsageError` if the reply has no such edit.
    """
    _check_numbers(prepared, (n,))
    return replace(prepared, parsed=with_lines(prepared.parsed, {n: line}))


def without(prepared: Prepared, numbers: Collection[int]) -> Prepared:
    """The same reply without some edits, by number from 1. Raises `UsageError` if the reply has no such edit."""
    _check_numbers(prepared, numbers)
    out = {n: not_selected(n, prepared.parsed, prepared.parsed.blocks[n - 1].path) for n in numbers}
    return replace(prepared, decided={**prepared.decided, **out})


def with_lines(parsed: Parsed, lines: Mapping[int, int]) -> Parsed:
    """The reply with some blocks, by number from 1, beginning at a line that somebody named."""
    blocks = list(parsed.blocks)
    for n, line in lines.items():
        blocks[n - 1] = blocks[n - 1].at_line(line)
    return replace(parsed, blocks=tuple(blocks))


def with_only(prepared: Prepared, chosen: Collection[int]) -> Prepared:
    """The same reply with nothing written but edits in `chosen`, by number from 1. One that failed stays failed.

    `extra_changes` go with the edits of their file. Raises `UsageError` if the reply has no such edit.
    """
    _check_numbers(prepared, chosen)
    # A file that was resolved as a whole is written if any edit of it is chosen.
    paths = {result.path for result in prepared.landed if result.n in chosen}
    now = replace(prepared, extra_changes=tuple(c for c in prepared.extra_changes if c.path in paths))
    first = True
    while True:  # without what is left out, another edit may land that was not chosen either
        out = _left_out(now, chosen, first=first)
        more = {n: result for n, result in out.items() if now.decided.get(n) != result}
        if not more:
            return now
        now = replace(now, decided={**now.decided, **more})
        first = False


def _left_out(prepared: Prepared, chosen: Collection[int], *, first: bool) -> dict[int, BlockResult]:
    """Results of the edits that were not chosen, by number; of some that do nothing anyway there is none.

    Once others are left out, a duplicate of an edit could land in its place: it goes with the edits of its file.
    """
    others = [result for result in prepared.plan.results if result.n not in chosen]
    paths = set() if first else {result.path for result in others if result.status is Status.FITS}
    out: dict[int, BlockResult] = {}
    for result in others:
        # Edits 1 and 2 are the same, and 1 is left out: 2 is no duplicate any more and would be written in its place.
        repeats = result.code is Code.DUPLICATE and result.path in paths
        if result.status is Status.FAILED:
            out[result.n] = result
        elif result.status is Status.FITS or result.code is Code.OTHER_FAILED or repeats:
            out[result.n] = not_selected(result.n, prepared.parsed, result.path)
    return out


def not_selected(n: int, parsed: Parsed, path: str | None) -> BlockResult:
    """The result of a block that somebody chose to leave out."""
    return BlockResult(n, parsed.blocks[n - 1], path, Status.LEFT_OUT, Code.NOT_SELECTED, "It was not chosen.")


def with_runs_held(prepared: Prepared, allowed: Collection[int] = ()) -> Prepared:
    """The same reply with the edits failed of files that other programs run unasked, but for those in `allowed`."""
    held: dict[int, BlockResult] = {}
    hooks = hooks_folder(prepared.workspace.root) if prepared.plan.changes and in_git(prepared.workspace.root) else None
    for change in prepared.plan.changes:
        run = run_of(change.path, change.before, change.after)
        if hooks is not None and Path(os.path.realpath(prepared.workspace.root / change.path)).is_relative_to(hooks):
            run = Runner("git", RunKind.HOOK)
        if run is None or not run.held:
            continue
        why = f"`{change.path}` is run by {run.program}, so a person has to allow the edit."
        hint = "Ask the user to make this change, or to allow it (--allow-runs)."
        for result in prepared.landed:
            if change.path in (result.path, result.block.destination) and result.n not in allowed:
                held[result.n] = replace(
                    result, status=Status.FAILED, code=Code.RUN_BY_OTHERS, reason=why, hint=hint, effect=None
                )
    return replace(prepared, decided={**prepared.decided, **held}) if held else prepared


def _check_numbers(prepared: Prepared, numbers: Collection[int]) -> None:
    count = len(prepared.parsed.blocks)
    for n in numbers:
        if not 1 <= n <= count:
            raise UsageError(f"The reply has no edit {n}.", hint="Take the `n` of one of the plan's results.")


class GitChoice(NamedTuple):
    """What git does with the written files: stage or commit them; a blank `message` becomes one that names them."""

    add: bool = False
    commit: bool = False
    message: str | None = None


NO_GIT = GitChoice()


class Committed(NamedTuple):
    """What was written, and the operation that undoes it; None if nothing was to be written.

    staged: what git took. git_error: why git did not; the files are written all the same.
    findings: diagnostics about the journal.
    """

    prepared: Prepared
    operation: Operation | None
    staged: Staged | None = None
    git_error: WorkspaceError | None = None
    findings: tuple[Diagnostic, ...] = ()

    @property
    def plan(self) -> Plan:
        """The plan that was written, or would have been."""
        return self.prepared.plan


def commit(
    prepared: Prepared,
    git: GitChoice = NO_GIT,
    *,
    merge: bool = False,
    workspace: Workspace | None = None,
    origin: Origin | None = None,
) -> Committed:
    """Write the plan, whole or not at all, and record it in the journal; then let git have it.

    merge: where somebody else changed other lines of a file since the plan was made, make it again on the file as it
    is; `Committed.prepared` is what was written. Without it, that is a `ChangedError`.
    workspace: the one to write, if the one that was planned for is closed by now. origin: the agent whose call it was.
    Raises `ChangedError` if a file changed so that an edit does not fit it any more, other `WorkspaceError`s, and
    `UsageError` if git is asked for outside a work tree; then nothing is written.
    """
    workspace = workspace or prepared.workspace
    check_git(workspace, git)
    if not prepared.plan.changes:
        return Committed(prepared, None)
    earlier = len(workspace.findings)  # of an earlier commit of the same workspace
    for tries_left in reversed(range(_TRIES)):
        try:
            operation = _write(prepared, workspace, origin)
            break
        except ChangedError:
            if not (merge and tries_left):
                raise
            prepared = _planned_again(prepared, workspace)
    if operation is None:
        return Committed(prepared, None, findings=workspace.findings[earlier:])
    staged, git_error = None, None
    try:
        with written(operation):
            if git.commit:
                staged = commit_in_git(workspace, operation, git.message)
            elif git.add:
                staged = workspace.git_add(operation.id)
    except WorkspaceError as error:
        git_error = error
    return Committed(prepared, operation, staged, git_error, workspace.findings[earlier:])


def _write(prepared: Prepared, workspace: Workspace, origin: Origin | None) -> Operation | None:
    """Write the plan's changes as one operation; None where others made all of them already."""
    plan = prepared.plan
    if not plan.changes:
        return None
    encoding = workspace.charsets.encoding
    terms = dict(ReplyOptions(prepared.policy, markers=prepared.markers, encoding=encoding).record)
    if prepared.steps:
        terms["steps"] = list(prepared.steps)
    if prepared.listings:
        terms["listings"] = {str(line): path for line, path in prepared.listings.items()}
    results = [records.of_explained(result, written=True) for result in plan.results]
    return workspace.commit(
        plan.changes, prepared.snapshot, reply=prepared.reply, results=results, terms=terms, origin=origin
    )


def _planned_again(prepared: Prepared, workspace: Workspace) -> Prepared:
    """The same reply and choices on the files as they are now, merged with what others wrote since the plan was made.

    Raises `ChangedError` if an edit that landed does not any more, or a whole file is to be written that has changed.
    """
    known = prepared.snapshot.files
    # What the edits were planned on counts as seen by the model now, so what others wrote since is merged like any
    # stale text. A `seen` that was there already is older, and stays.
    seen = {path: text for path, file in known.items() if (text := file.text if file.seen is None else file.seen)}
    tree = workspace.tree()
    snapshot = workspace.snapshot(wanted_paths(prepared.parsed, tree), seen=seen, tree=tree)
    again = replace(prepared, snapshot=snapshot)
    for change in prepared.extra_changes:
        if (now := snapshot.files.get(change.path)) is None or now.text != change.before:
            raise ChangedError(
                f"`{change.path}` has changed since it was read; nothing was written.", hint="Run it again."
            )
    lost = {result.n for result in prepared.landed} - {r.n for r in again.plan.results if r.status in _DONE}
    for result in again.plan.results:
        if result.n in lost:
            what = f"`{result.path}` has changed since it was read, and edit {result.n} does not fit any more"
            raise ChangedError(f"{what}; nothing was written. {result.reason or ''}".rstrip(), hint=result.hint)
    return again


def message_for_model(plan: Plan, *, written: bool, markers: Markers, files: Mapping[str, str]) -> str | None:
    """What asks a model for a plan's failed edits, and for what was not read; None if it is not needed."""
    if not (plan.failed or plan.missed):
        return None
    from dovetail.session.apply.correction import retry_message  # 20 modules that only failed edits need

    results = plan.results if written else plan.with_rivals
    return retry_message(results, written=written, markers=markers, files=files)


def rehearse(prepared: Prepared, git: GitChoice = NO_GIT) -> None:
    """Raise what `commit` would raise before it writes, so that a dry run says yes only to what can be written."""
    check_git(prepared.workspace, git)
    if prepared.plan.changes:
        prepared.workspace.check_commit(prepared.plan.changes, prepared.snapshot)


def check_git(workspace: Workspace, git: GitChoice) -> None:
    """Raise `UsageError` where git is asked for outside a work tree."""
    if (git.add or git.commit) and not in_git(workspace.root):
        raise UsageError(f"`{workspace.root}` is in no git work tree.", hint="Leave out --git-add and --commit.")


def commit_in_git(workspace: Workspace, operation: Operation, message: str | None = None) -> Staged:
    """Commit an operation's files as it left them; a blank `message` becomes one that names them.

    Raises `WorkspaceError` where git does not.
    """
    paths = operation.paths
    subject = f"Apply edits to {paths[0]}" if len(paths) == 1 else f"Apply edits to {len(paths)} files"
    names = subject + "\n\n" + "".join(f"- {path}\n" for path in paths)
    return workspace.git_commit(operation.id, (message or "").strip() or names)
