"""The events of a stream while a reply arrives: frozen values, in the reply's order.

An event is sent as soon as it is certain and is never taken back. Several events in a row of the same kind (`Text`,
`LinesSoFar`) may be cut at any line, so only their concatenation means something; every other event comes once,
whatever pieces the reply arrived in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from dovetail.model.blocks import Block, DatabaseAction, ShellSuggestion
    from dovetail.model.diagnostics import Diagnostic

Part = Literal["search", "replace"]


@dataclass(frozen=True, slots=True)
class Text:
    """Whole lines of the reply that belong to no block. `code`: they stand in a fence."""

    text: str
    line: int
    code: bool = False


@dataclass(frozen=True, slots=True)
class PathKnown:
    """The next block's best path; the block may be resolved to another one when the files are known."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class BlockOpened:
    """A block began at `line`. `n` counts blocks from 1 and is the same in the block's later events."""

    n: int
    format: str
    line: int
    path: str | None = None


@dataclass(frozen=True, slots=True)
class LinesSoFar:
    """Lines of block `n` that just arrived. `part` follows the likeliest reading; `BlockClosed` has the final one."""

    n: int
    part: Part
    text: str


@dataclass(frozen=True, slots=True)
class BlockClosed:
    """Block `n` is complete (or known to be malformed, see `Block.malformed`)."""

    n: int
    block: Block


@dataclass(frozen=True, slots=True)
class ShellSuggested:
    """A command was suggested; it is listed and never run."""

    suggestion: ShellSuggestion


@dataclass(frozen=True, slots=True)
class DatabaseSuggested:
    """A `supabase` action was complete."""

    action: DatabaseAction


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """A diagnostic about the reply was found."""

    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class ArtifactOpened:
    """A `<boltArtifact>` began."""

    id: str
    title: str
    line: int


@dataclass(frozen=True, slots=True)
class ArtifactClosed:
    """A `<boltArtifact>` ended, after `actions` actions."""

    id: str
    title: str
    line: int
    actions: int


@dataclass(frozen=True, slots=True)
class ActionOpened:
    """Action `number` (from 1) of an artifact began; `kind` is its ``type``. A lone action has an empty id."""

    artifact_id: str
    title: str
    number: int
    kind: str
    line: int
    path: str | None = None


@dataclass(frozen=True, slots=True)
class ActionClosed:
    """Action `number` ended; its blocks, suggestions and database actions were sent before."""

    artifact_id: str
    title: str
    number: int
    kind: str
    line: int
    path: str | None = None


Event = (
    Text
    | PathKnown
    | BlockOpened
    | LinesSoFar
    | BlockClosed
    | ShellSuggested
    | DatabaseSuggested
    | Diagnosed
    | ArtifactOpened
    | ArtifactClosed
    | ActionOpened
    | ActionClosed
)
