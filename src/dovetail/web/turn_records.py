"""A turn as plain JSON: rounds, edits, plans, hunks. The keys are those of docs/reference/http.md.

Edits come in two parts: what their text is, sent once, and their fate, sent again with every plan.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.model.codes import Code
from dovetail.session.correction import merged_reading, retry_message
from dovetail.session.diff import DiffHunk, counts, diff, diff_of, edit_window, hunks_of_edit, with_renames_joined
from dovetail.session.records import Record, kind_of, of_database, of_diagnostic, of_explained, of_shell
from dovetail.session.turn_edits import conflicting
from dovetail.web.turn_state import EditState, ShownEdit, ShownRound, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dovetail.model.results import BlockResult, FileChange
    from dovetail.model.text import Span
    from dovetail.session.diff import DiffLine

_PREVIEW = 100


def of_turn(turn: Turn) -> Record:
    """All of it."""
    return {
        "id": turn.id,
        "kind": turn.kind,
        "time": turn.time,
        "request": turn.request,
        "state": str(turn.state),
        "error": turn.error,
        "rounds": [of_round(shown) for shown in turn.rounds],
        "edits": [of_edit(edit) for edit in turn.edits.values()],
        "plan": of_plan(turn),
        "stopped": turn.stopped,
        "wanted": list(turn.wanted),
        "notes": turn.notes,
    }


def of_round(shown: ShownRound) -> Record:
    """One reply."""
    return {
        "index": shown.index,
        "step": shown.step,
        "model": shown.model,
        "tokens": shown.tokens,
        "message": shown.message,
        "repairs": list(shown.repairs),
        "reasoning": "".join(shown.reasoning),
        "items": [_of_item(item) for item in shown.items],
        "tail": shown.tail,
        "answered": shown.answered,
        "truncated": shown.truncated,
        "mentions": shown.mentions,
    }


def _of_item(item: Record) -> Record:
    return {**item, "text": "".join(item["text"])} if item["k"] == "text" else item


def of_edit(edit: ShownEdit) -> Record:
    """An edit's text and its fate."""
    block = edit.block
    search = "".join(edit.search) if block is None else block.search
    replacement = "".join(edit.replacement) if block is None else block.replace
    original = edit.original
    return {
        "round": edit.round,
        "format": edit.format,
        "kind": str(block.kind) if block is not None else "edit",
        "destination": block.destination if block is not None else None,
        "line": edit.line,
        "search": search,
        "replace": replacement,
        "original": None
        if original is None
        else {"path": original.path, "search": original.search, "replace": original.replace},
        "raw": block.raw if block is not None else "",
        "preview": search[:_PREVIEW],
        "diff": _own_diff(edit, search, replacement) if block is not None else None,
        **of_fate(edit),
    }


def _own_diff(edit: ShownEdit, search: str, replacement: str) -> list[Record]:
    """Search against replacement, worked out once as long as they stay."""
    if edit.hunks is None or edit.hunks[:2] != (search, replacement):
        edit.hunks = (search, replacement, of_hunks(diff(search, replacement)))
    return edit.hunks[2]


def of_fate(edit: ShownEdit) -> Record:
    """What planning decides about an edit."""
    result, hunks = edit.result, _hunks(edit)
    nearest = result.nearest if result is not None else None
    return {
        "n": edit.n,
        "state": str(edit.state),
        "path": result.path if result is not None and result.path is not None else edit.path,
        "result": of_explained(result) | {"n": edit.n} if result is not None else None,
        "skip": edit.skip,
        "place": edit.place,
        "written": None if edit.written is None else {"operation": edit.written[0], "edit": edit.written[1]},
        "repairable": edit.repairable,
        "differs": nearest.difference.said if nearest is not None else None,
        "carried": _carried(edit),
        "hunks": hunks,
        "creates": edit.creates and edit.state is not EditState.FAILED,
    }


def _hunks(edit: ShownEdit) -> list[Record] | None:
    """What it changes in its file, worked out once as long as those lines stay; None where nothing of it would stand.

    An edit that was written keeps what was told of it then.
    """
    result = edit.result
    if result is None or edit.state not in (EditState.READY, EditState.APPLIED):
        return None
    if edit.state is EditState.READY or result.effect is not None:
        _draw(edit, result)
    return edit.drawn[1] if edit.drawn is not None else None


