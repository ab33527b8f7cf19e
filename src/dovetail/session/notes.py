"""Sentences that tell the model, with the next request, what became of its edits.

What was written may be undone and redone by anybody who has the journal: in this conversation, at another terminal, on
the page. So nobody reports an undo when it happens. Whoever asks the model compares the operations that are in force
with those that were when it was told last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from dovetail.model.codes import Code, Status
from dovetail.model.results import BlockResult

NOT_APPLIED = "I did not apply your last edits."
UNDONE = "I took back your last edits; the files are as they were before them."
FEWER = "I took back some of your earlier edits; the files are as they are shown now."
MORE = "I applied some of your earlier edits since; the files are as they are shown now."

OperationsInForce = Mapping[str, frozenset[int]]
"""The operations that were not undone, oldest first, each with the numbers of its edits that were undone alone."""


def notes_on_journal(
    known: OperationsInForce, now: Mapping[str, frozenset[int] | None], notes: Sequence[str]
) -> list[str]:
    """Compare what the model knows to be in force with the journal `now`, where None is an operation undone whole.

    Operations that the journal does not know (any more) are left out of it. `notes` are those that the request begins
    with anyway.
    """
    fewer = {name: now[name] for name in known if name in now and _is_fewer(known[name], now[name])}
    found = []
    if fewer:
        all_undone = all(edits is None for edits in fewer.values()) and list(fewer) == list(known)[-len(fewer) :]
        found.append(UNDONE if all_undone and NOT_APPLIED not in notes else FEWER)
    if any(edits is not None and (name not in known or known[name] - edits) for name, edits in now.items()):
        found.append(MORE)
    return found


def _is_fewer(known: frozenset[int], now: frozenset[int] | None) -> bool:
    return now is None or bool(now - known)


def notes_on_turn(
    results: Sequence[BlockResult], written: Collection[int], superseded: Collection[int], *, undone: bool = False
) -> list[str]:
    """A sentence about the edits of a turn; none if all of them are in the files.

    `written` are the edits that the turn wrote and that are in the files now, `superseded` those that the model sent
    again; `undone` says that some were written once.
    """
    left = [r.n for r in results if r.n not in written and r.n not in superseded and _is_missing(r)]
    if not left:
        return []
    if not written:
        return [UNDONE if undone else NOT_APPLIED]
    return [f"Of your last edits I applied {_listed(written)} and left out {_listed(left)}."]


def _is_missing(result: BlockResult) -> bool:
    if result.status is Status.SKIPPED:
        return result.code in (Code.OTHER_FAILED, Code.NOT_SELECTED)
    return result.status is not Status.ALREADY_APPLIED


def notes_on_hand_edits(changed: Collection[int]) -> list[str]:
    """A sentence about written edits that the user changed by hand before; none if there are none."""
    return [f"I changed {_listed(changed)} by hand before."] if changed else []


def _listed(numbers: Collection[int]) -> str:
    return f"{'edit' if len(numbers) == 1 else 'edits'} {', '.join(map(str, sorted(numbers)))}"
