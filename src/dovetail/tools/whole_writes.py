"""Whole new texts over files that the model was shown in part, or not at all.

A part that was shown says that the model read with these tools, so what it was not shown it does not know: the new text
waits until it has read the rest. Of a file that was never shown here nothing is known: the agent may have read it with
tools of its own. It is written, and the answer names what went.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dovetail.model.codes import Code, Severity, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.results import BlockResult, Effect
from dovetail.syntax import default_language
from dovetail.text.diff import diff
from dovetail.text.line import has_words
from dovetail.text.similarity import ratio
from dovetail.tools.known import KnownFiles

_NAMED = 5  # of what went
_ALIKE = 0.5  # of two lines, one of which became the other
_SHOWN = 80  # characters of a line
_COMPARED = 2_000  # pairs of lines of one change


def held_back(results: Sequence[BlockResult], known: KnownFiles) -> dict[int, BlockResult]:
    """The whole new texts that would take away lines which the model was not shown, as failures by number."""
    held: dict[int, BlockResult] = {}
    for result, path, effect in _replacing(results):
        if known.is_known(path) and (runs := known.unseen_losses(path, effect.before.raw, effect.after.raw)):
            lines = ", ".join(f"{first} to {last}" if last > first else str(first) for first, last in runs)
            held[result.n] = replace(
                result,
                status=Status.FAILED,
                code=Code.UNSEEN_LINES,
                reason=f"The new text would take away lines of `{path}` that you were not shown: {lines}.",
                hint="Read these lines with read_file and send the whole text, or change only the lines that you know.",
                effect=None,
                new_start=None,
                new_end=None,
            )
    return held


def with_losses_named(results: Sequence[BlockResult], known: KnownFiles) -> tuple[BlockResult, ...]:
    """The results, with a warning for each file that was replaced without having been shown, if something went."""
    warned = {
        result.n: Diagnostic(
            Code.UNSEEN_LINES, f"`{path}` was not read here before. Gone: {gone}.", Severity.WARNING, path
        )
        for result, path, effect in _replacing(results)
        if not known.is_known(path) and (gone := _gone(path, effect))
    }
    return tuple(
        replace(result, warnings=(*result.warnings, warned[result.n])) if result.n in warned else result
        for result in results
    )


def _replacing(results: Sequence[BlockResult]) -> Iterator[tuple[BlockResult, str, Effect]]:
    """The results that give a file that is there a whole new text."""
    for result in results:
        effect = result.effect if result.status is Status.FITS else None
        if result.path is not None and effect is not None and effect.whole and not effect.creates:
            yield result, result.path, effect


def _gone(path: str, effect: Effect) -> str:
    """What a whole new text takes away, in a few words: definitions, or else lines; empty for nothing."""
    language = default_language()
    was, now = (language.definitions(path, text.raw) or () for text in (effect.before, effect.after))
    kept = {definition.qualified for definition in now}
    names = [d.qualified for d in was if d.qualified not in kept]
    if names:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return ", ".join(f"`{name}`" for name in names[:_NAMED]) + more
    lines = list(_lost_lines(effect))
    if not lines:
        return ""
    first = lines[0].strip()
    first = first if len(first) <= _SHOWN else first[: _SHOWN - 1] + "…"
    return f"`{first}`" if len(lines) == 1 else f"{len(lines)} lines, the first `{first}`"


def _lost_lines(effect: Effect) -> Iterator[str]:
    """The lines with words that went, and that no new line in their place resembles."""
    before, after = effect.before.lines, effect.after.lines
    for hunk in diff(before, after):
        old, new = before[hunk.a1 : hunk.a2], after[hunk.b1 : hunk.b2]
        # Above the bound every old line counts as gone: a warning says too much rather than too little.
        compared = new if len(old) * len(new) <= _COMPARED else ()
        for line in filter(has_words, old):
            if not any(ratio(line, other) >= _ALIKE for other in compared):
                yield line
