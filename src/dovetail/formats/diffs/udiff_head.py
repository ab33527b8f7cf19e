r"""What a unified diff says of a file before its hunks: the two names, and git's extended headers.

Grammar::

    head = ["diff --git" a b] extended* ["---" name "+++" name]
    name = path ["\t" time stamp]               ``/dev/null`` for a file that is not there
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dovetail.formats.diffs import git_names
from dovetail.formats.lines.decoration import bare
from dovetail.formats.lines.paths import normalise
from dovetail.formats.scan.faults import Fault
from dovetail.formats.scan.place import Place
from dovetail.model.codes import Severity

if TYPE_CHECKING:
    from dovetail.model.diagnostics import Diagnostic

NOWHERE = "/dev/null"
GIT = "diff --git "
"""How the line begins that git writes above each file."""
_MOVED = re.compile(r"(rename|copy) (from|to) (.+)$")
_OTHER = re.compile(
    r"(?:index [0-9a-f]|similarity index|dissimilarity index|Index: |={60,}$|diff -\w|diff --(?!git )\w|Only in .+: )"
)
_NEVER = re.compile(r"\s(?:1970-01-01|1969-12-31)[ T]\d\d:")
_STAMP = re.compile(
    r"\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$"
    r"|\s+\((?:working copy|revision \d+|original|modified|updated|old|new|before|after)\)$"
)
_COPIES = Fault("The diff copies a file.", "Send the new file whole, as a diff from /dev/null.")
_BINARY = Fault("The diff is of a file that is not text.", "Put the file there by other means.")
_MODE = Fault("The diff changes nothing but the file's mode.", "Change the mode with chmod.")
_NO_CHANGE = Fault("The diff names a file and says no change.", "Write a line with @@ before the changed lines.")
MODE_STAYS = Fault(
    "The diff also changes the file's mode, which stays as it is.",
    "Change the mode with chmod.",
    severity=Severity.WARNING,
)


@dataclass(slots=True)
class Head:
    """The head of one file's diff, filled line by line. `git` says that git's own line opened it."""

    line: int = 0
    old: str | None = None
    new: str | None = None
    git: bool = False
    created: bool = False
    deleted: bool = False
    rename_from: str | None = None
    rename_to: str | None = None
    copied: str | None = None
    moded: bool = False
    binary: bool = False

    def take(self, text: str) -> bool:
        """Whether `text`, without its line end, is one of git's extended headers; notes what it says."""
        if text.startswith("new file mode"):
            self.created = True
        elif text.startswith("deleted file mode"):
            self.deleted = True
        elif (match := _MOVED.match(text)) is not None:
            name = "copied" if match[1] == "copy" else f"rename_{match[2]}"
            setattr(self, name, _said_by_git(match[3]))
        elif text.startswith(("old mode ", "new mode ")):
            self.moded = True
        elif text.startswith(("Binary files ", "GIT binary patch")):
            self.binary = True
        else:
            return _OTHER.match(text) is not None
        return True

    @property
    def named(self) -> bool:
        """Whether it names a file."""
        return self.old is not None or self.new is not None

    @property
    def creates(self) -> bool:
        """Whether the file comes from nowhere."""
        return self.old == NOWHERE or self.created

    @property
    def deletes(self) -> bool:
        """Whether the file goes."""
        return self.new == NOWHERE or self.deleted

    def take_names(self, old: str, new: str) -> None:
        """Note what a ``---`` and a ``+++`` line say. A file that is not there is dated at the beginning of time."""
        self.old, self.new = name_of(old, git=self.git), name_of(new, git=self.git)
        self.created = self.created or _NEVER.search(old) is not None
        self.deleted = self.deleted or _NEVER.search(new) is not None

    def expects(self, old: str | None) -> bool:
        """Whether a ``---`` line with this name belongs to this head; another name begins another file. One of the two
        may have git's letter before it, where a model left that off the other."""
        if self.old is None or old is None:
            return self.old is None
        same = old in (self.old, self.rename_from, NOWHERE)
        return same or old == self.old.partition("/")[2] or old.partition("/")[2] == self.old

    def place(self, above: Place) -> Place:
        """The path and its other spellings; the place `above` speaks where no header does.

        Git's ``a/`` and ``b/`` are taken off where both names have them, and so is any other pair of letters before
        one name; the names as they are stay candidates. Of two trees that were compared, what stands below them names a
        file that comes or goes, and may name any other.
        """
        names = [name for name in (self.old, self.new) if name is not None and name != NOWHERE]
        if self.copied is not None or self.rename_from is not None:
            return Place(self.copied or self.rename_from)
        if not names:
            return above
        bare = [name[2:] if name[:2] in ("a/", "b/") else name for name in names]
        prefixed = all(plain != name for plain, name in zip(bare, names, strict=True))
        below = _below(names)
        if prefixed:
            ordered = (*bare, *names)
        elif below and all(name[1] == "/" for name in names):
            ordered = (*below, *names)
        elif self.creates or self.deletes:
            ordered = (*below, *names, *bare)
        else:
            ordered = (*names, *bare, *below)
        first, *others = dict.fromkeys(ordered)
        return Place(first, tuple(others))


def _below(names: list[str]) -> tuple[str, ...]:
    """What stands below the two trees that were compared, where nothing but the first folder differs."""
    tails = {name.partition("/")[2] for name in names}
    return tuple(tails) if len(set(names)) > len(tails) == 1 and "" not in tails else ()


def unsaid(head: Head) -> Diagnostic:
    """Why a head that no change follows, or one that only git can carry out, is no edit."""
    fault = _COPIES if head.copied is not None else _BINARY if head.binary else _MODE if head.moded else _NO_CHANGE
    return fault.at(head.line)


def is_git_head(text: str) -> bool:
    """Whether a line where no diff is open may be git's own, and not a sentence that begins with its words."""
    return text.startswith(GIT) and ("/" in text or git_names.both(text[len(GIT) :].rstrip()) is not None)


def git_head(text: str, line: int) -> Head:
    """The head that a ``diff --git`` line opens; without names where the line does not tell where one ends."""
    old, new = git_names.both(text[len(GIT) :].rstrip()) or ("", "")
    return Head(line, normalise(old) or None, normalise(new) or None, git=True)


def name_of(text: str, *, git: bool = False) -> str | None:
    """The name on a ``---`` or ``+++`` line, without time stamp and quotes; `git` says that git wrote the line."""
    name = _STAMP.sub("", text.rstrip("\n")[4:].partition("\t")[0].strip())
    if git_names.is_quoted(name) or (git and name.startswith('"')):
        return _said_by_git(name)
    letter = name[:2] if name.startswith(("a/", "b/")) and name[2:3] in tuple("`*'\"") else ""
    return normalise(name if name == NOWHERE else letter + bare(name[len(letter) :]).text) or None


def _said_by_git(name: str) -> str:
    """The name in a header that only git writes."""
    return normalise(git_names.unquoted(name.rstrip()))
