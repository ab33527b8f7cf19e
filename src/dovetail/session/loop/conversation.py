"""A conversation with a model about files: what it holds, and one request after another.

Owns what lasts from turn to turn: the files, the history, the figures. What happens within a turn is `turn`'s. Prints
nothing: `ask` yields what happens, and a `Person` answers what must be asked. Invariant: no file is written but in
the last step of a turn, after its replies are complete and the person agreed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from dovetail.context import FILE_LIMIT
from dovetail.llm.prompts import Wording
from dovetail.llm.values import Message
from dovetail.session.loop.aftermath import NOT_APPLIED
from dovetail.session.loop.held_files import HeldFiles, with_files
from dovetail.session.loop.kept_map import DEFAULT_TOKENS, KeptMap
from dovetail.session.loop.ledger import Ledger
from dovetail.session.loop.turn import Outcome, Turn
from dovetail.session.terms import DEFAULT_TERMS, Terms

if TYPE_CHECKING:
    from dovetail.llm.cancellation import Cancellation
    from dovetail.llm.client import Retry
    from dovetail.llm.values import Delta, Request
    from dovetail.session.loop.person import Person
    from dovetail.session.loop.steps import Event
    from dovetail.session.settings import Settings
    from dovetail.workspace import Workspace


class Model(Protocol):
    """Whoever answers requests: `llm.client.Client`, or a recording of one."""

    def stream(
        self,
        request: Request,
        *,
        cancel: Cancellation | None = None,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> Generator[Delta, None, None]:
        """Yield the reply's deltas as they come. Raises `ModelError`."""
        ...


@dataclass(frozen=True, slots=True)
class Options:
    """How the model is asked and its replies are read.

    model: as users type it; `editor_model` is who turns a plan into edits, None for the same one.
    format: the edit format that the model is taught. terms: how its replies are read and planned.
    architect: the model plans in prose first. shell: commands may be suggested.
    max_rounds: how often failed edits go back with their diagnosis, before the last resorts; 0 for never.
    map_tokens: the most for the repository's map, 0 for none. file_tokens: the most for one file, None for all of it.
    budget: the most for all messages, None for no limit. max_tokens: the longest reply, None for the provider's.
    """

    model: str
    editor_model: str | None = None
    format: str = "diff"
    terms: Terms = DEFAULT_TERMS
    architect: bool = False
    shell: bool = True
    max_rounds: int = 3
    map_tokens: int = DEFAULT_TOKENS
    file_tokens: int | None = FILE_LIMIT
    budget: int | None = None
    max_tokens: int | None = None
    temperature: float | None = None

    @classmethod
    def of(cls, settings: Settings, model: str | None = None) -> Options:
        """As the settings say, with the defaults where they are silent; no model at all is an empty name."""
        asking = settings.asking
        named = ("editor_model", "format", "max_rounds", "map_tokens", "max_tokens")
        chosen: Any = {name: said for name in named if (said := getattr(asking, name)) is not None}
        return cls(model or asking.model or "", terms=settings.terms, **chosen)

    def wording(self, name: str) -> Wording:
        """How a format is taught under these terms."""
        return Wording(name, shell=self.shell, policy=self.terms.policy, markers=self.terms.markers)


class Conversation:
    """One conversation over one workspace. `options`, `held`, `history` and `notes` may be changed between turns.

    `notes` are sentences that the next request begins with.
    Not safe for use by several threads; `cancel` given to `ask` may be set from any.
    """

    def __init__(
        self,
        workspace: Workspace,
        model: Model,
        person: Person,
        options: Options,
        *,
        held: HeldFiles = HeldFiles(),  # noqa: B008 - a frozen value
    ) -> None:
        self.workspace = workspace
        self.model = model
        self.person = person
        self.options = options
        self.held = held
        self.history: list[Message] = []
        self.ledger = Ledger()
        self.map = KeptMap(workspace)
        self.notes: list[str] = []

    def add(self, *paths: str, read_only: Sequence[str] = ()) -> None:
        """Take files into the conversation, all or none. Raises `UsageError` where one of them is no text file."""
        self.held = with_files(self.workspace, self.held, paths, read_only)

    def ask(self, request: str, *, cancel: Cancellation | None = None) -> Generator[Event, None, Outcome]:
        """One turn: yields what happens, returns what came of it.

        Raises `ModelError` where the first reply does not come, `WorkspaceError` where the files cannot be read or
        written; then, and when the generator is closed early, nothing is written.
        """
        said = "\n\n".join([*self.notes, request])
        turn = Turn(self, said, cancel)
        outcome: Outcome | None = None
        try:
            outcome = yield from turn.run()
        finally:
            heard = turn.spoken()
            self.history.extend(heard)
            if outcome is not None:
                self.notes = outcome.told
            elif heard:
                self.notes = [NOT_APPLIED] if turn.left_edits else []
        return outcome
