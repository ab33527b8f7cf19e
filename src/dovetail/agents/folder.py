"""Applies a log's session to a folder: its files today and before, and its edits taken back as one operation."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from dovetail.agents.followed import with_commands
from dovetail.agents.session_log import AgentLog, CallOutcome, LoggedEdit, RowKind
from dovetail.agents.states import NEEDS_BASE, States, Texts, Timeline, take_back
from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Code, Severity, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.model.policy import DEFAULT_POLICY, Policy
from dovetail.model.results import BlockResult, Effect, FileChange
from dovetail.model.snapshot import Snapshot
from dovetail.model.text import IndexedText, Span
from dovetail.plan.judge import judge
from dovetail.shell.named import files_named
from dovetail.syntax import default_language
from dovetail.text.diff import diff
from dovetail.workspace import Operation, Workspace
from dovetail.workspace.git import ask, run
from dovetail.workspace.names import check_path

_MARK = "\ufeff"  # before the text of a file, and no part of it
_NAME_BASE = "Name a folder, or a commit of git."
_MOST_NAMED = 12  # rows that a sentence names
_SHOWN = "The log's session is taken back: "
_LOOK = "The log says that this stood there before. If it is to come back all the same:"


@dataclass(frozen=True, slots=True)
class SessionUndo:
    """A planned undo of a log's edits; nothing is written before `commit`.

    problems: why the plan must not be written; empty if it may be. warnings: other findings.
    outside: files of the edits that are outside of the folder, and left alone.
    stays: chosen rows that are not taken back, as the log does not have their changes.
    """

    changes: tuple[FileChange, ...]
    snapshot: Snapshot
    reply: str
    problems: tuple[Diagnostic, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    outside: tuple[str, ...] = ()
    stays: tuple[LoggedEdit, ...] = ()

    def commit(self, workspace: Workspace) -> Operation:
        """Write all of it, as one operation of the journal. Raises as `Workspace.commit` does."""
        return workspace.commit(self.changes, self.snapshot, reply=self.reply)


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """Files of a folder or commit: their texts, without a byte-order mark, and the paths of those with one."""

    texts: Texts
    marked: frozenset[str] = frozenset()


def located(log: AgentLog, paths: Iterable[str]) -> AgentLog:
    """Return the log with its paths relative to the folder that has the files `paths`.

    If the log names no folder, its paths are absolute; the folder is then the one under which most of them exist.
    """
    if log.root:
        return log
    known = frozenset(paths)
    roots: dict[str, int] = {}
    for path in dict.fromkeys(path for edit in log.edits for path in edit.paths):
        parts = PurePosixPath(path).parts
        # /home/me/app/src/a.py: the longest ending that is a file of the folder is `src/a.py`, so the root is
        # /home/me/app.
        for at in range(1, len(parts)):
            if "/".join(parts[at:]) in known:
                root = str(PurePosixPath(*parts[:at]))
                roots[root] = roots.get(root, 0) + 1
                break
    # The majority decides, as a single file may have the name of one elsewhere.
    root = max(roots, key=roots.__getitem__, default="")
    if not root:
        return log
    edits = tuple(
        replace(
            edit,
            blocks=tuple(block.relative_to(root) for block in edit.blocks),
            effects=tuple(effect.relative_to(root) for effect in edit.effects),
        )
        for edit in log.edits
    )
    return replace(log, root=root, edits=edits)


def files_at(root: Path, base: str, paths: Iterable[str]) -> FolderFiles:
    """Return the files `paths` as they were before a session.

    base: a folder with them, or a commit of the work tree at `root`. Raises `UsageError` if it is neither.
    """
    folder = root / base
    if folder.is_dir():
        return _files(folder, paths)
    if ask(root, "rev-parse", "--verify", "--quiet", f"{base}^{{commit}}") is None:
        raise UsageError(f"`{base}` is neither a folder nor a commit.", hint=_NAME_BASE)
    texts = {path: _committed(root, base, path) for path in paths}
    marked = frozenset(path for path, text in texts.items() if text is not None and text.startswith(_MARK))
    return FolderFiles(
        {path: text.removeprefix(_MARK) if text is not None else None for path, text in texts.items()}, marked
    )


def followed(log: AgentLog, root: Path, base: str | None) -> AgentLog:
    """Return the log with the effects of each command that can be followed.

    base: a folder or commit with the files before the session; without it, only texts in the log are known.
    """
    commands = [row.command for row in log.edits if row.kind is RowKind.COMMAND]
    if base is None or not commands:
        return with_commands(log, None, ())
    tree = _tree_at(root, base)
    named = {path for command in commands for path in files_named(command, tree)}
    wanted = dict.fromkeys([*filter(_is_inside, paths_of(log)), *sorted(named)])
    return with_commands(log, files_at(root, base, wanted).texts, tree)


def _tree_at(root: Path, base: str) -> frozenset[str]:
    """Return the paths of all files in a folder or commit. Raises `UsageError` if `base` is neither."""
    folder = root / base
    if folder.is_dir():
        with Workspace.open(folder) as workspace:
            return workspace.tree()
    try:
        return frozenset(
            run(root, "ls-tree", "-r", "-z", "--name-only", base).decode("utf-8", "replace").split("\0")
        ) - {""}
    except WorkspaceError:
        raise UsageError(f"`{base}` is neither a folder nor a commit.", hint=_NAME_BASE) from None


def _committed(root: Path, commit: str, path: str) -> str | None:
    try:
        return run(root, "show", f"{commit}:./{path}").decode("utf-8")
    except (WorkspaceError, UnicodeDecodeError):  # it was not there, or is no text
        return None


def _files(root: Path, paths: Iterable[str]) -> FolderFiles:
    with Workspace.open(root) as workspace:
        return _files_of(workspace.snapshot(list(filter(_is_inside, paths)), tree=frozenset()), paths)


def _files_of(snapshot: Snapshot, paths: Iterable[str]) -> FolderFiles:
    wanted = [path for path in paths if _is_inside(path)]
    found = {path: snapshot.files[path] for path in wanted if path in snapshot.files}
    texts = {path: found[path].text if path in found else None for path in wanted}
    return FolderFiles(texts, frozenset(path for path, file in found.items() if file.marked))


def _is_inside(path: str) -> bool:
    """Return whether a path is relative to the session's folder: it has no root and no drive."""
    return not PurePosixPath(path).is_absolute() and not PureWindowsPath(path).drive


