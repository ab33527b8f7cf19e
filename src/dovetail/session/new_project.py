"""A new project from a template: which template a request means, its files, a git repository, a first commit.

What exists is never written over: a folder must be new or empty (`make_project`), or none of the template's files may
exist there (`copy_into`). If anything fails while the files are written, none stays.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from dovetail.llm.values import Message, Reply, Request, Role
from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.session import templates
from dovetail.session.participants import Model
from dovetail.session.templates import Template, TemplateFile
from dovetail.workspace.encoding import Decoded, decode
from dovetail.workspace.files import ProjectFile, write_new
from dovetail.workspace.git import begin_repository, clone
from dovetail.workspace.root import in_git

_MAX_TOKENS = 2_000  # the answer is a word, what a model thinks before it is not
_WORD = re.compile(r"[a-z0-9+#.]+")
_QUESTION = """\
Somebody wants this:

{request}

Which of these starter templates is the best base for it? Answer with its name alone, or with the word none.

{templates}"""


def choose_template(request: str, known: Sequence[Template], model: Model, name: str) -> Template:
    """The template that a request means, by its words or else by asking the model `name`.

    Raises `UsageError` if the model picks none, `ModelError` if it does not answer.
    """
    return choose_by_words(request, known) or choose_by_model(request, known, model, name)


def choose_by_words(request: str, known: Sequence[Template]) -> Template | None:
    """The template that a request names, or whose keywords it uses most; None if that decides nothing."""
    text = " ".join(_WORD.findall(request.lower().replace("-", " ")))

    def names(word: str) -> bool:
        return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None

    scores = {t.name: 100 * names(t.name.replace("-", " ")) + sum(map(names, t.keywords)) for t in known}
    best = max(scores.values(), default=0)
    fitting = [template for template in known if scores[template.name] == best]
    return fitting[0] if best and len(fitting) == 1 else None


def choose_by_model(request: str, known: Sequence[Template], model: Model, name: str) -> Template:
    """The template that a model picks. Raises `UsageError` if it picks none, `ModelError` if it does not answer."""
    listed = "\n".join(f"- {template.name}: {template.summary}" for template in known)
    question = Message(Role.USER, _QUESTION.format(request=request, templates=listed))
    with closing(model.stream(Request(name, (question,), max_tokens=_MAX_TOKENS))) as deltas:
        reply = Reply.of(deltas)
    answer = reply.text.lower()
    named = [template for template in known if re.search(rf"(?<![\w-]){re.escape(template.name)}(?![\w-])", answer)]
    if len(named) == 1:
        return named[0]
    if named:
        why = f"The model named {len(named)} templates, and which one fits best is not clear."
    elif re.search(r"\bnone\b", answer):
        why = "No template fits the request."
    elif reply.ended_early:
        why = "The model's answer ended before it named a template."
    else:
        why = "The model named no template."
    raise UsageError(why, hint="Name one: --template NAME (see `dovetail new`)")


@dataclass(frozen=True, slots=True)
class NewProject:
    """What was made. `commit` is the first commit, None if none was made; `note` says why.

    existed: those of `paths` that existed before, byte for byte. texts: those that can be shown to a model.
    """

    folder: Path
    template: Template
    paths: tuple[str, ...]
    commit: str | None = None
    note: str | None = None
    existed: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


def make_project(
    template: Template, folder: Path, variables: Mapping[str, str], *, with_git: bool = True
) -> NewProject:
    """Copy a template into a new or empty folder. Raises `UsageError`, `WorkspaceError`; then nothing is left."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not empty.", hint="Name a new folder; nothing is written over.")
    files = files_of(template, folder, variables)
    write_new(folder, _new(files))
    project = NewProject(folder, template, tuple(sorted(files)))
    if not with_git:
        return project
    if in_git(folder.resolve()):
        return replace(project, note="The folder lies in a git repository already; none was made.")
    try:
        commit = begin_repository(folder, project.paths, f"Begin from the template {template.name}")
    except WorkspaceError as error:
        return replace(project, note=f"Git: {error.message}")
    return replace(project, commit=commit)


def copy_into(template: Template, root: Path, variables: Mapping[str, str], *, again: bool = False) -> NewProject:
    """Copy a template beside what is in a folder. Raises `UsageError` if one of its files exists already.

    With `again`, those that exist byte for byte stay.
    """
    files = files_of(template, root, variables)
    existed = tuple(path for path in sorted(files) if again and _exists(root / path, files[path]))
    write_new(root, _new({path: file for path, file in files.items() if path not in existed}))
    texts = tuple(path for path in sorted(files) if isinstance(decode(files[path].data), Decoded))
    return NewProject(root, template, tuple(sorted(files)), existed=existed, texts=texts)


def files_of(template: Template, root: Path, variables: Mapping[str, str]) -> Mapping[str, TemplateFile]:
    """What a copy of a template into a folder consists of, by path."""
    return templates.filled_files(template, templates.values_for(template, variables, root.resolve().name))


def _exists(path: Path, file: TemplateFile) -> bool:
    try:
        return not path.is_symlink() and path.is_file() and path.read_bytes() == file.data
    except OSError:
        return False


def _new(files: Mapping[str, TemplateFile]) -> dict[str, ProjectFile]:
    return {path: ProjectFile(file.data, file.executable) for path, file in files.items()}


@contextmanager
def template_from(source: str, folder: Path) -> Iterator[Template]:
    """A template from a folder, or from a git URL, which is cloned to a temporary place.

    `folder` is where a relative path starts. Raises `UsageError` if there is none.
    """
    local = folder / source
    if local.is_dir() and not source.endswith(".git"):
        yield templates.read_folder(local)
        return
    schemes = ("https://", "http://", "ssh://", "git://", "file://")
    is_url = source.startswith(schemes) or (":" in source and "@" in source.partition(":")[0])
    if not local.exists() and not is_url:
        raise UsageError(f"There is no folder {source}, and it is no git URL.", hint="Check its name.")
    scratch = tempfile.mkdtemp(prefix="dovetail-template-")
    try:
        fetched = Path(scratch) / "clone"
        clone(str(local) if local.exists() else source, fetched)
        name = source.rstrip("/").removesuffix(".git").replace(":", "/").rpartition("/")[2]
        yield templates.read_folder(fetched, name or "template")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
