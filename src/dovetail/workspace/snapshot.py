"""Files as a plan may use them: read once, decoded, with the reason where one cannot be edited."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from dovetail.model.codes import Code
from dovetail.model.errors import JailError, UsageError, WorkspaceError
from dovetail.model.paths import folders_above
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.workspace.encoding import Decoded, Encoding, Undecodable, decode
from dovetail.workspace.files import Found, is_fixed, read
from dovetail.workspace.folders import held

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dovetail.workspace.jail import Jail, Place

_OF_FILES = frozenset((Code.BINARY, Code.UNREADABLE))
"""What is wrong with a file that is there; all else is wrong with its path."""


def read_snapshot(jail: Jail, paths: Iterable[str], seen: Mapping[str, str], tree: frozenset[str]) -> Snapshot:
    """Read `paths`; those that do not exist are left out. `seen` has the texts that the model saw, by path.

    Raises `UsageError` for a text in the place of several.
    """
    if isinstance(paths, str):
        raise UsageError("The paths are of the type str.", hint=f"Hand in several: [{paths!r}]")
    files: dict[str, FileText] = {}
    refused: dict[str, str] = {}
    folders: set[str] = set()
    fixed: set[str] = set()
    names: dict[object, list[tuple[bool, str]]] = {}
    wanted = dict.fromkeys(paths)
    for path in wanted:
        try:
            found, place, closed = _read(jail, path)
        except WorkspaceError as error:
            if error.code in _OF_FILES:
                files[path] = FileText(path, None, Code(error.code), detail=error.message)
            elif error.code != Code.FILE_EXISTS:
                refused[path] = error.message
            elif (inside := _held_by_folder(jail, path, len(wanted) + 1)) is not None:
                tree |= set(inside)  # a plan may take away all of it, and put a file there
            elif (tree | wanted.keys()).isdisjoint(folders_above(path)):
                refused[path] = error.message  # else a plan may take away the file that stands where a folder has to be
        else:
            # What the tree has on the way to a path that the jail walked is a link that stays inside.
            folders.update(folder for folder in folders_above(path) if folder in tree)
            fixed.update([path] if closed else ())
            if found is not None:
                files[path] = _text_of(path, found, seen.get(path), linked=place.linked)
            same = found.identity if found is not None else None
            names.setdefault(same or place.real, []).append((place.real != path, path))
    return Snapshot(files, tree, refused, frozenset(folders), _aliases(names.values()), frozenset(fixed))


def _held_by_folder(jail: Jail, path: str, most: int) -> list[str] | None:
    """At most so many paths of what stands in a folder; None where `path` is not that of a folder that can be read."""
    try:
        with jail.open_folder(path) as folder:
            return list(islice(held(folder, path), most))
    except (OSError, WorkspaceError):
        return None


def _aliases(same: Iterable[list[tuple[bool, str]]]) -> dict[str, str]:
    """Of several names of one file the one that is written, by each of the others: one that leads through no link, if
    there is. Each name comes with whether it does."""
    aliases: dict[str, str] = {}
    for names in same:
        (_, first), *others = sorted(names)
        aliases.update((path, first) for _, path in others)
    return aliases


def _read(jail: Jail, path: str) -> tuple[Found | None, Place, bool]:
    """A file, None where there is none, the place that was looked at, closed again, and whether its names are fixed."""
    with jail.locate(path) as place:
        if place.spelling != place.name:
            raise JailError(f"`{path}` is there as `{place.spelling}`, in another case.")
        return read(place, path), place, is_fixed(place, jail.mounts())


def _text_of(path: str, found: Found, seen: str | None, *, linked: bool) -> FileText:
    match decode(found.data):
        case Undecodable(code, detail):
            return FileText(path, None, code, digest=found.digest, detail=detail, link=linked)
        case Decoded(text, encoding):
            known, marked = seen if seen != text else None, encoding is Encoding.UTF_8_BOM
            file = FileText(path, text, seen=known, digest=found.digest, link=linked, marked=marked)
            return file if found.writable else replace(file, problem=Code.READ_ONLY, detail="It is read-only.")