def files_after(root: Path, log: AgentLog, n: int, base: str | None) -> tuple[States, frozenset[str]]:
    """Return the session's files after row `n`, from 1 (0: before all), and which begin with a byte-order mark."""
    paths = paths_of(log)
    before = files_at(root, base, paths) if base is not None else None
    today = _files(root, paths)
    states = Timeline(log.edits, before.texts if before is not None else None, today.texts).at(n)
    logged = {path for edit in log.edits for effect in edit.effects if effect.marked for path in effect.paths}
    unknown = {path for path in logged if today.texts.get(path) is None}
    states = replace(states, problems=tuple(_hinted(problem, log) for problem in states.problems))
    return states, today.marked | unknown | (before.marked if before is not None else frozenset())


def plan_undo(
    workspace: Workspace, log: AgentLog, chosen: Iterable[int], base: str | None, policy: Policy = DEFAULT_POLICY
) -> SessionUndo:
    """Plan to take edits of a log back on the files of a workspace: all of them, or none.

    chosen: their numbers, from 1. base: a folder or commit with the files before the session; None without one.
    policy: its `accept` overrules guards. The guards judge the texts that would come back like edits of a reply, as a
    log may claim any text.
    Raises `UsageError` for a number that the log does not have, and for a row whose changes the log does not have.
    """
    numbers = sorted(set(chosen))
    for row in (edit_of(log, n) for n in numbers):
        if not row.is_told:
            what = "command" if row.kind is RowKind.COMMAND else "sub-agent"
            raise UsageError(f"The log does not say what the {what} of row {row.n} changed.", hint="Leave it out.")
    later = tuple(row for row in log.untold if numbers and row.n > numbers[0])
    return _planned(workspace, log, numbers, base, policy, f"edits {', '.join(map(str, numbers))}", passed=later)


def plan_undo_all(
    workspace: Workspace, log: AgentLog, base: str | None, policy: Policy = DEFAULT_POLICY
) -> SessionUndo:
    """Plan to take back every edit of a log like `plan_undo`; changes by others between them stay."""
    numbers = [edit.n for edit in log.edits if edit.is_told and edit.kind is not RowKind.GAP]
    return _planned(workspace, log, numbers, base, policy, "all edits", stays=log.untold)


