"""The replies of one turn taken together: what they say, and what counts of each.

A turn begins with a reply and may go on with others that send failed edits again. All are joined into one text, whose
blocks are numbered through, so that the turn is one plan and one operation: all of it is written or none, and undo
takes it back as one. A block that was sent again is settled as left out; nothing else is ever dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from dovetail.model.blocks import Block, Kind, Parsed
from dovetail.model.codes import Code, Status
from dovetail.model.results import BlockResult
from dovetail.model.text import closed

if TYPE_CHECKING:
    from dovetail.model.diagnostics import Diagnostic
    from dovetail.session.loop.steps import Step


@dataclass(frozen=True, slots=True)
class Round:
    """One reply. `cut` numbers the blocks, from 1 in this reply, that its early end cut short."""

    step: Step
    text: str
    parsed: Parsed
    cut: tuple[int, ...] = ()

    @property
    def has_whole_edits(self) -> bool:
        """Whether it asks for anything; neither drafts count nor what was cut short."""
        return any(not block.draft and n not in self.cut for n, block in enumerate(self.parsed.blocks, start=1))


@dataclass(frozen=True, slots=True)
class Rounds:
    """The replies so far; blocks are numbered from 1 through all of them.

    superseded: blocks that were sent again, and as which. places: lines at which the user said that blocks begin.
    """

    replies: tuple[Round, ...] = ()
    superseded: Mapping[int, int] = field(default_factory=dict)
    places: Mapping[int, int] = field(default_factory=dict)

    def adding(self, reply: Round, superseded: Mapping[int, int] | None = None) -> Rounds:
        """With one reply more, which sends some blocks again: their numbers here → in that reply."""
        before = sum(len(known.parsed.blocks) for known in self.replies)
        again = {n: before + theirs for n, theirs in (superseded or {}).items()}
        return replace(self, replies=(*self.replies, reply), superseded={**self.superseded, **again})

    @property
    def has_edits(self) -> bool:
        """Whether any of them asks for anything."""
        return any(reply.parsed.has_edits for reply in self.replies)

    def placing(self, places: Mapping[int, int]) -> Rounds:
        """With the lines at which some blocks begin."""
        return replace(self, places={**self.places, **places})

    @property
    def text(self) -> str:
        """All replies as one text; a single one stands as it came."""
        if len(self.replies) == 1:
            return self.replies[0].text
        return "\n".join(closed(reply.text) for reply in self.replies)

    @property
    def parsed(self) -> Parsed:
        """What all replies say; lines are those of `text`."""
        shifted: list[Parsed] = []
        line = 0
        for reply in self.replies:
            shifted.append(_moved(reply.parsed, line))
            line += closed(reply.text).count("\n") + 1
        return Parsed(
            tuple(block for parsed in shifted for block in parsed.blocks),
            tuple(found for parsed in shifted for found in parsed.diagnostics),
            tuple(said for parsed in shifted for said in parsed.shell_suggestions),
            tuple(said for parsed in shifted for said in parsed.database_actions),
        )

    @property
    def offset(self) -> int:
        """How many blocks stand before the newest reply's first."""
        return sum(len(reply.parsed.blocks) for reply in self.replies[:-1])

    def settled(self) -> Mapping[int, BlockResult]:
        """The blocks that are decided without planning: sent again, or cut short."""
        counted = accumulate((len(reply.parsed.blocks) for reply in self.replies), initial=0)
        cut = {before + n for before, reply in zip(counted, self.replies, strict=False) for n in reply.cut}
        decided: dict[int, BlockResult] = {}
        for n, block in enumerate(self.parsed.blocks, start=1):
            if n in self.superseded:
                decided[n] = _sent_again(n, block, self.superseded[n])
            elif n in cut:
                decided[n] = _cut_short(n, block)
        return decided


def _sent_again(n: int, block: Block, other: int) -> BlockResult:
    reason = f"The model sent it again, as edit {other}."
    return BlockResult(n, block, block.path, Status.SKIPPED, Code.NOT_SELECTED, reason)


def _cut_short(n: int, block: Block) -> BlockResult:
    reason = "The reply was cut short before this edit was complete."
    hint = "Send it again, whole." if block.kind is Kind.EDIT else "Send the file again, whole, or edits of it."
    return BlockResult(n, block, block.path, Status.FAILED, Code.MALFORMED, reason, hint)


def _moved(parsed: Parsed, lines: int) -> Parsed:
    return Parsed(
        tuple(
            replace(
                block,
                line=block.line + lines,
                malformed=_lower(block.malformed, lines) if block.malformed is not None else None,
            )
            for block in parsed.blocks
        ),
        tuple(_lower(found, lines) for found in parsed.diagnostics),
        tuple(replace(said, line=said.line + lines) for said in parsed.shell_suggestions),
        tuple(replace(said, line=said.line + lines) for said in parsed.database_actions),
    )


def _lower(found: Diagnostic, lines: int) -> Diagnostic:
    return replace(found, line=found.line + lines) if found.line is not None else found
