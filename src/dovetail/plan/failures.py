"""What one failed block means for the others.

`all` applies nothing; `file` skips the later edits of the failed block's file; `block` goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from dovetail.model.codes import Code, Status
from dovetail.model.results import BlockResult

_DONE = (Status.APPLIED, Status.ALREADY_APPLIED)


def to_skip(results: Iterable[BlockResult], known: Mapping[int, int]) -> dict[int, int]:
    """Blocks that come after a failed one of their file, each with the number of the first such; `known` included."""
    skip, failures = dict(known), dict[str | None, int]()
    for result in results:
        if result.status is Status.FAILED and result.path is not None:
            failures.setdefault(result.path, result.n)
        elif result.status in _DONE and result.path in failures:
            skip[result.n] = failures[result.path]
    return skip


def withhold_all(results: Iterable[BlockResult]) -> tuple[BlockResult, ...] | None:
    """The results with every applied block withheld; None where nothing failed."""
    results = tuple(results)
    failure = next((result.n for result in results if result.status is Status.FAILED), None)
    if failure is None:
        return None
    return tuple(_withheld(r, failure) if _was_to_change(r) else r for r in results)


def _withheld(result: BlockResult, failure: int) -> BlockResult:
    """The result of a good block that is not applied because another failed."""
    return replace(
        result,
        status=Status.SKIPPED,
        code=Code.OTHER_FAILED,
        reason=f"Nothing was applied, because block {failure} failed.",
        hint="Repair the failed block, or apply without it.",
        new_start=None,
        new_end=None,
        effect=None,
    )


def _was_to_change(result: BlockResult) -> bool:
    """Whether a block would have changed something, or stands only because another one would."""
    return result.status is Status.APPLIED or result.code is Code.DUPLICATE
