"""What a model is told about its edits before the next request: which were applied, and which were not.

What was written may be taken back, and brought again, by anybody who has the journal: in this conversation, at another
terminal, on the page. So nobody tells of an undo when it happens. Whoever asks the model compares what stands with what
stood as far as the model knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dovetail.session.loop.choices import Choices

NOT_APPLIED = "I did not apply your last edits."
UNDONE = "I took back your last edits; the files are as they were before them."
FEWER = "I took back some of your earlier edits; the files are as they are shown now."
MORE = "I applied some of your earlier edits since; the files are as they are shown now."

Standing = Mapping[str, frozenset[int]]
"""The operations that stand, oldest first, and for each the edits of it that were taken back by themselves."""


def told_of_journal(known: Standing, fates: Mapping[str, frozenset[int] | None], notes: Sequence[str]) -> list[str]:
    """Sentences about what the journal says otherwise than the model knows; `notes` are those that it is told besides.

    Of operations without a fate the journal knows nothing, so that there is nothing to tell.
    """
    gone = [name for name in known if name in fates and _fewer(known[name], fates[name])]
    said = []
    if gone:
        whole = all(fates[name] is None for name in gone) and gone == list(known)[-len(gone) :]
        said.append(UNDONE if whole and NOT_APPLIED not in notes else FEWER)
    if any(fate is not None and (name not in known or known[name] - fate) for name, fate in fates.items()):
        said.append(MORE)
    return said


def _fewer(known: frozenset[int], fate: frozenset[int] | None) -> bool:
    return fate is None or bool(fate - known)


def told_of_earlier(*, fewer: bool, more: bool) -> list[str]:
    """Sentences about edits that came before the last ones."""
    return [*([FEWER] if fewer else ()), *([MORE] if more else ())]


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
