"""What a model is told about its edits before the next request: which were applied, and which were not.

What was written may be taken back, and brought again, by anybody who has the journal: in this conversation, at another
terminal, on the page. So nobody tells of an undo when it happens. Whoever asks the model compares what stands with what
stood as far as the model knows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from dovetail.model.codes import Code, Status

if TYPE_CHECKING:
    from dovetail.model.results import BlockResult

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


def told_about(
    results: Sequence[BlockResult], written: Collection[int], superseded: Collection[int], *, undone: bool = False
) -> list[str]:
    """A sentence about the edits of a turn; none where all that it asks for is in the files.

    `written` are those of its own writing that stand, `superseded` those that the model sent again; `undone` says that
    some were written once.
    """
    left = [r.n for r in results if r.n not in written and r.n not in superseded and _is_wanting(r)]
    if not left:
        return []
    if not written:
        return [UNDONE if undone else NOT_APPLIED]
    return [f"Of your last edits I applied {_listed(sorted(written))} and left out {_listed(left)}."]


def _is_wanting(result: BlockResult) -> bool:
    """Whether a plan leaves an edit to be made: it lands, failed, or was held back or left out."""
    if result.status is Status.SKIPPED:
        return result.code in (Code.OTHER_FAILED, Code.NOT_SELECTED)
    return result.status is not Status.ALREADY_APPLIED


def told_of_hand(changed: Collection[int]) -> list[str]:
    """A sentence about written edits that the user changed by hand before."""
    return [f"I changed {_listed(sorted(changed))} by hand before."] if changed else []


def _listed(numbers: Sequence[int]) -> str:
    what = "edit" if len(numbers) == 1 else "edits"
    return f"{what} {', '.join(map(str, numbers))}"
