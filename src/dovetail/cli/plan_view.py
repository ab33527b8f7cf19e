"""Draws hunks for a person: signs at the line start, changed characters underlined or marked below.

Without colour a row that begins with ``?`` stands under a changed line and points at its changed characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from dovetail.cli import words
from dovetail.cli.output import Effect
from dovetail.cli.screen import Part, Screen, Style, Styled, visible, width
from dovetail.model.blocks import Parsed
from dovetail.model.codes import MISSED, Code, Status, Tier
from dovetail.model.diagnostics import Diagnostic, Nearest
from dovetail.model.results import BlockResult, FileChange, Plan
from dovetail.model.text import Span
from dovetail.plan.edits.locator import tiers_for
from dovetail.session.applying import Committed, Prepared
from dovetail.session.diff import DiffHunk, DiffLine, changed_characters, diff_of, with_renames_joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dovetail.model.diagnostics import Diagnostic
    from dovetail.model.results import Plan
    from dovetail.workspace import Recovery, Staged


_LONGEST = 400  # characters of one line that are drawn
_LEAD = 60  # characters drawn before the first change of a longer line
_STYLES = {"+": Style.GOOD, "-": Style.BAD}
_ENDS = {"\r\n": " [CRLF]", "\n": " [LF]", "\r": " [CR]"}


def draw_changes(screen: Screen, changes: Sequence[FileChange], *, whole: bool = True) -> None:
    """Write each changed file's name and how much of it changes; where it is the `whole` of it, also what."""
    for change in with_renames_joined(changes):
        hunks = diff_of(change)
        screen.line(*words.file_title(change, hunks))
        if whole:
            draw_hunks(screen, hunks, "  ")
            screen.line()


def draw_hunks(screen: Screen, hunks: Sequence[DiffHunk], indent: str = "") -> None:
    """Write every hunk, each line behind `indent`."""
    for hunk in hunks:
        screen.line(indent, Styled(hunk.header, Style.FAINT))
        mixed = len({line.end for line in hunk.lines if line.sign != " " and line.end}) > 1
        first = next((line.marks[0].start for line in hunk.lines if line.marks), 0)
        for line in hunk.lines:
            _draw(screen, _shortened(line, first), indent, show_end=mixed)


def _draw(screen: Screen, line: DiffLine, indent: str, *, show_end: bool) -> None:
    end = _ENDS.get(line.end, "") if show_end and line.sign != " " else ""
    parts = marked(line.text, line.marks, _STYLES.get(line.sign))
    screen.line(indent, *_sign(line.sign), *parts, Styled(end, Style.FAINT))
    if line.marks and not screen.colour:
        screen.line(indent, "?", marker_row(line.text, line.marks))
    if not line.end:
        screen.line(indent, Styled("\\ No newline at end of file", Style.FAINT))


def _sign(sign: str) -> tuple[Part, ...]:
    style = _STYLES.get(sign)
    return (sign,) if style is None else (Styled(sign, style),)


def marked(text: str, marks: Sequence[Span], style: Style | None) -> list[Part]:
    """A line's text as parts, its marked spans in the style for marks."""
    parts: list[Part] = []
    at = 0
    for span in marks:
        parts.append(_plain(text[at : span.start], style))
        parts.append(Styled(text[span.start : span.end], Style.MARK, over=style))
        at = span.end
    return [*parts, _plain(text[at:], style)]


def _plain(text: str, style: Style | None) -> Part:
    return text if style is None else Styled(text, style)


def marker_row(text: str, marks: Sequence[Span]) -> str:
    """A row that points at the marked characters of `text` when it is written below it."""
    row: list[str] = []
    at = 0
    for span in marks:
        before = visible(text[at : span.start])
        row.append("".join(sign if sign == "\t" else " " * width(sign) for sign in before))
        row.append("^" * max(1, width(visible(text[span.start : span.end]))))
        at = span.end
    return "".join(row)


def _shortened(line: DiffLine, first: int) -> DiffLine:
    """The line cut to what can be read: from a little before its first change, or from its start.

    `first` is where the hunk's first marks are: of a line in which nothing is marked, because the other side only has
    more there, that part is what the other side shows.
    """
    if len(line.text) <= _LONGEST:
        return line
    change = line.marks[0].start if line.marks else 0 if line.sign == " " else first
    start = max(0, min(change - _LEAD, len(line.text) - _LONGEST))
    end = min(len(line.text), start + _LONGEST)
    head, tail = "…" if start else "", "…" if end < len(line.text) else ""
    shift = len(head) - start
    marks = tuple(
        Span(span.start + shift, min(span.end, end) + shift) for span in line.marks if start <= span.start < end
    )
    return DiffLine(line.sign, head + line.text[start:end] + tail, line.end, marks)


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


NO_EDIT = "No edit was found in the reply."


