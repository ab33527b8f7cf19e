"""The files as the plan sees them: the snapshot, with the reply's writes, moves and deletions so far.

Also makes the refusals that need no text: a file cannot be created at a path, or the one there cannot be touched.
Starts as the snapshot and ends as the plan's changes; the snapshot itself is never changed. A byte order mark at the
start of a text is taken off here, and put back before the first line, even if that line has changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dovetail.match import Document, NoMatch
from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Code
from dovetail.model.results import FileChange
from dovetail.model.snapshot import Snapshot, folders_above
from dovetail.model.work import spend
from dovetail.place.tree import OUTSIDE_HINT, Tree, leaves_root, reason_outside
from dovetail.plan.locator import Locator
from dovetail.plan.request import EditRequest, Rejected
from dovetail.plan.stale import in_ends_of
from dovetail.text.path_spelling import is_absolute

_BOM = "\ufeff"


@dataclass
class OverlayFile:
    """The file at one path: its text now (None if there is no file), and the edits that wait for it.

    seen: the text that the model takes the file to have now: the one it saw, with this reply's changes to it.
    source: the path in the snapshot that this text was moved from.
    destination: the path it moves to when its edits have landed.
    """

    path: str
    text: str | None
    seen: str | None = None
    source: str | None = None
    destination: str | None = None
    waiting: list[EditRequest] = field(default_factory=list)

    @property
    def outdated_text(self) -> str | None:
        """Return `seen` in the file's line ends, if the file now has another text; else None."""
        if self.seen is None or self.text is None:
            return None
        seen = in_ends_of(self.seen, self.text)
        return seen if seen != self.text else None


