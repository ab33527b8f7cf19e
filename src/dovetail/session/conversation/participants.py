"""The two sides that a conversation talks to: the model, and the person who decides; and who answers in their place."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from dovetail.llm.values import Delta, Request
from dovetail.model.codes import OnFailure
from dovetail.session.apply.applying import Prepared

if TYPE_CHECKING:
    # They load `ssl`, which a person who only applies a reply does not need.
    from dovetail.llm.client import Retry
    from dovetail.llm.transport import Cancellation


class Why(StrEnum):
    """Why a file might be added to the conversation."""

    ASKED = "asked"  # the model names it and sends no edit
    EDITED = "edited"  # the model edits it
    WHOLE = "whole"  # it is in the conversation, the model sees a part of it, names it, and sends no edit


@dataclass(frozen=True, slots=True)
class Approval:
    """What to write: the edits numbered in `chosen` (None: all that land), and what a failed edit means for them.

    partial: the edits are wanted although a part of the reply is not read.
    """

    chosen: frozenset[int] | None = None
    on_failure: OnFailure = OnFailure.ALL
    partial: bool = True


class StoppedError(Exception):
    """The person ended one request, and not the turn. The turn catches it."""


class Model(Protocol):
    """Answers requests: `llm.client.Client`, or a recording of one."""

    def stream(
        self,
        request: Request,
        *,
        cancel: Cancellation | None = None,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> Generator[Delta, None, None]:
        """Yield the reply's deltas as they come. Raises `ModelError`."""
        ...


class Person:
    """Answers a conversation's questions. This one stands for nobody: no file joins, nothing is written.

    Faces override what they can answer. KeyboardInterrupt from any answer ends the turn with nothing written.
    """

    decides_commands = False
    """Whether a plan of what a reply's commands would change may be put before it: that needs a yes of its own."""
    _tell: Callable[[Retry], None] | None = None

    def __init__(self, tell: Callable[[Retry], None] | None = None) -> None:
        """`tell` hears of waits."""
        self._tell = tell

    def add_file(self, path: str, why: Why) -> bool:  # noqa: ARG002 - for those who override it
        """Return whether an existing file may join the conversation, to be read and edited, or be shown whole."""
        return False

    def add_files(self, wanted: Sequence[tuple[str, Why]]) -> Iterator[bool]:
        """Answer `add_file` for several files, in order. A face that can put all questions at once overrides it."""
        return (self.add_file(path, why) for path, why in wanted)

    def use_arrived(self) -> bool:
        """Return whether to go on with the edits that arrived whole although their reply broke off after them."""
        return False

    def places(self, prepared: Prepared) -> Mapping[int, int | None]:  # noqa: ARG002 - for those who override it
        """For edits that fit several places (`prepared.ambiguous`): the line, from 1, where each begins, if known.

        None for one whose place the person chooses on the plan: nothing waits for it, and no model is asked about it.
        """
        return {}

    def listings(self, prepared: Prepared) -> Mapping[int, str]:  # noqa: ARG002 - for those who override it
        """Of the listings that are no edits (`prepared.usable_listings`), those to be used: each file, by its line."""
        return {}

    def approve(self, prepared: Prepared) -> Approval | None:  # noqa: ARG002 - for those who override it
        """Return what of a plan is to be written; None for nothing. Edits may have failed."""
        return None

    def waiting(self, retry: Retry) -> None:
        """Hear that the provider failed in a way that passes, and is asked again after a wait."""
        if self._tell is not None:
            self._tell(retry)

    def repairing(self) -> AbstractContextManager[object]:
        """Surrounds the reply to failed edits. A face that asks before it writes raises `StoppedError` out of an
        interruption; then the edits that came before are decided on."""
        return nullcontext()

    def writing(self) -> AbstractContextManager[object]:
        """Surrounds the writing itself, so that a face can hold back an interruption until it is whole."""
        return nullcontext()


class Consent(Person):
    """Answers for somebody who agreed beforehand: what fits is written, under the policy for failed edits."""

    def __init__(self, on_failure: OnFailure = OnFailure.ALL, tell: Callable[[Retry], None] | None = None) -> None:
        super().__init__(tell)
        self._on_failure = on_failure

    def add_file(self, path: str, why: Why) -> bool:  # noqa: ARG002 - any that is in the conversation
        """Let all of a file be shown that was named; let none join."""
        return why is Why.WHOLE

    def approve(self, prepared: Prepared) -> Approval | None:  # noqa: ARG002 - all of it
        """Approve all of it."""
        return Approval(None, self._on_failure, partial=False)
