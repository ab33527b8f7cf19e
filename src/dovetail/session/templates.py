"""Starter templates: found, chosen, read, filled and copied, with a git repository and a first commit.

A template is a folder with a `template.toml` (its summary and variables) beside a folder `files`; a folder
without one is a template without variables, copied unchanged. Filling is plain substitution: only ``{{ name }}`` of a
declared variable, only in names of paths and in files whose name ends in ``.tmpl`` (which is removed). Nothing of a
template is run, and no pattern takes long, as the syntax of patterns and the length of values are limited.

Existing files are never written over: a folder must be new or empty (`make_project`), or none of the template's files
may exist there (`copy_into`). If anything fails while the files are written, none stays.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Any

from dovetail.llm.values import Message, Reply, Request, Role
from dovetail.model.errors import JailError, UsageError, WorkspaceError
from dovetail.session.conversation.participants import Model
from dovetail.workspace.encoding import Decoded, decode
from dovetail.workspace.files import ProjectFile, write_new
from dovetail.workspace.git import begin_repository, clone
from dovetail.workspace.names import check_path
from dovetail.workspace.root import in_git

FILLED = ".tmpl"
DESCRIPTION = "template.toml"
LARGEST = 64 * 1024 * 1024
MOST_FILES = 5_000

_FIELDS: dict[str, Any] = {"summary": "", "keywords": (), "begin": ()}
_GAP = re.compile(r"\{\{ *([a-z][a-z0-9_]*) *\}\}")
_ANY = r"[^\x00-\x1f\x7f]*"
LONGEST_VALUE = 255
"""The most characters of a variable's value."""
_MOST_CHOICES = 3  # each may be tried at every length of a value, so their number is the power
# One character, or a set of them, which may repeat; or a group, which may be left out and does not repeat.
_PIECE = re.compile(
    r"""(?:\[\^?\]?(?:\\.|[^\]\\])*\] | \\(?:x[0-9a-f]{2}|[dswDSW]|[^0-9A-Za-z]) | [^\\\[\](){}|?*+^$])
    (?P<repeats>[*+?] | \{[0-9]{1,3}(?:,[0-9]{0,3})?\})? | \( | \)(?P<optional>\?)? | \|""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of a template.

    default: its value if none is chosen, in which gaps of earlier variables are filled. pattern: a regular expression
    that the whole value must match, of characters, sets and groups, with at most three repeats and alternatives.
    """

    name: str
    default: str
    pattern: str = _ANY
    summary: str = ""


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """One file: its path in the template and its bytes. filled: its gaps are filled."""

    path: str
    data: bytes
    executable: bool = False
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Template:
    """One template. `keywords` are words of a request that suggest it; `begin` are the commands to run first."""

    name: str
    summary: str = ""
    keywords: tuple[str, ...] = ()
    variables: tuple[Variable, ...] = ()
    files: tuple[TemplateFile, ...] = ()
    begin: tuple[str, ...] = ()


def shipped() -> tuple[Template, ...]:
    """Return the templates that come with Dovetail, sorted by name, without their files."""
    return tuple(_described(place, place.name) for place in _shipped_places())


def load(name: str) -> Template:
    """Return a shipped template with its files. Raises `UsageError` if there is none of that name."""
    for place in _shipped_places():
        if place.name == name:
            with as_file(place) as folder:
                return read_folder(folder, name)
    known = ", ".join(place.name for place in _shipped_places())
    raise UsageError(
        f"There is no template {name}.", hint=f"There are {known}; any other folder: dovetail new --from SOURCE DIR"
    )


def read_folder(folder: Path, name: str | None = None) -> Template:
    """Read a template from a folder. Raises `UsageError` if it has no files, or anything but folders and files."""
    described = (folder / DESCRIPTION).is_file()
    template = _described(folder, name or folder.name)
    found = tuple(_files(folder / "files" if described else folder, filling=described))
    if not found:
        raise UsageError(f"{folder} holds no files to copy.", hint="Name the folder of a template.")
    return Template(template.name, template.summary, template.keywords, template.variables, found, template.begin)


def _shipped_places() -> list[Traversable]:
    root = files("dovetail") / "templates"
    return sorted((p for p in root.iterdir() if (p / DESCRIPTION).is_file()), key=lambda place: place.name)


def _described(place: Traversable, name: str) -> Template:
    described = place / DESCRIPTION
    if not described.is_file():
        return Template(name)
    try:
        table: dict[str, Any] = tomllib.loads(described.read_text(encoding="utf-8"))
        variables = []
        for variable, fields in table.get("variables", {}).items():
            pattern = str(fields.get("pattern", _ANY))
            _check_pattern(pattern)
            summary = str(fields.get("summary", ""))
            variables.append(Variable(variable, str(fields["default"]), pattern, summary))
        summary, keywords, begin = (table.get(key, default) for key, default in _FIELDS.items())
        words = tuple(map(str, keywords))
        return Template(name, str(summary), words, tuple(variables), begin=tuple(map(str, begin)))
    except (ValueError, TypeError, AttributeError, KeyError, re.error) as error:
        raise UsageError(f"The {DESCRIPTION} of {name} cannot be read: {error}.", hint="Correct it.") from error


def _check_pattern(pattern: str) -> None:
    """Raise `ValueError` for a pattern that cannot be read, or that may take long to compare."""
    re.compile(pattern)
    at, choices = 0, 0
    while at < len(pattern):
        piece = _PIECE.match(pattern, at)
        if piece is None:
            raise ValueError(f"the pattern {pattern!r} says more than templates may, from {pattern[at:]!r} on")
        at = piece.end()
        choices += bool(piece["repeats"] or piece["optional"] or piece[0] == "|")
    if choices > _MOST_CHOICES:
        raise ValueError(f"the pattern {pattern!r} has more than {_MOST_CHOICES} repeats and alternatives")


def _files(root: Path, *, filling: bool) -> Iterator[TemplateFile]:
    """Yield every file below a folder, in order, but for `.git`, `.dovetail` and `__pycache__`."""
    total = 0
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in (".git", ".dovetail", "__pycache__"))
        for name in sorted([*names, *(inner for inner in folders if (Path(folder) / inner).is_symlink())]):
            file = Path(folder) / name
            path = file.relative_to(root).as_posix()
            if file.is_symlink():
                raise UsageError(f"The template holds a link, `{path}`.", hint="Put the file itself in its place.")
            info = file.stat()
            if not stat.S_ISREG(info.st_mode):
                raise UsageError(f"The template holds `{path}`, which is no regular file.", hint="Leave it out.")
            total, count = total + info.st_size, count + 1
            if total > LARGEST or count > MOST_FILES:
                raise UsageError("The template is too large to copy.", hint="Leave out what is generated.")
            filled = filling and name.endswith(FILLED)
            yield TemplateFile(path, file.read_bytes(), bool(info.st_mode & 0o100), filled)


