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
"""Codes of failures that only the user can resolve: sending the edit again in other words would not help."""

_TRIES = 50  # attempts to write a plan whose files others change meanwhile
_DONE = (Status.FITS, Status.STANDS_ALREADY)


class UsableListing(NamedTuple):
    """A listing that is no edit by itself, and would be one of the file at `path` if a person says so.

    line: where it begins in the reply, from 1. reason: why it is not read as an edit.
    result, change: the result of the edit, and its file's change, if it is used.
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

    markers: the markers that the reply was parsed with.
    decided: results, by the number of the block from 1, of blocks that are not planned.
    extra_changes: whole files as the user wants them, written whatever the edits come to.
    steps: the first block of each step, as `plan` takes them: its edits are located in the files with all earlier ones.
    listings: the files that a person named for listings, by the line in which each listing begins.
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
        """The plan of the reply; each block keeps its number in the reply."""
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
        """The listings that are not edits, and could be used as edits of the files that they seem to be for.

        A listing that would leave its file with fewer lines is left out.
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
        """The failed edits that fit several places, so that a choice of one would resolve them."""
        return tuple(r for r in self.plan.failed if r.code is Code.AMBIGUOUS and r.places)

    @property
    def options(self) -> tuple[tuple[BlockResult, ...], ...]:
        """Groups of failed edits that replace the same search in the same file by different texts, to choose from."""
        groups: dict[tuple[str | None, str], list[BlockResult]] = {}
        for result in self.plan.failed:
            if result.code is Code.CONFLICT and result.block.search:
                groups.setdefault((result.path, result.block.search), []).append(result)
        return tuple(tuple(group) for group in groups.values() if len(group) > 1)

    @property
    def repairable(self) -> tuple[BlockResult, ...]:
        """The failures that the model may correct, and the unread parts of the reply.

        If two edits change the same lines, the one that fits is included: the model is to make one edit of both.
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

    seen: by path, the texts that the model saw, for files that may have changed since.
    from_root: turns a path of the reply into one that is relative to the root.
    listing_as: the file for the reply's only listing that is no edit by itself.

    Raises `UsageError` for a format that does not exist, and for `listing_as` if there is no such listing, or it has no
    place in that file; `WorkspaceError` if the root cannot be read.
    """
    with ExitStack() as opened:
        workspace = opened.enter_context(Workspace.open(root, encoding=options.encoding))
        parsed = parse(reply, format=options.format, markers=options.markers)
        if from_root is not None:
            parsed = parsed.with_paths(from_root)
        parsed = parsed.relative_to(str(workspace.root))
        tree = workspace.tree()
        # Which listings and commands are edits depends on the files, and which files to read depends on the edits. So
        # files are read, listings are placed, and further files are read if that found more edits.
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
    """Return the same reply with its commands read as the edits that they would make; None if that changes no file.

    Commands are never run, so a person can be asked to agree to these edits instead.
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
    """Return how many lines that are not blank a file would have."""
    after = next((change.after for change in prepared.plan.changes if change.path == path), prepared.texts[path])
    return sum(1 for line in (after or "").splitlines() if line.strip())


def with_listing(prepared: Prepared, line: int, path: str) -> Prepared:
    """Return the same reply with the listing that begins at `line`, from 1, used as the file at `path`."""
    parsed = placed(prepared.parsed, prepared.snapshot, {line: path})
    return replace(prepared, parsed=parsed, listings={**prepared.listings, line: path})


def listing_option(prepared: Prepared) -> str | None:
    """Return a path that `prepare` would accept as `listing_as`; None if no unread listing can be used so."""
    for listing in prepared.usable_listings:
        with suppress(UsageError):
            if listing_for(prepared.parsed, prepared.snapshot, default_language(), listing.path) == listing.line:
                return listing.path
    return None


def as_planned(prepared: Prepared) -> Snapshot:
    """Return the snapshot as the plan would leave the files, for a model that goes on from there.

    Its tree has the plan's new files, and not the removed ones; an ignored file that an edit only names is not added.
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
    """Return results, by number, of edits that are applied by the journal, and fit or fail in the plan.

    The files alone do not always show it: a deleted line leaves no trace, and a line that was added after each line of
    a kind would fit again. If the journal has this very reply, applied and not undone, an edit of it counts as applied
    if it is a deletion or move that finds nothing now, or if its file is still as the operation left it.
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
    """Return whether a failed edit is a deletion that found nothing, or a move that found no file."""
    if result.status is not Status.FAILED or result.code not in (*MISSED, Code.FILE_MISSING):
        return False
    block = result.block
    removes = block.kind in (Kind.DELETE, Kind.RENAME) or (block.kind is Kind.EDIT and not block.replace.strip())
    return removes or (result.code is Code.FILE_MISSING and block.destination is not None)


def with_on_failure(prepared: Prepared, on_failure: OnFailure, *, partial: bool = False) -> Prepared:
    """Return the same reply with another rule for what a failed edit means for the others.

    partial: unread parts of the reply hold back no edit, as somebody agreed to that.
    """
    policy = replace(prepared.policy, on_failure=on_failure, partial=partial or prepared.policy.partial)
    return replace(prepared, policy=policy)


def with_place(prepared: Prepared, n: int, line: int) -> Prepared:
    """Return the same reply with edit `n` beginning at `line` of its file; resolves an ambiguity.

    Both count from 1. Raises `UsageError` if the reply has no such edit.
    """
    _check_numbers(prepared, (n,))
    return replace(prepared, parsed=with_lines(prepared.parsed, {n: line}))


def without(prepared: Prepared, numbers: Collection[int]) -> Prepared:
    """Return the same reply without some edits, by number from 1. Raises `UsageError` if the reply has no such edit."""
    _check_numbers(prepared, numbers)
    out = {n: not_selected(n, prepared.parsed, prepared.parsed.blocks[n - 1].path) for n in numbers}
    return replace(prepared, decided={**prepared.decided, **out})


def with_lines(parsed: Parsed, lines: Mapping[int, int]) -> Parsed:
    """Return the reply with some blocks, by number from 1, beginning at a line that somebody named."""
    blocks = list(parsed.blocks)
    for n, line in lines.items():
        blocks[n - 1] = blocks[n - 1].at_line(line)
    return replace(parsed, blocks=tuple(blocks))


def with_only(prepared: Prepared, chosen: Collection[int]) -> Prepared:
    """Return the same reply with nothing written but edits in `chosen`, by number from 1. One that failed stays failed.

    `extra_changes` go with the edits of their file. Raises `UsageError` if the reply has no such edit.
    """
    _check_numbers(prepared, chosen)
    # A file that was resolved as a whole is written if any edit of it is chosen.
    paths = {result.path for result in prepared.landed if result.n in chosen}
    now = replace(prepared, extra_changes=tuple(c for c in prepared.extra_changes if c.path in paths))
    first = True
    while True:  # without the edits that are left out, others may land that were not chosen either
        out = _left_out(now, chosen, first=first)
        more = {n: result for n, result in out.items() if now.decided.get(n) != result}
        if not more:
            return now
        now = replace(now, decided={**now.decided, **more})
        first = False


def _left_out(prepared: Prepared, chosen: Collection[int], *, first: bool) -> dict[int, BlockResult]:
    """Return results, by number, of the edits that were not chosen, but for some that change nothing anyway.

    Not in the first pass: a duplicate is left out with the other edits of its file, as it could land in their place.
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
    """Return the result of a block that somebody chose to leave out."""
    return BlockResult(n, parsed.blocks[n - 1], path, Status.LEFT_OUT, Code.NOT_SELECTED, "It was not chosen.")


