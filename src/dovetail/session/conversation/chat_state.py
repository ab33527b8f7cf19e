"""The state of a conversation between its turns: how the model is asked, the files, the history, the costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dovetail.context import FILE_LIMIT
from dovetail.llm.assemble import TOOLS
from dovetail.llm.prompts import Wording
from dovetail.llm.values import Message
from dovetail.model.codes import EditsBy
from dovetail.session.apply.applying import NO_GIT, GitChoice
from dovetail.session.conversation.chat_files import ChatFiles, with_files
from dovetail.session.conversation.context_message import DEFAULT_TOKENS, ChatMap
from dovetail.session.conversation.participants import Model, Person
from dovetail.session.conversation.turn_events import Ledger
from dovetail.session.settings import DEFAULT_REPLY_OPTIONS, ReplyOptions, Settings
from dovetail.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Options:
    """How the model is asked and its replies are read.

    model: as users type it; `editor_model` turns a plan into edits, None for the same one.
    format: the edit format that the model is taught. reply: how its replies are read and planned.
    edits_by: `EditsBy`, or its word; with ``tools`` no format is taught.
    architect: the model plans in prose first. shell: commands may be suggested.
    max_rounds: how often failed edits go back with their diagnosis, before the last resorts; 0 for never.
    map_tokens: the most tokens for the repository's map, 0 for none. file_tokens: for one file, None for no limit.
    budget: for all messages, None for no limit. max_tokens: for the reply, None for the provider's limit.
    git: what git does with the files that a turn writes.
    """

    model: str
    editor_model: str | None = None
    format: str = "diff"
    edits_by: str = EditsBy.TEXT
    reply: ReplyOptions = DEFAULT_REPLY_OPTIONS
    architect: bool = False
    shell: bool = True
    max_rounds: int = 3
    map_tokens: int = DEFAULT_TOKENS
    file_tokens: int | None = FILE_LIMIT
    budget: int | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    git: GitChoice = NO_GIT

    @classmethod
    def of(cls, settings: Settings, model: str | None = None) -> Options:
        """Return the options of the settings, with defaults for the rest; `model` is "" if no model is named."""
        models = settings.models
        names = ("editor_model", "format", "edits_by", "max_rounds", "map_tokens", "max_tokens")
        chosen: Any = {name: value for name in names if (value := getattr(models, name)) is not None}
        return cls(model or models.model or "", reply=settings.reply, **chosen)

    @property
    def saved_settings(self) -> dict[str, str | int | None]:
        """The options that a settings file can keep, by its names; None for a setting to remove."""
        policy = self.reply.policy
        return {
            "model": self.model or None,
            "editor-model": self.editor_model,
            "edit-format": self.format,
            "edits-by": str(self.edits_by),
            "format": self.reply.format,
            "max-rounds": self.max_rounds,
            "map-tokens": self.map_tokens,
            "occurrence": str(policy.occurrence),
            "conflicts": str(policy.conflicts),
        }

    @property
    def by_tools(self) -> bool:
        """Return whether the model edits by calling tools."""
        return self.edits_by == EditsBy.TOOLS

    @property
    def taught(self) -> str:
        """The format that the model is taught, or ``tools``."""
        return TOOLS if self.by_tools else self.format

    def wording(self, name: str) -> Wording:
        """Return the prompts of a format under these options."""
        return Wording(name, shell=self.shell, policy=self.reply.policy, markers=self.reply.markers)


class ChatState:
    """The state of a conversation. Between turns `options`, `files`, `history` and `notes` may be changed.

    notes: sentences that the next request begins with. Not safe for use by several threads.
    """

    def __init__(
        self,
        workspace: Workspace,
        model: Model,
        person: Person,
        options: Options,
        *,
        files: ChatFiles = ChatFiles(),  # noqa: B008 - a frozen value
    ) -> None:
        self.workspace = workspace
        self.model = model
        self.person = person
        self.options = options
        self.files = files
        self.history: list[Message] = []
        self.ledger = Ledger()
        self.map = ChatMap(workspace)
        self.notes: list[str] = []

    def add(self, *paths: str, read_only: Sequence[str] = ()) -> None:
        """Add files to the conversation, all or none. Raises `UsageError` if one cannot be shown."""
        self.files = with_files(self.workspace, self.files, paths, read_only)
