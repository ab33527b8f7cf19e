"""The files as they stand at each moment of a reply: what exists, what was made, moved or removed so far.

Owns the imagined files of one plan. Starts as the snapshot and ends as the plan's changes; the snapshot itself is
never changed. A byte order mark that a text begins with is no part of what edits see: it is taken off here, and put
back before the first line, whatever that has become.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from dovetail.match import Document, Outcome
from dovetail.model.results import FileChange
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.plan.edits.locator import Locator
from dovetail.plan.edits.stale import in_ends_of
from dovetail.plan.files.paths import Tree
from dovetail.plan.request import Request

_BOM = "\ufeff"


@dataclass
class Sheet:
    """One path: the text it has now (None where nothing is there) and the edits that wait.

    seen: the text that the model takes the file to have now: the one it saw, with what this reply did to that.
    source: the path in the snapshot that this text was moved from.
    destination: where it is to move when its edits have landed.
    """

    path: str
    text: str | None
    seen: str | None = None
    source: str | None = None
    destination: str | None = None
    waiting: list[Request] = field(default_factory=list)

    @property
    def stale(self) -> str | None:
        """The text that the model takes the file to have, in the file's line ends, where the file has another."""
        if self.seen is None or self.text is None:
            return None
        seen = in_ends_of(self.seen, self.text)
        return seen if seen != self.text else None


class Shelf:
    """Sheets by path, made when first asked for. `tree` holds the paths that exist now."""

    def __init__(self, snapshot: Snapshot, locator: Locator) -> None:
        self.snapshot = snapshot
        self.locator = locator
        self._sheets: dict[str, Sheet] = {}
        self._moved: dict[str, str] = {}
        self._named: dict[str, bool] = {}
        self.tree = Tree(snapshot.paths)

    def at(self, path: str) -> Sheet:
        """The sheet of a path; with no text where nothing is there, or nothing was read."""
        sheet = self._sheets.get(path)
        if sheet is None:
            file = _unmarked(self.snapshot.files.get(path))
            texts = (file.text, file.seen) if file is not None else (None, None)
            sheet = self._sheets[path] = Sheet(path, *texts)
        return sheet

    def write(self, sheet: Sheet, text: str | None, seen: str | None = None) -> None:
        """Give a sheet its text, or take it away; `seen` is what the model takes that text to be, where it is other."""
        sheet.text, sheet.seen = text, seen
        (self.tree.discard if text is None else self.tree.add)(sheet.path)

    def move(self, sheet: Sheet, destination: str) -> None:
        """Move a sheet to a path where nothing is."""
        source = sheet.path
        self._sheets[source] = Sheet(source, None)
        self._sheets[destination] = sheet
        sheet.source = sheet.source or (source if source in self.snapshot.files else None)
        sheet.path, sheet.destination = destination, None
        self._moved[source] = destination
        self.tree.discard(source)
        self.tree.add(destination)

    def absence(self, path: str) -> str:
        """What is said of a path at which no file is."""
        return f"`{path}` is a folder, not a file." if self.tree.is_folder(path) else f"`{path}` does not exist."

    def name(self, path: str, *, taken: bool) -> None:
        """Note that a block of this reply names a path for its file, and whether that name was taken from the file."""
        self._named[path] = taken or self._named.get(path, False)

    def twins(self, path: str) -> Iterator[tuple[str, bool]]:
        """Other names of the file at a path that this reply has named, each with whether it was taken from the file."""
        aliases = self.snapshot.aliases
        first = aliases.get(path, path)
        for name, taken in self._named.items() if aliases else ():
            if name != path and aliases.get(name, name) == first:
                yield name, taken

    def moved_to(self, path: str) -> str | None:
        """Where this reply moved what stood at a path."""
        return self._moved.get(path)

    def moving(self) -> list[tuple[Sheet, str]]:
        """The sheets that are to move when their edits land, and where to."""
        return [(sheet, sheet.destination) for sheet in self._sheets.values() if sheet.destination is not None]

    def waiting(self) -> Iterator[Sheet]:
        """The sheets whose edits are still to be landed."""
        return (sheet for sheet in list(self._sheets.values()) if sheet.waiting)

    def document(self, path: str) -> Document | None:
        """The text that a file has now, to be asked for places; None where nothing is there."""
        text = self.at(path).text
        return self.locator.document(text) if text is not None else None

    def documents(self) -> Iterator[tuple[str, Document]]:
        """Path and text of every file that can be read now."""
        for path in sorted((self.snapshot.files.keys() | self._sheets.keys()) - self.snapshot.aliases.keys()):
            document = self.document(path)
            if document is not None:
                yield path, document

    def find(self, request: Request) -> Outcome | None:
        """Where a request would land in its file as it is now; None where nothing is there."""
        document = self.document(request.path or "")
        return self.locator.find(document, request).outcome if document is not None else None

    def changes(self) -> tuple[FileChange, ...]:
        """What differs from the snapshot, in the order of the paths."""
        return tuple(change for path in sorted(self._sheets) if (change := self._change(path)) is not None)

    def _change(self, path: str) -> FileChange | None:
        sheet = self._sheets[path]
        file = self.snapshot.files.get(path)
        before = file.text if file is not None else None
        after = self._marked(sheet)
        source = sheet.source if after is not None and sheet.source != path else None
        if before == after and source is None:  # a file that takes the name of its equal has its own bytes and mode
            return None
        marks = (file is not None and file.marked, after is not None and self._keeps_mark(sheet))
        return FileChange(path, before, after, source, marks)

    def _keeps_mark(self, sheet: Sheet) -> bool:
        """Whether a sheet is a file that begins with a mark; what takes the place of one that moved away is another."""
        if sheet.source is None and sheet.path in self._moved:
            return False
        file = self.snapshot.files.get(sheet.source or sheet.path)
        return file is not None and file.marked

    def _marked(self, sheet: Sheet) -> str | None:
        """A sheet's text, with the byte order mark of the file that it was."""
        file = self.snapshot.files.get(sheet.source or sheet.path)
        if sheet.text is None or file is None or file.text is None or not file.text.startswith(_BOM):
            return sheet.text
        return _BOM + sheet.text.removeprefix(_BOM)


def _unmarked(file: FileText | None) -> FileText | None:
    """A file as edits see it: without the byte order mark, which they may or may not quote."""
    if file is None or file.text is None or not file.text.startswith(_BOM):
        return file
    seen = file.seen.removeprefix(_BOM) if file.seen is not None else None
    return replace(file, text=file.text.removeprefix(_BOM), seen=seen)
