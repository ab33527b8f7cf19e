"""Joins the replies of one turn, and decides which of their edits count.

A turn begins with a reply and may go on with others that send failed edits again. All are joined into one text whose
blocks are numbered through, so that the turn is one plan and one operation. A block that was sent again is left out. A
failed edit without a block that corrects it still fails.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import accumulate

from dovetail.llm.values import ToolCall
from dovetail.model.blocks import Block, Kind, Parsed
from dovetail.model.codes import Code, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.results import BlockResult
from dovetail.model.snapshot import Snapshot
from dovetail.model.text import closed
from dovetail.place.tree import tidy
from dovetail.session.apply.placing import placed
from dovetail.text.similarity import ratio

_MAX_COMPARED = 4_000  # characters of two blocks that are compared to pair them
_SHARED = 1 / 4  # least share of changed words, of the edit with fewer, that two edits for one purpose have in common
_PATH_CODES = frozenset({Code.FILE_MISSING, Code.OUTSIDE_ROOT})
_WORD = re.compile(r"\w+")


class Step(StrEnum):
    """Why a model is asked."""

    REQUEST = "request"  # what the user wants, as edits
    PLAN = "plan"  # what the user wants, as a plan in prose: architect mode
    EDITS = "edits"  # that plan, as edits
    ADDED = "added"  # the request again, with files that the model asked for
    CALLS = "calls"  # what came of its calls of tools
    FORM = "form"  # listings that are no edits, as edits
    REPAIR = "repair"  # failed edits, with what is wrong with them
    WIDER = "wider"  # the same, with the definitions around them
    WHOLE = "whole"  # one file, whole


REPAIRS = frozenset({Step.REPAIR, Step.WIDER, Step.WHOLE})


@dataclass(frozen=True, slots=True)
class CallEdits:
    """A call of a tool in a reply, its line, and the numbers of its edits, both from 1."""

    call: ToolCall
    line: int
    edits: range


@dataclass(frozen=True, slots=True)
class Round:
    """One reply. cut: the numbers, from 1 in this reply, of blocks that its early end cut short.

    calls: calls of the tools that were offered, to be answered.
    """

    step: Step
    text: str
    parsed: Parsed
    cut: tuple[int, ...] = ()
    calls: tuple[CallEdits, ...] = ()

    @property
    def has_whole_edits(self) -> bool:
        """Return whether it has an edit that is neither a draft nor cut short."""
        return any(not block.draft and n not in self.cut for n, block in enumerate(self.parsed.blocks, start=1))


@dataclass(frozen=True, slots=True)
class Rounds:
    """The replies so far; blocks are numbered from 1 through all of them.

    superseded: number of a block that was sent again → number of the block that replaces it.
    places: number of a block → the line of its file, from 1, at which the user said that it begins.
    listings: the files that the user named for listings, by the line of `text` in which each listing begins.
    """

    replies: tuple[Round, ...] = ()
    superseded: Mapping[int, int] = field(default_factory=dict)
    places: Mapping[int, int] = field(default_factory=dict)
    listings: Mapping[int, str] = field(default_factory=dict)

    def adding(self, reply: Round, superseded: Mapping[int, int] | None = None) -> Rounds:
        """Return the rounds with one more reply. superseded: blocks that it sends again → their numbers in it."""
        before = sum(len(known.parsed.blocks) for known in self.replies)
        again = {n: before + number for n, number in (superseded or {}).items()}
        return replace(self, replies=(*self.replies, reply), superseded={**self.superseded, **again})

    def placing(self, places: Mapping[int, int]) -> Rounds:
        """Return the rounds with the lines at which some blocks begin, by number."""
        return replace(self, places={**self.places, **places})

    def using(self, listings: Mapping[int, str], snapshot: Snapshot) -> Rounds:
        """Return the rounds with listings of the newest reply used as edits; these become its last blocks.

        listings: their files, by the line of `text` in which each begins.
        """
        *earlier, last = self.replies
        # `text` joins replies with a further line end, so each earlier reply takes one line more.
        before = sum(closed(reply.text).count("\n") + 1 for reply in earlier)
        read = placed(last.parsed, snapshot, {line - before: path for line, path in listings.items()})
        return replace(self, replies=(*earlier, replace(last, parsed=read)), listings={**self.listings, **listings})

    @property
    def has_edits(self) -> bool:
        """Return whether any reply has an edit."""
        return any(reply.parsed.has_edits for reply in self.replies)

    @property
    def calls(self) -> tuple[CallEdits, ...]:
        """The calls of the newest reply, to be answered, with lines and edit numbers of all replies joined."""
        first, lines = self.offset, sum(closed(reply.text).count("\n") + 1 for reply in self.replies[:-1])
        return tuple(
            CallEdits(made.call, made.line + lines, range(made.edits.start + first, made.edits.stop + first))
            for made in (self.replies[-1].calls if self.replies else ())
        )

    @property
    def text(self) -> str:
        """All replies as one text; a single one unchanged."""
        if len(self.replies) == 1:
            return self.replies[0].text
        return "\n".join(closed(reply.text) for reply in self.replies)

    @property
    def parsed(self) -> Parsed:
        """All replies parsed; lines are those of `text`."""
        shifted: list[Parsed] = []
        line = 0
        for reply in self.replies:
            shifted.append(_shifted(reply.parsed, line))
            line += closed(reply.text).count("\n") + 1
        return Parsed(
            tuple(block for parsed in shifted for block in parsed.blocks),
            tuple(found for parsed in shifted for found in parsed.diagnostics),
            tuple(command for parsed in shifted for command in parsed.shell_suggestions),
            tuple(action for parsed in shifted for action in parsed.database_actions),
            shifted[-1].unread if shifted else (),  # unread parts of earlier replies were asked for again
        )

    @property
    def offset(self) -> int:
        """The number of blocks before the newest reply's first."""
        return sum(len(reply.parsed.blocks) for reply in self.replies[:-1])

    @property
    def steps(self) -> tuple[int, ...]:
        """The number of the first block of each reply to answers about calls: the model knew the earlier results."""
        counted = accumulate((len(reply.parsed.blocks) for reply in self.replies), initial=1)
        replies = zip(counted, self.replies, strict=False)
        return tuple(first for first, reply in replies if reply.step is Step.CALLS)

    def decided(self) -> Mapping[int, BlockResult]:
        """Return results, by number, of the blocks that are not planned, as they were sent again or cut short."""
        counted = accumulate((len(reply.parsed.blocks) for reply in self.replies), initial=0)
        cut = {before + n for before, reply in zip(counted, self.replies, strict=False) for n in reply.cut}
        decided: dict[int, BlockResult] = {}
        for n, block in enumerate(self.parsed.blocks, start=1):
            if n in self.superseded:
                reason = f"The model sent it again, as edit {self.superseded[n]}."
                decided[n] = BlockResult(n, block, block.path, Status.LEFT_OUT, Code.NOT_SELECTED, reason)
            elif n in cut:
                reason = "The reply was cut short before this edit was complete."
                hint = "Send it again, whole."
                if block.kind is not Kind.EDIT:
                    hint = "Send the file again, whole, or edits of it."
                decided[n] = BlockResult(n, block, block.path, Status.FAILED, Code.MALFORMED, reason, hint)
        return decided