def _draw(edit: ShownEdit, result: BlockResult) -> None:
    """Keep what a result says that the edit changes, and whether it makes its file."""
    if result.effect is not None:
        edit.creates = result.effect.creates
    seen = edit_window(result.effect) if result.effect is not None else None
    if seen is None:
        edit.drawn = None
    elif edit.drawn is None or edit.drawn[0] != seen:
        edit.drawn = (seen, of_hunks(hunks_of_edit(seen)))


def without_texts(edit: ShownEdit) -> BlockResult | None:
    """What became of an edit, without the texts of its file; what is drawn of them is kept with the edit."""
    result = edit.result
    if result is None:
        return None
    if result.effect is not None:
        _draw(edit, result)
    return replace(result, effect=None)


def _carried(edit: ShownEdit) -> Record | None:
    """A failed edit as it reads on the nearest code, worked out once for each result."""
    result = edit.result
    if result is None or result.nearest is None or edit.state is not EditState.FAILED:
        return None
    if edit.carried is None or edit.carried[0] is not result:
        edit.carried = (result, merged_reading(result))
    reading = edit.carried[1]
    return {"search": reading.search, "replace": reading.replace} if reading is not None else None


def of_plan(turn: Turn) -> Record | None:
    """What is left to write; None while the turn has no plan."""
    prepared, choices = turn.prepared, turn.choices
    if prepared is None or choices is None:
        return None
    plan = prepared.plan
    waiting = [r.path for r in plan.failed if r.code is Code.NOT_IN_CHAT and r.path is not None]
    return {
        "version": turn.version,
        "files": [_of_file(turn, change) for change in with_renames_joined(plan.changes)],
        "counts": _counts(turn.edits.values()),
        "conflicts": list(conflicting(prepared)),
        "waiting": list(dict.fromkeys(waiting)),
        "shell_suggestions": [of_shell(suggestion) for suggestion in plan.shell_suggestions],
        "database_actions": [of_database(action) for action in plan.database_actions],
        "diagnostics": [of_diagnostic(diagnostic) for diagnostic in plan.diagnostics],
        "retry": retry_message(
            plan.results, written=bool(choices.written), markers=prepared.markers, files=prepared.texts
        ),
    }


def _of_file(turn: Turn, change: FileChange) -> Record:
    known = turn.counted.get(change.path)
    if known is None or known[0] != change:
        known = turn.counted[change.path] = (change, counts(diff_of(change, 0)))
    added, removed = known[1]
    return {
        "path": change.path,
        "change": kind_of(change),
        "source": change.source,
        "added": added,
        "removed": removed,
        "edits": edits_of(turn, change),
        "resolved": turn.choices is not None and change.path in turn.choices.resolved,
    }


def edits_of(turn: Turn, change: FileChange) -> list[int]:
    """The edits that a file's change is made of."""
    landed = turn.prepared.landed if turn.prepared is not None else ()
    paths = {change.path, change.source}
    return [r.n for r in landed if r.path in paths or r.block.destination == change.path]


def _counts(edits: Iterable[ShownEdit]) -> Record:
    found = Counter(str(edit.state) for edit in edits)
    words = ("ready", "failed", "skipped", "already", "applied", "superseded", "draft")
    return {word: found[word] for word in words}


def of_hunks(hunks: Sequence[DiffHunk]) -> list[Record]:
    """Hunks with their lines; marks count in UTF-16 code units, as a browser's strings do."""
    return [
        {
            "header": hunk.header,
            "old_start": hunk.old_start,
            "old_count": hunk.old_count,
            "new_start": hunk.new_start,
            "new_count": hunk.new_count,
            "lines": [_of_line(line) for line in hunk.lines],
        }
        for hunk in hunks
    ]


def _of_line(line: DiffLine) -> Record:
    return {"s": line.sign, "t": line.text, "m": [_units(line.text, mark) for mark in line.marks], "e": line.end}


def _units(text: str, span: Span) -> list[int]:
    if text.isascii():
        return [span.start, span.end]
    start = _length(text[: span.start])
    return [start, start + _length(text[span.start : span.end])]


def _length(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)
