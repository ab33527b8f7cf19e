"""`git apply` and `patch` with a unified diff, without fuzz: each hunk lands at its line, or at the only place that has
its lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.shell.files import UNKNOWN
from dovetail.shell.syntax import NotReadError

if TYPE_CHECKING:
    from dovetail.shell.run import Done, Shell

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def run_patch(shell: Shell, words: list[str], given: str, name: str) -> Done:
    """Apply a diff from standard input, `given`. Raises `NotReadError` for what is not followed."""
    from dovetail.shell.run import Done

    strip = 1 if name == "git apply" else None
    reverse = False
    for word in words:
        if re.fullmatch(r"-p\d", word):
            strip = int(word[2:])
        elif word in ("-R", "--reverse") and name == "git apply":
            reverse = True
        elif word in ("--check", "--stat", "--numstat", "--summary", "--dry-run"):
            return Done(None, UNKNOWN)
        elif word not in ("-", "-v", "--verbose"):
            raise NotReadError(f"`{name} {word[:30]}`")
    if strip is None or UNKNOWN in given:
        raise NotReadError(f"`{name}` without `-p`, or with a patch that is computed")
    changes: dict[str, str | None] = {}
    lines = given.split("\n")
    at = 0
    while at < len(lines):
        if not (lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")):
            if re.match(r"rename |copy |deleted |new file|similarity|Binary|GIT binary|@@ ", lines[at]):
                raise NotReadError(f"`{lines[at][:30]}` of a patch")
            at += 1
            continue
        # A tab begins the time stamp.
        heads = [re.sub(r"\t.*", "", lines[at + n][4:]) for n in range(2)]
        old, new = heads[::-1] if reverse else heads
        path = next((head for head in (new, old) if head != "/dev/null"), "")
        path = "/".join(path.split("/")[strip:])
        key = shell.key(path)
        if key in changes or "/dev/null" in heads:
            raise NotReadError("a patch that makes or removes a file, or names one twice")
        if not shell.files.is_file(key):
            return Done(1)
        at, made = _hunks(lines, at + 2, shell.files.read(key), reverse=reverse, by_git=name == "git apply")
        if made is None:
            if name == "git apply":
                return Done(1)
            raise NotReadError("a patch that does not fit")
        changes[key] = made
    for key, text in changes.items():
        shell.change(key)
        shell.files.write(key, text or "")
    return Done(0 if changes else 1, UNKNOWN)


def _hunks(lines: list[str], at: int, text: str, *, reverse: bool, by_git: bool) -> tuple[int, str | None]:
    """Apply a file's hunks; return the index of the line after them, and the new text, or None if one does not fit."""
    own = text.split("\n")
    ends = own[-1] == ""
    own = own[:-1] if ends else own
    shift, fits = 0, True
    while at < len(lines) and (head := _HUNK.match(lines[at])) is not None:
        old_count, new_count = int(head[2] or 1), int(head[4] or 1)
        at += 1
        old: list[str] = []
        new: list[str] = []
        trailing = False
        while at < len(lines) and (len(old) < old_count or len(new) < new_count):
            sign, line = (lines[at] or " ")[0], lines[at][1:]
            if sign not in " +-":
                raise NotReadError("a patch whose hunk has another length")
            if sign in " -":
                old.append(line)
            if sign in " +":
                new.append(line)
            trailing = sign == " "
            at += 1
        # A line `\ No newline at end of file` behind the last counted line changes the file's end, which is not
        # followed here.
        if len(old) != old_count or len(new) != new_count or lines[at : at + 1] == ["\\ No newline at end of file"]:
            raise NotReadError("a patch whose hunk has another length")
        # The head counts lines of the file as it was; `shift` is what earlier hunks added or removed.
        first = int(head[3 if reverse else 1]) - 1 + shift
        old, new = (new, old) if reverse else (old, new)
        # At its line, or else at the only place that has its lines. Between several, `git apply` and `patch` search in
        # their own order.
        places = [n for n in range(len(own) - len(old) + 1) if own[n : n + len(old)] == old]
        # For `git apply` a hunk that begins at line 1 is the file's head, and one without an unchanged line behind it
        # the file's end.
        if by_git and int(head[3 if reverse else 1]) <= 1:
            places = [n for n in places if n == 0]
        if by_git and not trailing:
            places = [n for n in places if n + len(old) == len(own)]
        # All hunks are read, so that a part that is not understood is found before one that does not fit.
        if not places or not old:
            fits = False
            continue
        if first not in places and len(places) > 1:
            raise NotReadError("a patch whose hunk has several places")
        if first not in places:
            first = places[0]
        # Without such a line the hunk says that its last line has an end, and this one has none.
        if not ends and first + len(old) == len(own):
            raise NotReadError("a patch at the end of a file without a last newline")
        own[first : first + len(old)] = new
        shift += len(new) - len(old)
    return at, "\n".join(own) + ("\n" if ends and own else "") if fits else None
