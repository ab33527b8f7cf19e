"""The message that asks a model for its failed edits again, and for nothing else.

Owns its wording. What it says are the same values that a person sees: the reason, the first line that differs, the
file's own text. The file's text is sent as the search of a corrected edit, in the format that the model wrote, so
that the model changes what is wrong and repeats nothing that was right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from dovetail.formats import render
from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Code, Status
from dovetail.model.diagnostics import Difference
from dovetail.model.errors import RenderError
from dovetail.model.results import BlockResult

LONGEST_REGION = 60
"""Lines of a file that are worth sending back for one edit; of a longer region only the part around the difference."""

_AROUND = 8

_KINDS = {
    Difference.WHITESPACE: "Only blanks differ.",
    Difference.INDENTATION: "Only the indentation differs.",
    Difference.STALE: "The file has changed since you saw it.",
    Difference.MISREMEMBERED: "The file says something else there.",
    Difference.ELIDED: "You left lines out; every line must be written.",
    Difference.WRONG_FILE: "That text is in another file.",
    Difference.ALREADY_APPLIED: "The file seems to hold your change already.",
    Difference.ABSENT: "Nothing in the file is like it.",
}

_BACKTICKS = re.compile(r"`{3,}")


def retry_message(results: Sequence[BlockResult], *, written: bool = False) -> str | None:
    """The message about every failed result; None where none failed. `written` says that the others were applied."""
    failed = [result for result in results if result.status is Status.FAILED]
    if not failed:
        return None
    pieces = [_opening(len(failed), len(results), _others(results), written=written)]
    pieces += [_about(result) for result in failed]
    return "\n\n".join(pieces) + "\n"


def _others(results: Sequence[BlockResult]) -> int:
    good = (Status.APPLIED, Status.ALREADY_APPLIED)
    return sum(r.status in good or r.code is Code.OTHER_FAILED for r in results)


def _opening(failed: int, total: int, others: int, *, written: bool) -> str:
    what = f"{failed} of your {total} edits" if total > 1 else "Your edit"
    said = f"{what} could not be applied."
    if others:
        fate = "applied" if written else "found to fit"
        was, them = ("was", "it") if others == 1 else ("were", "them")
        number = "" if others == 1 else f" {others}"
        said += f" The other{number} {was} {fate}; do not repeat {them}."
    return f"{said} Send {'these' if failed > 1 else 'this one'} again, corrected."


def _about(result: BlockResult) -> str:
    path = result.path or result.block.path
    place = f" in `{path}`" if path is not None else ""
    pieces = [f"## Edit {result.n}{place}: {result.code}"]
    if result.reason is not None:
        pieces.append(result.reason)
    if result.places:
        pieces.append(
            f"It fits at lines {', '.join(map(str, result.places))}. Add lines that only the right place has."
        )
    pieces += _difference(result)
    if result.hint is not None:
        pieces.append(result.hint)
    return "\n".join(pieces)


def _difference(result: BlockResult) -> list[str]:
    """Where the search and the file part, and the file's text as a search that fits."""
    nearest = result.nearest
    if nearest is None:
        return []
    if nearest.difference is Difference.ABSENT:
        return [_KINDS[nearest.difference]]
    pieces = [_KINDS[nearest.difference]]
    if nearest.line is not None:
        pieces.append(f"The first line that differs is line {nearest.line} of the file:")
        pieces.append(fenced(f"you wrote: {_shown(nearest.expected)}\nthe file:  {_shown(nearest.found)}\n"))
    corrected = nearest.corrected
    if corrected.count("\n") <= LONGEST_REGION:
        return [*pieces, *_corrected(result.block, corrected, nearest.start, nearest.end)]
    first, text = _around(corrected, nearest.start, nearest.line)
    return [*pieces, f"The file from line {first}:", fenced(text)]


def _shown(line: str | None) -> str:
    return "(no line)" if line is None else line


def _corrected(block: Block, search: str, start: int, end: int) -> list[str]:
    """The block with a search that fits, in its own format where that can say it."""
    lines = f"lines {start} to {end}" if end > start else f"line {start}"
    fitting = replace(block, kind=Kind.EDIT, search=search, readings=(), parts=None, malformed=None)
    try:
        text = render([fitting], format=block.format)
    except RenderError:
        return [f"The file has this at {lines}:", fenced(search)]
    return [
        f"This search fits {lines} as they are now; correct the new text where it repeats the mistake:",
        text.rstrip(),
    ]


def _around(text: str, start: int, line: int | None) -> tuple[int, str]:
    """The lines about the first difference, and the number of the first of them."""
    lines = text.splitlines(keepends=True)
    at = (line if line is not None else start) - start
    first = max(0, at - _AROUND)
    return start + first, "".join(lines[first : at + _AROUND + 1])


def fenced(text: str) -> str:
    """`text` in a fence that is longer than any in it."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"
