"""What a model is told about its last edits before the next request: which were applied, and which were not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dovetail.session.choices import Choices

NOT_APPLIED = "I did not apply your last edits."
UNDONE = "I took back your last edits; the files are as they were before them."


def told_about(choices: Choices, left: Sequence[int]) -> list[str]:
    """Sentences about a turn; none where all its edits were applied. `left` are those that are not in the files."""
    return [*_about_writing(choices, left), *_about_hand(choices)]


def _about_writing(choices: Choices, left: Sequence[int]) -> list[str]:
    written = sorted(choices.written)
    if not written:
        if choices.writes:
            return [UNDONE]
        return [NOT_APPLIED]
    if not left:
        return []
    return [f"Of your last edits I applied {_listed(written)} and left out {_listed(left)}."]


def _about_hand(choices: Choices) -> list[str]:
    changed = sorted(set(choices.by_hand) & set(choices.written))
    return [f"I changed {_listed(changed)} by hand before."] if changed else []


def _listed(numbers: Sequence[int]) -> str:
    what = "edit" if len(numbers) == 1 else "edits"
    return f"{what} {', '.join(map(str, numbers))}"
