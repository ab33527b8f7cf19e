"""Tells a model after an edit where it is now, what else changed there since, and new syntax errors.

Owns the engine's part of that, which is loaded only if a setting asks for it. The text is short: of the lines it has
only those that differ from the edit's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dovetail.hooks.exact import OLD_AND_NEW, edits_of
from dovetail.model.text import IndexedText, Span, split_lines
from dovetail.syntax import default_language
from dovetail.text.diff import Hunk, diff

_MOST_LINES = 12  # lines of a file that are shown
_MOST_PLACES = 5
_LONGEST = 200  # signs of a line


def told(texts: Mapping[str, tuple[str | None, str]], asked: dict[str, Any], tier: str) -> str:
    """Return the text about an edit; "" if there is nothing to tell.

    texts: by path, the text before (None for no file) and now. asked: the tool's input. tier: the tier at which the
    edit matched; "" if exactly.
    """
    return "\n".join(line for path, (before, now) in texts.items() for line in _told(path, before, now, asked, tier))


def _told(path: str, before: str | None, now: str, asked: dict[str, Any], tier: str) -> list[str]:
    lines, hunks = split_lines(now), _hunks(before or "", now)
    if not hunks:
        return [f"{path}: nothing changed."]
    said = [f"{path}: {_places(hunks)}{f' ({tier})' if tier else ''}."] if before is not None else []
    meant = _meant(before or "", asked)
    # The model knows its own lines. It is shown them only if they were written in another way than it sent them.
    if meant is None or tier:
        said += _shown(lines, hunks)
    if meant is not None and meant != now:
        said += ["Others changed since:", *_shown(lines, _hunks(meant, now))]
    after = IndexedText(now)
    spans = [after.span(hunk.b1, hunk.b2) for hunk in hunks]
    error = default_language().new_error(path, before, now, [Span(span.start, span.end) for span in spans])
    if error is not None:
        said.append(f"{path} has a new syntax error at line {error}: {lines[error - 1][:_LONGEST].strip()}")
    return said


def _hunks(old: str, new: str) -> list[Hunk]:
    return list(diff(split_lines(old), split_lines(new)))


def _meant(before: str, asked: dict[str, Any]) -> str | None:
    """Return the text after an exact edit; None if the edit does not match exactly or has an unknown form."""
    if isinstance(whole := asked.get("content", asked.get("file_text")), str):
        return whole
    text = before
    for edit in edits_of(asked):
        old, new = next(((edit[a], edit.get(b)) for a, b in OLD_AND_NEW if a in edit), (None, None))
        if not isinstance(old, str) or not isinstance(new, str) or not old or old not in text:
            return None
        text = text.replace(old, new)
    return text


def _places(hunks: Sequence[Hunk]) -> str:
    """Return where a file changed, as ``lines 3 to 5, 9``."""
    spans = [(hunk.b1 + 1, max(hunk.b1 + 1, hunk.b2)) for hunk in hunks[:_MOST_PLACES]]
    named = ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in spans)
    more = f" and {len(hunks) - _MOST_PLACES} more places" if len(hunks) > _MOST_PLACES else ""
    return f"{'line' if len(spans) == 1 and spans[0][0] == spans[0][1] else 'lines'} {named}{more}"


def _shown(lines: Sequence[str], hunks: Sequence[Hunk]) -> list[str]:
    numbers = [n for hunk in hunks for n in range(hunk.b1, hunk.b2)]
    shown = [f"{n + 1}|{lines[n][:_LONGEST]}" for n in numbers[:_MOST_LINES]]
    return [*shown, f"… {len(numbers) - _MOST_LINES} more lines"] if len(numbers) > _MOST_LINES else shown
