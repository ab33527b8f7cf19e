"""Which template a request means: by a name in it, by its words, or else by asking the model."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dovetail.llm.values import Message, Reply, Request, Role
from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.session import templates
from dovetail.session.templates import Template, TemplateFile
from dovetail.workspace.encoding import Decoded, decode
from dovetail.workspace.git import clone
from dovetail.workspace.git_commit import begin_repository
from dovetail.workspace.new_files import NewFile, write_new
from dovetail.workspace.root import in_git

if TYPE_CHECKING:
    from dovetail.session.participants import Model
    from dovetail.session.templates import Template


_ROOM = 2_000  # tokens; the answer is a word, what a model thinks before it is not
_WORD = re.compile(r"[a-z0-9+#.]+")
_QUESTION = """\
Somebody wants this:

{request}

Which of these starter templates is the best base for it? Answer with its name alone, or with the word none.

{templates}"""


def choose_by_words(request: str, templates: Sequence[Template]) -> Template | None:
    """The template that a request names, or whose keywords it uses most; None where that decides nothing."""
    text = " ".join(_WORD.findall(request.lower().replace("-", " ")))
    scores = {template.name: _score(text, template) for template in templates}
    best = max(scores.values(), default=0)
    fitting = [template for template in templates if scores[template.name] == best]
    return fitting[0] if best and len(fitting) == 1 else None


def _score(text: str, template: Template) -> int:
    named = template.name.replace("-", " ")
    score = 100 if re.search(rf"(?<!\w){re.escape(named)}(?!\w)", text) else 0
    return score + sum(bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)) for word in template.keywords)


def choose_by_model(request: str, templates: Sequence[Template], model: Model, name: str) -> Template:
    """The template that a model picks. Raises `UsageError` where it picks none, `ModelError` where none answers."""
    listed = "\n".join(f"- {template.name}: {template.summary}" for template in templates)
    question = Message(Role.USER, _QUESTION.format(request=request, templates=listed))
    with closing(model.stream(Request(name, (question,), max_tokens=_ROOM))) as deltas:
        reply = Reply.of(deltas)
    answer = reply.text.lower()
    named = [template for template in templates if re.search(rf"(?<![\w-]){re.escape(template.name)}(?![\w-])", answer)]
    if len(named) != 1:
        raise UsageError(_why_none(reply, named), hint="Name one: --template NAME (see `dovetail new`)")
    return named[0]


def _why_none(reply: Reply, named: Sequence[Template]) -> str:
    """Only the model's own `none` says that no template fits."""
    if named:
        return f"The model named {len(named)} templates, and which one fits best is not clear."
    if re.search(r"\bnone\b", reply.text.lower()):
        return "No template fits the request."
    if reply.ended_early:
        return "The model's answer ended before it named a template."
    return "The model named no template."


@dataclass(frozen=True, slots=True)
class NewProject:
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


def make_project(template: Template, folder: Path, stated: Mapping[str, str], *, with_git: bool = True) -> NewProject:
    """Copy a template into a new or empty folder. Raises `UsageError`, `WorkspaceError`; then nothing is left."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not empty.", hint="Name a new folder; nothing is written over.")
    made = templates.filled_files(template, templates.values_for(template, stated, folder.resolve().name))
    write_new(folder, _new(made))
    paths = tuple(sorted(made))
    if not with_git:
        return NewProject(folder, template, paths)
    if in_git(folder.resolve()):
        return NewProject(folder, template, paths, note="The folder lies in a git repository already; none was made.")
    return _committed(NewProject(folder, template, paths))


def copy_into(template: Template, root: Path, stated: Mapping[str, str], *, again: bool = False) -> NewProject:
    """Copy a template beside what is in a folder. Raises `UsageError` where one of its files is there already.

    With `again` on, those that are there byte for byte stay.
    """
    made = files_of(template, root, stated)
    there = tuple(path for path in sorted(made) if again and _is_there(root / path, made[path]))
    write_new(root, _new({path: file for path, file in made.items() if path not in there}))
    texts = tuple(path for path in sorted(made) if isinstance(decode(made[path].data), Decoded))
    return NewProject(root, template, tuple(sorted(made)), there=there, texts=texts)


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


def _committed(made: NewProject) -> NewProject:
    """Make a repository and its first commit; where git cannot, the files stay and the note says so."""
    try:
        commit = begin_repository(made.folder, made.paths, f"Begin from the template {made.template.name}")
    except WorkspaceError as error:
        return NewProject(made.folder, made.template, made.paths, note=f"Git: {error.message}")
    return NewProject(made.folder, made.template, made.paths, commit)


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
