r"""The end of an edit in tags, or of a call, that has no beginning: the opening tag was left out, or is garbled.

Nothing but the tags behind it shows that an edit was meant: the closing tag of an old text and right behind it the
opening one of a new text, the closing tag of a call below fields or of a file, or a file's whole text below its path.
It is told of as malformed, for without a word that edit would vanish, and the others be written.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from dovetail.formats.lines.vocabulary import CALL_TAGS, ELEMENTS, FILE_CALLS, FILE_TEXTS, OLD_TEXTS, TOOLS
from dovetail.formats.scan.faults import Fault
from dovetail.formats.tags import children
from dovetail.formats.tags.tagged import path_in

if TYPE_CHECKING:
    from dovetail.formats.scan.scanner import Scanner

_OPENED = re.compile(r"[ \t]*<([a-z][\w-]{0,39})>", re.IGNORECASE)
_OLD = re.compile(rf"[ \t]*<(?:{OLD_TEXTS})[\s>]", re.IGNORECASE)
_OLD_ENDS = re.compile(rf".*</(?:{OLD_TEXTS})>[ \t]*$", re.IGNORECASE)
_CALL_ENDS = re.compile(rf"[ \t]*</(?:invoke|function|{CALL_TAGS})>[ \t]*\n?$")
_FIELD = re.compile(r"[ \t]*<(?:\w{1,20}:)?(?:parameter[ =]|(?:file_?)?path>)")
_FILE_OPENS = re.compile(r"<file(?:\s[^<>\n]{0,400})?>", re.IGNORECASE)
_FILE_ENDS = re.compile(r"[ \t]*</file>[ \t]*\n?$", re.IGNORECASE)
_ENDS = re.compile(r"[ \t]*</[\w-]{1,40}>[ \t]*$")
_TEXT_ENDS = re.compile(rf".*</(?:{FILE_TEXTS})>[ \t]*$", re.IGNORECASE)
_TEXT = re.compile(rf"[ \t]*<(?:{FILE_TEXTS})>", re.IGNORECASE)
_ONLY_PATH = re.compile(r"[ \t]*<(?:file_?)?path>[^<>\n]{1,400}</(?:file_?)?path>[ \t]*$", re.IGNORECASE)
_READ = re.compile(rf"[ \t]*<(?:{TOOLS}|{FILE_CALLS}|{ELEMENTS})[\s>]", re.IGNORECASE)
_NEAR = 100
_NO_BEGINNING = Fault(
    "{text!r} belongs to an edit whose beginning is missing.",
    "Open each call, and each old text, with its own tag on a line above it.",
)


def tell(scanner: Scanner, text: str, line: int) -> None:
    """Tell of the edit that a line outside fences shows to have been meant, if it does."""
    if "tool-call" not in scanner.wanted or scanner.inner:
        return
    path = None
    if _CALL_ENDS.match(text) is not None:
        lines = list(scanner.since.lines(_NEAR))
        fields = [line for line in lines if _FIELD.match(line)]
        if not fields or any(_begins_text(above, below) for above, below in pairwise(lines)):
            return
        path = path_in("\n".join(fields))
    elif _FILE_ENDS.match(text) is not None:
        lines = [line for line in scanner.since.lines(_NEAR) if line.strip()]
        opened = line in scanner.tried.text or any(map(_FILE_OPENS.search, lines))
        if opened or all(map(_ENDS.match, lines)) or _TEXT_ENDS.match(lines[-1]):
            return  # where only ends came, it is around what was read
    elif _TEXT.match(text) is not None:
        above = [line for line in scanner.recent.lines(_NEAR) if line.strip()][-2:]
        if not above or not _begins_text(above[-1], text) or _READ.match(above[0]) is not None:
            return  # the last was read, and told of
        path = path_in(above[-1])
    elif _is_new_text(scanner, text):
        path = scanner.place(None).path
    else:
        return
    scanner.spoiled("tool-call", path, text, line, _NO_BEGINNING.at(line, text=text.strip()))


def _begins_text(above: str, below: str) -> bool:
    """Whether a file's text begins below its path."""
    return _TEXT.match(below) is not None and _ONLY_PATH.match(above) is not None


def _is_new_text(scanner: Scanner, text: str) -> bool:
    """Whether a new text begins, right below the end of an old one."""
    match = _OPENED.match(text)
    if match is None or children.role_of(match[1]) is not children.Role.NEW:
        return False
    above = [line for line in scanner.recent.lines(_NEAR) if line.strip()]
    if not above or _OLD_ENDS.match(above[-1]) is None:
        return False
    return not any(map(_OLD.match, above))  # such a one was read, and told of
