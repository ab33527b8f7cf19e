"""Draws a plan for a person: file by file the edits with their badges, what failed and why, and the diff.

The order is the reply's. Everything that the colours say stands there as a word or a sign.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dovetail.cli import words
from dovetail.cli.diff_view import draw_hunks, marked, marker_row
from dovetail.cli.screen import Part, Screen, Style, Styled
from dovetail.model.blocks import Parsed
from dovetail.model.codes import Code, Status
from dovetail.model.diagnostics import Diagnostic, Nearest
from dovetail.model.results import BlockResult, FileChange, Plan
from dovetail.session.shown.diff import changed_characters, diff_of
from dovetail.session.shown.moves import with_renames_joined

_INDENT = "     "


def draw_plan(screen: Screen, plan: Plan) -> None:
    """Write the whole plan: files, edits, diffs, then what concerns the reply as a whole."""
    changes = {change.path: change for change in with_renames_joined(plan.changes)}
    gone = {change.path for change in plan.changes if change.path not in changes}
    renamed = {change.source: change.path for change in changes.values() if change.source in gone}
    for path, results in _by_file(plan.results, renamed):
        draw_file(screen, path, results, changes.pop(path, None) if path is not None else None)
    for change in changes.values():
        draw_file(screen, change.path, [], change)
    draw_diagnostics(screen, _said_of_no_edit(plan))
    draw_asked(screen, plan)


def _said_of_no_edit(plan: Plan) -> list[Diagnostic]:
    """The plan's diagnostics but for those of edits, which say themselves why they fail, or were left out."""
    of_edits = {result.block.malformed for result in plan.results}
    return [finding for finding in plan.diagnostics if finding not in of_edits]


def _by_file(results: Iterable[BlockResult], renamed: Mapping[str, str]) -> list[tuple[str | None, list[BlockResult]]]:
    """The results by the path that their file has afterwards."""
    groups: dict[str | None, list[BlockResult]] = {}
    for result in results:
        path = result.path or result.block.path
        groups.setdefault(renamed.get(path or "", path), []).append(result)
    return list(groups.items())


def draw_file(screen: Screen, path: str | None, results: Sequence[BlockResult], change: FileChange | None) -> None:
    """Write one file: its name, its edits, its diff, a blank line."""
    hunks = diff_of(change) if change is not None else ()
    name: list[Part] = [Styled(path or "(no file named)", Style.TITLE)]
    screen.line(*(words.file_title(change, hunks) if change is not None else name))
    for result in results:
        draw_result(screen, result, change)
    if hunks and not (change is not None and change.after is None):
        draw_hunks(screen, hunks, "  ")
    screen.line()


def draw_result(screen: Screen, result: BlockResult, change: FileChange | None = None) -> None:
    """Write one edit's badge, and below it what there is to say about it."""
    where = Styled(words.place(result), Style.PLACE)
    is_out = result.code is Code.NOT_SELECTED  # of which there is no more to say than why
    doing = result.reason if is_out else words.action(result, change)
    screen.line(f"{result.n:>3}  ", *words.badge(result), "  ", where, f"  {doing}" if doing else "")
    if result.status is Status.FAILED:
        screen.line(_INDENT, f"reply     line {result.block.line} ({result.block.format})")
    if result.code is not Code.OTHER_FAILED and not is_out:
        _draw_words(screen, result)
    for warning in result.warnings:
        screen.line(_INDENT, *words.finding(warning))
        if warning.hint is not None:
            screen.line(_INDENT, "next      ", warning.hint)


def _draw_words(screen: Screen, result: BlockResult) -> None:
    if result.reason is not None:
        screen.lines(result.reason, _INDENT)
    if result.nearest is not None:
        _draw_nearest(screen, result.nearest)
    if result.hint is not None:
        screen.line(_INDENT, "next      ", result.hint)


def _draw_nearest(screen: Screen, nearest: Nearest) -> None:
    alike = f"{int(nearest.similarity * 100)}% alike, {nearest.difference.said}"
    screen.line(_INDENT, f"nearest   {words.lines_between(nearest.start, nearest.end)}, {alike}")
    if nearest.line is None:
        return
    expected, found = nearest.expected, nearest.found
    screen.line(_INDENT, f"differs   first at line {nearest.line}")
    gone, come = changed_characters(expected or "", found or "") if expected and found else ((), ())
    for name, text, marks in (("search", expected, gone), ("file", found, come)):
        screen.line(_INDENT, f"  {name:<7} |", *(["(no line here)"] if text is None else marked(text, marks, None)))
        if marks and text is not None and not screen.colour:
            screen.line(_INDENT, "          |", marker_row(text, marks))


def draw_diagnostics(screen: Screen, diagnostics: Sequence[Diagnostic]) -> None:
    """Write what concerns the reply and no single edit; all lines are the reply's."""
    for diagnostic in diagnostics:
        screen.line(*words.finding(diagnostic, "reply"))
        if diagnostic.hint is not None:
            screen.line(_INDENT, "next      ", diagnostic.hint)
    if diagnostics:
        screen.line()


def draw_asked(screen: Screen, said: Plan | Parsed) -> None:
    """Write what else a reply asks for: commands, and what a database is to do."""
    commands = [(f"$ {asked.command}", asked.line) for asked in said.shell_suggestions]
    actions = [(f"{'  '.join(filter(None, (a.operation, a.path)))}\n{a.sql}", a.line) for a in said.database_actions]
    for title, asked in (("Commands that the reply suggests", commands), ("Database actions of the reply", actions)):
        if asked:
            screen.line(Styled(f"{title} (Dovetail runs none)", Style.TITLE))
        for text, line in asked:
            first, *others = text.split("\n")
            screen.line("  ", first, Styled(f"   reply line {line}", Style.FAINT))
            for other in others:
                screen.line("    ", other)
        if asked:
            screen.line()


def tally(results: Sequence[BlockResult]) -> str:
    """``5 edits: 3 applied, 1 already applied, 1 failed.``"""
    named = {
        "applied": sum(r.status is Status.APPLIED for r in results),
        "already applied": sum(r.status is Status.ALREADY_APPLIED for r in results),
        "held back": sum(r.status is Status.SKIPPED and r.code is Code.OTHER_FAILED for r in results),
        "skipped": sum(r.status is Status.SKIPPED and r.code is not Code.OTHER_FAILED for r in results),
        "failed": sum(r.status is Status.FAILED for r in results),
    }
    counted = [f"{number} {name}" for name, number in named.items() if number]
    return f"{words.count(len(results), 'edit')}: {', '.join(counted)}."
