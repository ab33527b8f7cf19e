"""How a reply is read and planned, and as what the journal keeps that: one edit is planned without another by it.

Only what differs from the defaults is kept; an operation without such a record was written before there were any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dovetail.formats.table import AUTO
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.policy import DEFAULT_POLICY, Policy

PLANNED = ("occurrence", "conflicts", "tiers")
"""The choices of a policy that say where an edit lands, and what it writes there."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The policy that a reply is planned under, the formats that it is read in, and the markers."""

    policy: Policy = DEFAULT_POLICY
    format: str = AUTO
    markers: Markers = DEFAULT_MARKERS

    @property
    def record(self) -> Mapping[str, Any]:
        """The policy and markers as they are kept."""
        choices = _differing(self.policy, DEFAULT_POLICY, PLANNED)
        signs = _differing(self.markers, DEFAULT_MARKERS, self.markers.__match_args__)
        return {**({"policy": choices} if choices else {}), **({"markers": signs} if signs else {})}

    def as_kept(self, record: Mapping[str, Any] | None) -> Terms:
        """With what a record says of policy and markers; as they are where there is none."""
        if record is None:
            return self
        markers = {name: _frozen(value) for name, value in record.get("markers", {}).items()}
        return replace(self, policy=Policy(**record.get("policy", {})), markers=Markers(**markers))


DEFAULT_TERMS = Terms()


def _differing(value: object, default: object, names: Iterable[str]) -> dict[str, Any]:
    """The fields of a value that are not as in the default."""
    return {name: getattr(value, name) for name in names if getattr(value, name) != getattr(default, name)}


def _frozen(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Lists of JSON as the tuples that they were."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
