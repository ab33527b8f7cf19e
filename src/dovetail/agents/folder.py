"""A log's session on a folder: its files today and before, what its edits changed, taken back as one operation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from dovetail.agents.logs import AgentLog, LoggedEdit
from dovetail.agents.states import TakenBack, Texts, states_after, take_back
from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.model.policy import DEFAULT_POLICY, Policy
from dovetail.model.results import BlockResult, Effect, FileChange
from dovetail.model.snapshot import Snapshot
from dovetail.model.text import IndexedText, Span
from dovetail.plan.judge import judge
from dovetail.syntax import default_language
from dovetail.text.diff import diff
from dovetail.workspace import Operation, Workspace
from dovetail.workspace.git import ask, run
from dovetail.workspace.names import check_path

_SHOWN = "The log's session is taken back: "
_LOOK = "The log says that this stood there before. If it is to come back all the same:"


@dataclass(frozen=True, slots=True)
class SessionUndo:
    """What undoing edits of a log would write. Nothing of it has happened yet.

    problems: why nothing is to be written. warnings: what is worth knowing although it can be.
    outside: files of the edits that are outside of the folder, and left alone.
    """

    changes: tuple[FileChange, ...]
    snapshot: Snapshot
    reply: str
    problems: tuple[Diagnostic, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    outside: tuple[str, ...] = ()

    def commit(self, workspace: Workspace) -> Operation:
        """Write all of it, as one operation of the journal. Raises as `Workspace.commit` does."""
        return workspace.commit(self.changes, self.snapshot, reply=self.reply)


def located(log: AgentLog, paths: Iterable[str]) -> AgentLog:
    """The log with its paths relative to a folder that holds `paths`.

    Agents that do not say in which folder they worked name files absolutely: the folder is the one under which most of
    them are found.
    """
    if log.root:
        return log
    known = frozenset(paths)
    roots: dict[str, int] = {}
    for path in dict.fromkeys(path for edit in log.edits for path in edit.paths):
        parts = PurePosixPath(path).parts
        for at in range(1, len(parts)):
            if "/".join(parts[at:]) in known:
                root = str(PurePosixPath(*parts[:at]))
                roots[root] = roots.get(root, 0) + 1
                break
    root = max(roots, key=roots.__getitem__, default="")
    if not root:
        return log
    blocks = {edit.n: tuple(block.relative_to(root) for block in edit.blocks) for edit in log.edits}
    return AgentLog(log.agent, root, tuple(replace(edit, blocks=blocks[edit.n]) for edit in log.edits))


def texts_at(root: Path, base: str, paths: Iterable[str]) -> dict[str, str | None]:
    """The files before a session, of `paths`: in a folder, or in a commit of the work tree at `root`.

    Raises `UsageError` if `base` names neither.
    """
    folder = root / base
    if folder.is_dir():
        return _texts(folder, paths)
    if ask(root, "rev-parse", "--verify", "--quiet", f"{base}^{{commit}}") is None:
        raise UsageError(f"`{base}` is neither a folder nor a commit.", hint="Name a folder, or a commit of git.")
    return {path: _committed(root, base, path) for path in paths}


def _committed(root: Path, commit: str, path: str) -> str | None:
    try:
        return run(root, "show", f"{commit}:./{path}").decode("utf-8")
    except (WorkspaceError, UnicodeDecodeError):  # it was not there, or is no text
        return None


def _texts(root: Path, paths: Iterable[str]) -> dict[str, str | None]:
    wanted = list(filter(_is_inside, paths))
    with Workspace.open(root) as workspace:
        files = workspace.snapshot(wanted, tree=frozenset()).files
    return {path: files[path].text if path in files else None for path in wanted}


def _is_inside(path: str) -> bool:
    """Whether a path is one of the session's folder; absolute ones, with a drive's letter too, are not."""
    return not PurePosixPath(path).is_absolute() and not PureWindowsPath(path).drive


def files_after(root: Path, log: AgentLog, n: int, base: str | None) -> TakenBack:
    """The session's files as they were after edit `n`; see `states_after`."""
    paths = paths_of(log)
    before = texts_at(root, base, paths) if base is not None else None
    return states_after(log.edits, n, before, _texts(root, paths))


