"""What a plan is: per block a result, per file the text before and after. The preview is the plan."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from dovetail.model.blocks import Block, DatabaseAction, ShellSuggestion
from dovetail.model.codes import Code, Confidence, Status, Tier
from dovetail.model.diagnostics import Diagnostic, Nearest
from dovetail.model.text import IndexedText, Span

PREVIEW_LENGTH = 50

Lines = tuple[int, int]  # the first and the last, from 1; the last is before the first where there is none


@dataclass(frozen=True, slots=True)
class Previews:
    """First 50 characters of a block's leading anchor, old and new text; empty where the format has none."""

    anchor: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Effect:
    """What one block does to its file's text.

    before: the text that the block is applied to. after: what comes of that by the block and the reply's other edits.
    region: the part of `after` that the block covers, including lines that it quotes and does not change.
    spans: the block's own changes, in order: characters of `before`, and what stands for them in `after`.
    creates: there was no file before; an empty file counts as a file.
    whole: the block gives the file its whole text.
    """

    before: IndexedText
    after: IndexedText
    region: Span
    spans: tuple[tuple[Span, Span], ...]
    creates: bool = False
    whole: bool = False

    @classmethod
    def of_whole(cls, before: str | None, after: str) -> Effect:
        """Return the effect of a block that gives its file a whole new text; `before` is None if there is no file."""
        everything, was = Span(0, len(after)), before or ""
        spans = ((Span(0, len(was)), everything),)
        return cls(IndexedText(was), IndexedText(after), everything, spans, creates=before is None, whole=True)


@dataclass(frozen=True, slots=True, repr=False)
class BlockResult:
    """What becomes of one block.

    n: the number of the block in the reply, from 1.
    block: the block itself.
    path: the file that it was taken to mean; None if there is none.
    status: what became of it.
    code, reason, hint: why it failed or was skipped: for a program, for a person, and what to do next.
    tier, score: how its search was found; None for a block without a search. The score is from 0 to 1, and 1.0 at the
    tiers that compare for equality.
    start, end: the first and last line, from 1, that its search takes up in the file before the plan; `end` is
    `start` - 1 where it takes up none. None if it has no place.
    new_start, new_end: the lines that stand there in the file after the plan.
    effect: what it does to its file's text; None if it changes nothing.
    places: the first lines of all places, where the search fits several; else empty.
    enclosing: for each of `places` the name of the definition that it stands in, joined with dots; "" for none.
    nearest: for a search that was not found, the text most like it, and how they differ.
    warnings: what is worth knowing although it landed.
    rival: the edit that changes the same lines differently.
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
    effect: Effect | None = field(default=None, compare=False)
    places: tuple[int, ...] = ()
    enclosing: tuple[str, ...] = ()
    nearest: Nearest | None = None
    warnings: tuple[Diagnostic, ...] = ()
    rival: int | None = None

    def __repr__(self) -> str:
        place = f":{self.start}-{self.end}" if self.start is not None else ""
        why = f" {self.code}" if self.code is not None else f" {self.tier}" if self.tier is not None else ""
        return f"<BlockResult {self.n} {self.status}{why} {self.path or '(no file)'}{place}>"

    @property
    def confidence(self) -> Confidence | None:
        """The confidence of its tier; None without a tier."""
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


@dataclass(frozen=True, slots=True, repr=False)
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

    def __repr__(self) -> str:
        what = "deleted" if self.after is None else "created" if self.before is None else "modified"
        return f"<FileChange {self.path} {what}>"


@dataclass(frozen=True, slots=True, repr=False)
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

    def __repr__(self) -> str:
        counts = Counter(result.status for result in self.results)
        edits = ", ".join(f"{count} {status}" for status, count in counts.items()) or "no edit"
        return f"<Plan {edits}; files: {', '.join(self.files_modified) or 'none'}>"

    @property
    def files_modified(self) -> tuple[str, ...]:
        """Paths whose text, existence or name changes."""
        return tuple(change.path for change in self.changes)

    @property
    def failed(self) -> tuple[BlockResult, ...]:
        """The results whose status is `failed`."""
        return tuple(r for r in self.results if r.status is Status.FAILED)

    @property
    def as_written(self) -> Plan:
        """The plan once an operation has written it: what fitted is written."""
        return replace(
            self,
            results=tuple(replace(r, status=Status.WRITTEN) if r.status is Status.FITS else r for r in self.results),
        )

    @property
    def with_rivals(self) -> tuple[BlockResult, ...]:
        """The results with both edits of each conflict failed: the one that fits fails, too, as one edit must be made
        of the two."""
        rivals = {r.rival: r.n for r in self.failed if r.rival is not None}
        return tuple(
            result
            if result.n not in rivals or result.status is Status.FAILED
            else replace(
                result,
                status=Status.FAILED,
                code=Code.CONFLICT,
                reason=f"Edit {rivals[result.n]} changes the same lines differently.",
                hint="Make one edit of the two.",
                rival=rivals[result.n],
            )
            for result in self.results
        )

    @property
    def unread(self) -> tuple[BlockResult, ...]:
        """The results about parts of the reply that look like a change and are read as none."""
        return tuple(r for r in self.results if r.code is Code.UNREAD)

    @property
    def missed(self) -> tuple[BlockResult, ...]:
        """Those of `unread` that leave the reply's work undone: calls and commands, and, if the reply has no edit but
        drafts, also listings and diffs."""
        # beside real edits a listing is an example; without any, it is the change that was asked for
        alone = all(r.code is Code.UNREAD or r.block.draft for r in self.results)
        return tuple(r for r in self.unread if alone or not r.block.is_listing)
