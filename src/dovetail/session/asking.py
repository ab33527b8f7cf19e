"""How models are asked, as settings files say it: which model, in which format, with how much of a map.

Addresses and keys may stand in the user's own file alone: a project's file comes with the project, and must not lead
the user's keys anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

PROVIDERS = ("openai", "anthropic")
"""Tables of `base_url`, `key` and `headers`; `llm.settings` says what they mean."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What stands in the files; None where they are silent. `providers` holds the provider's tables."""

    model: str | None = None
    editor_model: str | None = None
    format: str | None = None
    map_tokens: int | None = None
    max_rounds: int | None = None
    max_tokens: int | None = None
    providers: Mapping[str, object] = field(default_factory=dict, repr=False)


SILENT = Asking()


def text(value: object) -> str:
    """A name. Raises `ValueError`."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("it must be a name.")
    return value


def number(value: object) -> int:
    """A count, from 0. Raises `ValueError`."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 1_000_000:
        raise ValueError("it must be a number from 0 to 1000000.")
    return value


def table(value: object) -> Mapping[str, object]:
    """A provider's table. Raises `ValueError`."""
    if not isinstance(value, dict):
        raise ValueError("it must be a table of base_url, key and headers.")
    unknown = sorted(set(value) - {"base_url", "key", "headers"})
    if unknown:
        raise ValueError(f"{unknown[0]!r} is none of base_url, key and headers.")
    return value
