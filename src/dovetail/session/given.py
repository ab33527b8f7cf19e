"""What callers of the library hand in beyond texts and markers, looked at before it is used. Raises `UsageError`."""

from __future__ import annotations

import os

from dovetail.model.blocks import Block, Parsed
from dovetail.model.errors import UsageError
from dovetail.model.handed import check_markers, check_text, kind_of, several
from dovetail.model.policy import Policy
from dovetail.model.results import BlockResult


def check_reply(reply: object, *, parsed: bool = False) -> None:
    """A text; with `parsed` also what was parsed already."""
    if parsed and isinstance(reply, list | tuple):
        several(reply, Block, "blocks", "Hand in what was parsed, for example: dovetail.parse(reply).blocks")
    elif not (parsed and isinstance(reply, Parsed)):
        check_text(reply)


def check_place(files: object) -> None:
    """A folder's path, where texts by their paths would do as well."""
    if not isinstance(files, str | os.PathLike):
        hint = 'Hand in texts by their paths, for example: {"app.py": text}, or the path of a folder that holds them.'
        raise UsageError(f"`files` is of the type {kind_of(files)}.", hint=hint)


def check_terms(policy: object, markers: object) -> None:
    """A policy and markers."""
    if not isinstance(policy, Policy):
        hint = f'For example: dovetail.Policy(on_failure="block"), not {policy!r}'
        raise UsageError(f"The policy is of the type {kind_of(policy)}.", hint=hint)
    check_markers(markers)


def results(given: object) -> list[BlockResult]:
    """What planning gave, edit by edit."""
    return several(given, BlockResult, "results", "Hand in the results of a plan, for example: plan.results")
