"""Where a file that parsed no longer parses, and the warning of it on the results of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dovetail.model.codes import Code, Severity, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.language import NO_SYNTAX, Language
from dovetail.model.results import BlockResult, FileChange


def with_syntax_warnings(
    results: tuple[BlockResult, ...], changes: Sequence[FileChange], language: Language
) -> tuple[BlockResult, ...]:
    """The results, with a warning on those that touch the first line that newly does not parse."""
    if language is NO_SYNTAX:
        return results
    broken = {change.path: line for change in changes if (line := _broken(change, language)) is not None}
    if not broken:
        return results
    blamed = {n for path, line in broken.items() for n in _blamed(results, path, line)}
    return tuple(_warned(result, broken) if result.n in blamed else result for result in results)


def new_error(path: str, before: str, after: str, language: Language) -> int | None:
    """The first line that does not parse in a text whose former version did."""
    errors = language.errors(path, after)
    if not errors or language.errors(path, before) != ():  # what parses now need not be read twice
        return None
    return errors[0]


def _broken(change: FileChange, language: Language) -> int | None:
    if change.before is None or change.after is None:
        return None
    return new_error(change.path, change.before, change.after, language)


def _blamed(results: Sequence[BlockResult], path: str, line: int) -> tuple[int, ...]:
    """The results whose lines hold the error, or else border on it, or else all of the file."""
    there = [r for r in results if r.path == path and r.status is Status.APPLIED]
    for margin in (0, 1):
        hits = tuple(r.n for r in there if _holds(r, line, margin))
        if hits:
            return hits
    return tuple(r.n for r in there)


def _holds(result: BlockResult, line: int, margin: int) -> bool:
    if result.new_start is None or result.new_end is None:
        return False
    return result.new_start - margin <= line <= max(result.new_start, result.new_end) + margin


def _warned(result: BlockResult, broken: dict[str, int]) -> BlockResult:
    line = broken[result.path or ""]
    message = f"Line {line} no longer parses after this edit."
    warning = Diagnostic(Code.NEW_SYNTAX_ERROR, message, Severity.WARNING, result.path, line)
    return replace(result, warnings=(*result.warnings, warning))
