"""The message that asks a model for its failed edits again, and for nothing else.

For those who hold results and no conversation; the words are `llm.repair`'s, the same that a conversation sends, and
they are loaded only where an edit failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from dovetail.model.codes import Code, Status
from dovetail.model.handed import check_markers, check_texts
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.results import BlockResult
from dovetail.session import given

if TYPE_CHECKING:
    from dovetail.llm.repair import Others


def retry_message(
    results: Iterable[BlockResult],
    *,
    written: bool = False,
    markers: Markers = DEFAULT_MARKERS,
    files: Mapping[str, str] | None = None,
) -> str | None:
    """The message that asks a model for its failed edits again; None if none failed.

    results: all results of the reply, those that did not fail as well.
    written: whether the edits that did not fail were applied; else the message says that they wait.
    markers: those that the reply was read with.
    files: path to text, as the reply was planned on. Of an edit that is like nothing in its file the message can then
    quote the lines that it may have meant.

    Raises `UsageError` for arguments of the wrong type.
    """
    results = given.results(results)
    check_markers(markers)
    if files is not None:
        check_texts(files)
    failed = [result for result in results if result.status is Status.FAILED]
    if not failed:
        return None
    from dovetail.llm.repair import repair_message
    from dovetail.session.loop.correction import failure_of

    others = _others([result for result in results if result.status is not Status.FAILED], written=written)
    texts = files or {}
    told = [failure_of(result, texts.get(result.path or ""), markers) for result in failed]
    return repair_message(told, len(results), others)


def _others(rest: Sequence[BlockResult], *, written: bool) -> Others:
    """What became of the edits that did not fail. One that is held back in its file is not applied."""
    from dovetail.llm.repair import Others

    planned = sum(result.status is Status.APPLIED for result in rest)
    stand = sum(result.status is Status.ALREADY_APPLIED for result in rest) + (planned if written else 0)
    if written and not planned:  # the caller's word: whatever was held back in this plan is applied by now
        stand += sum(result.code is Code.OTHER_FAILED for result in rest)
    if stand:
        return Others.APPLIED if stand == len(rest) else Others.MIXED
    wait = any(result.status is Status.APPLIED or result.code is Code.OTHER_FAILED for result in rest)
    return Others.HELD if wait else Others.NONE
