"""What a conversation costs: tokens by request, and what repairing saved against sending files again.

Two kinds of figures stand side by side and are never mixed: the provider's own, where it gives them, and estimates of
what Dovetail composed. Savings compare estimates with estimates: a repair message against the files in the chat.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dovetail.session.loop.steps import Step

if TYPE_CHECKING:
    from dovetail.llm.values import Usage

REPAIRS = frozenset({Step.REPAIR, Step.WIDER, Step.WHOLE})


@dataclass(frozen=True, slots=True)
class Spent:
    """One request.

    sent, received: estimated tokens of all messages, and of the reply.
    usage: the provider's figures for the same, None where it gave none.
    message: of a repair, the tokens of the message alone. again: what the files in the chat would have cost instead.
    """

    step: Step
    model: str
    sent: int
    received: int
    usage: Usage | None = None
    message: int = 0
    again: int = 0

    @property
    def input(self) -> int:
        """Tokens in, by the provider where it said; no request is of none."""
        return (self.usage.input if self.usage is not None else 0) or self.sent

    @property
    def output(self) -> int:
        """Tokens out, by the provider where it said."""
        return (self.usage.output if self.usage is not None else 0) or self.received

    @property
    def saved(self) -> int:
        """Tokens that the repair message saved; below 0 where it was the longer one."""
        return self.again - self.message if self.step in REPAIRS else 0


@dataclass(frozen=True, slots=True)
class Total:
    """Sums over requests."""

    requests: int = 0
    input: int = 0
    output: int = 0
    repairs: int = 0
    messages: int = 0
    again: int = 0

    @property
    def saved(self) -> int:
        """Tokens that repair messages saved against sending the files again."""
        return self.again - self.messages


@dataclass
class Ledger:
    """Every request so far, in order."""

    entries: list[Spent] = field(default_factory=list)

    def add(self, spent: Spent) -> None:
        """Note one request."""
        self.entries.append(spent)

    @property
    def total(self) -> Total:
        """Sums over all entries."""
        return total_of(self.entries)

    def by_step(self) -> dict[Step, Total]:
        """Sums for each step that was taken, in the order of `Step`."""
        return {
            step: total_of(entries)
            for step in Step
            if (entries := [entry for entry in self.entries if entry.step is step])
        }


def total_of(entries: Iterable[Spent]) -> Total:
    """Sums over some entries."""
    listed = list(entries)
    repairs = [entry for entry in listed if entry.step in REPAIRS]
    return Total(
        requests=len(listed),
        input=sum(entry.input for entry in listed),
        output=sum(entry.output for entry in listed),
        repairs=len(repairs),
        messages=sum(entry.message for entry in repairs),
        again=sum(entry.again for entry in repairs),
    )