def values_for(template: Template, chosen: Mapping[str, str], folder_name: str) -> dict[str, str]:
    """Return the value of each variable: as chosen, else its default, which may use earlier ones in any spelling.

    folder_name: the value of ``folder``. Raises `UsageError` for an unknown variable, or a value that does not match.
    """
    unknown = sorted(set(chosen) - {variable.name for variable in template.variables})
    if unknown:
        known = ", ".join(variable.name for variable in template.variables) or "none"
        raise UsageError(f"The template has no variable {unknown[0]}.", hint=f"It has {known}.")
    values = {"folder": folder_name, **_spellings("folder", folder_name)}
    spelled: dict[str, str] = {}
    for variable in template.variables:
        value = chosen.get(variable.name, fill(variable.default, spelled | values))
        if len(value) > LONGEST_VALUE:
            hint = f"Use at most {LONGEST_VALUE} characters: --var {variable.name}=…"
            raise UsageError(f"The value of {variable.name} has {len(value):,} characters.", hint=hint)
        if re.fullmatch(variable.pattern, value) is None:
            hint = f"Give the {variable.summary}, which must match {variable.pattern}: --var {variable.name}=…"
            raise UsageError(f"{value!r} is no {variable.name}.", hint=hint)
        values[variable.name] = value
        spelled |= _spellings(variable.name, value)
    return values


def _spellings(name: str, value: str) -> dict[str, str]:
    """Return a value as the name of a package (`my_app`), of a distribution (`my-app`), and as a title (`My app`)."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", value) if not unicodedata.combining(sign))
    parts = [part for part in re.split(r"[^a-z0-9]+", plain.lower()) if part] or ["app"]
    if parts[0][0].isdigit():
        parts.insert(0, "app")
    return {
        f"{name}_package": "_".join(parts),
        f"{name}_slug": "-".join(parts),
        f"{name}_title": " ".join(parts).capitalize(),
    }


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return the text with each gap of a known variable filled, once; other gaps stay as they are."""
    return _GAP.sub(lambda gap: values.get(gap[1], gap[0]), text)


