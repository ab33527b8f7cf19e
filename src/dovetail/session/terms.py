"""How a reply was read and planned, as the journal keeps it: what its edits are planned again by, one without another.

Only what differs from the defaults is kept; an operation without such a record was written before there were any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dovetail.model.dataclasses import replace
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.policy import DEFAULT_POLICY, Policy
from dovetail.session.settings import Settings

Terms = Mapping[str, Any]

PLANNED = ("occurrence", "conflicts", "tiers")
"""The choices of a policy that say where an edit lands, and what it writes there."""


def terms_of(policy: Policy, markers: Markers) -> Terms:
    """The record of a policy and markers."""
    choices = _differing(policy, DEFAULT_POLICY, PLANNED)
    signs = _differing(markers, DEFAULT_MARKERS, markers.__match_args__)
    return {**({"policy": choices} if choices else {}), **({"markers": signs} if signs else {})}


def _differing(value: object, default: object, names: Iterable[str]) -> dict[str, Any]:
    """The fields of a value that are not as in the default."""
    return {name: getattr(value, name) for name in names if getattr(value, name) != getattr(default, name)}


def under(terms: Terms | None, settings: Settings) -> Settings:
    """`settings` with what a record says of policy and markers; as they are where there is none."""
    if terms is None:
        return settings
    markers = {name: _frozen(value) for name, value in terms.get("markers", {}).items()}
    return replace(settings, policy=Policy(**terms.get("policy", {})), markers=Markers(**markers))


def _frozen(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Lists of JSON as the tuples that they were."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