def _shifted(parsed: Parsed, lines: int) -> Parsed:
    """Return a parsed reply with all line numbers raised by `lines`."""

    def lower(found: Diagnostic) -> Diagnostic:
        return replace(found, line=found.line + lines) if found.line is not None else found

    def lowered(block: Block) -> Block:
        fault = lower(block.malformed) if block.malformed is not None else None
        return replace(block, line=block.line + lines, malformed=fault)

    return Parsed(
        tuple(map(lowered, parsed.blocks)),
        tuple(map(lower, parsed.diagnostics)),
        tuple(replace(command, line=command.line + lines) for command in parsed.shell_suggestions),
        tuple(replace(action, line=action.line + lines) for action in parsed.database_actions),
        tuple(map(lowered, parsed.unread)),
    )


def superseded_by(earlier: Sequence[BlockResult], failed: Sequence[BlockResult], new: Parsed) -> Mapping[int, int]:
    """Pair failed edits with the blocks that a model sent in answer to them: number → number in that reply, from 1.

    A whole file replaces all its earlier blocks. Otherwise a block replaces the failed one whose change is most like
    its own, the rival of that one (which changes the same lines), and those whose new lines it has, too. A block that
    does something else, or repeats an edit that landed, replaces none. A failed edit that the model was not asked for
    is replaced only by a block that contains it whole.
    """
    blocks = {n: block for n, block in enumerate(new.blocks, start=1) if not block.draft}
    earlier, failed = (
        [r for r in some if r.code is not Code.UNREAD] for some in (earlier, failed)
    )  # these are no blocks
    whole = {block.path: n for n, block in blocks.items() if block.kind in (Kind.REWRITE, Kind.CREATE)}
    gone = {r.n: whole[path] for r in earlier for path in (r.block.path, r.path) if path is not None and path in whole}
    left = [result for result in failed if result.n not in gone]
    landed = {_content(r.block) for r in earlier if r.status in (Status.FITS, Status.STANDS_ALREADY)}
    fresh = {n: block for n, block in blocks.items() if _content(block) not in landed}
    pairs = [(_likeness(r, b), r.n, at) for r in left for at, b in fresh.items() if _may_replace(b, r)]
    used: set[int] = set()
    # The most alike pair first, each block and each failure once; among equals the earlier numbers.
    for _, n, at in sorted(pairs, key=lambda pair: (-pair[0], pair[1:])):
        if n not in gone and at not in used:
            gone[n] = at
            used.add(at)
    for (
        result
    ) in left:  # one block takes the place of two that change the same lines, if it has all that the other takes
        at = gone.get(result.rival or 0, 0)
        if at in blocks and _lines(result.block.search) - _lines(result.block.replace) <= _lines(blocks[at].search):
            gone.setdefault(result.n, at)
    # `gone` comes before this: a pair by likeness is surer than new lines that some block has, too.
    repeated = {r.n: at for r in left for at, block in fresh.items() if _has_new_lines_of(block, r.block)}
    asked = {result.n for result in failed}
    unasked = [r for r in earlier if r.status is Status.FAILED and r.n not in asked]
    # An ambiguous edit that was sent again must not stay beside the new one: both would share the places that it fits.
    held = {r.n: at for r in unasked for at, block in fresh.items() if _holds(block, r)}
    return {**held, **repeated, **gone}


