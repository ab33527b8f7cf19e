"""What a plan is: per block a result, per file the text before and after. The preview is the plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import RLock
from typing import NamedTuple

from dovetail.model.blocks import Block, DatabaseAction, ShellSuggestion
from dovetail.model.codes import Code, Confidence, Status, Tier
from dovetail.model.diagnostics import Diagnostic, Nearest
from dovetail.model.text import Span, Text

PREVIEW_LENGTH = 50

Lines = tuple[int, int]  # the first and the last, from 1; the last is before the first where there is none
_NOWHERE = (None, None)


@dataclass(frozen=True, slots=True)
class Previews:
    """First 50 characters of a block's leading anchor, old and new text; empty where the format has none."""

    anchor: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Made:
    """What one block does to its file's text, for who draws it.

    before: the text that the block met. after: what came of that by the block and the reply's other edits.
    region: all of `after` that the block speaks of, what it quotes and does not change included.
    spans: the block's own changes, in order: characters of `before`, and what stands for them in `after`.
    creates: there was no file before; one without text is a file as well.
    """

    before: Text
    after: Text
    region: Span
    spans: tuple[tuple[Span, Span], ...]
    creates: bool = False

    @classmethod
    def whole(cls, before: str | None, after: str) -> Made:
        """A block that gives its file a whole new text; before: None where there is no file."""
        everything, was = Span(0, len(after)), before or ""
        return cls(Text(was), Text(after), everything, ((Span(0, len(was)), everything),), before is None)


class Told(NamedTuple):
    """The lines that a block takes up in its file before the plan and after it, and what it does to the text."""

    lines: Lines | None = None
    new_lines: Lines | None = None
    made: Made | None = None


class Extent:
    """Where a block stands, told when somebody first asks: to number lines, all above must be counted.

    Those of one plan count in the same texts, so one thread at a time is told.
    """

    _telling = RLock()

    def __init__(self, tell: Callable[[], Told] = Told) -> None:
        self._tell: Callable[[], Told] | None = tell
        self._told = Told()

    @classmethod
    def of(cls, lines: Lines | None, new_lines: Lines | None = None, made: Made | None = None) -> Extent:
        """Make one that is known."""
        return cls(lambda: Told(lines, new_lines, made))

    @property
    def told(self) -> Told:
        """All of it."""
        with self._telling:
            if self._tell is not None:
                self._told, self._tell = self._tell(), None
        return self._told

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Extent) and self.told[:2] == other.told[:2]

    def __hash__(self) -> int:
        return hash(self.told[:2])

    def __repr__(self) -> str:
        return f"Extent.of{self.told[:2]}"

    def __reduce__(self) -> tuple[Callable[..., Extent], Told]:
        """What is copied or pickled is what it tells."""
        return Extent.of, self.told


NO_EXTENT = Extent()


@dataclass(frozen=True, slots=True)
class BlockResult:
    """What becomes of one block.

    n: the number of the block in the reply, from 1.
    block: the block itself.
    path: the file that it was taken to mean; None if there is none.
    status: what became of it.
    code, reason, hint: why it failed or was skipped: for a program, for a person, and what to do next.
    tier, score: how its search was found; None for a block without a search. The score is from 0 to 1, and 1.0 at the
    tiers that compare for equality.
    extent: where it stands, and what it does there; of which `start` and those behind it are parts.
    places: the first lines of all places, where the search fits several; else empty.
    nearest: for a search that was not found, the text most like it, and how they differ.
    warnings: what is worth knowing although it landed.
    """

    n: int
    block: Block
    path: str | None
    status: Status
    code: Code | None = None
    reason: str | None = None
    hint: str | None = None
    tier: Tier | None = None
    score: float | None = None
    extent: Extent = NO_EXTENT
    places: tuple[int, ...] = ()
    nearest: Nearest | None = None
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def start(self) -> int | None:
        """The first line, from 1, that its search takes up in the file before the plan; None if it has no place."""
        return (self.extent.told.lines or _NOWHERE)[0]

    @property
    def end(self) -> int | None:
        """The last of those lines; `start` - 1 if it takes up none."""
        return (self.extent.told.lines or _NOWHERE)[1]

    @property
    def new_start(self) -> int | None:
        """The first of the lines that stand there in the file after the plan."""
        return (self.extent.told.new_lines or _NOWHERE)[0]

    @property
    def new_end(self) -> int | None:
        """The last of those lines."""
        return (self.extent.told.new_lines or _NOWHERE)[1]

    @property
    def made(self) -> Made | None:
        """What it does to its file's text; None if it changes nothing."""
        return self.extent.told.made

    @property
    def confidence(self) -> Confidence | None:
        """How sure the match is, as the tier has it; None without a tier."""
        return self.tier.confidence if self.tier is not None else None

    @property
    def previews(self) -> Previews:
        """The first 50 characters of its anchor, its old and its new text, for lists of results."""
        block = self.block
        if block.parts is not None:
            anchor, old, new = block.parts.leading, block.parts.old, block.parts.new
        else:
            anchor, old, new = "", block.search, block.replace
        return Previews(anchor[:PREVIEW_LENGTH], old[:PREVIEW_LENGTH], new[:PREVIEW_LENGTH])


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file, before and after.

    path: relative to the root, with ``/``; for a mapping of texts, as the mapping has it.
    before, after: its text with its line ends as they are; None where the file does not exist.
    source: the path that it is renamed from. That path has a change of its own, whose `after` is None.
    marks: of before and after, whether the file begins with a byte-order mark of UTF-8, which is no part of its text.
    """

    path: str
    before: str | None
    after: str | None
    source: str | None = None
    marks: tuple[bool, bool] = (False, False)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a reply would do to its files. Nothing of it has happened yet.

    results: one for each block, in the reply's order.
    changes: one for each file whose text, name or existence would change, sorted by path.
    shell_suggestions, database_actions: what else the reply asks for. Dovetail lists it and runs none of it.
    diagnostics: findings about the reply.
    """

    results: tuple[BlockResult, ...]
    changes: tuple[FileChange, ...]
    shell_suggestions: tuple[ShellSuggestion, ...] = ()
    database_actions: tuple[DatabaseAction, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def files_modified(self) -> tuple[str, ...]:
        """Paths whose text, existence or name changes."""
        return tuple(change.path for change in self.changes)

    @property
    def failed(self) -> tuple[BlockResult, ...]:
        """The results whose status is `failed`."""
        return tuple(r for r in self.results if r.status is Status.FAILED)
