"""What becomes of a whole text, or why nothing does: tagged values, to be taken apart with `match`."""

from __future__ import annotations

from dataclasses import dataclass

from dovetail.model.codes import Code, Tier
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.text import Span


@dataclass(frozen=True, slots=True)
class Written:
    """The text the file has afterwards; `seen` is the one that the reply gives it, where that was merged with what the
    user changed. `tier` says how a text that elides was completed, or that its line numbers were taken off."""

    after: str
    warnings: tuple[Diagnostic, ...] = ()
    tier: Tier | None = None
    seen: str | None = None


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The file already has this text."""

    span: Span


@dataclass(frozen=True, slots=True)
class Appended:
    """The text goes behind the file's end."""

    warnings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Dropped:
    """Nothing is left of the text, since what the user changed was to be kept where both did."""

    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """Nothing is written; here is why, for a program and for a person, and what to do next."""

    code: Code
    reason: str
    hint: str | None = None
