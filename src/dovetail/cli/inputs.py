"""The inputs of a command: the folder and root it works in, its settings, and the reply.

A reply comes from a file, standard input or the clipboard, and is decoded strictly: nothing is guessed. An option wins
over the project's settings file, which wins over the user's.
"""

from __future__ import annotations

import argparse
import codecs
import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from dovetail.cli.clipboard import read_clipboard
from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.workspace.encoding import check_encoding
from dovetail.workspace.root import find_root, resolve_folder

if TYPE_CHECKING:
    from dovetail.session.settings import Settings

LARGEST = 64 * 1024 * 1024  # bytes of a reply

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_HOW = "Name a file, pipe the reply in, or use --clipboard."


class Location(NamedTuple):
    """The folder that a command was started for, and the root it may write under; both absolute, links resolved.

    Paths that a person types are relative to the folder; paths in replies are relative to the root.
    """

    folder: Path
    root: Path

    def in_root(self, path: str) -> str:
        """Return a path that a person typed relative to the root, with ``/`` as separator.

        Raises `UsageError` if it leaves the root, or is empty: an empty path must not mean the whole root.
        """
        if not path:
            raise UsageError("A path is empty.", hint='Name a file or folder; the current one is "."')
        named = Path(os.path.normpath(self.folder / path))
        if not named.is_relative_to(self.root):
            named = self._behind_links(named)
        if not named.is_relative_to(self.root):
            raise UsageError(
                f"`{path}` is outside the root `{self.root}`.", hint="Name a file under it, or set --root."
            )
        return named.relative_to(self.root).as_posix()

    def _behind_links(self, path: Path) -> Path:
        """Return the path with links resolved down to where it enters the root, as from a home that is a link.

        A path that does not enter the root is returned unchanged.
        """
        with suppress(OSError, ValueError):  # the latter for a name that can be none
            for upper in (*reversed(path.parents), path):
                real = Path(os.path.realpath(upper))
                if real.is_relative_to(self.root):
                    # From the top down: the first folder that lies in the root ends it, and a link below is left for
                    # the jail.
                    return real / path.relative_to(upper)
        return path


def find_location(folder: Path, root: Path | None = None) -> Location:
    """Return the location for a folder. The root is by default the enclosing git work tree, else the folder itself.

    `root` is relative to `folder`. Raises `UsageError` if one of them is no folder that can be a root.
    """
    try:
        here = resolve_folder(folder)
        return Location(here, resolve_folder(here / root) if root is not None else find_root(here))
    except WorkspaceError as error:
        raise UsageError(error.message, hint=error.hint) from None


def location_of(args: argparse.Namespace) -> Location:
    """Return the location that ``-C`` and ``--root`` name."""
    if args.root == "":
        raise UsageError("--root is empty.", hint='Name the folder; the current one is "."')
    return find_location(folder_of(args), Path(args.root) if args.root is not None else None)


def folder_of(args: argparse.Namespace) -> Path:
    """Return the folder that ``-C`` names, by default the current one; each ``-C`` is relative to the one before it."""
    return Path().joinpath(*(args.folders or ()), *getattr(args, "further_folders", ()))


def same_file(one: Path | int, other: Path | int) -> bool:
    """Return whether two paths or descriptors lead to one file; of paths also if neither exists yet."""
    try:
        if isinstance(one, Path) and isinstance(other, Path) and os.path.realpath(one) == os.path.realpath(other):
            return True
        return os.path.samestat(os.stat(one), os.stat(other))  # noqa: PTH116 - pathlib takes no descriptors
    except (OSError, ValueError):  # the latter for a name that can be none here
        return False


def check_number(option: str, number: int | None, least: int, unit: str) -> None:
    """Raise `UsageError` for a number that is too small; None passes."""
    if number is not None and number < least:
        raise UsageError(f"{option} {number} is no number of {unit}.", hint=f"Give {least} or more.")


def check_port(port: int) -> None:
    """Raise `UsageError` for a number that is no port."""
    if not 0 <= port <= 65_535:
        raise UsageError(f"There is no port {port}.", hint="Give 0 (any free one) to 65535.")


