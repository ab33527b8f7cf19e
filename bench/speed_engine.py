"""The engine as the benchmarks time it: parsed blocks and texts in, a plan out, nothing on a disk."""

from __future__ import annotations

from functools import cache

from dovetail.model.blocks import Parsed
from dovetail.model.language import Language
from dovetail.model.policy import DEFAULT_POLICY
from dovetail.model.results import Plan
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan


@cache
def language() -> Language:
    """The languages, loaded once."""
    from dovetail.syntax import default_language

    return default_language()


def planned(parsed: Parsed, files: dict[str, str]) -> Plan:
    """Plan in memory, from nothing but texts."""
    return plan(parsed, Snapshot.of(files), DEFAULT_POLICY, language())
