"""Finds what a reply left in files by mistake: markers of edits and conflicts, a model's tokens, omission marks.

Only new lines count, as those of the last commit are meant to be there. Owns which findings count; the guards and
`text.omission` know their patterns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dovetail.guards.foreign import foreign_text
from dovetail.guards.impact import Impact, whole_regions
from dovetail.model.codes import Code, Severity
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.text.omission import Mark, mark_in
from dovetail.workspace.git import run
from dovetail.workspace.root import in_git

# <<<<<<< HEAD     >>>>>>> REPLACE     ------- SEARCH     *** End Patch; whole lines, without a blank in front
_MARKER = re.compile(r"(?:<{5,9}|>{5,9})(?: \S.*)?|[-+]{7} (?:SEARCH|REPLACE)|\*\*\* (?:Begin|End) Patch")
_HINT = "Remove it, or exclude the file if it is meant to hold it."


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A file as it would be committed, and as in the last commit, None if that has no such file."""

    path: str
    before: str | None
    after: str


def staged_files(root: Path, paths: Iterable[str] | None = None) -> Iterator[StagedFile]:
    """Yield the text files that are staged in the work tree at `root`, or those of `paths` as they are in the index.

    Raises `UsageError` outside of a work tree, `WorkspaceError` if git fails.
    """
    if not in_git(root):
        raise UsageError(f"`{root}` is in no git work tree.", hint="Stage files with git first.")
    if paths is None:
        listed = run(root, "diff", "--cached", "--relative", "--name-only", "-z", "--diff-filter=ACMR", "--no-ext-diff")
        paths = [path.decode("utf-8", "surrogateescape") for path in listed.split(b"\0") if path]
    for path in paths:
        after = _blob(root, f":./{path}")
        if after is not None:
            yield StagedFile(path, _blob(root, f"HEAD:./{path}"), after)


def _blob(root: Path, name: str) -> str | None:
    """Return a blob of git as text; None if there is none, or it is not UTF-8."""
    try:
        return run(root, "cat-file", "blob", name).decode("utf-8")
    except (WorkspaceError, UnicodeDecodeError):
        return None


def leftovers(file: StagedFile) -> list[Diagnostic]:
    """Return a finding for each mark in the new lines of a file, with its line; else one for foreign text, if any."""
    regions = whole_regions(file.before or "", file.after)
    added = [line for region in regions for line in region.added]
    impact = Impact(file.path, file.before, file.after, regions, added, sent="\n".join(added))
    found = list(_marks(impact))
    # A marker explains what stands around it: one finding for it is enough.
    foreign = None if found else foreign_text(impact)
    if foreign is not None:
        found.append(_diagnostic(Code.FOREIGN_TEXT, foreign.reason, file.path, None))
    return found


def _marks(impact: Impact) -> Iterator[Diagnostic]:
    for region in impact.regions:
        first = impact.after.count("\n", 0, region.start) + 1
        for line, text in enumerate(region.added, start=first):
            if not impact.prose and _MARKER.fullmatch(text):
                message = f"`{text[:60]}` is a marker of an edit or a conflict."
                yield _diagnostic(Code.STRAY_MARKER, message, impact.path, line)
            elif mark_in(text, impact.path) in (Mark.DOTS_AND_WORDS, Mark.WORDS):
                yield _diagnostic(Code.ELIDED, f"`{text.strip()[:60]}` stands for lines left out.", impact.path, line)


def _diagnostic(code: Code, message: str, path: str, line: int | None) -> Diagnostic:
    return Diagnostic(code, message, Severity.ERROR, path=path, line=line, hint=_HINT)
