"""The message that asks a model for its failed edits again, and for nothing else.

For those who hold results and no conversation; the words are `llm.repair`'s, the same that a conversation sends.
"""

from __future__ import annotations

from collections.abc import Sequence

from dovetail.llm.repair import Failure, Others, repair_message
from dovetail.model.codes import Code, Status
from dovetail.model.results import BlockResult
from dovetail.session.correction import corrected_edit


def retry_message(results: Sequence[BlockResult], *, written: bool = False) -> str | None:
    """The message about every failed result; None where none failed. `written` says that the others were applied."""
    failed = [result for result in results if result.status is Status.FAILED]
    if not failed:
        return None
    told = [Failure(result, corrected_edit(result)) for result in failed]
    return repair_message(told, len(results), _others(results, written=written))


def _others(results: Sequence[BlockResult], *, written: bool) -> Others:
    good = (Status.APPLIED, Status.ALREADY_APPLIED)
    if not any(result.status in good or result.code is Code.OTHER_FAILED for result in results):
        return Others.NONE
    return Others.APPLIED if written else Others.HELD
