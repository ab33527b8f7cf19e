"""Plans some of a reply's blocks, and keeps the numbers that the reply gave them.

A choice is made before planning, never after: blocks that were not chosen take no part, so what is planned without
them is what will be written.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from dovetail.model.blocks import Parsed
from dovetail.model.codes import Code, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.policy import Policy
from dovetail.model.results import BlockResult, Plan
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan
from dovetail.syntax import default_language

_FAILED = Diagnostic(Code.MALFORMED, "It is settled as failed.")
"""Stands in a block that fails whatever the files say; its own result says why."""


def plan_without(parsed: Parsed, snapshot: Snapshot, policy: Policy, settled: Mapping[int, BlockResult]) -> Plan:
    """Plan every block except those in `settled`, whose results are given there, by number from 1.

    One that is settled as failed means for the others what any failed block does.
    """
    blocks = {
        n: block if n not in settled else replace(block, malformed=_FAILED)
        for n, block in enumerate(parsed.blocks, start=1)
        if n not in settled or settled[n].status is Status.FAILED
    }
    made = plan(
        replace(parsed, blocks=tuple(blocks.values())), snapshot, policy, default_language(), numbers=tuple(blocks)
    )
    results = {**{result.n: result for result in made.results}, **settled}
    return replace(made, results=tuple(results[n] for n in sorted(results)))


def left_out(made: Plan, chosen: Collection[int], parsed: Parsed, *, again: bool) -> dict[int, BlockResult]:
    """What becomes of the edits that were not chosen, as far as what they say and find does not settle it.

    Nothing comes in the place of what is left out: an edit that failed, or had nothing to do, because of another one
    was not chosen either. Where one lands only `again`, without what was left out, all of its file that are the same
    once more go with it.
    """
    others = [result for result in made.results if result.n not in chosen]
    paths = {result.path for result in others if result.status is Status.APPLIED} if again else frozenset()
    failed = {result.n: result for result in others if result.status is Status.FAILED}
    out = [
        result
        for result in others
        if result.status is Status.APPLIED
        or result.code is Code.OTHER_FAILED
        or (result.code is Code.DUPLICATE and result.path in paths)
    ]
    return failed | {result.n: not_selected(result.n, parsed, result.path) for result in out}


def placed(parsed: Parsed, lines: Mapping[int, int]) -> Parsed:
    """What a reply says, where some blocks, by number from 1, begin at the line that somebody named."""
    blocks = list(parsed.blocks)
    for n, line in lines.items():
        blocks[n - 1] = blocks[n - 1].at_line(line)
    return replace(parsed, blocks=tuple(blocks))


def not_selected(n: int, parsed: Parsed, path: str | None) -> BlockResult:
    """The result of a block that somebody chose to leave out."""
    return BlockResult(n, parsed.blocks[n - 1], path, Status.SKIPPED, Code.NOT_SELECTED, "It was not chosen.")
