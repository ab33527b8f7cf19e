"""What callers of the library hand in, looked at before it is used: a value of the wrong kind is said at the door.

Raises `UsageError` and converts nothing: bytes are not decoded, as nobody here knows their encoding.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from dovetail.formats.stream import check_text
from dovetail.model.blocks import Block, Parsed
from dovetail.model.errors import UsageError
from dovetail.model.markers import Markers
from dovetail.model.policy import Policy
from dovetail.model.results import BlockResult


def check_reply(reply: object, *, parsed: bool = False) -> None:
    """A text; with `parsed` also what was parsed already."""
    if parsed and isinstance(reply, Parsed):
        return
    if parsed and isinstance(reply, list | tuple) and all(isinstance(block, Block) for block in reply):
        return
    check_text(reply)


def check_texts(texts: object, name: str = "files") -> None:
    """A mapping from path to text."""
    if not isinstance(texts, Mapping):
        raise UsageError(f"`{name}` is of the type {_kind(texts)}.", hint="Hand in a mapping from path to text.")
    for path, text in texts.items():
        if not isinstance(path, str):
            hint = "Write it as a text with `/`, for example: path.as_posix()"
            raise UsageError(f"A path in `{name}` is of the type {_kind(path)}: {path!r}.", hint=hint)
        if not isinstance(text, str):
            hint = "Hand in texts; leave out files that are none."
            raise UsageError(f"What `{name}` has for {path!r} is of the type {_kind(text)}.", hint=hint)


def check_terms(policy: object, markers: object) -> None:
    """A policy and markers."""
    if not isinstance(policy, Policy):
        hint = f'For example: dovetail.Policy(on_failure="block"), not {policy!r}'
        raise UsageError(f"The policy is of the type {_kind(policy)}.", hint=hint)
    check_markers(markers)


def check_markers(markers: object) -> None:
    """Markers, and not one of their words."""
    if not isinstance(markers, Markers):
        raise UsageError(f"The markers are of the type {_kind(markers)}.", hint="Hand in a dovetail.Markers.")


def results(several: object) -> list[BlockResult]:
    """What planning gave, edit by edit, taken out of whatever may be gone through once."""
    hint = "Hand in the results of a plan, for example: plan.results"
    if not isinstance(several, Iterable):
        raise UsageError(f"The results are of the type {_kind(several)}.", hint=hint)
    listed = list(several)
    for one in listed:
        if not isinstance(one, BlockResult):
            raise UsageError(f"One of the results is of the type {_kind(one)}.", hint=hint)
    return listed


def operation(wanted: object) -> str | None:
    """An operation's id, or None for the newest."""
    if wanted is None or isinstance(wanted, str):
        return wanted
    hint = "Hand in an id, for example: applied.operation"
    raise UsageError(f"`operation` is of the type {_kind(wanted)}.", hint=hint)


def folder(root: object, name: str = "root") -> Path:
    """A folder's path; whether it exists is the workspace's to say."""
    if isinstance(root, str | os.PathLike):
        return Path(root)
    raise UsageError(f"`{name}` is of the type {_kind(root)}.", hint="Hand in a folder's path.")


def _kind(value: object) -> str:
    return type(value).__name__
