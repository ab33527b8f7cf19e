"""A new project from a template: its files, a git repository, a first commit.

What exists is never written over: a folder must be new or empty (`make_project`), or none of the template's files may
be there (`copy_into`). Where anything fails while the files are written, those already written are removed again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from dovetail.model.dataclasses import dataclass
from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.session import templates
from dovetail.session.templates import Template, TemplateFile
from dovetail.workspace import git
from dovetail.workspace.root import in_git

_CLONE_SECONDS = 300
_OURS = ("-c", "user.name=Dovetail", "-c", "user.email=dovetail@localhost")


@dataclass(frozen=True, slots=True)
class Made:
    """What was made. `commit` is the first commit, None where none was made; `note` says why."""

    folder: Path
    template: Template
    paths: tuple[str, ...]
    commit: str | None = None
    note: str | None = None


def make_project(template: Template, folder: Path, stated: Mapping[str, str], *, with_git: bool = True) -> Made:
    """Copy a template into a new or empty folder. Raises `UsageError`, `WorkspaceError`; then nothing is left."""
    existed = folder.exists()
    if existed and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not empty.", hint="Name a new folder; nothing is written over.")
    made = templates.filled_files(template, templates.values_for(template, stated, folder.resolve().name))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        _write(folder, made)
    except OSError:
        if not existed:
            with suppress(OSError):
                folder.rmdir()
        raise
    paths = tuple(sorted(made))
    if not with_git:
        return Made(folder, template, paths)
    if in_git(folder.resolve()):
        return Made(folder, template, paths, note="The folder lies in a git repository already; none was made.")
    return _committed(Made(folder, template, paths))


def copy_into(template: Template, root: Path, stated: Mapping[str, str]) -> Made:
    """Copy a template beside what is in a folder. Raises `UsageError` where one of its files is there already."""
    made = templates.filled_files(template, templates.values_for(template, stated, root.resolve().name))
    there = [path for path in sorted(made) if os.path.lexists(root / path)]
    if there:
        raise UsageError(f"`{there[0]}` exists already.", hint="Use an empty folder; nothing is written over.")
    _write(root, made)
    return Made(root, template, tuple(sorted(made)))


def _write(root: Path, made: Mapping[str, TemplateFile]) -> None:
    """Write every file or, where one cannot be, none. Raises `OSError`."""
    written: list[Path] = []
    folders: list[Path] = []
    try:
        for path, file in made.items():
            target = root / path
            for folder in _missing(root, target.parent):
                folder.mkdir()
                folders.append(folder)
            mode = 0o777 if file.executable else 0o666
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
            with os.fdopen(os.open(target, flags, mode), "wb") as out:
                written.append(target)
                out.write(file.data)
    except BaseException:
        for done in reversed(written):
            done.unlink(missing_ok=True)
        for folder in reversed(folders):
            with suppress(OSError):
                folder.rmdir()
        raise


def _missing(root: Path, folder: Path) -> list[Path]:
    """Folders between the root and a file that are not there, outermost first."""
    found: list[Path] = []
    while folder != root and not folder.exists():
        found.insert(0, folder)
        folder = folder.parent
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link.", hint="Use an empty folder.")
    return found


def _committed(made: Made) -> Made:
    """Make a repository and its first commit; where git cannot, the files stay and the note says so."""
    try:
        git.run(made.folder, "init", "--quiet", "--initial-branch=main")
        git.run(made.folder, "add", "--force", "--", *made.paths)
        known = git.ask(made.folder, "config", "user.email") and git.ask(made.folder, "config", "user.name")
        who = () if known else _OURS
        git.run(
            made.folder, *who, "commit", "--quiet", "--no-verify", "-m", f"Begin from the template {made.template.name}"
        )
        commit = git.ask(made.folder, "rev-parse", "HEAD")
    except WorkspaceError as error:
        return Made(made.folder, made.template, made.paths, note=f"Git: {error.message}")
    return Made(made.folder, made.template, made.paths, commit)


@contextmanager
def template_from(source: str, folder: Path) -> Iterator[Template]:
    """A template from a folder, or from a git URL, which is cloned to a place that does not last.

    `folder` is where a relative path starts. Raises `UsageError` where there is none.
    """
    local = folder / source
    if local.is_dir() and not source.endswith(".git"):
        yield templates.read_folder(local)
        return
    if not local.exists() and not _is_url(source):
        raise UsageError(f"There is no folder {source}, and it is no git URL.", hint="Check its name.")
    scratch = tempfile.mkdtemp(prefix="dovetail-template-")
    try:
        clone = Path(scratch) / "clone"
        _clone(str(local) if local.exists() else source, clone)
        yield templates.read_folder(clone, _name_of(source))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _is_url(source: str) -> bool:
    return source.startswith(("https://", "http://", "ssh://", "git://", "file://")) or (
        ":" in source and "@" in source.partition(":")[0]
    )


def _name_of(source: str) -> str:
    return source.rstrip("/").removesuffix(".git").replace(":", "/").rpartition("/")[2] or "template"


def _clone(source: str, target: Path) -> None:
    """Fetch the newest state alone; no submodule, no hook, no program that an address names."""
    command = ["git", "-c", "protocol.ext.allow=never", "-c", "core.hooksPath=/dev/null"]
    command += ["clone", "--quiet", "--depth=1", "--no-recurse-submodules", "--", source, str(target)]
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_CLONE_SECONDS, env=environment)
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UsageError(f"git cannot clone {source}: {said[-1] if said else 'no reason given'}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"git cannot clone {source}.", hint="Is git installed, and the address right?") from error
