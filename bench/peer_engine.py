"""What the adapters of peers' cases share: a comparison, and a reply or blocks landed through the public rooms.

An adapter takes one recorded case and says what the peer expects and what Dovetail gives, as two values that are
equal where they agree. A refusal is the value `REFUSED` on both sides; how each words it is not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from dovetail.formats import parse
from dovetail.formats.table import AUTO
from dovetail.model.blocks import Block, Parsed
from dovetail.model.codes import Occurrence, OnFailure, Status
from dovetail.model.language import Language
from dovetail.model.policy import Policy
from dovetail.model.results import Plan
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan

Case = Mapping[str, Any]
Files = dict[str, str]

REFUSED = "refused"

PROMISED_FIRST = ("aider", "srpy", "cline")
"""Peers that tell their models that the first of several places is taken."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a peer expects, what Dovetail gives, and what Dovetail says about it."""

    expected: object
    got: object
    said: str = ""

    @property
    def agrees(self) -> bool:
        """Whether both give the same."""
        return self.expected == self.got


Adapter = Callable[[Case], Comparison]


@cache
def language() -> Language:
    """The languages the engine knows, loaded once."""
    from dovetail.syntax import default_language

    return default_language()


def policy_for(case: Case, on_failure: OnFailure = OnFailure.ALL, only: Sequence[str] | None = None) -> Policy:
    """The policy that is nearest to what a peer promises its models."""
    first = case["peer"] in PROMISED_FIRST
    return Policy(
        on_failure=on_failure,
        occurrence=Occurrence.FIRST if first else Occurrence.UNIQUE,
        only=None if only is None else tuple(only),
    )


def relative(files: Mapping[str, str]) -> Files:
    """Recorded files under the root: an absolute path loses its first slash."""
    return {path.lstrip("/"): text for path, text in files.items()}


def made(parsed: Parsed, files: Mapping[str, str], policy: Policy) -> Plan:
    """Plan on files in memory."""
    return plan(parsed, Snapshot.of(files), policy, language())


def after(planned: Plan, files: Mapping[str, str]) -> Files:
    """Every file that exists once the plan is carried out."""
    changed = {change.path: change.after for change in planned.changes}
    return {path: text for path, text in {**files, **changed}.items() if text is not None}


def said(planned: Plan) -> str:
    """One line per block on what became of it."""
    lines = [f"{r.n}: {r.status} {r.tier or r.code or ''} {r.path}: {r.reason or ''}" for r in planned.results]
    return "\n".join(lines) or "no block"


def landed(parsed: Parsed, files: Mapping[str, str], policy: Policy) -> tuple[Files | str, str]:
    """The files after, or a refusal where a block failed or there is none; and what was said."""
    planned = made(parsed, files, policy)
    refused = not planned.results or any(r.status in (Status.FAILED, Status.LEFT_OUT) for r in planned.results)
    if refused and policy.on_failure is OnFailure.ALL:
        return REFUSED, said(planned)
    return after(planned, files), said(planned)


def land_reply(reply: str, files: Mapping[str, str], policy: Policy, named: str = AUTO) -> tuple[Files | str, str]:
    """Parse a reply, as the format that is named or as any, and land it."""
    return landed(parse(reply, format=named), files, policy)


def land_blocks(blocks: Sequence[Block], files: Mapping[str, str], policy: Policy) -> tuple[Files | str, str]:
    """Land blocks that were never text."""
    return landed(Parsed(tuple(blocks)), files, policy)


def wanted(case: Case) -> Files | str:
    """What the peer has afterwards: files, or a refusal."""
    expect = case["expect"]
    return REFUSED if "error" in expect else relative(expect["files"])


def lines(text: str) -> str:
    """A half of a line-based block: whole lines."""
    return text if not text or text.endswith("\n") else text + "\n"
