"""The library's functions: plan or apply a reply, undo it.

Files are a mapping from path to text, for programs that keep files themselves, or a folder, which is written and
journalled as the command line does it. A program may hold its files under any spelling of their paths, with ``./`` in
front or from the disk's root. They are planned under their plain paths, and the plan names them as the program does.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from dovetail.formats import parse
from dovetail.formats.table import AUTO
from dovetail.model.arguments import check_markers, check_text, check_texts, kind_of, several
from dovetail.model.blocks import Block, Parsed
from dovetail.model.codes import Code, Status
from dovetail.model.errors import JailError, UsageError
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.policy import DEFAULT_POLICY, Policy
from dovetail.model.results import BlockResult, Plan
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.plan import plan, wanted_paths, with_commands
from dovetail.session.apply import operations
from dovetail.session.apply.applying import Committed, Prepared, commit, message_for_model, prepare
from dovetail.session.apply.placing import placed
from dovetail.session.settings import ReplyOptions
from dovetail.syntax import default_language
from dovetail.text.path_spelling import is_absolute
from dovetail.workspace import Workspace
from dovetail.workspace.arguments import folder
from dovetail.workspace.arguments import operation as checked_operation
from dovetail.workspace.names import check_path
from dovetail.workspace.operation import Operation

Files = Mapping[str, str]
Root = str | os.PathLike[str]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Applied:
    """A reply that was applied.

    plan: the result of every edit and the change of every file.
    operation: the id that `undo` takes; None for texts in memory, and if nothing was written.
    markers: the markers that the reply was parsed with; `retry` writes the same.
    before: the texts that the reply was planned on; `retry` quotes them.
    """

    plan: Plan
    operation: str | None = None
    markers: Markers = DEFAULT_MARKERS
    before: Files = field(default_factory=dict, repr=False)

    @property
    def ok(self) -> bool:
        """True if the reply has an edit, all of it was read, none failed, and none gave way to the file's lines.

        Edits that were applied already count, too; a draft in the reply's reasoning is no edit.
        """
        edits = [result for result in self.plan.results if not result.block.draft]
        left = bool(self.plan.missed) or any(result.code is Code.STALE for result in edits)
        return bool(edits) and not self.plan.failed and not left

    @property
    def files(self) -> dict[str, str | None]:
        """The files that change: path to new text, or to None for a file that is gone. Others are left out."""
        return {change.path: change.after for change in self.plan.changes}

    @property
    def failed(self) -> tuple[BlockResult, ...]:
        """The results of the edits that failed."""
        return self.plan.failed

    @property
    def retry(self) -> str | None:
        """The message that asks the model for the failed edits and unread parts again; None if there are none."""
        written = any(result.status in (Status.FITS, Status.WRITTEN) for result in self.plan.results)
        return message_for_model(self.plan, written=written, markers=self.markers, files=self.before)


def _applied(prepared: Prepared, operation: Operation | None) -> Applied:
    plan, markers, texts = prepared.plan, prepared.markers, prepared.texts
    return (
        Applied(plan, None, markers, texts)
        if operation is None
        else Applied(plan.as_written, operation.id, markers, texts)
    )


@dataclass(frozen=True, slots=True)
class Preview:
    """A reply planned on a folder, to be looked at before it is written.

    plan: the result of every edit and the change of every file, as `write` would make it.
    """

    plan: Plan
    _prepared: Prepared = field(repr=False)

    @property
    def retry(self) -> str | None:
        """The message that asks the model for the failed edits and unread parts again; None if there are none."""
        prepared = self._prepared
        return message_for_model(self.plan, written=False, markers=prepared.markers, files=prepared.texts)

    def write(self) -> Applied:
        """Write the plan as it was shown, all changes or none, and record the operation.

        Raises `ChangedError` if a file changed since, and other `WorkspaceError`s if the folder does not allow it. Then
        nothing was written.
        """
        prepared = self._prepared
        with Workspace.open(prepared.workspace.root, encoding=prepared.workspace.charsets.encoding) as workspace:
            operation = commit(prepared, workspace=workspace).operation
        return _applied(prepared, operation)


def make_plan(
    reply: str | Parsed | Sequence[Block],
    files: Files | Snapshot,
    policy: Policy = DEFAULT_POLICY,
    *,
    format: str = AUTO,  # noqa: A002 - the user's own word
    markers: Markers = DEFAULT_MARKERS,
    seen: Files | None = None,
    root: str = "",
) -> Plan:
    """Find where each edit of a reply lands in `files`, and what every file would become. Changes nothing.

    reply: a text, or what was parsed from one. `format` and `markers` say how a text is read.
    files: path to text, of all files that exist; or a `Snapshot`.
    seen: path to the text that the model saw, for files that may have changed since; a `Snapshot` has its own.
    root: the absolute path of the folder that the paths in `files` are relative to, for commands with absolute paths.

    Raises `UsageError` for a format that does not exist, for an argument of the wrong type, and for two spellings of
    one path in `files`. What is wrong with the reply is never raised: it is a result.
    """
    _check_options(policy, markers)
    if not isinstance(files, Snapshot):
        check_texts(files)
    if seen is not None:
        check_texts(seen, "seen")
    match reply:
        case str():
            parsed = parse(reply, format=format, markers=markers)
        case Parsed():
            parsed = reply
        case _:
            if not isinstance(reply, list | tuple):
                check_text(reply)  # raises: it is no text either
            hint = "Hand in what was parsed, for example: dovetail.parse(reply).blocks"
            parsed = Parsed(tuple(several(reply, Block, "blocks", hint)))
    if isinstance(files, Snapshot):
        if seen is not None:
            hint = "Give it with the snapshot: workspace.snapshot(paths, seen=…)"
            raise UsageError("A snapshot says itself what the model saw, and `seen` is given, too.", hint=hint)
        parsed = with_commands(placed(parsed, files), files, policy.commands, root=root)
        return plan(parsed, files, policy, default_language())
    return plan_for(parsed, files, policy, seen, root=root)


def preview(
    reply: str,
    root: Root,
    policy: Policy = DEFAULT_POLICY,
    *,
    format: str = AUTO,  # noqa: A002 - the user's own word
    markers: Markers = DEFAULT_MARKERS,
    seen: Files | None = None,
) -> Preview:
    """Plan a reply on the files of a folder and write nothing. `Preview.write` writes what was shown.

    root: the path of the folder.
    policy, format, markers, seen: as `make_plan` takes them.

    Raises `UsageError` as `make_plan` does, and `WorkspaceError` if the folder cannot be read.
    """
    prepared = _prepare(reply, root, policy, format=format, markers=markers, seen=seen)
    with prepared.workspace:
        return Preview(prepared.plan, prepared)


def apply(
    reply: str,
    files: Files | Root,
    policy: Policy = DEFAULT_POLICY,
    *,
    format: str = AUTO,  # noqa: A002 - the user's own word
    markers: Markers = DEFAULT_MARKERS,
    seen: Files | None = None,
) -> Applied:
    """Apply a reply to texts in memory, or to the files of a folder.

    files: a mapping from path to text, of all files that exist, or the path of a folder. A mapping is not changed: the
    new texts are in `Applied.files`, under the paths that were given. A folder is written, all changes or none, and
    the operation is recorded in its journal.
    policy, format, markers, seen: as `make_plan` takes them.

    Raises `UsageError` as `make_plan` does, and `WorkspaceError` where the folder does not allow it. Then nothing was
    written. What is wrong with the reply is never raised: it is a result.
    """
    return _apply(reply, files, policy, format=format, markers=markers, seen=seen)


def _apply(
    reply: str,
    files: Files | Root,
    policy: Policy,
    *,
    format: str,  # noqa: A002 - the user's own word
    markers: Markers,
    seen: Files | None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Applied:
    if isinstance(files, Mapping):
        check_text(reply)
        plan = make_plan(reply, files, policy, format=format, markers=markers, seen=seen)
        return Applied(plan, markers=markers, before=dict(files))
    prepared = _prepare(reply, files, policy, format=format, markers=markers, seen=seen)
    with prepared.workspace:
        committed = Committed(prepared, None) if cancelled() else commit(prepared, merge=True)
    prepared, operation = committed.prepared, committed.operation
    return _applied(prepared, operation)


def _prepare(
    reply: str,
    files: Root,
    policy: Policy,
    *,
    format: str,  # noqa: A002 - the user's own word
    markers: Markers,
    seen: Files | None,
) -> Prepared:
    """Check the arguments, and plan the reply on a folder, whose workspace stays open."""
    check_text(reply)
    _check_folder(files)
    _check_options(policy, markers)
    if seen is not None:
        check_texts(seen, "seen")
    return prepare(folder(files, "files"), reply, ReplyOptions(policy, format, markers), seen=seen)


async def apply_async(
    reply: str,
    files: Files | Root,
    policy: Policy = DEFAULT_POLICY,
    *,
    format: str = AUTO,  # noqa: A002 - the user's own word
    markers: Markers = DEFAULT_MARKERS,
    seen: Files | None = None,
) -> Applied:
    """Do what `apply` does, in a thread.

    If the task is cancelled before files are written, none is. If it is cancelled while they are written, they are
    written whole before the cancellation takes effect.
    """
    cancelled = threading.Event()
    work = partial(_apply, reply, files, policy, format=format, markers=markers, seen=seen, cancelled=cancelled.is_set)
    return await _in_thread(work, cancelled)


async def make_plan_async(
    reply: str | Parsed | Sequence[Block],
    files: Files | Snapshot,
    policy: Policy = DEFAULT_POLICY,
    *,
    format: str = AUTO,  # noqa: A002 - the user's own word
    markers: Markers = DEFAULT_MARKERS,
    seen: Files | None = None,
) -> Plan:
    """Do what `make_plan` does, in a thread."""
    return await _in_thread(partial(make_plan, reply, files, policy, format=format, markers=markers, seen=seen))


async def _in_thread(work: Callable[[], T], cancelled: threading.Event | None = None) -> T:
    """Run work in a thread. If the task is cancelled, set `cancelled`, if given, and wait for the thread to end."""
    import asyncio  # only asynchronous programs need it, and they have it

    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        # A thread cannot be stopped, so a cancelled task waits for one that may be writing.
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        if cancelled is not None:
            cancelled.set()
            await asyncio.wait([running])
        raise


def undo(root: Root, operation: str | None = None) -> tuple[str, ...]:
    """Take back an operation in a folder, and return the paths of the files that changed.

    operation: its id, or the start or end of one; None for the newest that was not taken back.

    Raises `JournalError` if there is no such operation, or a file was edited since and the two cannot be merged. Then
    nothing was written.
    """
    return tuple(change.path for change in operations.undo(folder(root), checked_operation(operation)).changes)


def undo_to(root: Root, operation: str) -> tuple[str, ...]:
    """Take back, in one step, every apply after an operation, and return the paths of the files that changed.

    operation: its id, or the start or end of one. The operation itself is not taken back.

    Raises `JournalError` as `undo` does. Then nothing was written.
    """
    wanted = checked_operation(operation)
    if wanted is None:
        raise UsageError("No operation is named.", hint="Hand in its id, as `apply` and the log have it.")
    return tuple(change.path for change in operations.undo_to(folder(root), wanted).changes)


def redo(root: Root) -> tuple[str, ...]:
    """Do again what the newest undo took back, and return the paths of the files that changed.

    Raises `JournalError` if nothing was taken back, or something was applied since. Then nothing was written.
    """
    return tuple(change.path for change in operations.redo(folder(root)).changes)


def _check_folder(files: object) -> None:
    if not isinstance(files, str | os.PathLike):
        hint = 'Hand in texts by their paths, for example: {"app.py": text}, or the path of a folder that holds them.'
        raise UsageError(f"`files` is of the type {kind_of(files)}.", hint=hint)


def _check_options(policy: object, markers: object) -> None:
    if not isinstance(policy, Policy):
        hint = f'For example: dovetail.Policy(on_failure="block"), not {policy!r}'
        raise UsageError(f"The policy is of the type {kind_of(policy)}.", hint=hint)
    check_markers(markers)


_ROOT = re.compile(r"(?:[A-Za-z]:|~)?/+")


def plan_for(
    parsed: Parsed,
    files: Mapping[str, str],
    policy: Policy,
    seen: Mapping[str, str] | None = None,
    *,
    root: str = "",
    folder: str = "",
) -> Plan:
    """Plan a reply on `files` (path to text). seen: the texts that the model saw, by path.

    root: the absolute path of the folder that the paths are relative to, for the commands of the reply.
    folder: the folder in which the commands start.

    Raises `UsageError` if two of the paths are spellings of one.
    """
    names: dict[str, str] = {}
    for name in files:
        other = names.setdefault(_plain(name), name)
        if other != name:
            raise UsageError(f"`{other}` and `{name}` are the same file.", hint="Give each file once.")
    plain = {name: path for path, name in names.items() if path != name}

    def with_plain_paths(block: Block) -> Block:
        path, target = (plain.get(name, name) if name is not None else None for name in (block.path, block.destination))
        return replace(block, path=path, destination=target)

    # The reply, the policy and the texts are turned to plain paths for the plan, and the plan is turned back below.
    if plain:
        blocks, unread = (tuple(map(with_plain_paths, some)) for some in (parsed.blocks, parsed.unread))
        parsed = replace(parsed, blocks=blocks, unread=unread)
        policy = policy if policy.only is None else replace(policy, only=tuple(map(_plain, policy.only)))
        files = {path: files[name] for path, name in names.items()}
        seen = {_plain(name): text for name, text in (seen or {}).items()}
    snapshot = snapshot_of(files, wanted_paths(parsed, files), seen)
    # Listings and commands are read as edits now that the files are at hand. Those may want further files.
    if parsed.unread or parsed.shell_suggestions:
        readied = with_commands(placed(parsed, snapshot), snapshot, policy.commands, root=root, folder=folder)
        if readied.blocks != parsed.blocks:
            snapshot = snapshot_of(files, wanted_paths(readied, files), seen)
        parsed = readied
    planned = plan(parsed, snapshot, policy, default_language())
    return _renamed(planned, names) if plain else planned


def snapshot_of(files: Mapping[str, str], wanted: Iterable[str], seen: Mapping[str, str] | None = None) -> Snapshot:
    """Return the snapshot of `files` (path to text) for a reply that names the paths `wanted`.

    seen: the texts that the model saw, by path, as far as they are known.
    """
    refused: dict[str, str] = {}
    for path in wanted:
        if is_absolute(path):  # the plan judges these
            continue
        try:
            check_path(path)
        except JailError as error:
            refused[path] = error.message
    known = seen or {}
    texts = {path: FileText(path, text, seen=known.get(path)) for path, text in files.items() if path not in refused}
    return Snapshot(texts, frozenset(files), refused)


def _plain(name: str) -> str:
    """Return a path without a root in front, ``.`` and ``//``; unchanged if it has ``..``, or nothing is left."""
    path = name.replace("\\", "/")
    root = _ROOT.match(path)
    parts = path[root.end() if root is not None else 0 :].split("/")
    return name if ".." in parts else "/".join(part for part in parts if part not in ("", ".")) or name


def _renamed(planned: Plan, names: Mapping[str, str]) -> Plan:
    def spelled(path: str | None) -> str | None:
        return path if path is None else names.get(path, path)

    results = tuple(
        replace(r, path=spelled(r.path), warnings=tuple(replace(w, path=spelled(w.path)) for w in r.warnings))
        for r in planned.results
    )
    changes = tuple(replace(c, path=names.get(c.path, c.path), source=spelled(c.source)) for c in planned.changes)
    return replace(planned, results=results, changes=changes)