class Overlay:
    """Files by path, made when first asked for.

    tree: the paths that exist now. root: the folder before them in the reply's absolute paths, if all agree.
    """

    def __init__(self, snapshot: Snapshot, locator: Locator) -> None:
        self.snapshot = snapshot
        self.locator = locator
        self._files: dict[str, OverlayFile] = {}
        self._moved: dict[str, str] = {}
        self._named: dict[str, bool] = {}
        self.tree = Tree(snapshot.paths)
        self.root: str | None = None

    def at(self, path: str) -> OverlayFile:
        """Return the file of a path; its text is None if there is no file, or it was not read."""
        file = self._files.get(path)
        if file is None:
            original = self.snapshot.files.get(path)
            text, seen = (original.text, original.seen) if original is not None else (None, None)
            if text is not None and text.startswith(_BOM):
                text, seen = text.removeprefix(_BOM), seen.removeprefix(_BOM) if seen is not None else None
            file = self._files[path] = OverlayFile(path, text, seen)
        return file

    def write(self, file: OverlayFile, text: str | None, seen: str | None = None) -> None:
        """Set a file's text, or None to delete it; `seen` is the text that the model takes it to have, if another."""
        file.text, file.seen = text, seen
        (self.tree.discard if text is None else self.tree.add)(file.path)

    def move(self, file: OverlayFile, destination: str) -> None:
        """Move a file to a path that has no file."""
        source = file.path
        self._files[source] = OverlayFile(source, None)
        self._files[destination] = file
        # a file moved twice still has its first path as source; one that this reply created has no source
        file.source = file.source or (source if source in self.snapshot.files else None)
        file.path, file.destination = destination, None
        self._moved[source] = destination
        self.tree.discard(source)
        self.tree.add(destination)

    def absence(self, path: str) -> str:
        """Return a sentence that says why there is no file at a path."""
        return f"`{path}` is a folder, not a file." if self.tree.is_folder(path) else f"`{path}` does not exist."

    def name(self, path: str, *, taken: bool) -> None:
        """Note that a block of this reply names a path for its file, and whether that name was taken from the file.

        Only `other_names` asks for it, so it is noted only where files have several names.
        """
        self._named[path] = taken or self._named.get(path, False)

    def other_names(self, path: str) -> Iterator[tuple[str, bool]]:
        """Return other names of the file at a path in this reply, each with whether a block removes that name."""
        aliases = self.snapshot.aliases
        first = aliases.get(path, path)
        for name, taken in self._named.items():
            if name != path and aliases.get(name, name) == first:
                yield name, taken

    def moved_to(self, path: str) -> str | None:
        """Return the path to which this reply moved the file from a path."""
        return self._moved.get(path)

    def moving(self) -> list[tuple[OverlayFile, str]]:
        """Return the files that move when their edits land, with their destinations."""
        spend(len(self._files))
        return [(file, file.destination) for file in self._files.values() if file.destination is not None]

    def waiting(self) -> Iterator[OverlayFile]:
        """Return the files whose edits are still to be landed."""
        return (file for file in list(self._files.values()) if file.waiting)

    def document(self, path: str) -> Document | None:
        """Return the document of a file's text now, or None if there is no file."""
        text = self.at(path).text
        return self.locator.document(text) if text is not None else None

    def documents(self) -> Iterator[tuple[str, Document]]:
        """Return path and text of every file that can be read now."""
        spend(2 * len(self.snapshot.files))
        for path in sorted((self.snapshot.files.keys() | self._files.keys()) - self.snapshot.aliases.keys()):
            document = self.document(path)
            if document is not None:
                yield path, document

    def takes(self, block: Block, path: str) -> bool:
        """Return whether an edit lands in the file at a path as it is now."""
        document = self.document(path)
        found = self.locator.find(document, EditRequest(0, block, path)).outcome if document is not None else None
        return not isinstance(found, NoMatch | None)

    def changes(self) -> tuple[FileChange, ...]:
        """Return the differences from the snapshot, in the order of the paths."""
        return tuple(change for path in sorted(self._files) if (change := self._change(path)) is not None)

    def _change(self, path: str) -> FileChange | None:
        file, original = self._files[path], self.snapshot.files.get(path)
        moved_from = self.snapshot.files.get(file.source or path)
        before, after = original.text if original is not None else None, file.text
        # a mark that stands in the text itself (a mapping of texts) goes back before the first line
        if after is not None and moved_from is not None and (moved_from.text or "").startswith(_BOM):
            after = _BOM + after.removeprefix(_BOM)
        source = file.source if after is not None and file.source != path else None
        if before == after and source is None:  # a file that takes the name of its equal has its own bytes and mode
            return None
        replaces_moved = file.source is None and path in self._moved  # another file, in the place of one that moved
        keeps_mark = after is not None and moved_from is not None and moved_from.marked and not replaces_moved
        return FileChange(path, before, after, source, (original is not None and original.marked, keeps_mark))


_PROBLEM_HINTS: dict[Code, str] = {
    Code.BINARY: "Leave binary files to other tools.",
    Code.ENCODING: "Name its encoding (--encoding, or `charset` in .editorconfig), or convert it to UTF-8.",
    Code.UNREADABLE: "Check its permissions.",
    Code.READ_ONLY: "Make the file editable first.",
    Code.NOT_IN_CHAT: "Add the file to the conversation.",
    Code.OUTSIDE_ROOT: OUTSIDE_HINT,
}


def takes_name(block: Block) -> bool:
    """Return whether a block removes a file's name: a deletion, a rename, or an edit that moves its file."""
    return block.kind in (Kind.DELETE, Kind.RENAME) or block.destination is not None


def objection_to(block: Block, file: OverlayFile, overlay: Overlay) -> Rejected | None:
    """Return why the file at a path cannot be edited, moved or deleted; None if it can, or there is no file."""
    original, path = overlay.snapshot.files.get(file.path), file.path
    # Without a text, report the snapshot's own reason, not that the file was not read.
    if original is not None and original.problem is not None:
        hint = _PROBLEM_HINTS.get(original.problem, "Leave the file alone.")
        return Rejected(original.problem, original.detail or f"`{path}` cannot be edited.", hint)
    if original is not None and original.ascii_only and (sign := _beyond_ascii(block)) is not None:
        reason = f"`{path}` is not UTF-8, nothing says which encoding it has, and the edit has {sign!r}."
        return Rejected(Code.ENCODING, reason, _PROBLEM_HINTS[Code.ENCODING])
    # nothing is there, which `objection_to_creating` judges; or it is, and the snapshot did not read it
    if file.text is None:
        if path not in overlay.tree.paths:
            return None
        return Rejected(Code.FILE_MISSING, f"`{path}` exists, but its text was not read.", "Read the file first.")
    if original is None or not takes_name(block):
        return None
    if original.link:
        reason = f"`{path}` is a link; Dovetail deletes and renames files only."
        return Rejected(Code.READ_ONLY, reason, "Remove the link by hand.")
    return _objection_to_folder(path, overlay)


