"""How replies are read and planned, and how models are asked: the values that settings files and options come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dovetail.formats.table import AUTO
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.policy import DEFAULT_POLICY, Policy

PLANNING_CHOICES = ("occurrence", "conflicts", "tiers", "accept", "min_confidence", "new_errors")
"""The policy's fields that decide where an edit lands and what it writes there."""

PROVIDERS = ("openai", "anthropic")
"""Tables of `base_url`, `key` and `headers`; `llm.settings` says what they mean."""


@dataclass(frozen=True, slots=True)
class ReplyOptions:
    """The policy that a reply is planned under, the format that it is read in, and the markers.

    The journal keeps `record` with each operation, so that a single edit can be undone later: only what differs from
    the defaults.
    """

    policy: Policy = DEFAULT_POLICY
    format: str = AUTO
    markers: Markers = DEFAULT_MARKERS

    @property
    def record(self) -> Mapping[str, Any]:
        """Policy and markers as JSON, without what is as in the defaults."""
        policy, default = self.policy, DEFAULT_POLICY
        choices = {n: getattr(policy, n) for n in PLANNING_CHOICES if getattr(policy, n) != getattr(default, n)}
        known = DEFAULT_MARKERS
        names = self.markers.__match_args__
        signs = {n: getattr(self.markers, n) for n in names if getattr(self.markers, n) != getattr(known, n)}
        return {**({"policy": choices} if choices else {}), **({"markers": signs} if signs else {})}

    def from_record(self, record: Mapping[str, Any] | None) -> ReplyOptions:
        """These options with the policy and markers of a record; unchanged if an operation has none."""
        if record is None:
            return self
        markers = {name: _as_tuples(value) for name, value in record.get("markers", {}).items()}
        return replace(self, policy=Policy(**record.get("policy", {})), markers=Markers(**markers))


DEFAULT_REPLY_OPTIONS = ReplyOptions()


def _as_tuples(value: Any) -> Any:  # noqa: ANN401 - JSON
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What settings files say about asking models; None where they are silent. `providers` has the provider's tables.

    Addresses and keys count only in the user's own file: a project's file comes with the project, and must not lead the
    user's keys anywhere.
    """

    model: str | None = None
    editor_model: str | None = None
    format: str | None = None
    map_tokens: int | None = None
    max_rounds: int | None = None
    max_tokens: int | None = None
    providers: Mapping[str, object] = field(default_factory=dict, repr=False)


NO_MODEL_SETTINGS = ModelSettings()