def draw_outcome(
    screen: Screen, prepared: Prepared, applied: Committed, *, dry_run: bool = False, retry: str | None = None
) -> None:
    """Write the last lines of `dovetail apply`. `retry` is the file that has the message for the model by now."""
    if not prepared.parsed.has_edits:
        drafts = " Those in the model's reasoning are drafts: to have one, take it out of there."
        looking = drafts if prepared.parsed.blocks else " To see what it holds: dovetail check"
        draw_no_edit(screen, prepared.reply, prepared.plan.diagnostics, looking)
        _draw_notes(screen, prepared, applied)
        return
    screen.line(Styled(tally(prepared.plan.results), Style.TITLE))
    screen.line(_sentence(prepared, applied, dry_run=dry_run))
    if prepared.plan.failed and (retry is not None or prepared.repairable):
        written = f"the file that --retry FILE writes{' without --dry-run' if dry_run else ''}."
        screen.line("To have the model correct what failed, send it ", retry or written)
    _draw_notes(screen, prepared, applied)
    if applied.git_error is not None:
        screen.line("next  ", applied.git_error.hint or "The files are written; give them to git by hand.")


def draw_no_edit(screen: Screen, reply: str, found: Iterable[Diagnostic], looking: str = "") -> None:
    """Write that a reply holds none, and what to do where nothing `found` says it; `looking` is for one with words."""
    empty = not reply.strip()
    screen.line(Styled("The reply is empty." if empty else NO_EDIT, Style.WARN))
    if all(finding.hint is None for finding in found):
        screen.line("Check that all of it was copied." + ("" if empty else looking))


def draw_refusal(screen: Screen, prepared: Prepared) -> None:
    """Write the last lines where the person said no."""
    screen.line("Nothing was written.")
    _draw_notes(screen, prepared, Committed(prepared.plan, None))


def _draw_notes(screen: Screen, prepared: Prepared, applied: Committed) -> None:
    draw_findings(screen, applied.findings)
    for note in notes_of(applied, prepared.workspace.recovery):
        for n, line in enumerate(line for line in note.splitlines() if line.strip()):  # a hook says what it likes
            screen.line(line if n == 0 else f"  {line}")


def draw_findings(screen: Screen, findings: Sequence[Diagnostic]) -> None:
    """Write what is to be said about the journal."""
    for finding in findings:
        screen.line(*words.finding(finding))
        screen.line("next  ", finding.hint or "")


def _sentence(prepared: Prepared, applied: Committed, *, dry_run: bool) -> str:
    stands = effect_of(applied)
    if stands.sentence is not None:
        return str(stands)
    return why_unwritten(prepared.plan, dry_run=dry_run)


def why_unwritten(plan: Plan, *, dry_run: bool) -> str:
    """A sentence about a plan of which nothing was written."""
    if any(r.status is Status.SKIPPED and r.code is Code.OTHER_FAILED for r in plan.results) and not plan.changes:
        return "Nothing was written: a failed edit holds back the others. To write those: --on-failure block"
    if not plan.changes:
        return "Nothing was written." if plan.failed else "Nothing was written: there is nothing to change."
    return "Dry run: nothing was written." if dry_run else "Nothing was written."


def effect_of(applied: Committed) -> Effect:
    """What was written, for whatever goes wrong behind it."""
    if applied.operation is None:
        return Effect()
    files = words.files_of(applied.plan.changes)
    return Effect(f"Wrote {files} as operation {applied.operation.id}", "To take it back: dovetail undo")


def notes_of(applied: Committed | None, recovery: Recovery | None) -> list[str]:
    """Sentences about what else was done: by git, and about an operation that had been interrupted."""
    notes = [recovery.message] if recovery is not None else []
    if applied is None:
        return notes
    if applied.staged is not None:
        notes += _git_notes(applied.staged)
    if applied.git_error is not None:
        notes.append(f"Git: {applied.git_error.message}")
    return notes


def _git_notes(staged: Staged) -> list[str]:
    if staged.commit is not None:
        return [f"Committed as {staged.commit[:12]}."]
    notes = [f"Staged {words.count(len(staged.paths), 'file')}."] if staged.paths else []
    return [*notes, *(f"Not staged: {why}" for why in staged.refused.values())]


def draw_trace(screen: Screen, prepared: Prepared) -> None:
    """Write how each edit was resolved, in the reply's order."""
    for result in prepared.plan.results:
        block = result.block
        others = f"; also considered: {', '.join(block.path_candidates)}" if block.path_candidates else ""
        screen.line(Styled(f"edit {result.n}", Style.TITLE), f"  {block.format} {block.kind}, reply line {block.line}")
        screen.line("  path named     ", (block.path or "(none)") + others)
        gone = "  (not there)" if result.code is Code.FILE_MISSING else ""
        screen.line("  file chosen    ", (result.path or "(none)") + gone)
        screen.line("  readings kept  ", str(len(block.readings)))
        screen.line("  tiers tried    ", words.listed([str(tier) for tier in _tried(prepared, result)]) or "none")
    screen.line()


def _tried(prepared: Prepared, result: BlockResult) -> list[Tier]:
    """The tiers that were asked: all that the policy allows, up to the one that answered."""
    allowed = list(tiers_for(result.block, prepared.policy))
    if result.tier in allowed:
        return allowed[: allowed.index(result.tier) + 1]
    looked_for = result.status is Status.FAILED and result.code in (*MISSED, Code.AMBIGUOUS, Code.STALE)
    return allowed if looked_for else []
