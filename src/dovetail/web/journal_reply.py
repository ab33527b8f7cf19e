"""What the journal keeps as the reply of a write, so that undoing one edit can plan it again.

Unchanged edits are kept with the reply as it came. Where the user changed one by hand, the reply says something else
than what was written; then the written edits are rendered as a reply of their own, and kept only if that reply plans
to the very same files.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace

from dovetail.formats import parse, render
from dovetail.model.blocks import Block, Parsed
from dovetail.model.errors import RenderError
from dovetail.session.apply import Prepared
from dovetail.session.select import plan_without

_FORMATS = ("diff", "tool-call")


def as_kept(prepared: Prepared, chosen: Collection[int], *, by_hand: bool) -> tuple[Prepared, Mapping[int, int]]:
    """The plan to commit, and the number in it of each chosen edit."""
    if by_hand:
        numbers = sorted(chosen)
        blocks = [_told(prepared, n) for n in numbers]
        for name in dict.fromkeys((blocks[0].format, *_FORMATS)):
            with suppress(RenderError):
                made = _said_again(prepared, render(blocks, name), name)
                if made.plan.changes == prepared.plan.changes:
                    return made, {n: k for k, n in enumerate(numbers, start=1)}
    return prepared, {n: n for n in chosen}


def _told(prepared: Prepared, n: int) -> Block:
    result = prepared.plan.results[n - 1]
    return replace(result.block, path=result.path)


def _said_again(prepared: Prepared, reply: str, name: str) -> Prepared:
    parsed: Parsed = parse(reply, format=name)
    plan = plan_without(parsed, prepared.snapshot, prepared.policy, prepared.language, {})
    return replace(prepared, reply=reply, parsed=parsed, plan=plan, settled={})
