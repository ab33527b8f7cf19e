"""Values handed on while a block is planned: the block with its file, and the outcome for a file's whole text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from dovetail.match import Needle
from dovetail.model.blocks import Block
from dovetail.model.codes import Code, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.results import BlockResult, Effect, Lines
from dovetail.model.text import Span


class Written(NamedTuple):
    """The file is given this text; `seen` is the one that the reply gives it, if that was merged with what the
    user changed."""

    after: str
    warnings: tuple[Diagnostic, ...] = ()
    seen: str | None = None


class Unchanged(NamedTuple):
    """The file already has this text."""

    span: Span


class Appended(NamedTuple):
    """The text is added at the file's end."""

    warnings: tuple[Diagnostic, ...] = ()


class Dropped(NamedTuple):
    """Nothing is written: the policy keeps the user's side of each conflict, and there is no other change."""

    reason: str
    hint: str


class Rejected(NamedTuple):
    """Nothing is written. `code` says why for a program, `reason` for a person, `hint` what to do next."""

    code: Code
    reason: str
    hint: str | None = None


def too_large() -> Rejected:
    """Return the refusal of an edit that takes more work than is allowed (`model.work`)."""
    hint = "Send it in a reply of its own, with a search of fewer lines that the file has once."
    return Rejected(Code.TOO_LARGE, "Finding the place of this edit takes too much work.", hint)


@dataclass(frozen=True)
class EditRequest:
    """Block `n` of the reply, with the path that it was resolved to, or None.

    `behind` is the text of an edit that has no search: it is added at the end of the file's text.
    """

    n: int
    block: Block
    path: str | None
    behind: str | None = None

    @cached_property
    def needles(self) -> tuple[Needle, ...]:
        """Return one needle for each reading that has a search; if none has, one for the first reading."""
        quoting = [index for index, reading in enumerate(self.block.readings) if self.block.quotes(reading)]
        return tuple(Needle.of(self.block, index) for index in quoting or [0])

    @property
    def changes_nothing(self) -> bool:
        """Return whether search and replacement are equal in every reading, and the file's last line end is kept."""
        return all(needle.search == needle.replace and needle.last_end is None for needle in self.needles)

    def same_edit(self, other: EditRequest) -> bool:
        """Return whether both requests make the very same change."""
        return self.behind is None and other.behind is None and self.needles == other.needles

    def result(
        self,
        status: Status,
        code: Code | None = None,
        reason: str | None = None,
        hint: str | None = None,
        lines: Lines | None = None,
        new_lines: Lines | None = None,
        effect: Effect | None = None,
    ) -> BlockResult:
        """Return the block's result, with its path and lines."""
        start, end = lines or (None, None)
        new_start, new_end = new_lines or (None, None)
        return BlockResult(
            self.n, self.block, self.path, status, code, reason, hint,
            start=start, end=end, new_start=new_start, new_end=new_end, effect=effect,
        )  # fmt: skip

    def failed(self, why: Rejected, lines: Lines | None = None) -> BlockResult:
        """Return the result of a block that does not land."""
        return self.result(Status.FAILED, why.code, why.reason, why.hint, lines)

    def wrote(self, before: str | None, after: str) -> BlockResult:
        """Return the result of a block that gave its file a whole new text; `before` is None if there was no file."""
        effect = Effect.of_whole(before, after)
        lines, new_lines = (1, len(effect.before)), (1, len(effect.after))
        return self.result(Status.FITS, lines=lines, new_lines=new_lines, effect=effect)
