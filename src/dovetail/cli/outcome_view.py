"""Draws how a command ended: the count of edits, what was written, and how to take it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.cli import words
from dovetail.cli.plan_view import tally
from dovetail.cli.screen import Screen, Style, Styled
from dovetail.cli.standing import Standing
from dovetail.model.codes import Code, Status
from dovetail.session.applying.apply import Committed, Prepared

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dovetail.model.diagnostics import Diagnostic
    from dovetail.model.results import Plan
    from dovetail.workspace import Recovery, Staged


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
    if prepared.plan.failed and (retry is not None or _may_be_mended(prepared)):
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


def _may_be_mended(prepared: Prepared) -> bool:
    """Whether the model could mend any failed edit."""
    from dovetail.session.loop.repair import repairable  # its rooms are loaded only where an edit failed

    return bool(repairable(prepared))


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
    stands = what_stands(applied)
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


def what_stands(applied: Committed) -> Standing:
    """What was written, for whatever goes wrong behind it."""
    if applied.operation is None:
        return Standing()
    files = words.files_of(applied.plan.changes)
    return Standing(f"Wrote {files} as operation {applied.operation.id}", "To take it back: dovetail undo")


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
