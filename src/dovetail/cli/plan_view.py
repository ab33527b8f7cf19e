"""Draws diffs, plans and outcomes for a person.

A plan is drawn file by file in the reply's order: the edits with their badges, what failed and why, and the diff.
Everything that colours show is there as a word or a sign, too. Without colour a row that begins with ``?`` follows a
changed line and points at its changed characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dovetail.cli import words
from dovetail.cli.output import DoneReport
from dovetail.cli.screen import Part, Screen, Styled, TextStyle, visible, width
from dovetail.model.blocks import Parsed
from dovetail.model.codes import MISSED, Code, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.results import BlockResult, FileChange, Plan
from dovetail.model.text import Span, split_lines
from dovetail.session.apply.diff import DiffHunk, DiffLine, changed_characters, diff_of, with_renames_joined
from dovetail.workspace import Recovery

if TYPE_CHECKING:
    from dovetail.session.apply.applying import Committed, Prepared

NO_EDIT = "No edit was found in the reply."

_INDENT = "     "
_LONGEST = 400  # characters of one line that are drawn
_SHOWN = 8  # lines of the nearest text that are drawn
_LEAD = 60  # characters drawn before the first change of a longer line
_STYLES = {"+": TextStyle.GOOD, "-": TextStyle.BAD}
_ENDS = {"\r\n": " [CRLF]", "\n": " [LF]", "\r": " [CR]"}


def draw_changes(screen: Screen, changes: Sequence[FileChange], *, whole: bool = True) -> None:
    """Write each changed file's name and how much of it changes; with `whole` also its diff."""
    for change in with_renames_joined(changes):
        hunks = diff_of(change)
        screen.line(*words.file_title(change, hunks))
        if whole:
            draw_hunks(screen, hunks, "  ")
            screen.line()


def draw_hunks(screen: Screen, hunks: Sequence[DiffHunk], indent: str = "") -> None:
    """Write every hunk, each line after `indent`."""
    for hunk in hunks:
        screen.line(indent, Styled(hunk.header, TextStyle.FAINT))
        # Line ends are named only where the hunk changes them.
        mixed = len({line.end for line in hunk.lines if line.sign != " " and line.end}) > 1
        first = next((line.marks[0].start for line in hunk.lines if line.marks), 0)
        for whole in hunk.lines:
            line = _shortened(whole, first)
            style = _STYLES.get(line.sign)
            sign: Part = line.sign if style is None else Styled(line.sign, style)
            end = _ENDS.get(line.end, "") if mixed and line.sign != " " else ""
            screen.line(indent, sign, *marked(line.text, line.marks, style), Styled(end, TextStyle.FAINT))
            if line.marks and not screen.colour:
                screen.line(indent, "?", marker_row(line.text, line.marks))
            if not line.end:
                screen.line(indent, Styled("\\ No newline at end of file", TextStyle.FAINT))


def _shortened(line: DiffLine, first: int) -> DiffLine:
    """Return the line cut to a readable length: from a little before its first change, or from its start.

    `first` is where the hunk's first marks are. A line in which nothing is marked, because the other side only has more
    there, shows the same part as the other side.
    """
    if len(line.text) <= _LONGEST:
        return line
    change = line.marks[0].start if line.marks else 0 if line.sign == " " else first
    # Never so late that less than `_LONGEST` is left to show.
    start = max(0, min(change - _LEAD, len(line.text) - _LONGEST))
    end = min(len(line.text), start + _LONGEST)
    head, tail = "…" if start else "", "…" if end < len(line.text) else ""
    shift = len(head) - start
    marks = tuple(
        Span(span.start + shift, min(span.end, end) + shift) for span in line.marks if start <= span.start < end
    )
    return DiffLine(line.sign, head + line.text[start:end] + tail, line.end, marks)


