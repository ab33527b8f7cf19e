"""Checks whole new texts of files that the model was shown in part, or not at all.

If the model was shown a part, it reads with these tools and does not know the rest: the new text is refused until it
has read that. A file that was never shown here may have been read with the agent's own tools: it is written, and the
answer names what was removed.
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

_NAMED = 5  # removed definitions that are named
_ALIKE = 0.5  # likeness from which a removed line counts as changed into a new one
_SHOWN = 80  # characters of a line
_COMPARED = 2_000  # pairs of lines of one change


def held_back(results: Sequence[BlockResult], known: KnownFiles) -> dict[int, BlockResult]:
    """Return failures, by number, for whole new texts that would remove lines which the model was not shown."""
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
    """Return the results, with a warning for each replaced file that was never shown and lost something."""
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
    """Yield the results that give an existing file a whole new text, with its path and effect."""
    for result in results:
        effect = result.effect if result.status is Status.FITS else None
        if result.path is not None and effect is not None and effect.whole and not effect.creates:
            yield result, result.path, effect


def _gone(path: str, effect: Effect) -> str:
    """Return in a few words what a whole new text removes: definitions, or else lines; "" for nothing."""
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
    """Yield the removed lines with words that no new line in their place resembles."""
    before, after = effect.before.lines, effect.after.lines
    for hunk in diff(before, after):
        old, new = before[hunk.a1 : hunk.a2], after[hunk.b1 : hunk.b2]
        # Above the bound every old line counts as removed: the warning rather names too much than too little.
        compared = new if len(old) * len(new) <= _COMPARED else ()
        for line in filter(has_words, old):
            if not any(ratio(line, other) >= _ALIKE for other in compared):
                yield line
