"""Validates a reply without looking at files: balance, completeness, repetition."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from dovetail.formats import faults
from dovetail.formats.calls.artifact import SHELLS
from dovetail.formats.stream import whole_stream
from dovetail.formats.table import AUTO, UNMARKED, families_with_own_signs
from dovetail.model.codes import Code, Severity
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator

    from dovetail.model.blocks import Block, Parsed

_MENTION = (
    r"[<>]{3,} ?(?:SEARCH|REPLACE|ORIGINAL|UPDATED|NEW_FILE|EDIT)\b|-{3,} ?SEARCH\b|\+{3,} ?REPLACE\b"
    r"|\*{3} (?:Begin Patch|Update File|Add File)|<boltAction|</?(?:replace_in_file|apply_diff)>"
)
_ACTION = "<boltAction"


@cache
def _mention() -> re.Pattern[str]:
    """Return the pattern of a line that mentions a marker, up to the marker."""
    own = "".join(rf"|{re.escape(row.start[0])}{{3,}} ?(?:{row.start[1]})" for row in families_with_own_signs())
    return pattern(rf"(?m)^.{{0,40}}?(?:{_MENTION}{own})")


@dataclass(frozen=True, slots=True)
class MarkerCount:
    """How many marker lines of one format a reply holds. `divider` counts one a block, content left out."""

    format: str
    start: int
    divider: int
    end: int


@dataclass(frozen=True, slots=True)
class Validation:
    """What `check` found. `diagnostics` also has those of parsing, in the reply's order."""

    parsed: Parsed
    counts: tuple[MarkerCount, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        """True if the reply has an edit and no error; warnings do not count."""
        return bool(self.parsed.blocks) and not self.errors

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that are errors."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)


def check(reply: str, *, format: str = AUTO, markers: Markers = DEFAULT_MARKERS) -> Validation:  # noqa: A002
    """Read a reply as `parse` does, and report what is wrong with it, with lines of the reply and next steps.

    Looks at no file. Raises `UsageError` as `parse` does.
    """
    stream = whole_stream(reply, format, markers)
    parsed = stream.parsed
    counts = tuple(_counts(stream.counts))
    whole_reply = (*_unbalanced(counts), *_no_blocks(reply, parsed))
    commands = (block.malformed for block in parsed.unread if block.format == "shell" and block.malformed is not None)
    found = [*parsed.diagnostics, *commands, *whole_reply, *_without_path(parsed.blocks), *_repeated(parsed.blocks)]
    found.sort(key=lambda d: d.line or 0)
    return Validation(parsed, counts, tuple(found))


def _counts(counter: Counter[tuple[str, str]]) -> Iterator[MarkerCount]:
    for name in dict.fromkeys(name for name, _ in counter):
        yield MarkerCount(name, counter[name, "start"], counter[name, "divider"], counter[name, "end"])


def _unbalanced(counts: tuple[MarkerCount, ...]) -> Iterator[Diagnostic]:
    for count in counts:
        if count.format not in UNMARKED and count.start != count.end:
            yield Diagnostic(
                Code.UNBALANCED,
                f"The format {count.format} has {count.start} start, {count.divider} divider and {count.end} end "
                "markers.",
                Severity.WARNING,
                hint="Give each block one start, one divider and one end marker.",
            )


def _no_blocks(reply: str, parsed: Parsed) -> Iterator[Diagnostic]:
    if parsed.blocks:
        return
    # An artifact whose actions need no block is complete: commands, database actions.
    acts = bool(parsed.database_actions) or any(said.origin in SHELLS for said in parsed.shell_suggestions)
    mentions = (match for match in _mention().finditer(reply) if not (acts and match[0].endswith(_ACTION)))
    match = next(mentions, None)
    if match is None:
        return
    yield Diagnostic(
        Code.NO_BLOCKS,
        "The reply mentions edit markers and holds no block.",
        line=reply.count("\n", 0, match.end()) + 1,
        hint="Write each marker alone on its line, without anything before or behind it.",
    )


def _without_path(blocks: Iterable[Block]) -> Iterator[Diagnostic]:
    for block in blocks:
        if block.path is None and block.malformed is None:
            fault = faults.no_path(block.line, block.format)
            yield replace(fault, severity=Severity.WARNING)


def _repeated(blocks: tuple[Block, ...]) -> Iterator[Diagnostic]:
    seen: dict[tuple[object, ...], int] = {}
    for block in blocks:
        if block.draft or block.malformed is not None:
            continue
        key = (block.kind, block.path, block.search, block.replace, block.target)
        if key in seen:
            yield Diagnostic(
                Code.DUPLICATE,
                f"The same edit stands in line {seen[key]} already.",
                Severity.WARNING,
                path=block.path,
                line=block.line,
                hint="Leave one of them out, or add lines that tell the two places apart.",
            )
        else:
            seen[key] = block.line