def plan_back_to(
    workspace: Workspace, log: AgentLog, n: int, base: str | None, policy: Policy = DEFAULT_POLICY
) -> SessionUndo:
    """Plan to make the files what they were after row `n`, from 1; 0: before the first.

    Later changes of the user stay if they can be merged; else they are lost, and the plan names the file. Changes that
    a command may have made are taken back, too. Raises `UsageError` for a number that the log does not have.
    """
    if not 0 <= n <= len(log.edits):
        raise UsageError(f"The log has no edit {n}.", hint=f"Give a number from 0 to {len(log.edits)}.")
    later = [edit for edit in log.edits if edit.n > n]
    # A gap after a command may be the command's work and is taken back; any other gap is the user's and stays.
    numbers = [edit.n for edit in later if edit.is_told and (edit.kind is not RowKind.GAP or edit.after_command)]
    stays = tuple(edit for edit in log.untold if edit.n > n)
    return _planned(workspace, log, numbers, base, policy, f"back to edit {n}", stays=stays, force=n)


def _planned(
    workspace: Workspace,
    log: AgentLog,
    numbers: Sequence[int],
    base: str | None,
    policy: Policy,
    title: str,
    *,
    stays: tuple[LoggedEdit, ...] = (),
    passed: tuple[LoggedEdit, ...] = (),
    force: int | None = None,
) -> SessionUndo:
    chosen_paths = paths_of(replace(log, edits=tuple(edit_of(log, n) for n in numbers)))
    outside = tuple(path for path in chosen_paths if not _is_inside(path))
    paths = list(filter(_is_inside, paths_of(log)))
    before = files_at(workspace.root, base, paths) if base is not None else None
    snapshot = workspace.snapshot(paths, tree=frozenset())
    today = _files_of(snapshot, paths)
    base_texts = before.texts if before is not None else None
    taken = take_back(log.edits, numbers, base_texts, today.texts, force=force)
    changes = tuple(
        FileChange(path, today.texts.get(path), text, marks=(path in today.marked, _marked(path, log, today, before)))
        for path, text in sorted(taken.texts.items())
    )
    unread = [
        Diagnostic(file.problem, file.detail or "It is no text.", path=change.path)
        for change in changes
        if (file := snapshot.files.get(change.path)) is not None and file.text is None and file.problem is not None
    ]
    refused, warnings = _judged(changes, policy)
    said = [
        Diagnostic(Code.CONFLICT, "What was changed since in the lines of the edits goes, too.", Severity.WARNING, path)
        for path in taken.lost
    ]
    said += [not_in_log(stays, "What they changed stays.", base=base)] if stays else []
    said += [not_in_log(passed, "What they changed after the edits stays.", base=base)] if passed else []
    problems = (*(_hinted(problem, log) for problem in taken.problems), *unread, *refused)
    return SessionUndo(changes, snapshot, f"{_SHOWN}{title}", problems, (*said, *warnings), outside, stays)


def _hinted(problem: Diagnostic, log: AgentLog) -> Diagnostic:
    """Return a problem; if `--base` solves it and the log names a commit, with that commit in the hint."""
    if not (log.commit and problem.hint == NEEDS_BASE):
        return problem
    return replace(problem, hint=f"{NEEDS_BASE} {log.commit[:12]} is the commit on which the session began.")


def _marked(path: str, log: AgentLog, today: FolderFiles, before: FolderFiles | None) -> bool:
    """Return whether to write a byte-order mark: as in today's file; if there is none, as in the log or before it."""
    if today.texts.get(path) is not None:
        return path in today.marked
    logged = any(effect.marked and path in effect.paths for edit in log.edits for effect in edit.effects)
    return logged or (before is not None and path in before.marked)


