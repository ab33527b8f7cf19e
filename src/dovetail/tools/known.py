"""What the model of one conversation knows of each file: the lines that it was shown, and its own changes.

What others write meanwhile is no part of it until the model is shown it. So an edit can be carried over to a file that
changed since, and a whole new text does not replace lines that the model never saw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dovetail.match import merge
from dovetail.model.results import FileChange
from dovetail.model.text import Edit, IndexedText, apply_edits
from dovetail.text.diff import Hunk, diff


class KnownText(NamedTuple):
    """A file as the model knows it; `shown` says of each line whether the model has seen or written it."""

    text: str
    shown: tuple[bool, ...]

    @classmethod
    def whole(cls, text: str) -> KnownText:
        """A text of which the model has seen or written every line."""
        return cls(text, (True,) * len(IndexedText(text)))


class KnownFiles:
    """The files of which the model was shown something, by path."""

    def __init__(self) -> None:
        self._files: dict[str, KnownText] = {}

    @property
    def texts(self) -> Mapping[str, str]:
        """The text of each file as the model knows it: as it was shown last, with the model's own changes."""
        return {path: known.text for path, known in self._files.items()}

    def show(self, path: str, text: str, first: int, last: int) -> None:
        """Note that the model was shown lines `first` to `last`, from 1, of a file that has `text` now.

        What others changed outside of those lines stays unknown: there the text is the one that was shown before.
        """
        file = IndexedText(text)
        lines = range(first - 1, last)
        before = self._files.get(path)
        if before is None:
            self._files[path] = KnownText(text, tuple(line in lines for line in range(len(file))))
            return
        was = IndexedText(before.text)
        pieces: list[str] = []
        shown: list[bool] = []
        for hunk, equal in _stretches(was, file):
            # What the model is shown of a change it knows; a change outside of the shown lines stays unknown, and
            # there the text that it knew before goes on.
            if equal or _meets(hunk, lines, len(file)):
                old = before.shown[hunk.a1 : hunk.a2] if equal else (False,) * (hunk.b2 - hunk.b1)
                pieces.append(file.span(hunk.b1, hunk.b2).of(text))
                shown += [one or line in lines for one, line in zip(old, range(hunk.b1, hunk.b2), strict=True)]
            else:
                pieces.append(was.span(hunk.a1, hunk.a2).of(before.text))
                shown += before.shown[hunk.a1 : hunk.a2]
        self._files[path] = KnownText("".join(pieces), tuple(shown))

    def wrote(self, path: str, text: str) -> None:
        """Note that all lines of a file are the model's own."""
        self._files[path] = KnownText.whole(text)

    def change(self, change: FileChange) -> None:
        """Make the model's own change in what it knows of the file; of a file that it was never shown it knows nothing.

        A file that moves is known under its new path.
        """
        moved = self._files.pop(change.source, None) if change.source is not None else None
        known = moved or self._files.pop(change.path, None)
        if known is None or change.after is None:
            return
        base = change.before
        if base is None:
            base = known.text
        merged = merge(base, known.text, change.after)
        # What others changed is in `base` and not in what the model knows, so its own change is merged into the latter.
        settled = (Edit(clash.ours, clash.theirs) for clash in merged.clashes)  # what it wrote there, it knows
        after = apply_edits(known.text, [*merged.edits, *settled])
        shown: list[bool] = []
        for hunk, equal in _stretches(IndexedText(known.text), IndexedText(after)):
            shown += known.shown[hunk.a1 : hunk.a2] if equal else (True,) * (hunk.b2 - hunk.b1)
        self._files[change.path] = KnownText(after, tuple(shown))

    def is_known(self, path: str) -> bool:
        """Return whether the model was shown something of a file, or wrote it."""
        return path in self._files

    def unseen_losses(self, path: str, before: str, after: str) -> list[tuple[int, int]]:
        """The lines of a file that a new text takes away though the model never saw them, as first and last, from 1.

        before: the file's text now. Lines that others brought meanwhile are not among them: those a merge keeps.
        """
        known, file = self._files[path], IndexedText(before)
        unseen: set[int] = set()
        for hunk, equal in _stretches(IndexedText(known.text), file):
            if equal:
                pairs = zip(known.shown[hunk.a1 : hunk.a2], range(hunk.b1, hunk.b2), strict=True)
                unseen |= {line for shown, line in pairs if not shown and file.lines[line].strip()}
        gone = [line for hunk in diff(file.lines, IndexedText(after).lines) for line in range(hunk.a1, hunk.a2)]
        # All unseen lines are named, not those alone that went: a model that reads only these would lose the next ones.
        if unseen.isdisjoint(gone):
            return []
        return list(_runs(sorted(unseen), file))


def _stretches(a: IndexedText, b: IndexedText) -> Iterator[tuple[Hunk, bool]]:
    """All lines of two texts in order, as stretches of each, and whether a stretch is the same in both."""
    at = Hunk(0, 0, 0, 0)
    for hunk in (*diff(a.lines, b.lines), Hunk(len(a), len(a), len(b), len(b))):
        yield Hunk(at.a2, hunk.a1, at.b2, hunk.b1), True
        yield hunk, False
        at = hunk


def _meets(hunk: Hunk, lines: range, count: int) -> bool:
    """Return whether who is shown `lines` (from 0) of the new text, which has `count` lines, sees a change.

    A deletion is seen if the lines above and below it are both shown.
    """
    if not hunk.deletes:
        return hunk.b1 < lines.stop and lines.start < hunk.b2
    above = hunk.b1 == 0 or hunk.b1 - 1 in lines
    below = hunk.b1 == count or hunk.b1 in lines
    return above and below


def _runs(lines: list[int], file: IndexedText) -> Iterator[tuple[int, int]]:
    """Runs of line indices as first and last line, from 1; blank lines between two runs join them."""
    first = last = lines[0]
    for line in lines[1:]:
        if any(between.strip() for between in file.lines[last + 1 : line]):
            yield first + 1, last + 1
            first = line
        last = line
    yield first + 1, last + 1
