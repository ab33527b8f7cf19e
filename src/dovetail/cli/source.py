"""Where a reply comes from: a file, standard input, the clipboard. Decodes it strictly, and never guesses."""

from __future__ import annotations

import codecs
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from dovetail.model.errors import UsageError

LARGEST = 64 * 1024 * 1024

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

_HOW = "Name a file, pipe the reply in, or use --clipboard."


class ReplyError(UsageError):
    """The reply cannot be read."""

    code = "reply"


@dataclass(frozen=True, slots=True)
class Source:
    """A reply's text, what to call it, and whether reading it used up standard input."""

    text: str
    name: str
    took_stdin: bool = False


def read_reply(named: str | None, folder: Path, *, clipboard: bool) -> Source:
    """The reply from the one place that was named: a file of `folder`, ``-`` for standard input, or the clipboard.

    Raises `ReplyError`, or `UsageError` where no place or two were named.
    """
    if clipboard and named is not None:
        raise UsageError("A reply file and --clipboard were both given.", hint="Leave one of them out.")
    if clipboard:
        from dovetail.cli.clipboard import read_clipboard

        return Source(decoded(read_clipboard(), "the clipboard"), "the clipboard")
    if named is not None and named != "-":
        return Source(decoded(_file(folder, named), f"`{named}`"), named)
    if sys.stdin is None or (sys.stdin.isatty() and named is None):
        raise UsageError("No reply was given.", hint=_HOW)
    if sys.stdin.isatty():
        sys.stderr.write("Paste the reply, then press Ctrl-D on a line of its own.\n")
    return Source(decoded(_bounded(sys.stdin.buffer, "standard input"), "standard input"), "standard input", True)


def _file(folder: Path, named: str) -> bytes:
    name = f"`{named}`"
    try:
        with (folder / named).open("rb") as file:
            return _bounded(file, name)
    except FileNotFoundError:
        hint = _HOW
        if Path(named).exists():  # from where the command was typed, not from where -C leads
            hint = f"-C leads to another folder; from there it is {os.path.relpath(named, folder)}"
        raise ReplyError(f"There is no reply file {name}.", hint=hint) from None
    except IsADirectoryError:
        raise ReplyError(f"{name} is a folder, not a reply.", hint="Name the file that holds the reply.") from None
    except OSError as error:
        raise ReplyError(f"{name} cannot be read: {error.strerror}.", hint="Check the name and permissions.") from None


def _bounded(file: BinaryIO, name: str) -> bytes:
    data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        said = f"holds more than {LARGEST // 1024 // 1024} MB, too much for a reply"
        raise _refused(name, said, "Check that it is the reply, or split it.", "reply-too-large")
    return data


def decoded(data: bytes, name: str) -> str:
    """The text of a reply: UTF-8, or UTF-16 with a byte order mark; the mark is dropped. Raises `ReplyError`."""
    mark, encoding = next((known for known in _BOMS if data.startswith(known[0])), (b"", "utf-8"))
    if not mark and len(data) < 4 * data.count(0) < 3 * len(data):
        raise _refused(name, "holds a NUL in every second byte, as UTF-16 without its mark does")
    try:
        return data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        at = len(mark) + error.start
        line = data.count(b"\n", 0, at) + 1
        said = f"is not {encoding.upper()}: line {line} holds a byte that is none (byte {at})"
        raise _refused(name, said) from None


def _refused(name: str, said: str, hint: str = "Save the reply as UTF-8.", code: str = "reply-encoding") -> ReplyError:
    return ReplyError(f"{name[:1].upper()}{name[1:]} {said}.", hint=hint, code=code)
