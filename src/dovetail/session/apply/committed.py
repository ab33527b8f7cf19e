"""Reads from git who wrote committed lines, as other tools record it: git-ai's notes, and Entire's trailers.

Neither is ever written. A note (`refs/notes/ai`) names lines of a commit's files and the session of each; a trailer
(`Entire-Checkpoint`) names the session's checkpoint for the whole commit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dovetail.model.text import split_lines
from dovetail.text.diff import diff
from dovetail.workspace.git import ask

# <commit> <line in that commit> <line in HEAD> [<lines of the group>], then the group's `filename`
_BLAMED = re.compile(r"^([0-9a-f]{40,64}) (\d+) (\d+)(?: \d+)?$")
_NOTES = "refs/notes/ai"
_TRAILER = "Entire-Checkpoint"
_AT_ONCE = 200  # commits that one command is given


@dataclass(frozen=True, slots=True)
class CommitAuthor:
    """Who wrote a line, as a commit records it.

    told_by: `git-ai` or `Entire`. agent, model, session: "" if not known. human: the name if a person wrote it, or "".
    checkpoint: Entire's, or "".
    """

    commit: str
    told_by: str
    agent: str = ""
    model: str = ""
    session: str = ""
    human: str = ""
    checkpoint: str = ""


def committed_lines(root: Path, path: str, text: str) -> dict[int, CommitAuthor]:
    """Return who wrote lines of a file, as far as commits record it, by the line's number in `text`, from 1.

    text: the file as it is now. Git blames the committed file alone: for the one on the disk it would run the filters
    that convert it.
    """
    blamed = _blamed(root, path)
    committed = split_lines(ask(root, "show", f"HEAD:./{path}") or "") if blamed else []
    now: dict[int, int] = {}  # committed line's number → its number today, for lines that are still there
    at = shift = 0
    # Lines between the hunks stand as committed, `shift` lines further down; None stands for the end.
    for hunk in [*diff(committed, split_lines(text)), None]:
        last = len(committed) if hunk is None else hunk.a1
        now |= {n + 1: n + 1 + shift for n in range(at, last)}
        if hunk is not None:
            at, shift = hunk.a2, hunk.b2 - hunk.a2
    commits = dict.fromkeys(commit for commit, _, _ in blamed.values())
    has_notes = bool(commits) and ask(root, "rev-parse", "--verify", "--quiet", _NOTES) is not None
    notes = {c: _Note.of(ask(root, "notes", f"--ref={_NOTES}", "show", c)) for c in commits} if has_notes else {}
    checkpoints = _checkpoints(root, commits)
    found: dict[int, CommitAuthor] = {}
    for number, (commit, name, line) in blamed.items():
        if number not in now:
            continue
        note = notes.get(commit)
        told = note.writer(name, line, commit) if note is not None else None
        if told is None and checkpoints.get(commit):
            told = CommitAuthor(commit, "Entire", checkpoint=checkpoints[commit])
        if told is not None:
            found[now[number]] = told
    return found


def _blamed(root: Path, path: str) -> dict[int, tuple[str, str, int]]:
    """Return, by the number of each line in HEAD, its commit, and its path and number there."""
    told = ask(root, "-c", "blame.ignoreRevsFile=", "blame", "--no-textconv", "--porcelain", "HEAD", "--", path) or ""
    names: dict[str, str] = {}
    lines: dict[int, tuple[str, int]] = {}
    commit = ""
    for line in told.split("\n"):
        if line.startswith("\t"):
            continue
        if (match := _BLAMED.match(line)) is not None:
            commit = match[1]
            lines[int(match[3])] = (commit, int(match[2]))
        elif line.startswith("filename "):
            names[commit] = line.removeprefix("filename ")
    return {n: (commit, names.get(commit, path), there) for n, (commit, there) in lines.items()}


def _checkpoints(root: Path, commits: Iterable[str]) -> dict[str, str]:
    """Return the checkpoints that each commit's trailers name, joined by commas; "" for none."""
    wanted = list(commits)
    found: dict[str, str] = {}
    form = f"%H %(trailers:key={_TRAILER},valueonly,separator=%x2C )"
    for at in range(0, len(wanted), _AT_ONCE):
        told = ask(root, "log", "--no-walk", f"--format={form}", *wanted[at : at + _AT_ONCE]) or ""
        for line in told.split("\n"):
            commit, _, named = line.partition(" ")
            found[commit] = named.strip()
    return found


class _Note:
    """A note of git-ai: for each file the lines of each entry, then ``---``, then the entries as JSON."""

    def __init__(self, files: Mapping[str, list[tuple[str, int, int]]], entries: Mapping[str, Any]) -> None:
        self._files, self._entries = files, entries

    @classmethod
    def of(cls, text: str | None) -> _Note | None:
        """Parse a note's text; None for no note, and for one in another form."""
        attested, mark, described = f"{text or ''}\n".partition("\n---\n")
        try:
            entries = json.loads(described) if mark else None
        except ValueError:
            return None
        if not isinstance(entries, dict):
            return None
        files: dict[str, list[tuple[str, int, int]]] = {}
        path = ""
        # src/a.py
        #   <entry> 3-7,12
        for line in attested.split("\n"):
            if not line.startswith(" "):
                path = line.strip().strip('"')
                continue
            entry, _, ranges = line.strip().rpartition(" ")
            for one in ranges.split(","):
                first, _, last = one.partition("-")
                if first.isdecimal() and (last or first).isdecimal():
                    files.setdefault(path, []).append((entry, int(first), int(last or first)))
        return cls(files, entries)

    def writer(self, path: str, line: int, commit: str) -> CommitAuthor | None:
        """Return who wrote a line (from 1) of a file in the commit; None if the note does not name it."""
        entry = next((name for name, first, last in self._files.get(path, ()) if first <= line <= last), None)
        if entry is None:
            return None
        name = entry.partition("::")[0]  # of a session and a trace in it
        human = self._described("humans", name).get("author")
        if human is not None:
            return CommitAuthor(commit, "git-ai", human=str(human))
        agent = (self._described("prompts", name) or self._described("sessions", name)).get("agent_id")
        agent = agent if isinstance(agent, dict) else {}
        tool, model, session = (str(agent.get(field) or "") for field in ("tool", "model", "id"))
        return CommitAuthor(commit, "git-ai", tool, model, session or entry)

    def _described(self, kind: str, name: str) -> Mapping[str, Any]:
        found = self._entries.get(kind)
        found = found.get(name) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else {}
