"""Plans some of a reply's blocks, and keeps the numbers that the reply gave them.

A choice is made before planning, never after: blocks that were not chosen take no part, so what is planned without
them is what will be written.
"""

from __future__ import annotations

from collections.abc import Mapping

from dovetail.model.blocks import Parsed
from dovetail.model.codes import Code, Status
from dovetail.model.dataclasses import replace
from dovetail.model.language import Language
from dovetail.model.policy import Policy
from dovetail.model.results import BlockResult, Plan
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan


def plan_without(
    parsed: Parsed, snapshot: Snapshot, policy: Policy, language: Language, settled: Mapping[int, BlockResult]
) -> Plan:
    """Plan every block except those in `settled`, whose results are given there, by number from 1."""
    taking_part = [n for n in range(1, len(parsed.blocks) + 1) if n not in settled]
    chosen = replace(parsed, blocks=tuple(parsed.blocks[n - 1] for n in taking_part))
    made = plan(chosen, snapshot, policy, language)
    numbered = {n: replace(result, n=n) for n, result in zip(taking_part, made.results, strict=True)}
    results = {**numbered, **settled}
    return replace(made, results=tuple(results[n] for n in sorted(results)))


def not_selected(n: int, parsed: Parsed, path: str | None) -> BlockResult:
    """The result of a block that somebody chose to leave out."""
    reason = "It was not chosen."
    return BlockResult(n, parsed.blocks[n - 1], path, Status.SKIPPED, Code.NOT_SELECTED, reason)
