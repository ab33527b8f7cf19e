"""Blocks that give a file its whole text: whether they create, replace, append, delete, or are refused.

A new text gets the line ends and the last newline of the text it replaces, so that only lines which differ change.
"""

from __future__ import annotations

from collections import Counter

from dovetail.match import Document, merge
from dovetail.model.codes import Code, Severity
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.text import Span, apply_edits, split_lines
from dovetail.plan.request import Appended, Rejected, Unchanged, Written
from dovetail.text.line import worded_lines

APPENDING = frozenset(
    {"diff", "diff-fenced", "editor-diff", "editor-diff-fenced", "edit-fence", "artifact", "apply-patch", "code-mode"}
)
"""Formats whose edits with an empty search are appended to a file that has text."""
_APPENDS_BY_RULE = frozenset({"apply-patch", "code-mode"})
_EMPTY_AS_A_RULE = (".", "__init__.", "py.typed")
"""Beginnings of the names of files that are often empty."""
_REWRITE_SHARE = 0.5  # an appended text with more of the file's lines than this is a rewrite
_KNOWN_SHARE = 0.8  # a text of which the file has more of the lines than this is a rewrite
_KNOWN_FROM = 8
_TELLING = 5  # length from which a line at the margin is not shared by two parts of one file by chance


def shaped(new: str, before: str) -> str:
    r"""Return `new` (lines ended by ``\n``) with the line ends and the last newline that `before` has."""
    # a merge writes only the lines that differ, each with the line end that the file has beside it
    if "\r" in before:
        merged = merge(before, before, new)
        new = apply_edits(before, merged.edits)
    lines = split_lines(before)
    unended = bool(lines) and before[-1] not in "\r\n"
    # only where the last line is the old one; a new last line keeps the end that the reply gives it
    if unended and new[-1:] in ("\n", "\r") and split_lines(new)[-1:] == lines[-1:]:
        return new.removesuffix("\n").removesuffix("\r")
    return new


def replaced(before: str | None, new: str) -> Written | Unchanged:
    """Replace a file's whole text, or create the file."""
    if before is None:
        return Written(new)
    after = shaped(new, before)
    return Written(after) if after != before else Unchanged(Span(0, len(before)))


def created(path: str, before: str | None, new: str) -> Written | Unchanged | Rejected:
    """Create a file, or fill a blank one."""
    if before is None or not before.strip():
        return replaced(before, new)
    if split_lines(new) == split_lines(before):  # a last newline more or less is no other text
        return Unchanged(Span(0, len(before)))
    return Rejected(
        Code.FILE_EXISTS,
        f"`{path}` already exists with other text.",
        "Edit the file with a search and its replacement, or delete it first.",
    )


def not_all(path: str, text: str, quoted: str) -> Rejected | None:
    """Return the refusal of a file's deletion whose quoted lines are not all the file's lines, in order; else None.

    Blanks at line ends, and blank lines behind the last one, may differ.
    """
    lines, has = _trimmed(quoted), _trimmed(text)
    if not lines or lines == has:
        return None
    missing = next((line for line in lines if line and line not in has), None)
    reason = f"The deletion does not quote all lines of `{path}`, one after the other."
    if missing is not None:
        reason = f"The deletion quotes a line that `{path}` does not have: {missing.strip()}"
    return Rejected(Code.NO_MATCH, reason, "Quote all lines of the file as it is, or none of them.")


def _trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in split_lines(text.removeprefix("\ufeff").rstrip())]


def put(
    path: str, document: Document | None, new: str, block_format: str, *, fresh: bool
) -> Written | Unchanged | Appended | Rejected:
    """Apply an edit with an empty search to a file: create, fill, or append.

    fresh: whether this reply created the file; a second text that shares lines with the first is then a correction.
    """
    if document is not None and not new.strip():
        return Unchanged(Span(0, 0))
    if document is None and not new.strip() and not path.rpartition("/")[2].startswith(_EMPTY_AS_A_RULE):
        reason = f"The block has no text to look for and none to put in its place, and `{path}` does not exist."
        return Rejected(Code.MALFORMED, reason, "Write the lines that the file is to have.")
    blank = document is not None and not document.raw.strip()
    if document is None or not document.raw or (blank and block_format not in APPENDING):
        return created(path, document.raw if document is not None else None, new)
    if shaped(new, document.raw) == document.raw:
        return Unchanged(Span(0, len(document.raw)))
    if block_format not in APPENDING:
        hint = "Quote the line before the place where the new lines belong."
        return Rejected(Code.FILE_EXISTS, f"`{path}` already exists, and the edit quotes none of its lines.", hint)
    # the text was appended before; of several places take the last
    there = max(document.whole_lines(new), default=None)
    if there is not None:
        return Unchanged(there)
    # the reply writes the file twice: the second text is a better version, not more of it
    if fresh and block_format not in _APPENDS_BY_RULE and _is_version(document.raw, new):
        return replaced(document.raw, new)
    if not blank and _is_rewrite(document.raw, new):
        return Rejected(
            Code.FILE_EXISTS,
            f"`{path}` already has most of these lines; appended, they would stand twice.",
            "Quote the lines to be changed, or replace the file as a whole.",
        )
    if blank or block_format in _APPENDS_BY_RULE:
        return Appended()
    message = "The edit quotes no line of the file; its text was put behind the end."
    return Appended((Diagnostic(Code.APPENDED, message, Severity.WARNING, path),))


def _is_rewrite(before: str, new: str) -> bool:
    """Return whether `new` repeats most of `before`, or is mostly made of its lines; only lines with words count."""
    was, now = Counter(worded_lines(before)), Counter(worded_lines(new))
    both = (was & now).total()
    # most of the file's text again: appended, the file would have it twice
    if both > _REWRITE_SHARE * was.total():
        return True
    return now.total() >= _KNOWN_FROM and both >= _KNOWN_SHARE * now.total()


def _is_version(before: str, new: str) -> bool:
    """Return whether both texts have a line at the margin in common, as two versions of one file have."""
    lines = {line for line in worded_lines(before) if len(line) >= _TELLING}
    return any(line in lines for line in split_lines(new))