def with_runs_held(prepared: Prepared, allowed: Collection[int] = ()) -> Prepared:
    """Return the same reply with edits failed if other programs run their files unasked (hooks, settings).

    allowed: numbers of edits that a person allowed all the same.
    """
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
    """What git does with the written files: stage or commit them. message: None or blank for a list of the files."""

    add: bool = False
    commit: bool = False
    message: str | None = None


NO_GIT = GitChoice()


class Committed(NamedTuple):
    """A commit: the reply as it was written, and the journal's operation; None if there was nothing to write.

    staged: what git staged or committed. git_error: why git failed; the files are written all the same.
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
    """Write the plan, whole or not at all, and record it in the journal; then stage or commit it with git.

    merge: if somebody else changed other lines of a file since, plan again on the file as it is now;
    `Committed.prepared` is what was written. Without it, any change of a file raises `ChangedError`.
    workspace: the one to write to, if the plan's own is closed by now. origin: the agent whose call it was.
    Raises `ChangedError` if a file changed so that an edit does not fit any more, other `WorkspaceError`s, and
    `UsageError` if git is asked for outside a work tree; then nothing is written.
    """
    workspace = workspace or prepared.workspace
    check_git(workspace, git)
    if not prepared.plan.changes:
        return Committed(prepared, None)
    earlier = len(workspace.findings)  # findings of earlier commits of the same workspace
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
    """Write the plan's changes as one operation; return None if there are none, as others have made them by now."""
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
    """Return the same reply and choices on the files as they are now, merged with what others wrote since.

    Raises `ChangedError` if an edit that landed does not any more, or a file of `extra_changes` has changed.
    """
    known = prepared.snapshot.files
    # The texts of the first plan count as seen by the model now, so what others wrote since is merged like any change
    # since then. A `seen` that was there already is older, and stays.
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
    """Return the message that asks a model for a plan's failed edits and unread parts; None if there are none."""
    if not (plan.failed or plan.missed):
        return None
    from dovetail.session.apply.correction import retry_message  # 20 modules that only failed edits need

    results = plan.results if written else plan.with_rivals
    return retry_message(results, written=written, markers=markers, files=files)


def rehearse(prepared: Prepared, git: GitChoice = NO_GIT) -> None:
    """Raise what `commit` would raise before it writes, so that a dry run passes only if the plan can be written."""
    check_git(prepared.workspace, git)
    if prepared.plan.changes:
        prepared.workspace.check_commit(prepared.plan.changes, prepared.snapshot)


def check_git(workspace: Workspace, git: GitChoice) -> None:
    """Raise `UsageError` if git is to stage or commit outside a work tree."""
    if (git.add or git.commit) and not in_git(workspace.root):
        raise UsageError(f"`{workspace.root}` is in no git work tree.", hint="Leave out --git-add and --commit.")


def commit_in_git(workspace: Workspace, operation: Operation, message: str | None = None) -> Staged:
    """Commit an operation's files as it left them; None or a blank `message` becomes one that names them.

    Raises `WorkspaceError` if git does not commit.
    """
    paths = operation.paths
    subject = f"Apply edits to {paths[0]}" if len(paths) == 1 else f"Apply edits to {len(paths)} files"
    names = subject + "\n\n" + "".join(f"- {path}\n" for path in paths)
    return workspace.git_commit(operation.id, (message or "").strip() or names)
