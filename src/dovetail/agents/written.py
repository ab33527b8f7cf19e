"""Tells from agents' logs who wrote each line of a file: the call of a session, commands and sub-agents included.

Owns the walk through a session's rows. If the log has the file before and after a row, the difference is the row's. A
change without a row of its own belongs to the command that may have made it, if there is only one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dovetail.agents.folder import files_at, followed, located
from dovetail.agents.logs import read_session
from dovetail.agents.session_log import AgentLog, LoggedEdit, RowKind
from dovetail.agents.states import Texts, Timeline
from dovetail.model.errors import UsageError
from dovetail.model.text import split_lines
from dovetail.session.apply.committed import CommitAuthor, committed_lines
from dovetail.session.apply.why import Authorship, answer_of
from dovetail.text.carried import Line, carried
from dovetail.workspace import Workspace
from dovetail.workspace.git import ask


@dataclass(frozen=True, slots=True)
class LoggedWriter:
    """The row of a log that wrote a line, with the log's agent and path."""

    agent: str
    log: Path
    row: LoggedEdit


def why_logged(
    root: Path, logs: Iterable[Path], path: str, line: int | None = None, base: str | None = None
) -> Authorship[LoggedWriter | CommitAuthor]:
    """Return who wrote the lines of a file under a root, or one line (from 1), by logs and commits.

    base: a commit or folder with the files before the sessions; without it the commit that a log names.

    Raises `UsageError` for a file that is no log, and if neither a log nor a commit knows the file.
    """
    with Workspace.open(root) as workspace:
        tree = workspace.tree()
        file = workspace.snapshot([path], tree=frozenset()).files.get(path)
    text = file.text if file is not None else None
    sessions = [(name, located(read_session(name), tree)) for name in logs]
    sessions.sort(key=lambda session: next((row.time for row in session[1].edits if row.time), ""))
    writers: dict[str, LoggedWriter] = {}
    state: dict[str, list[Line]] = {}
    removed_by: LoggedWriter | None = None
    # Rows are numbered in each log: `0:12` is row 12 of the first one.
    for at, (name, log) in enumerate(sessions):
        walk = _LogWalk(root, log, base, path, state, f"{at}:")
        writers |= {f"{at}:{row.n}": LoggedWriter(log.agent, name, row) for row in walk.log.edits}
        walk.go(text)
        removed_by = writers.get(walk.removed_by, removed_by)
    commits = committed_lines(root, path, text) if text is not None else {}
    if path not in state and not commits:
        raise UsageError(f"The logs say nothing of `{path}`.", hint="dovetail transcript LOG lists what they tell.")
    if text is None:
        return Authorship(path, (), removed_by=removed_by)
    return answer_of(path, text, state.get(path, []), writers, commits, line)


def _sources(row: LoggedEdit, path: str) -> list[str]:
    """Return the files that a row may have moved to a path: a command's move shows as one removed and one new file."""
    moved = [effect.path for effect in row.effects if effect.moved_to == path]
    if moved or not any(e.path == path and e.has_before and e.before is None for e in row.effects):
        return moved
    return [e.path for e in row.effects if e.has_after and e.after is None and e.moved_to is None and e.path != path]


class _LogWalk:
    """A walk through one session's rows, over the lines of a file and of those that it was moved from."""

    def __init__(
        self, root: Path, log: AgentLog, base: str | None, path: str, state: dict[str, list[Line]], prefix: str
    ) -> None:
        named = base or log.commit
        if named and base is None and ask(root, "rev-parse", "--verify", "--quiet", f"{named}^{{commit}}") is None:
            named = ""
        self.log = followed(log, root, named or None)
        self.removed_by = ""
        self._path, self._state, self._prefix = path, state, prefix
        self._known = {path}
        # Backwards, so that a file which was moved twice is followed to its first name.
        for row in reversed(self.log.edits):
            self._known |= {source for path in row.paths if path in self._known for source in _sources(row, path)}
        before = files_at(root, named, sorted(self._known)).texts if named else None
        with Workspace.open(root) as workspace:
            files = workspace.snapshot(sorted(self._known), tree=frozenset()).files
        today: Texts = {one: file.text if (file := files.get(one)) is not None else None for one in self._known}
        self._timeline = Timeline(self.log.edits, before, today)

    def go(self, today: str | None) -> None:
        """Walk through all rows, then compare with the file as it is today."""
        commands: dict[str, list[LoggedEdit]] = {one: [] for one in self._known}  # since the last row about the file
        for row in self.log.edits:
            if not row.done:
                continue
            if row.kind in (RowKind.COMMAND, RowKind.SUBAGENT) and not row.is_told:
                for since in commands.values():
                    since.append(row)
                continue
            told = self._known.intersection(row.paths)
            before = dict(self._state)
            for path in sorted(told):
                self._take(row, path, before, commands[path])
            for path in told:
                commands[path] = []
        if self._path in self._state and commands[self._path]:
            writer = self._only(commands[self._path])
            self._state[self._path] = carried(self._state[self._path], split_lines(today or ""), writer)
            self.removed_by = writer if today is None else self.removed_by

    def _take(
        self, row: LoggedEdit, path: str, before: Mapping[str, list[Line]], commands: Sequence[LoggedEdit]
    ) -> None:
        was, left = self._timeline.at(row.n - 1).texts, self._timeline.at(row.n).texts
        sources = [source for source in _sources(row, path) if was.get(source) is not None]
        # If a command made the file and removed others, the one with the same text was moved, else the only one.
        source = next((one for one in sources if was[one] == left.get(path)), sources[0] if len(sources) == 1 else path)
        lines = before.get(source, [])
        if source in was:
            lines = carried(lines, split_lines(was[source] or ""), self._only(commands) if lines else "")
        if path not in left:
            self._state.setdefault(path, lines)
            return
        writer = self._only(commands) if row.kind is RowKind.GAP else self._name(row)
        text = left[path]
        self._state[path] = carried(lines, split_lines(text or ""), writer)
        if path == self._path:
            self.removed_by = writer if text is None else ""

    def _only(self, commands: Sequence[LoggedEdit]) -> str:
        """Return the name of the only command that names the file, or of the only one; "" if several may have."""
        # For main.py: `python src/main.py`, `main.py:3`; but not domain.py, main.pyi, test-main.py
        name = re.compile(rf"(?<![\w.-]){re.escape(PurePosixPath(self._path).name)}(?![\w-])")
        naming = [row for row in commands if name.search(row.command)]
        chosen = naming or commands
        return self._name(chosen[0]) if len(chosen) == 1 else ""

    def _name(self, row: LoggedEdit) -> str:
        return f"{self._prefix}{row.n}"