def _content(block: Block) -> tuple[object, ...]:
    return (block.kind, block.path, block.destination, block.search.strip(), block.replace.strip())


def _likeness(result: BlockResult, block: Block) -> float:
    mine, theirs = (f"{b.search}\n{b.replace}"[:_MAX_COMPARED] for b in (result.block, block))
    # The same path outweighs any likeness of texts, which is at most 1.
    return ratio(mine.split(), theirs.split()) + (block.path in (result.path, result.block.path))


def _may_replace(block: Block, result: BlockResult) -> bool:
    """Return whether a block is for the file of a failed one, and for the same purpose.

    It is if it quotes a line of the text nearest to the failed one, or a part of that text if it is alike, or if the
    lines that both change share enough words. Without a nearest text, or without changed words, it may be.
    """
    # Where the path itself was wrong, the new block has another one on purpose.
    if block.path is not None and result.path is not None and result.code not in _PATH_CODES:
        path = tidy(block.path)
        named = (result.path, result.block.path, result.block.destination)
        others = [tidy(other) for other in named if other is not None]
        if not any(path == other or path.endswith(f"/{other}") or other.endswith(f"/{path}") for other in others):
            return False
    near = result.nearest
    if _lines(near.corrected) & _lines(block.search) if near is not None else result.code not in _PATH_CODES:
        return True
    if near is not None and near.is_alike and block.inline and block.search in near.corrected:
        return True
    mine, theirs = _changed_words(result.block), _changed_words(block)
    return len(mine & theirs) >= _SHARED * min(len(mine), len(theirs))


def _changed_words(block: Block) -> set[str]:
    return set(_WORD.findall(" ".join(_lines(block.search) ^ _lines(block.replace))))


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.strip()}


def _holds(block: Block, result: BlockResult) -> bool:
    """Return whether a block has all lines of a failed edit's search and replacement, and the same kind and path."""
    failed = result.block
    if block.kind is not failed.kind or block.path not in (result.path, failed.path):
        return False
    pairs = ((failed.search, block.search), (failed.replace, block.replace))
    return all(_lines(part) <= _lines(whole) for part, whole in pairs)


def _has_new_lines_of(block: Block, failed: Block) -> bool:
    old = set(failed.search.splitlines())
    added = {line.strip() for line in failed.replace.splitlines() if line not in old and line.strip()}
    return bool(added) and added <= {line.strip() for line in block.replace.splitlines()}