def plan_undo(
    workspace: Workspace, log: AgentLog, chosen: Iterable[int], base: str | None, policy: Policy = DEFAULT_POLICY
) -> SessionUndo:
    """Plan to take edits of a log back on the files of a workspace: all of them, or none.

    chosen: their numbers, from 1. base: a folder or commit with the files before the session, where there is one.
    policy: whose `accept` overrules guards. A log says freely what stood there before an edit, so what would come back
    is judged as an edit of a reply is.

    Raises `UsageError` for a number that the log does not have.
    """
    numbers = sorted(set(chosen))
    chosen_paths = paths_of(replace(log, edits=tuple(edit_of(log, n) for n in numbers)))
    outside = tuple(path for path in chosen_paths if not _is_inside(path))
    paths = list(filter(_is_inside, paths_of(log)))
    before = texts_at(workspace.root, base, paths) if base is not None else None
    snapshot = workspace.snapshot(paths, tree=frozenset())
    today: Texts = {path: snapshot.files[path].text if path in snapshot.files else None for path in paths}
    taken = take_back(log.edits, numbers, before, today)
    changes = tuple(FileChange(path, today.get(path), text) for path, text in sorted(taken.texts.items()))
    reply = f"{_SHOWN}edits {', '.join(map(str, numbers))}"
    refused, warnings = _judged(changes, policy)
    return SessionUndo(changes, snapshot, reply, (*taken.problems, *refused), warnings, outside)


def _judged(changes: Sequence[FileChange], policy: Policy) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """What the guards refuse of changes, and what they warn of."""
    results = [
        BlockResult(
            n, Block("log", Kind.EDIT, change.path, "", ""), change.path, Status.APPLIED, effect=_effect_of(change)
        )
        for n, change in enumerate(changes, 1)
        if change.after is not None
    ]
    judged, rejected = judge(results, changes, default_language(), policy)
    refused = tuple(
        Diagnostic(why.code, why.reason, path=result.path, hint=f"{_LOOK} --accept {why.code}")
        for result in results
        if (why := rejected.get(result.n)) is not None
    )
    return refused, tuple(warning for result in judged for warning in result.warnings)


def _effect_of(change: FileChange) -> Effect:
    """A change as an edit of the lines that differ."""
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
    """An edit by its number. Raises `UsageError` if the log has none of it."""
    if not 1 <= n <= len(log.edits):
        raise UsageError(f"The log has no edit {n}.", hint=f"It has edits 1 to {len(log.edits)}.")
    return log.edits[n - 1]


def paths_of(log: AgentLog) -> list[str]:
    """Every file that the session's edits changed, in their order."""
    moved = (effect.moved_to for edit in log.edits for effect in edit.effects if effect.moved_to)
    return list(dict.fromkeys([*(path for edit in log.edits if edit.ok for path in edit.paths), *moved]))


def cases_of(log: AgentLog, base: Texts | None, today: Texts) -> Iterator[Mapping[str, Any]]:
    """A `dovetail batch` case for each edit whose files before and after are known, with its truth."""
    for edit in (edit for edit in log.edits if edit.ok):
        before, after = (states_after(log.edits, n, base, today) for n in (edit.n - 1, edit.n))
        paths = edit.paths
        if all(path in before.texts and path in after.texts for path in paths):
            yield {
                "id": f"{log.agent}-{edit.n}",
                "files": {path: text for path in paths if (text := before.texts[path]) is not None},
                "reply": edit.reply,
                "root": log.root,
                "truth": {path: after.texts[path] for path in paths},
            }


def write_files(folder: Path, texts: Texts) -> list[str]:
    """Write files into a new or empty folder; the paths written. What lies outside of a session's folder is left out.

    Raises `UsageError` if the folder holds anything, and `JailError` for a name that no reply may write (``..``,
    ``.git``); then nothing is written.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"`{folder}` is not empty.", hint="Name a new folder.")
    inside = {path: text for path, text in sorted(texts.items()) if text is not None and _is_inside(path)}
    for path in inside:
        check_path(path)
    for path, text in inside.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8"))
    return list(inside)


def as_lines(cases: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Cases as JSON Lines."""
    for case in cases:
        yield json.dumps(case, ensure_ascii=False) + "\n"
