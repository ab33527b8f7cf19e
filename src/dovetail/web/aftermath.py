"""What a model is told about its last edits before the next request: which were applied, and which were not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.web.turn_state import EditState

if TYPE_CHECKING:
    from dovetail.web.choices import Choices
    from dovetail.web.desk import Desk
    from dovetail.web.turn_state import Turn

_LEFT = frozenset({EditState.READY, EditState.FAILED, EditState.SKIPPED})


def last_turn_told(desk: Desk) -> list[str]:
    """Sentences about the turn that the model answered last; none where it sent no edits, or all were applied."""
    turn = desk.turns.get(desk.last_asked or "")
    if turn is None or turn.choices is None:
        return []
    said = _about_writing(turn, turn.choices)
    said += _about_hand(turn.choices)
    return said


def _about_writing(turn: Turn, choices: Choices) -> list[str]:
    written = sorted(choices.written)
    if not written:
        if choices.writes:
            return ["I took back your last edits; the files are as they were before them."]
        return ["I did not apply your last edits."]
    left = [edit.n for edit in turn.edits.values() if edit.state in _LEFT]
    if not left:
        return []
    return [f"Of your last edits I applied {_listed(written)} and left out {_listed(left)}."]


def _about_hand(choices: Choices) -> list[str]:
    changed = sorted(set(choices.by_hand) & set(choices.written))
    return [f"I changed {_listed(changed)} by hand before."] if changed else []


def _listed(numbers: list[int]) -> str:
    what = "edit" if len(numbers) == 1 else "edits"
    return f"{what} {', '.join(map(str, numbers))}"
