"""The two sides of a conversation: the model, and the person who decides; and stand-ins for the person."""

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
    """A person's consent to write the edits numbered in `chosen` (None: all that land).

    on_failure: what a failed edit means for the others. partial: write them although a part of the reply is not read.
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
    """Answers a conversation's questions. This one declines all: no file is added, nothing is written.

    Faces override the questions that they can ask. KeyboardInterrupt from any answer ends the turn, nothing written.
    """

    decides_commands = False
    """Whether the person can be asked to agree to the changes that a reply's commands would make."""
    _tell: Callable[[Retry], None] | None = None

    def __init__(self, tell: Callable[[Retry], None] | None = None) -> None:
        """tell: called before each wait for another attempt."""
        self._tell = tell

    def add_file(self, path: str, why: Why) -> bool:  # noqa: ARG002 - for those who override it
        """Return whether an existing file may join the conversation, to be read and edited, or be shown whole."""
        return False

    def add_files(self, wanted: Sequence[tuple[str, Why]]) -> Iterator[bool]:
        """Yield the answers of `add_file` for several files, in order. A face that can ask all at once overrides it."""
        return (self.add_file(path, why) for path, why in wanted)

    def use_arrived(self) -> bool:
        """Return whether to go on with the edits that arrived whole although their reply broke off after them."""
        return False

    def places(self, prepared: Prepared) -> Mapping[int, int | None]:  # noqa: ARG002 - for those who override it
        """Return, by number, the line (from 1) at which an edit that fits several places (`prepared.ambiguous`) begins.

        Edits without an answer are left out. None means that the person chooses the place on the plan: the turn does
        not wait for it, and the model is not asked about that edit.
        """
        return {}

    def listings(self, prepared: Prepared) -> Mapping[int, str]:  # noqa: ARG002 - for those who override it
        """Return the listings (`prepared.usable_listings`) to use as edits: their files, by the listing's line."""
        return {}

    def approve(self, prepared: Prepared) -> Approval | None:  # noqa: ARG002 - for those who override it
        """Return what of a plan is to be written; None for nothing. Edits may have failed."""
        return None

    def waiting(self, retry: Retry) -> None:
        """Call `tell`: the provider failed temporarily, and is asked again after a wait."""
        if self._tell is not None:
            self._tell(retry)

    def repairing(self) -> AbstractContextManager[object]:
        """Return a context manager around the reply to failed edits.

        A face that asks before it writes turns an interruption into `StoppedError`; then the turn goes on with the
        edits that came before.
        """
        return nullcontext()

    def writing(self) -> AbstractContextManager[object]:
        """Return a context manager around the writing, in which a face can delay an interruption."""
        return nullcontext()


class Consent(Person):
    """Answers for somebody who agreed beforehand: what fits is written, under the policy for failed edits."""

    def __init__(self, on_failure: OnFailure = OnFailure.ALL, tell: Callable[[Retry], None] | None = None) -> None:
        super().__init__(tell)
        self._on_failure = on_failure

    def add_file(self, path: str, why: Why) -> bool:  # noqa: ARG002 - any that is in the conversation
        """Return True only for a file of the conversation that is to be shown whole."""
        return why is Why.WHOLE

    def approve(self, prepared: Prepared) -> Approval | None:  # noqa: ARG002 - all of it
        """Approve all edits that land."""
        return Approval(None, self._on_failure, partial=False)
