"""What a block of the reply asks for, and of which file: the one value that is handed on until its result is known."""

from __future__ import annotations

from functools import cached_property

from dovetail.match import Needle
from dovetail.model.blocks import Block, Kind, Reading
from dovetail.model.codes import Code, Status
from dovetail.model.dataclasses import dataclass, replace
from dovetail.model.results import BlockResult, Made
from dovetail.plan.outcomes import Rejected

Lines = tuple[int, int]  # the first and the last, from 1


def quotes(block: Block) -> bool:
    """Whether the block quotes text that its file must have, however it is read."""
    return block.kind is Kind.EDIT and all(map(block.quotes, block.readings))


def searches(block: Block) -> list[str]:
    """The searches of those readings that have text to be found."""
    return [reading.search for reading in block.readings if block.quotes(reading)]


@dataclass(frozen=True)
class Request:
    """Block `n` of the reply, and the path that it was taken to mean; None if there is none.

    `behind` is the text of an edit that is looked for nowhere: it is put behind the end of whatever text is asked.
    """

    n: int
    block: Block
    path: str | None
    behind: str | None = None

    @cached_property
    def needles(self) -> tuple[Needle, ...]:
        """What is to be located: one for each reading, without those that have no search and say nothing of a place."""
        told = [index for index, reading in enumerate(self.block.readings) if self.block.quotes(reading)]
        return tuple(Needle.of(self.block, index) for index in told or [0])

    @property
    def changes_nothing(self) -> bool:
        """Whether it asks for the text that it looks for, however it is read."""
        return all(needle.search == needle.replace and needle.last_end is None for needle in self.needles)

    @property
    def turned(self) -> Request:
        """The request that takes this one back."""
        readings = tuple(Reading(reading.replace, reading.search) for reading in self.block.readings)
        first = readings[0]
        return replace(self, block=replace(self.block, search=first.search, replace=first.replace, readings=readings))

    def same_edit(self, other: Request) -> bool:
        """Whether both ask for the very same change."""
        return self.behind is None and other.behind is None and self.needles == other.needles

    def result(self, status: Status, code: Code | None = None, reason: str | None = None) -> BlockResult:
        """What becomes of the block."""
        return BlockResult(self.n, self.block, self.path, status, code, reason)

    def failed(self, why: Rejected) -> BlockResult:
        """The result of a block that does not land."""
        return replace(self.result(Status.FAILED, why.code, why.reason), hint=why.hint)

    def stands(
        self, lines: Lines, new_lines: Lines | None = None, code: Code | None = None, reason: str | None = None
    ) -> BlockResult:
        """The result of a block whose text is there already, in `lines` of the file before and `new_lines` after."""
        (start, end), (new_start, new_end) = lines, new_lines or lines
        result = self.result(Status.ALREADY_APPLIED, code, reason)
        return replace(result, start=start, end=end, new_start=new_start, new_end=new_end)

    def wrote(self, before: str | None, after: str) -> BlockResult:
        """The result of a block that gave its file a whole new text; `before` is None where there was no file."""
        made = Made.whole(before, after)
        end, new_end = len(made.before), len(made.after)
        return replace(self.result(Status.APPLIED), start=1, end=end, new_start=1, new_end=new_end, made=made)

    def skipped(self, code: Code, reason: str, hint: str | None = None) -> BlockResult:
        """The result of a block that was left alone."""
        return replace(self.result(Status.SKIPPED, code, reason), hint=hint)