def settings_for(args: argparse.Namespace, location: Location) -> Settings:
    """Return the settings in force, with the options about planning."""
    from dovetail.session.settings import load  # it loads every format, which commands about the journal do not need

    settings = load(location.root)
    options = ("on_failure", "occurrence", "conflicts", "accept", "min_confidence", "new_errors", "commands")
    names = {name: getattr(args, name, None) for name in options}
    chosen: dict[str, Any] = {name: word for name, word in names.items() if word is not None}
    policy = replace(settings.policy, **chosen, partial=getattr(args, "partial", False))
    encoding = getattr(args, "encoding", None)
    if encoding is not None:
        settings = replace(settings, encoding=check_encoding(encoding))
    if getattr(args, "only", None):
        paths = tuple(location.in_root(path) for path in args.only)
        policy = replace(policy, only=None if "." in paths else paths)
    return replace(settings, policy=policy, chosen=settings.chosen | {name.replace("_", "-") for name in chosen})


def settings_of(args: argparse.Namespace, location: Location) -> Settings:
    """Return the settings in force, with the options about reading a reply and planning."""
    settings = settings_for(args, location)
    if args.format is not None:
        settings = replace(settings, format=args.format)
    if args.fence:
        try:
            from dovetail.session.settings import with_fences

            settings = replace(settings, markers=with_fences(settings.markers, args.fence))
        except ValueError as error:
            raise UsageError(f"--fence: {error}", hint="For example: --fence '<source>'") from None
    return settings


class ReplyError(UsageError):
    """The reply cannot be read."""

    code = "reply"


class ReplySource(NamedTuple):
    """A reply's text, what to call it, and whether reading it used up standard input."""

    text: str
    name: str
    took_stdin: bool = False


def reply_of(args: argparse.Namespace, location: Location) -> ReplySource:
    """Return the reply from the source that is named: a file of the folder, ``-`` standard input, or the clipboard.

    Without any it is standard input: a pipe, or what is pasted at the terminal. Raises `ReplyError`, or `UsageError`
    if two were named, or there is no standard input.
    """
    named: str | None = args.reply
    if args.clipboard and named is not None:
        raise UsageError("A reply file and --clipboard were both given.", hint="Leave one of them out.")
    if args.clipboard:
        return ReplySource(decoded(read_clipboard(), "the clipboard"), "the clipboard")
    if named is not None and named != "-":
        return ReplySource(decoded(_file_bytes(location.folder, named), f"`{named}`"), named)
    if sys.stdin is None:
        raise UsageError("No reply was given.", hint=_HOW)
    if sys.stdin.isatty():
        sys.stderr.write("Paste the reply, then press Ctrl-D on a line of its own.\n")
    data = _bounded(sys.stdin.buffer, "standard input")
    return ReplySource(decoded(data, "standard input"), "standard input", True)


def _file_bytes(folder: Path, named: str) -> bytes:
    name = f"`{named}`"
    try:
        with (folder / named).open("rb") as file:
            return _bounded(file, name)
    except FileNotFoundError:
        hint = f"{_HOW} To look in another folder: -C DIR"
        if Path(named).exists():  # from where the command was typed, not from where -C leads
            hint = f"-C leads to another folder; from there it is {os.path.relpath(named, folder)}"
        where = "" if Path(named).is_absolute() else f" in {folder}"
        raise ReplyError(f"There is no reply file {name}{where}.", hint=hint) from None
    except IsADirectoryError:
        raise ReplyError(f"{name} is a folder, not a reply.", hint="Name the file that holds the reply.") from None
    except OSError as error:
        raise ReplyError(f"{name} cannot be read: {error.strerror}.", hint="Check the name and permissions.") from None


def _bounded(file: BinaryIO, name: str) -> bytes:
    data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        what = f"holds more than {LARGEST // 1024 // 1024} MB, too much for a reply"
        raise _refused(name, what, "Check that it is the reply, or split it.", "reply-too-large")
    return data


def decoded(data: bytes, name: str) -> str:
    """Return the text of a reply: UTF-8, or UTF-16 with a byte order mark; the mark is dropped. Raises `ReplyError`."""
    mark, encoding = next((known for known in _BOMS if data.startswith(known[0])), (b"", "utf-8"))
    # Between a quarter and three quarters of all bytes: ASCII as UTF-16 has half.
    if not mark and len(data) < 4 * data.count(0) < 3 * len(data):
        raise _refused(name, "holds a NUL in every second byte, as UTF-16 without its mark does")
    try:
        return data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        at = len(mark) + error.start
        line = data.count(b"\n", 0, at) + 1
        what = f"is not {encoding.upper()}: line {line} holds a byte that is none (byte {at})"
        raise _refused(name, what) from None


def _refused(name: str, what: str, hint: str = "Save the reply as UTF-8.", code: str = "reply-encoding") -> ReplyError:
    return ReplyError(f"{name[:1].upper()}{name[1:]} {what}.", hint=hint, code=code)