def _beyond_ascii(block: Block) -> str | None:
    """Return the first character beyond ASCII in a block's quoted and new text."""
    texts = [block.search, block.replace, *(text for one in block.readings for text in (one.search, one.replace))]
    return next((sign for text in texts if not text.isascii() for sign in text if not sign.isascii()), None)


def objection_to_second_name(block: Block, path: str, overlay: Overlay) -> Rejected | None:
    """Return why a block cannot be applied beside blocks that use another name of the same file; None if it can.

    Changes under any of the names go to one file. But if one name is moved or deleted while the file is changed under
    another, the reply does not say what is meant.
    """
    for other, taken in overlay.other_names(path):
        if taken or takes_name(block):
            reason = f"`{other}` and `{path}` are one file, which is deleted or renamed where nothing else changes it."
            return Rejected(Code.READ_ONLY, reason, "Change it under one name, or in a reply of its own.")
    return None


def _objection_to_folder(path: str, overlay: Overlay) -> Rejected | None:
    """Return why nothing can be made or removed in the folder of a path; None if it can."""
    if path not in overlay.snapshot.fixed:
        return None
    reason = f"Its folder does not let `{path}` be made, renamed or removed."
    return Rejected(Code.READ_ONLY, reason, "Look at the folder's permissions, and at what is mounted there.")


def objection_to_writing(file: OverlayFile, overlay: Overlay) -> Rejected | None:
    """Return why no new file can be written; None if it can, or if there is one (`objection_to` judges that)."""
    return objection_to_creating(file.path, overlay) if file.text is None else None


def objection_to_creating(path: str, overlay: Overlay, besides: str = "") -> Rejected | None:
    """Return why nothing can be created at `path`, or None; `besides` is a path that will be gone by then."""
    refused = overlay.snapshot.refused.get(path)
    if refused is not None:
        return Rejected(Code.OUTSIDE_ROOT, refused, OUTSIDE_HINT)
    if leaves_root(path) or is_absolute(path):
        return Rejected(Code.OUTSIDE_ROOT, reason_outside(path), OUTSIDE_HINT)
    tree = overlay.tree
    if path in tree.paths:
        return Rejected(Code.FILE_EXISTS, f"`{path}` already exists.", "Take another name, or delete it first.")
    # `besides` may be the only file of that folder, as where `a/b` is renamed to `a`
    held = next((below for below in tree.below(path) if below != besides), None)
    if held is not None:
        reason = f"`{path}` is a folder that holds `{held}`."
        return Rejected(Code.FILE_EXISTS, reason, "Name a file in it, or have all that it holds moved or deleted.")
    # `Docs/a.md` beside an existing `docs/`: on file systems that ignore case both are one folder. A folder that
    # exists in this very spelling is no such twin.
    for name in (path, *folders_above(path)):
        for other in () if tree.is_folder(name) else (*tree.in_other_case(name), *tree.folders_in_other_case(name)):
            if other != besides:
                reason = f"`{other}` exists, and `{name}` differs from it only in upper and lower case."
                return Rejected(Code.FILE_EXISTS, reason, f"If that is meant, name it `{other}`")
    for folder in folders_above(path):
        if folder in tree.paths and folder != besides and folder not in overlay.snapshot.folders:
            reason = f"`{folder}` is a file, not a folder."
            return Rejected(Code.FILE_EXISTS, reason, "Take another folder, or have that file moved or deleted.")
    return _objection_to_folder(path, overlay)
