"""Tracks what the model of one conversation knows of each file: the lines that it was shown, and its own changes.

Changes by others are not known until the model is shown them. So an edit can be merged into a file that changed since,
and a whole new text cannot replace lines that the model never saw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dovetail.match import merge
from dovetail.model.results import FileChange
from dovetail.model.text import Edit, IndexedText, apply_edits
from dovetail.text.diff import Hunk, diff


class KnownText(NamedTuple):
    """A file as the model knows it. shown: for each line whether the model has seen or written it."""

    text: str
    shown: tuple[bool, ...]

    @classmethod
    def whole(cls, text: str) -> KnownText:
        """Return a text of which the model has seen or written every line."""
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

        Changes by others outside of those lines stay unknown: there the earlier known text is kept.
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
            # The model knows a change that it is shown; for a change outside of the shown lines its earlier text stays.
            if equal or _meets(hunk, lines, len(file)):
                old = before.shown[hunk.a1 : hunk.a2] if equal else (False,) * (hunk.b2 - hunk.b1)
                pieces.append(file.span(hunk.b1, hunk.b2).of(text))
                shown += [one or line in lines for one, line in zip(old, range(hunk.b1, hunk.b2), strict=True)]
            else:
                pieces.append(was.span(hunk.a1, hunk.a2).of(before.text))
                shown += before.shown[hunk.a1 : hunk.a2]
        self._files[path] = KnownText("".join(pieces), tuple(shown))

    def wrote(self, path: str, text: str) -> None:
        """Note that the model wrote a whole file."""
        self._files[path] = KnownText.whole(text)

    def change(self, change: FileChange) -> None:
        """Apply the model's own change to its known text; nothing for a file that it was never shown.

        A moved file is known under its new path.
        """
        moved = self._files.pop(change.source, None) if change.source is not None else None
        known = moved or self._files.pop(change.path, None)
        if known is None or change.after is None:
            return
        base = change.before
        if base is None:
            base = known.text
        merged = merge(base, known.text, change.after)
        # Changes by others are in `base` but not in the known text, so the model's own change is merged into that.
        settled = (Edit(clash.ours, clash.theirs) for clash in merged.clashes)  # the model knows what it wrote
        after = apply_edits(known.text, [*merged.edits, *settled])
        shown: list[bool] = []
        for hunk, equal in _stretches(IndexedText(known.text), IndexedText(after)):
            shown += known.shown[hunk.a1 : hunk.a2] if equal else (True,) * (hunk.b2 - hunk.b1)
        self._files[change.path] = KnownText(after, tuple(shown))

    def is_known(self, path: str) -> bool:
        """Return whether the model was shown something of a file, or wrote it."""
        return path in self._files

    def unseen_losses(self, path: str, before: str, after: str) -> list[tuple[int, int]]:
        """Return the runs of lines that the model never saw, as (first, last) from 1, if a text removes any of them.

        before: the file's text now. Lines that others added meanwhile do not count, as a merge keeps them.
        """
        known, file = self._files[path], IndexedText(before)
        unseen: set[int] = set()
        for hunk, equal in _stretches(IndexedText(known.text), file):
            if equal:
                pairs = zip(known.shown[hunk.a1 : hunk.a2], range(hunk.b1, hunk.b2), strict=True)
                unseen |= {line for shown, line in pairs if not shown and file.lines[line].strip()}
        gone = [line for hunk in diff(file.lines, IndexedText(after).lines) for line in range(hunk.a1, hunk.a2)]
        # All unseen lines are returned, not only removed ones: a model that reads only those would remove the others.
        if unseen.isdisjoint(gone):
            return []
        return list(_runs(sorted(unseen), file))


def _stretches(a: IndexedText, b: IndexedText) -> Iterator[tuple[Hunk, bool]]:
    """Yield all lines of two texts in order, as pairs of line ranges, and whether the ranges are equal."""
    at = Hunk(0, 0, 0, 0)
    for hunk in (*diff(a.lines, b.lines), Hunk(len(a), len(a), len(b), len(b))):
        yield Hunk(at.a2, hunk.a1, at.b2, hunk.b1), True
        yield hunk, False
        at = hunk


def _meets(hunk: Hunk, lines: range, count: int) -> bool:
    """Return whether the shown lines (`lines`, from 0) of the new text, which has `count` lines, include a change.

    A deletion is seen if the lines above and below it are both shown.
    """
    if not hunk.deletes:
        return hunk.b1 < lines.stop and lines.start < hunk.b2
    above = hunk.b1 == 0 or hunk.b1 - 1 in lines
    below = hunk.b1 == count or hunk.b1 in lines
    return above and below


def _runs(lines: list[int], file: IndexedText) -> Iterator[tuple[int, int]]:
    """Yield runs of line indices as (first, last), from 1; runs with only blank lines between them are joined."""
    first = last = lines[0]
    for line in lines[1:]:
        if any(between.strip() for between in file.lines[last + 1 : line]):
            yield first + 1, last + 1
            first = line
        last = line
    yield first + 1, last + 1
