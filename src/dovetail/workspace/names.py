"""Decides by their spelling alone which paths may be written at all.

Owns the rules that need no disk. All hold on every platform: a repository written on one can be opened on another, and
a name such as `.GIT` is refused on systems that distinguish case, too. Refuses by raising `JailError`. The jail checks
what is on the disk (links, folders, devices).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from dovetail.model.errors import JailError
from dovetail.text.pattern import pattern

JOURNAL_FOLDER = ".dovetail"
TEMP_PREFIX = ".dovetail-"

LONGEST_NAME = 255  # bytes, what common file systems hold
LONGEST_PATH = 4096  # bytes, with separators
DEEPEST = 100  # folders below one another: each is held open on the way, and macOS gives a process 256 files

# con, COM1.txt, nul .log; but not console, com10, a.con
_RESERVED = pattern(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)\s*(\..*)?")
# NTFS gives long names a short twin; HFS+ ignores these characters when it compares names.
_SHORT_TWIN = pattern(r"(?i)(git|doveta)~[0-9]+")
_IGNORED_BY_HFS = pattern("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_CONTROL = pattern(r"[\x00-\x1f\x7f]")
# Nearly all names are plain ones that every rule below allows. They are told at once, as each run checks every path of
# the tree: src/main.py, a-1.b, __init__.py; but not .github/x (a dot first: may be .git), `a b`, `x.` or con.py, which
# go through the rules.
_PLAIN_NAME = r"(?!(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[./]|\Z))[a-z0-9_-](?:[a-z0-9_.@+()-]{0,200}[a-z0-9_@+()-])?"
_PLAIN = pattern(f"(?:{_PLAIN_NAME}/)*{_PLAIN_NAME}", re.IGNORECASE | re.ASCII)
_DRIVE = pattern(r"[A-Za-z]:")


def fold(name: str) -> str:
    """Return the form in which to compare names as file systems do that ignore case and composition (NFC or NFD)."""
    return compose(compose(name).casefold())


def compose(name: str) -> str:
    """Return a name in the composed form NFC, `é` as one character."""
    return unicodedata.normalize("NFC", name)


def temp_name(operation_id: str, n: int) -> str:
    """Return the name of the staged version of an operation's n-th file, from 0."""
    return f"{TEMP_PREFIX}{operation_id}-{n}"


def is_allowed(path: str) -> bool:
    """Return whether `check_path` accepts a path; much faster for plain paths."""
    if _is_plain(path):
        return True
    try:
        check_path(path)
    except JailError:
        return False
    return True


def _is_plain(path: str) -> bool:
    return len(path) <= LONGEST_PATH and path.count("/") <= DEEPEST and _PLAIN.fullmatch(path) is not None


@lru_cache(maxsize=8192)
def check_path(path: str) -> tuple[str, ...]:
    """Split a path relative to the root, with ``/`` as separator, into components. Raises `JailError` if one is bad."""
    if _is_plain(path):
        return tuple(path.split("/"))
    if not path:
        raise JailError("The path is empty.")
    if path.startswith(("/", "\\", "~/")) or path == "~" or _DRIVE.match(path):
        raise JailError(f"`{path}` does not start at the root.", hint="Name it relative to the root.")
    if "\\" in path:
        raise JailError(f"`{path}` holds a backslash.", hint="Put `/` between folders.")
    parts = tuple(path.split("/"))
    for name in parts:
        if name == "..":
            raise JailError(f"`{path}` leads out of its folder with `..`.", hint="Name it relative to the root.")
        if name in ("", "."):
            raise JailError(f"`{path}` holds an empty step.", hint="Leave out `./`, `//` and a slash at the end.")
        check_name(name, path)
    if len(_encoded(path, path)) > LONGEST_PATH:
        raise JailError(f"`{path[:80]}…` is longer than {LONGEST_PATH} bytes.")
    if len(parts) - 1 > DEEPEST:
        raise JailError(f"`{path[:80]}…` lies more than {DEEPEST} folders deep.")
    return parts


def check_name(name: str, path: str) -> None:
    """Check one component of a path or of a link's target. `path` is for the message. Raises `JailError`."""
    if _CONTROL.search(name):
        raise JailError(f"{path!r} holds a control character.")
    if len(_encoded(name, path)) > LONGEST_NAME:
        raise JailError(f"`{name[:80]}…` is longer than {LONGEST_NAME} bytes.")
    if name.endswith((".", " ")):
        raise JailError(f"`{path}` has a name that ends in a dot or a space, which Windows cannot hold.")
    if ":" in name:
        raise JailError(f"`{path}` has a name with a colon, which Windows takes for a drive or a stream.")
    if _RESERVED.fullmatch(name):
        raise JailError(f"`{path}` has the name `{name}`, which is a device on Windows.")
    plain = fold(_IGNORED_BY_HFS.sub("", name))
    # NTFS calls `.git` also GIT~1, and `.dovetail` DOVETA~1.
    if plain == ".git" or (_SHORT_TWIN.fullmatch(name) and plain.startswith("git")):
        raise JailError(f"`{path}` lies in Git's own folder.", hint="Change it with git.")
    if plain == JOURNAL_FOLDER or plain.startswith(TEMP_PREFIX) or _SHORT_TWIN.fullmatch(name):
        raise JailError(f"`{path}` lies in Dovetail's own folder.", hint="Use `dovetail log` and `dovetail undo`.")


def _encoded(text: str, path: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise JailError(f"{path!r} is not valid Unicode.") from None


def takes_long(pattern: str) -> bool:
    """Return whether a glob has so many stars that matching it with a long path would take too long."""
    stars = [1 if part == "**" else part.count("*") for part in pattern.split("/")]
    return max(stars) > 3 or sum(stars) > 5
