"""The message that asks a model for its failed edits again, and for nothing else.

For those who hold results and no conversation; the words are `llm.repair`'s, the same that a conversation sends, and
they are loaded only where an edit failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dovetail.model.codes import Code, Status
from dovetail.model.handed import check_markers
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.results import BlockResult
from dovetail.session import given


def retry_message(
    results: Iterable[BlockResult], *, written: bool = False, markers: Markers = DEFAULT_MARKERS
) -> str | None:
    """The message about every failed result; None where none failed. `written` says that the others were applied.

    `markers` are those that the reply was read with. Raises `UsageError` for what are no results, and no markers.
    """
    results = given.results(results)
    check_markers(markers)
    failed = [result for result in results if result.status is Status.FAILED]
    if not failed:
        return None
    from dovetail.llm.repair import Failure, Others, repair_message
    from dovetail.session.correction import corrected_edit

    others = Others.NONE
    if any(map(_good, results)):
        others = Others.APPLIED if written else Others.HELD
    return repair_message([Failure(result, corrected_edit(result, markers)) for result in failed], len(results), others)


def is_retry_message(text: str) -> bool:
    """Whether a text is such a message, by how it begins."""
    from dovetail.llm.repair import is_repair_message

    return is_repair_message(text)


def may_mend(results: Sequence[BlockResult]) -> bool:
    """Whether the model could mend any failed edit by words; a protected place or file it cannot."""
    from dovetail.session.repair import USERS_OWN

    return any(r.status is Status.FAILED and r.code not in USERS_OWN | {Code.OUTSIDE_ROOT} for r in results)


def _good(result: BlockResult) -> bool:
    """Whether an edit was applied, or would have been but for the others."""
    return result.status in (Status.APPLIED, Status.ALREADY_APPLIED) or result.code is Code.OTHER_FAILED