def filled_files(template: Template, values: Mapping[str, str]) -> dict[str, TemplateFile]:
    """Return the files to write, by path. Raises `UsageError` for two of one name, and a name that is not allowed."""
    filled: dict[str, TemplateFile] = {}
    for file in template.files:
        path = fill(file.path, values) if template.variables else file.path
        data = file.data
        if file.filled:
            path = path.removesuffix(FILLED)
            try:
                data = fill(data.decode("utf-8"), values).encode("utf-8")
            except UnicodeDecodeError:
                raise UsageError(f"`{file.path}` is not UTF-8, so it cannot be filled.") from None
        path = str(PurePosixPath(*(_undotted(part) for part in path.split("/"))))
        try:
            check_path(path)
        except JailError as error:
            raise UsageError(f"The template would write `{path}`: {error.message}", hint="Correct it.") from error
        if path in filled:
            raise UsageError(f"The template has two files for `{path}`.", hint="Correct it.")
        filled[path] = TemplateFile(path, data, file.executable)
    return filled


def _undotted(name: str) -> str:
    """Return `.gitignore` for `dot-gitignore`: a shipped file is named so to have no effect in this repository."""
    return "." + name.removeprefix("dot-") if name.startswith("dot-") and len(name) > 4 else name


_MAX_TOKENS = 2_000  # the answer is a word, but a model may think before it
_WORD = re.compile(r"[a-z0-9+#.]+")
_QUESTION = """\
Somebody wants this:

{request}

Which of these starter templates is the best base for it? Answer with its name alone, or with the word none.

{templates}"""


def choose_template(request: str, known: Sequence[Template], model: Model, name: str) -> Template:
    """Return the template that a request means, by its words or else by asking the model `name`.

    Raises `UsageError` if the model picks none, `ModelError` if it does not answer.
    """
    return choose_by_words(request, known) or choose_by_model(request, known, model, name)


def choose_by_words(request: str, known: Sequence[Template]) -> Template | None:
    """Return the template that a request names, or whose keywords it uses most; None if there is none, or a tie."""
    text = " ".join(_WORD.findall(request.lower().replace("-", " ")))

    def names(word: str) -> bool:
        return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None

    # A template's own name outweighs any number of keywords.
    scores = {t.name: 100 * names(t.name.replace("-", " ")) + sum(map(names, t.keywords)) for t in known}
    best = max(scores.values(), default=0)
    fitting = [template for template in known if scores[template.name] == best]
    return fitting[0] if best and len(fitting) == 1 else None


def choose_by_model(request: str, known: Sequence[Template], model: Model, name: str) -> Template:
    """Return the template that a model picks. Raises `UsageError` if it picks none, `ModelError` if none answers."""
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
    """A project that was made. commit: its first commit; None if none was made, and `note` may say why.

    paths: all files of the template. existed: those that were there before, byte for byte.
    texts: those that can be shown to a model.
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
    """Return the files that a copy of a template into a folder has, by path."""
    return filled_files(template, values_for(template, variables, root.resolve().name))


def _exists(path: Path, file: TemplateFile) -> bool:
    try:
        return not path.is_symlink() and path.is_file() and path.read_bytes() == file.data
    except OSError:
        return False


def _new(files: Mapping[str, TemplateFile]) -> dict[str, ProjectFile]:
    return {path: ProjectFile(file.data, file.executable) for path, file in files.items()}


@contextmanager
def template_from(source: str, folder: Path) -> Iterator[Template]:
    """Yield a template from a folder, or from a git URL, which is cloned to a temporary place.

    folder: where a relative path starts. Raises `UsageError` if there is no such template.
    """
    local = folder / source
    if local.is_dir() and not source.endswith(".git"):
        yield read_folder(local)
        return
    schemes = ("https://", "http://", "ssh://", "git://", "file://")
    # git@host:owner/name.git is a URL, C:\templates is none.
    is_url = source.startswith(schemes) or (":" in source and "@" in source.partition(":")[0])
    if not local.exists() and not is_url:
        raise UsageError(f"There is no folder {source}, and it is no git URL.", hint="Check its name.")
    scratch = tempfile.mkdtemp(prefix="dovetail-template-")
    try:
        fetched = Path(scratch) / "clone"
        clone(str(local) if local.exists() else source, fetched)
        name = source.rstrip("/").removesuffix(".git").replace(":", "/").rpartition("/")[2]
        yield read_folder(fetched, name or "template")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
