"""A new project from a template: its files, a git repository, a first commit.

What exists is never written over: a folder must be new or empty (`make_project`), or none of the template's files may
be there (`copy_into`). Where anything fails while the files are written, none stays.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.session.starters import templates
from dovetail.session.starters.templates import Template, TemplateFile
from dovetail.workspace.encoding import Decoded, decode
from dovetail.workspace.git import clone
from dovetail.workspace.git_commit import begin_repository
from dovetail.workspace.new_files import NewFile, write_new
from dovetail.workspace.root import in_git


@dataclass(frozen=True, slots=True)
class Made:
    """What was made. `commit` is the first commit, None where none was made; `note` says why.

    there: those of `paths` that were there already, byte for byte. texts: those that can be shown to a model.
    """

    folder: Path
    template: Template
    paths: tuple[str, ...]
    commit: str | None = None
    note: str | None = None
    there: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


def make_project(template: Template, folder: Path, stated: Mapping[str, str], *, with_git: bool = True) -> Made:
    """Copy a template into a new or empty folder. Raises `UsageError`, `WorkspaceError`; then nothing is left."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not empty.", hint="Name a new folder; nothing is written over.")
    made = templates.filled_files(template, templates.values_for(template, stated, folder.resolve().name))
    write_new(folder, _new(made))
    paths = tuple(sorted(made))
    if not with_git:
        return Made(folder, template, paths)
    if in_git(folder.resolve()):
        return Made(folder, template, paths, note="The folder lies in a git repository already; none was made.")
    return _committed(Made(folder, template, paths))


def copy_into(template: Template, root: Path, stated: Mapping[str, str], *, again: bool = False) -> Made:
    """Copy a template beside what is in a folder. Raises `UsageError` where one of its files is there already.

    With `again` on, those that are there byte for byte stay.
    """
    made = files_of(template, root, stated)
    there = tuple(path for path in sorted(made) if again and _is_there(root / path, made[path]))
    write_new(root, _new({path: file for path, file in made.items() if path not in there}))
    texts = tuple(path for path in sorted(made) if isinstance(decode(made[path].data), Decoded))
    return Made(root, template, tuple(sorted(made)), there=there, texts=texts)


def files_of(template: Template, root: Path, stated: Mapping[str, str]) -> Mapping[str, TemplateFile]:
    """What `copy_into` copies, by path."""
    return templates.filled_files(template, templates.values_for(template, stated, root.resolve().name))


def _is_there(path: Path, file: TemplateFile) -> bool:
    try:
        return not path.is_symlink() and path.is_file() and path.read_bytes() == file.data
    except OSError:
        return False


def _new(made: Mapping[str, TemplateFile]) -> dict[str, NewFile]:
    return {path: NewFile(file.data, file.executable) for path, file in made.items()}


def _committed(made: Made) -> Made:
    """Make a repository and its first commit; where git cannot, the files stay and the note says so."""
    try:
        commit = begin_repository(made.folder, made.paths, f"Begin from the template {made.template.name}")
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
        fetched = Path(scratch) / "clone"
        clone(str(local) if local.exists() else source, fetched)
        yield templates.read_folder(fetched, _name_of(source))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _is_url(source: str) -> bool:
    return source.startswith(("https://", "http://", "ssh://", "git://", "file://")) or (
        ":" in source and "@" in source.partition(":")[0]
    )


def _name_of(source: str) -> str:
    return source.rstrip("/").removesuffix(".git").replace(":", "/").rpartition("/")[2] or "template"
