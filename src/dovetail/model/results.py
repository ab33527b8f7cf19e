"""What a plan is: per block a result, per file the text before and after. The preview is the plan."""

from __future__ import annotations

from dovetail.model.blocks import Block, DatabaseAction, ShellSuggestion
from dovetail.model.codes import Code, Confidence, Status, Tier
from dovetail.model.dataclasses import dataclass, field
from dovetail.model.diagnostics import Diagnostic, Nearest
from dovetail.model.text import Span, Text

PREVIEW_LENGTH = 50


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


@dataclass(frozen=True, slots=True)
class BlockResult:
    """What becomes of one block.

    n: number of the block in the reply, from 1.
    path: the file it was resolved to; None where none was found.
    code, reason, hint: why it failed or was skipped (or is worth a word), in that order of detail.
    tier, score: how it matched; score is 1.0 for all tiers that compare for equality, else the similarity.
    start, end: first and last line, from 1, of the place in the file before the plan; `end < start` for an insertion.
    new_start, new_end: the same place in the file after the plan.
    places: first lines of all places that the block fits, where it fits several.
    nearest: the explained miss.
    warnings: diagnostics on what succeeded.
    made: what it does to its file's text, where it lands and changes one.
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
    start: int | None = None
    end: int | None = None
    new_start: int | None = None
    new_end: int | None = None
    places: tuple[int, ...] = ()
    nearest: Nearest | None = None
    warnings: tuple[Diagnostic, ...] = ()
    made: Made | None = field(default=None, compare=False, repr=False)

    @property
    def confidence(self) -> Confidence | None:
        """Defined by the tier."""
        return self.tier.confidence if self.tier is not None else None

    @property
    def previews(self) -> Previews:
        """What a list of results shows of the block."""
        block = self.block
        if block.parts is not None:
            anchor, old, new = block.parts.leading, block.parts.old, block.parts.new
        else:
            anchor, old, new = "", block.search, block.replace
        return Previews(anchor[:PREVIEW_LENGTH], old[:PREVIEW_LENGTH], new[:PREVIEW_LENGTH])


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file, before and after. None stands for a file that does not exist.

    `source` is the path it is renamed from; that path has a change of its own, to None. `marks` says of both sides
    whether the file begins with a byte-order mark of UTF-8, which is no part of its text.
    """

    path: str
    before: str | None
    after: str | None
    source: str | None = None
    marks: tuple[bool, bool] = (False, False)


@dataclass(frozen=True, slots=True)
class Plan:
    """All that will happen, and nothing that has. `changes` stand in the order of the paths."""

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
        """The results that need somebody's attention."""
        return tuple(r for r in self.results if r.status is Status.FAILED)
