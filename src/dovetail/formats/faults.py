"""What can be wrong with a block, as diagnostics with a code, a line and what to write instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.model.codes import Code, Severity
from dovetail.model.dataclasses import replace
from dovetail.model.diagnostics import Diagnostic

if TYPE_CHECKING:
    from dovetail.model.blocks import Block

Fault = Diagnostic


def no_divider(format: str, line: int) -> Fault:  # noqa: A002
    """The block has no line between search and replacement."""
    return Diagnostic(
        Code.NO_DIVIDER,
        f"The {format} block has no divider between its search and its replacement.",
        line=line,
        hint="Write a divider line between the lines to find and the lines to put there, even where one half is empty.",
    )


def no_end(format: str, line: int) -> Fault:  # noqa: A002
    """The block was opened and never ended."""
    return Diagnostic(
        Code.NO_END,
        f"The {format} block is not ended; the reply may have been cut off.",
        line=line,
        hint="Ask for the block again, complete with its end marker.",
    )


def nested_start(format: str, line: int, at: int) -> Fault:  # noqa: A002
    """Another block starts before this one had a divider."""
    return Diagnostic(
        Code.NESTED_START,
        f"The {format} block has no divider before the next one starts in line {at}.",
        line=line,
        hint="End each block with its end marker before the next one starts.",
    )


def no_path(format: str, line: int) -> Fault:  # noqa: A002
    """Nothing names the file."""
    return Diagnostic(
        Code.NO_PATH,
        f"Nothing says which file the {format} block belongs to.",
        line=line,
        hint="Write the file's path alone on the line before the block.",
    )


def closed_by_fence(format: str, line: int) -> Diagnostic:  # noqa: A002
    """The fence ended where the end marker should stand; the block is taken as it is."""
    return Diagnostic(
        Code.NO_END,
        f"The {format} block has no end marker; it was taken to end here.",
        Severity.WARNING,
        line=line,
        hint="Check the end of the replacement before you apply it.",
    )


def stray(line: int, text: str) -> Diagnostic:
    """A marker stands where no block is open."""
    return Diagnostic(
        Code.STRAY_MARKER,
        f"The marker {text.strip()!r} belongs to no block.",
        Severity.WARNING,
        line=line,
        hint="Check that the block above it is complete.",
    )


def draft_end(line: int) -> Diagnostic:
    """A reasoning section is closed that was never opened, below blocks."""
    return Diagnostic(
        Code.DRAFT,
        "A reasoning section ends here that never began; the edits above it may be drafts.",
        Severity.WARNING,
        line=line,
        hint="Look at the edits above this line before you apply them.",
    )


def malformed(message: str, line: int, hint: str, code: Code = Code.MALFORMED) -> Fault:
    """Any other fault of one format."""
    return Diagnostic(code, message, line=line, hint=hint)


def spoil(block: Block, fault: Fault) -> Block:
    """The block, marked as malformed."""
    return replace(block, malformed=replace(fault, path=block.path))
