"""What tests of the workspace do to a root: change files through it, and read everything back."""

from __future__ import annotations

import stat
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dovetail.model.results import FileChange
from dovetail.model.snapshot import Snapshot
from dovetail.workspace import Operation, Workspace
from dovetail.workspace.journal.lines import write_line
from dovetail.workspace.journal.user_key import make_key

Apply = Callable[..., Operation]


def commit_texts(ws: Workspace, texts: Mapping[str, str | None], renames: Mapping[str, str] | None = None) -> Operation:
    """Commit new texts by path; None deletes. `renames` maps a new path to the one it comes from."""
    renames = renames or {}
    wanted = dict(texts)
    snapshot = ws.snapshot([*wanted, *renames.values()], tree=frozenset())
    for old in renames.values():
        wanted.setdefault(old, None)
    return commit_on(ws, snapshot, wanted, renames)


def checked_texts(ws: Workspace, texts: Mapping[str, str | None]) -> None:
    """Ask whether `commit_texts` would be refused."""
    snapshot = ws.snapshot(texts, tree=frozenset())
    ws.check_commit(_changes(snapshot, texts), snapshot)


def commit_on(
    ws: Workspace, snapshot: Snapshot, texts: Mapping[str, str | None], renames: Mapping[str, str] | None = None
) -> Operation:
    """Commit new texts by path that were planned on what `snapshot` holds."""
    return ws.commit(_changes(snapshot, texts, renames), snapshot, reply="reply", results=[{"n": 1}])


def _changes(
    snapshot: Snapshot, texts: Mapping[str, str | None], renames: Mapping[str, str] | None = None
) -> list[FileChange]:
    froms = renames or {}
    return [FileChange(path, _text(snapshot.files.get(path)), text, froms.get(path)) for path, text in texts.items()]


def _text(file: object) -> str | None:
    return None if file is None else file.text  # type: ignore[attr-defined]


def contents(root: Path) -> dict[str, bytes]:
    """Every file of the user's, and every folder with a slash at its end."""
    found: dict[str, bytes] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.startswith((".dovetail/", ".git/")) or name in (".dovetail", ".git"):
            continue
        found[name + "/" if path.is_dir() and not path.is_symlink() else name] = b"" if path.is_dir() else _bytes(path)
    return found


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def modes(root: Path) -> dict[str, int]:
    """The permission bits of every file of the user's."""
    return {name: stat.S_IMODE((root / name).stat().st_mode) for name in contents(root) if (root / name).is_file()}


def own_line(root: Path, record: dict[str, Any]) -> bytes:
    """A record as this user's own process writes it to the log of a root."""
    return write_line(record, make_key(str(root)).secret)


def git(root: Path, *args: str) -> str:
    """Run git with an identity of its own, as a user would."""
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    done = subprocess.run(["git", *identity, *args], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout
