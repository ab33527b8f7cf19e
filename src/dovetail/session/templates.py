"""Starter templates: found, read, filled and copied; never over a file that exists.

A template is a folder with a `template.toml` (what it is, which variables it has) beside a folder `files`; a folder
without one is a template without variables, copied unchanged. Filling is plain substitution: only ``{{ name }}`` of a
declared variable, only in names of paths and in files whose name ends in ``.tmpl`` (which is removed). Nothing that a
template says is run.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Any

from dovetail.model.errors import JailError, UsageError
from dovetail.workspace.names import check_path

FILLED = ".tmpl"
DESCRIPTION = "template.toml"
LARGEST = 64 * 1024 * 1024
MOST_FILES = 5_000

_FIELDS: dict[str, Any] = {"summary": "", "keywords": (), "begin": ()}
_GAP = re.compile(r"\{\{ *([a-z][a-z0-9_]*) *\}\}")
_ANY = r"[^\x00-\x1f\x7f]*"


@dataclass(frozen=True, slots=True)
class Variable:
    """default: filled like a file, from variables that stand before it. pattern: what a value must match whole."""

    name: str
    default: str
    pattern: str = _ANY
    summary: str = ""


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """One file: its path in the template, its bytes, whether it is a program, whether it is filled."""

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
    """The templates that come with Dovetail, by name, without their files."""
    return tuple(_described(place, place.name) for place in _shipped_places())


def load(name: str) -> Template:
    """One of the shipped templates, whole. Raises `UsageError` for a name that is none."""
    for place in _shipped_places():
        if place.name == name:
            with as_file(place) as folder:
                return read_folder(folder, name)
    known = ", ".join(place.name for place in _shipped_places())
    raise UsageError(
        f"There is no template {name}.", hint=f"There are {known}; any other folder: dovetail new --from SOURCE DIR"
    )


def read_folder(folder: Path, name: str | None = None) -> Template:
    """A template from a folder. Raises `UsageError` where it is none, or holds what is neither folder nor file."""
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
            re.compile(pattern)
            summary = str(fields.get("summary", ""))
            variables.append(Variable(variable, str(fields["default"]), pattern, summary))
        summary, keywords, begin = (table.get(key, default) for key, default in _FIELDS.items())
        words = tuple(map(str, keywords))
        return Template(name, str(summary), words, tuple(variables), begin=tuple(map(str, begin)))
    except (ValueError, TypeError, AttributeError, KeyError, re.error) as error:
        raise UsageError(f"The {DESCRIPTION} of {name} cannot be read: {error}.", hint="Correct it.") from error


def _files(root: Path, *, filling: bool) -> Iterator[TemplateFile]:
    """Every file below a folder, in order; git's own folder is left out."""
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
    """The value of each variable: as chosen, else its default, which may use those before it in any spelling.

    `folder_name` is the value of ``folder``. Raises `UsageError` for a variable that the template does not have, or a
    value that does not match.
    """
    unknown = sorted(set(chosen) - {variable.name for variable in template.variables})
    if unknown:
        known = ", ".join(variable.name for variable in template.variables) or "none"
        raise UsageError(f"The template has no variable {unknown[0]}.", hint=f"It has {known}.")
    values = {"folder": folder_name, **_spellings("folder", folder_name)}
    spelled: dict[str, str] = {}
    for variable in template.variables:
        value = chosen.get(variable.name, fill(variable.default, spelled | values))
        if re.fullmatch(variable.pattern, value) is None:
            hint = f"Give the {variable.summary}, which must match {variable.pattern}: --var {variable.name}=…"
            raise UsageError(f"{value!r} is no {variable.name}.", hint=hint)
        values[variable.name] = value
        spelled |= _spellings(variable.name, value)
    return values


def _spellings(name: str, value: str) -> dict[str, str]:
    """A value as the name of a package (`my_app`), of a distribution (`my-app`), and as a title (`My app`)."""
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
    """The text with each gap of a known variable filled, once; other gaps stay as they are."""
    return _GAP.sub(lambda gap: values.get(gap[1], gap[0]), text)


def filled_files(template: Template, values: Mapping[str, str]) -> dict[str, TemplateFile]:
    """The files as they will be written, by path. Raises `UsageError` where two have one name or one may not be."""
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
    """`dot-gitignore` is `.gitignore`: so that a shipped one has no effect where it lies."""
    return "." + name.removeprefix("dot-") if name.startswith("dot-") and len(name) > 4 else name