def not_in_log(rows: Sequence[LoggedEdit], what: str = "", *, base: str | None) -> Diagnostic:
    """Return a warning about commands and sub-agents that may have changed files without effects in the log.

    what: a further sentence. base: as in `plan_undo`; without it the hint names it.
    """
    commands = [row for row in rows if row.kind is RowKind.COMMAND]
    agents = [row for row in rows if row.kind is RowKind.SUBAGENT]
    parts = [f"{len(commands)} command{'s' * (len(commands) != 1)}"] if commands else []
    parts += [f"{len(agents)} sub-agent{'s' * (len(agents) != 1)}"] if agents else []
    numbers = [str(row.n) for row in rows]
    at = ", ".join(numbers[:_MOST_NAMED]) + (f" and {len(numbers) - _MOST_NAMED} more" * (len(numbers) > _MOST_NAMED))
    message = f"{' and '.join(parts)} may have changed files, and the log does not say how (row {at}). {what}".rstrip()
    hint = "Commands can be followed on the files before the session: --base" if commands and base is None else None
    return Diagnostic(Code.NOT_IN_LOG, message, Severity.WARNING, hint=hint)


def _judged(changes: Sequence[FileChange], policy: Policy) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """Return the guards' refusals of changes, and their warnings."""
    results = [
        BlockResult(
            n, Block("log", Kind.EDIT, change.path, "", ""), change.path, Status.FITS, effect=_effect_of(change)
        )
        for n, change in enumerate(changes, 1)
        if change.after is not None
    ]
    judged, rejected, _ = judge(results, changes, default_language(), policy)
    refused = tuple(
        Diagnostic(why.code, why.reason, path=result.path, hint=f"{_LOOK} --accept {why.code}")
        for result in results
        if (why := rejected.get(result.n)) is not None
    )
    return refused, tuple(warning for result in judged for warning in result.warnings)


def _effect_of(change: FileChange) -> Effect:
    """Return a change as the effect of an edit of the differing lines."""
    before, after = change.before, change.after or ""
    if before is None:
        return Effect.of_whole(None, after)
    was, now = (text.splitlines(keepends=True) for text in (before, after))
    starts, ends = ([0, *accumulate(map(len, lines))] for lines in (was, now))
    spans = tuple(
        (Span(starts[hunk.a1], starts[hunk.a2]), Span(ends[hunk.b1], ends[hunk.b2])) for hunk in diff(was, now)
    )
    return Effect(IndexedText(before), IndexedText(after), Span(0, len(after)), spans)


def edit_of(log: AgentLog, n: int) -> LoggedEdit:
    """Return the row of a number, from 1. Raises `UsageError` if the log has no such row."""
    if not 1 <= n <= len(log.edits):
        raise UsageError(f"The log has no edit {n}.", hint=f"It has edits 1 to {len(log.edits)}.")
    return log.edits[n - 1]


def paths_of(log: AgentLog) -> list[str]:
    """Return every file that the session's rows named or changed, each once, in order of the rows."""
    return list(dict.fromkeys(path for edit in log.edits if edit.done for path in edit.paths))


def cases_of(log: AgentLog, base: Texts | None) -> Iterator[Mapping[str, Any]]:
    """Yield a `dovetail batch` case, with its truth, for each edit whose files before and after are known."""
    timeline = Timeline(log.edits, base, None)
    for edit in (edit for edit in log.edits if edit.outcome is CallOutcome.WRITTEN and edit.kind is RowKind.EDIT):
        before, after = timeline.at(edit.n - 1), timeline.at(edit.n)
        paths = edit.paths
        doubtful = any(path in states.doubtful for path in paths for states in (before, after))
        if not doubtful and all(path in before.texts and path in after.texts for path in paths):
            yield {
                "id": f"{log.agent}-{edit.n}",
                "files": {path: text for path in paths if (text := before.texts[path]) is not None},
                "reply": edit.reply,
                "root": log.root,
                "truth": {path: after.texts[path] for path in paths},
            }


def write_files(folder: Path, texts: Texts, marked: Container[str] = ()) -> list[str]:
    """Write files into a new or empty folder, and return their paths. Absolute paths are left out.

    marked: paths of files that get a byte-order mark. Raises `UsageError` if the folder is not empty, and `JailError`
    for a name that no reply may write (``..``, ``.git``); then nothing is written.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"`{folder}` is not empty.", hint="Name a new folder.")
    inside = {path: text for path, text in sorted(texts.items()) if text is not None and _is_inside(path)}
    for path in inside:
        check_path(path)
    for path, text in inside.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((_MARK * (path in marked) + text).encode("utf-8"))
    return list(inside)


def as_lines(cases: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield cases as lines of JSON."""
    for case in cases:
        yield json.dumps(case, ensure_ascii=False) + "\n"
