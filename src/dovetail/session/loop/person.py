"""Who decides, as a conversation sees them: the questions it may ask, and those who answer without a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from dovetail.model.codes import OnFailure

if TYPE_CHECKING:
    from dovetail.llm.client import Retry
    from dovetail.session.applying.apply import Prepared
    from dovetail.session.loop.steps import Why


@dataclass(frozen=True, slots=True)
class Approval:
    """What is to be written: the edits numbered in `chosen` (None: all that land), and what a failed edit means."""

    chosen: frozenset[int] | None = None
    on_failure: OnFailure = OnFailure.ALL


class StoppedError(Exception):
    """The person ended one request, and not the turn. The turn catches it; nobody else hears of it."""


class Person(Protocol):
    """Answers a conversation's questions. KeyboardInterrupt from any of them ends the turn with nothing written."""

    def add_file(self, path: str, why: Why) -> bool:
        """Whether an existing file may join the conversation, to be read and edited."""
        ...

    def use_arrived(self) -> bool:
        """Whether edits that arrived whole are decided on at once where their reply broke off behind them."""
        ...

    def places(self, prepared: Prepared) -> Mapping[int, int]:
        """For edits that fit several places (`prepared.ambiguous`): the line, from 1, where each begins, if known."""
        ...

    def approve(self, prepared: Prepared) -> Approval | None:
        """What of a plan is to be written; None for nothing. Edits may have failed."""
        ...

    def waiting(self, retry: Retry) -> None:
        """The provider failed in a way that passes, and is asked again after a wait."""
        ...

    def repairing(self) -> AbstractContextManager[object]:
        """Surrounds the reply to failed edits; a face that asks before it writes raises `StoppedError` out of an
        interruption, and the edits that came before are decided on."""
        ...

    def writing(self) -> AbstractContextManager[object]:
        """Surrounds the writing itself, so that a face can hold back an interruption until it is whole."""
        ...


class Nobody:
    """Nobody is there: no file joins, no place is chosen, nothing is written. Whoever reads may be told of waits."""

    _tell: Callable[[Retry], None] | None = None

    def __init__(self, tell: Callable[[Retry], None] | None = None) -> None:
        self._tell = tell

    def add_file(self, path: str, why: Why) -> bool:  # noqa: ARG002 - the protocol's
        """No."""
        return False

    def use_arrived(self) -> bool:
        """No: nobody looks at what is missing."""
        return False

    def places(self, prepared: Prepared) -> Mapping[int, int]:  # noqa: ARG002 - the protocol's
        """None is known."""
        return {}

    def approve(self, prepared: Prepared) -> Approval | None:  # noqa: ARG002 - the protocol's
        """Nothing."""
        return None

    def waiting(self, retry: Retry) -> None:
        """Tell of it."""
        if self._tell is not None:
            self._tell(retry)

    def repairing(self) -> AbstractContextManager[object]:
        """An interruption ends the turn: nobody would be asked what to write."""
        return nullcontext()

    def writing(self) -> AbstractContextManager[object]:
        """Nothing to hold back."""
        return nullcontext()


class Consent(Nobody):
    """Somebody said yes beforehand: what lands is written, under the policy for failed edits that they chose."""

    def __init__(self, on_failure: OnFailure = OnFailure.ALL, tell: Callable[[Retry], None] | None = None) -> None:
        super().__init__(tell)
        self._on_failure = on_failure

    def approve(self, prepared: Prepared) -> Approval | None:  # noqa: ARG002 - the protocol's
        """All of it."""
        return Approval(None, self._on_failure)
