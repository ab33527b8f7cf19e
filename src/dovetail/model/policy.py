"""How a plan is to be made: the choices that a user or a program may set. The defaults refuse what is not certain."""

from __future__ import annotations

from dovetail.model.codes import Conflicts, Occurrence, OnFailure, Tier
from dovetail.model.dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Policy:
    """on_failure: what one failed block means for the others.

    occurrence: what several exact places mean; see `Occurrence`.
    tiers: the tiers that may be asked; None leaves it to the block's format (all, or `exact` alone for `anchored`
    and `guillemet`).
    conflicts: what a true conflict with a changed file means.
    only: paths to keep to; blocks of other files are skipped. None keeps to nothing.
    """

    on_failure: OnFailure = OnFailure.ALL
    occurrence: Occurrence = Occurrence.UNIQUE
    tiers: tuple[Tier, ...] | None = None
    conflicts: Conflicts = Conflicts.REFUSE
    only: tuple[str, ...] | None = None


DEFAULT_POLICY = Policy()
