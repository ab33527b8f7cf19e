"""How a plan is to be made: the choices that a user or a program may set. The defaults refuse what is not certain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, TypeVar

from dovetail.model.arguments import kind_of
from dovetail.model.codes import (
    GUARD_CODES,
    Code,
    Commands,
    Confidence,
    Conflicts,
    NewErrors,
    Occurrence,
    OnFailure,
    Tier,
)
from dovetail.model.errors import UsageError

OnFailureWord = Literal["all", "file", "block"]
OccurrenceWord = Literal["unique", "first"]
ConflictsWord = Literal["refuse", "markers", "ours", "theirs"]
ConfidenceWord = Literal["high", "medium", "low"]
NewErrorsWord = Literal["warn", "refuse"]
CommandsWord = Literal["list", "calls", "edits"]
TierWord = Literal[
    "exact", "part-line", "trailing-space", "indentation", "whitespace", "form", "elision", "syntax", "fuzzy"
]

_Member = TypeVar("_Member", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Policy:
    """What to do where something is not certain. The defaults refuse.

    on_failure: what one failed block means for the others.
    occurrence: what to do with a search that stands at several places, letter for letter.
    tiers: the tiers that may be tried, in any order. None leaves it to the block's format: `exact` alone for `anchored`
    and `guillemet`, all tiers for the others.
    conflicts: what to do where a file changed since the model saw it, in the lines that an edit changes.
    only: paths of files and folders; blocks of any other file are skipped. None skips none.
    accept: codes of guards that are overruled: what they find is a warning, and the edit is applied.
    min_confidence: the least confidence of a match that is applied; an edit that lands at a looser tier fails as
    `low-confidence`. It says nothing about edits without a search, which have no tier.
    new_errors: what to do with an edit after which a file newly does not parse.
    commands: which commands of a shell are read as edits where all of them is understood: none (`list`), those in calls
    of a shell's tool (`calls`), or those in the reply's text, too (`edits`). No command is ever run.
    partial: apply what was read, although a part of the reply looks like a change and was not read as one. It counts
    under `on_failure` ``all`` alone; the other choices apply it anyway.

    Each choice may be given as its word (``"block"``) and becomes the member (`OnFailure.BLOCK`). Raises `UsageError`
    for an unknown word, for `tiers` without a tier, for a code in `accept` that no guard has, and for a path in `only`
    that is not a `str`.
    """

    on_failure: OnFailure = OnFailure.ALL
    occurrence: Occurrence = Occurrence.UNIQUE
    tiers: tuple[Tier, ...] | None = None
    conflicts: Conflicts = Conflicts.REFUSE
    only: tuple[str, ...] | None = None
    accept: tuple[Code, ...] = ()
    min_confidence: Confidence = Confidence.LOW
    new_errors: NewErrors = NewErrors.WARN
    partial: bool = False
    commands: Commands = Commands.LIST

    if TYPE_CHECKING:  # what may be given is wider than what the fields hold

        def __init__(
            self,
            on_failure: OnFailure | OnFailureWord = ...,
            occurrence: Occurrence | OccurrenceWord = ...,
            tiers: Iterable[Tier | TierWord] | None = None,
            conflicts: Conflicts | ConflictsWord = ...,
            only: Iterable[str] | None = None,
            accept: Iterable[Code | str] = (),
            min_confidence: Confidence | ConfidenceWord = ...,
            new_errors: NewErrors | NewErrorsWord = ...,
            partial: bool = False,
            commands: Commands | CommandsWord = ...,
        ) -> None: ...

    @classmethod
    def careful(cls) -> Policy:
        """The policy for whoever wants no doubtful write: exact matches alone, and no new syntax error."""
        return cls(min_confidence=Confidence.HIGH, new_errors=NewErrors.REFUSE)

    def __post_init__(self) -> None:
        tiers, only = _several("tiers", self.tiers), _several("only", self.only)
        if tiers == ():
            raise UsageError(
                "The policy's `tiers` names none.", hint="Leave it out to ask those that each format allows."
            )
        _check_paths(only or ())
        accept = tuple(_member("accept", GUARD_CODES, code) for code in _several("accept", self.accept) or ())
        chosen = {
            "on_failure": _member("on_failure", OnFailure, self.on_failure),
            "occurrence": _member("occurrence", Occurrence, self.occurrence),
            "tiers": None if tiers is None else tuple(_member("tiers", Tier, tier) for tier in tiers),
            "conflicts": _member("conflicts", Conflicts, self.conflicts),
            "only": only,
            "accept": accept,
            "min_confidence": _member("min_confidence", Confidence, self.min_confidence),
            "new_errors": _member("new_errors", NewErrors, self.new_errors),
            "commands": _member("commands", Commands, self.commands),
        }
        for name, value in chosen.items():
            object.__setattr__(self, name, value)


def _member(name: str, members: Iterable[_Member], word: str) -> _Member:
    """Return the one of `members`, all or part of an enumeration, that equals `word`. Raises `UsageError`."""
    for member in members:
        if member == word:
            return member
    known = ", ".join(members if isinstance(members, type) else sorted(members))
    raise UsageError(f"{word!r} is no value of the policy's `{name}`.", hint=f"Choose one of: {known}")


def _several(name: str, values: Iterable[str] | None) -> tuple[str, ...] | None:
    if isinstance(values, str):
        raise UsageError(f"The policy's `{name}` takes several.", hint=f"Write {name}=({values!r},)")
    if values is not None and not isinstance(values, Iterable):
        raise UsageError(
            f"The policy's `{name}` takes several, and {values!r} is none.", hint="Hand in a tuple of words."
        )
    return None if values is None else tuple(values)


def _check_paths(only: Iterable[object]) -> None:
    for path in only:
        if not isinstance(path, str):
            hint = "Write it as a text with `/`, for example: path.as_posix()"
            raise UsageError(f"One of the policy's `only` is of the type {kind_of(path)}: {path!r}.", hint=hint)


DEFAULT_POLICY = Policy()
READS_CALLS = Policy(commands=Commands.CALLS)
"""The policy of programs that judge many replies: commands in calls of a shell's tool are read as edits."""