def marked(text: str, marks: Sequence[Span], style: TextStyle | None) -> list[Part]:
    """Return a line's text as parts, its marked spans in the style for marks."""

    def plain(part: str) -> Part:
        return part if style is None else Styled(part, style)

    parts: list[Part] = []
    at = 0
    for span in marks:
        parts += [plain(text[at : span.start]), Styled(text[span.start : span.end], TextStyle.MARK, over=style)]
        at = span.end
    return [*parts, plain(text[at:])]


def marker_row(text: str, marks: Sequence[Span]) -> str:
    """Return a row that points at the marked characters of `text` when it is written below it."""
    row: list[str] = []
    at = 0
    for span in marks:
        before = visible(text[at : span.start])
        row.append("".join(sign if sign == "\t" else " " * width(sign) for sign in before))
        row.append("^" * max(1, width(visible(text[span.start : span.end]))))
        at = span.end
    return "".join(row)


def draw_plan(screen: Screen, plan: Plan, *, written: bool = False) -> None:
    """Write the whole plan: files, edits, diffs, then what concerns the reply as a whole.

    `written` says that what fits is in the files by now.
    """
    changes = {change.path: change for change in with_renames_joined(plan.changes)}
    gone = {change.path for change in plan.changes if change.path not in changes}
    renamed: dict[str | None, str] = {c.source: c.path for c in changes.values() if c.source in gone}
    groups: dict[str | None, list[BlockResult]] = {}  # by the path that the file has afterwards
    for result in plan.results:
        path = result.path or result.block.path
        groups.setdefault(renamed.get(path, path), []).append(result)
    for path, results in groups.items():
        _draw_file(screen, path, results, changes.pop(path, None) if path is not None else None, written=written)
    for change in changes.values():
        _draw_file(screen, change.path, [], change, written=written)
    of_edits = {result.block.malformed for result in plan.results}  # the edit's own reason is shown
    draw_diagnostics(screen, [finding for finding in plan.diagnostics if finding not in of_edits])
    draw_suggestions(screen, plan)


def _draw_file(
    screen: Screen, path: str | None, results: Sequence[BlockResult], change: FileChange | None, *, written: bool
) -> None:
    """Write one file: its name, its edits, its diff, a blank line."""
    hunks = diff_of(change) if change is not None else ()
    if change is not None:
        screen.line(*words.file_title(change, hunks))
    else:
        screen.line(Styled(path or "(no file named)", TextStyle.TITLE))
    for result in results:
        draw_result(screen, result, change, written=written)
    if change is not None and change.after is not None:
        draw_hunks(screen, hunks, "  ")
    screen.line()


def draw_result(
    screen: Screen, result: BlockResult, change: FileChange | None = None, *, written: bool = False
) -> None:
    """Write one edit's badge, and below it the reason of a failure, the nearest text, hints and warnings."""
    where = Styled(words.place(result), TextStyle.PLACE)
    left_out = result.code in (Code.NOT_SELECTED, Code.OTHER_FAILED)  # its reason is all there is to say
    doing = result.reason if left_out else words.action(result, change)
    badge = words.badge(result, written=written)
    screen.line(f"{result.n:>3}  ", *badge, "  ", where, f"  {doing}" if doing else "")
    if result.status is Status.FAILED:
        screen.line(_INDENT, f"reply     line {result.block.line} ({result.block.format})")
    if not left_out:
        if result.reason is not None:
            screen.lines(result.reason, _INDENT)
        _draw_nearest(screen, result)
        if result.hint is not None:
            screen.line(_INDENT, "next      ", result.hint)
    for warning in result.warnings:
        screen.line(_INDENT, *words.finding(warning))
        if warning.hint is not None:
            screen.line(_INDENT, "next      ", warning.hint)


def _draw_nearest(screen: Screen, result: BlockResult) -> None:
    nearest = result.nearest
    if nearest is None:
        return
    screen.line(_INDENT, f"nearest   {words.lines_between(nearest.start, nearest.end)}, {nearest.summary}")
    expected, found = nearest.expected, nearest.found
    if found is None:
        lines = split_lines(nearest.corrected)
        for number, line in enumerate(lines[:_SHOWN], nearest.start):
            screen.line(_INDENT, f"  {number:>7} |", line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…")
        if len(lines) > _SHOWN:
            screen.line(_INDENT, "          |", f"({words.count(len(lines) - _SHOWN, 'more line')})")
    if expected is None and found is None:
        return
    place = "behind the last line" if nearest.line is None else f"at line {nearest.line}"
    screen.line(_INDENT, f"differs   first {place}")
    gone, come = changed_characters(expected or "", found or "") if expected and found else ((), ())
    for name, text, marks in (("search", expected, gone), ("file", found, come)):
        screen.line(_INDENT, f"  {name:<7} |", *(["(no line here)"] if text is None else marked(text, marks, None)))
        if marks and text is not None and not screen.colour:
            screen.line(_INDENT, "          |", marker_row(text, marks))


def draw_diagnostics(screen: Screen, diagnostics: Sequence[Diagnostic]) -> None:
    """Write diagnostics about the reply as a whole; their line numbers are those of the reply."""
    for diagnostic in diagnostics:
        screen.line(*words.finding(diagnostic, "reply"))
        if diagnostic.hint is not None:
            screen.line(_INDENT, "next      ", diagnostic.hint)
    if diagnostics:
        screen.line()


def draw_suggestions(screen: Screen, reply: Plan | Parsed) -> None:
    """Write what else a reply suggests: commands, and actions on a database."""
    commands = [(f"$ {known.command}", known.line) for known in reply.shell_suggestions]
    actions = [(f"{'  '.join(filter(None, (a.operation, a.path)))}\n{a.sql}", a.line) for a in reply.database_actions]
    for title, rows in (("Commands that the reply suggests", commands), ("Database actions of the reply", actions)):
        if not rows:
            continue
        screen.line(Styled(f"{title} (Dovetail runs none)", TextStyle.TITLE))
        for text, line in rows:
            first, *others = text.split("\n")
            screen.line("  ", first, Styled(f"   reply line {line}", TextStyle.FAINT))
            for other in others:
                screen.line("    ", other)
        screen.line()


def draw_trace(screen: Screen, prepared: Prepared) -> None:
    """Write what ``--verbose`` adds: how each edit was resolved, in the reply's order."""
    for result in prepared.plan.results:
        block = result.block
        others = f"; also considered: {', '.join(block.path_candidates)}" if block.path_candidates else ""
        gone = "  (not there)" if result.code is Code.FILE_MISSING else ""
        from dovetail.plan.locator import tiers_for  # loads the matcher, which only the trace needs

        tried = list(tiers_for(block, prepared.policy))
        if result.tier in tried:
            tried = tried[: tried.index(result.tier) + 1]
        elif result.status is not Status.FAILED or result.code not in (*MISSED, Code.AMBIGUOUS, Code.STALE):
            tried = []  # its text was not searched for
        screen.line(
            Styled(f"edit {result.n}", TextStyle.TITLE), f"  {block.format} {block.kind}, reply line {block.line}"
        )
        screen.line("  path named     ", (block.path or "(none)") + others)
        screen.line("  file chosen    ", (result.path or "(none)") + gone)
        screen.line("  readings kept  ", str(len(block.readings)))
        screen.line("  tiers tried    ", words.listed([str(tier) for tier in tried]) or "none")
    screen.line()


def draw_outcome(
    screen: Screen, prepared: Prepared, committed: Committed, *, dry_run: bool = False, retry: str
) -> None:
    """Write the last lines of `dovetail apply`. `retry` is the end of a sentence that says what to send the model."""
    if not (prepared.parsed.has_edits or prepared.plan.unread):
        drafts = " Those in the model's reasoning are drafts: to have one, take it out of there."
        commands = (
            " If its commands are the change, have edits sent instead. To print how: dovetail prompt diff --reminder"
        )
        advice = commands if prepared.parsed.shell_suggestions else " To see what it holds: dovetail check"
        advice = drafts if prepared.parsed.blocks else advice
        draw_no_edit(screen, prepared.reply, prepared.plan.diagnostics, advice)
        draw_notes(screen, committed, prepared.workspace.recovery)
        return
    report = report_of(committed)
    written = report.sentence is not None
    screen.line(Styled(words.tally(prepared.plan.results, written=written), TextStyle.TITLE))
    screen.line(str(report) if written else why_unwritten(prepared.plan, dry_run=dry_run))
    if prepared.repairable:
        what = "correct what failed" if prepared.plan.failed else "send again what was not read"
        screen.line(f"To have the model {what}{retry}")
    draw_notes(screen, committed, prepared.workspace.recovery)


def draw_no_edit(screen: Screen, reply: str, found: Iterable[Diagnostic], advice: str = "") -> None:
    """Write that a reply holds no edit, and what to do unless a diagnostic in `found` says it.

    advice: what to do about a reply that has text.
    """
    empty = not reply.strip()
    screen.line(Styled("The reply is empty." if empty else NO_EDIT, TextStyle.WARN))
    if all(finding.hint is None for finding in found):
        screen.line("Check that all of it was copied." + ("" if empty else advice))


def draw_notes(screen: Screen, committed: Committed, recovery: Recovery | None = None) -> None:
    """Write the diagnostics about the journal, and the notes on what else was done."""
    draw_findings(screen, committed.findings)
    for note in notes_of(committed, recovery):
        for n, line in enumerate(line for line in note.splitlines() if line.strip()):  # git hooks may print more
            screen.line(line if n == 0 else f"  {line}")
    if committed.git_error is not None:
        screen.line("next  ", committed.git_error.hint or "The files are written; give them to git by hand.")


def draw_findings(screen: Screen, findings: Sequence[Diagnostic]) -> None:
    """Write diagnostics about the journal."""
    for finding in findings:
        screen.line(*words.finding(finding))
        screen.line("next  ", finding.hint or "")


def why_unwritten(plan: Plan, *, dry_run: bool) -> str:
    """Return why nothing of a plan was written, and the option that writes a part of it if there is one."""
    if any(r.status is Status.LEFT_OUT and r.code is Code.OTHER_FAILED for r in plan.results) and not plan.changes:
        if not plan.failed:
            return "Nothing was written: part of the reply is not read. To write the rest: --partial"
        return "Nothing was written: a failed edit holds back the others. To write those: --on-failure block"
    if not plan.changes:
        return (
            "Nothing was written." if plan.failed or plan.missed else "Nothing was written: there is nothing to change."
        )
    return "Dry run: nothing was written." if dry_run else "Nothing was written."


def report_of(committed: Committed) -> DoneReport:
    """Return the report of what was written; an empty one if nothing was."""
    if committed.operation is None:
        return DoneReport()
    files = words.files_of(committed.plan.changes)
    return DoneReport(f"Wrote {files} as operation {committed.operation.id}", "To take it back: dovetail undo")


def notes_of(committed: Committed | None, recovery: Recovery | None) -> list[str]:
    """Return sentences about what else was done: by git, and to recover an interrupted operation."""
    notes = [recovery.message] if recovery is not None else []
    staged = committed.staged if committed is not None else None
    if staged is not None and staged.commit is not None:
        notes.append(f"Committed as {staged.commit[:12]}.")
    elif staged is not None:
        notes += [f"Staged {words.count(len(staged.paths), 'file')}."] if staged.paths else []
        notes += (f"Not staged: {why}" for why in staged.refused.values())
    if committed is not None and committed.git_error is not None:
        notes.append(f"Git: {committed.git_error.message}")
    return notes
