"""The prompts that teach a model an edit format: system text, worked examples, a reminder; composed of Markdown data.

The document of a format holds what only that format has: the form of an edit, its rules, how files are created. All
else (the model's role, sizes, exact quoting, deletes and renames, commands) is shared text with gaps for the format's
words. The texts fit the fence, the markers and the policy in force; `editor-*` formats never ask for commands.
"""

from __future__ import annotations

from dataclasses import dataclass

from dovetail.formats.table import format_names
from dovetail.llm.prompts.texts import (
    CodeFence,
    PromptDocument,
    Scene,
    Value,
    fence_words,
    fill,
    format_document,
    marker_words,
    piece,
    scenes,
    tidy,
)
from dovetail.llm.values import Message
from dovetail.model.codes import Occurrence, OnFailure
from dovetail.model.errors import UsageError
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.policy import DEFAULT_POLICY, Policy

__all__ = ["Wording", "architect", "check_format", "format_names", "with_tools"]


@dataclass(frozen=True, slots=True)
class Wording:
    """The prompts of a format. The properties raise `UsageError` if there is no such format.

    shell: ask for commands where they help. markers: those with which the reply will be parsed.
    """

    format: str
    fence: CodeFence = CodeFence()  # noqa: RUF009 - a frozen value
    shell: bool = True
    policy: Policy = DEFAULT_POLICY
    markers: Markers = DEFAULT_MARKERS

    @property
    def system(self) -> str:
        """The system text."""
        return self._text("system")

    @property
    def reminder(self) -> str:
        """The short text that closes a request."""
        return self._text("reminder")

    @property
    def scenes(self) -> tuple[Scene, ...]:
        """The worked examples, with their files before and after."""
        return scenes(self.format, self.fence, self._may_suggest, self.markers)

    @property
    def examples(self) -> tuple[Message, ...]:
        """The worked examples as messages."""
        return tuple(turn for scene in self.scenes for turn in scene.messages(self.fence))

    @property
    def _document(self) -> PromptDocument:
        check_format(self.format)
        return format_document(self.format)

    @property
    def _may_suggest(self) -> bool:
        return self.shell and self._document.meta.get("shell", "yes") == "yes"

    def _text(self, which: str) -> str:
        """Fill words into sections and pieces, and these into the whole."""
        document, marks = self._document, marker_words(self.markers)
        names = ("noun", "quote", "edit", "file")
        words: dict[str, Value] = {name: fill(document.meta.get(name, ""), marks) for name in names}
        words |= marks | fence_words(self.fence)
        sections = {part: fill(document.sections.get(part, ""), words) for part in ("form", "rules", "files", "recall")}
        scope = {"scope": piece("pieces", "scope")}
        meta = document.meta
        kind = meta["kind"]
        edits = kind == "edits"
        chosen = {
            "role": meta.get("role", "role"),
            "answer": meta.get("answer", "answer"),
            "exact": {"edits": "exact", "files": "complete"}.get(kind, ""),
            "brief": {"edits": "recall-edits", "files": "recall-files"}.get(kind, ""),
            "place": ("place-first" if self.policy.occurrence is Occurrence.FIRST else "place-unique") if edits else "",
            "together": "together" if self.policy.on_failure is OnFailure.ALL and edits else "",
            "sizing": "sizing" if edits else "",
            "guidance": "edit-or-file" if meta.get("file") else "edit-or-new" if kind != "files" else "",
            "moves": "" if meta["moves"] == "own" else "moves-by-shell" if self._may_suggest else "moves-in-words",
            "commands": meta.get("commands", "commands") if self._may_suggest else "no-commands",
        }
        pieces = {gap: fill(piece("pieces", name), words | scope) if name else "" for gap, name in chosen.items()}
        return tidy(fill(piece("pieces", which), words | scope | sections | pieces))


def architect() -> str:
    """Return the system text for the model that plans in prose; a second model turns the plan into edits."""
    return tidy(fill(piece("pieces", "architect"), {"scope": piece("pieces", "scope")}))


def with_tools(wording: Wording) -> str:
    """Return the system text for a model that edits by calling tools; of the wording, `shell` and `fence` count."""
    scope = {"scope": piece("pieces", "scope")}
    commands = fill(piece("pieces", "commands" if wording.shell else "no-commands"), fence_words(wording.fence))
    return tidy(fill(piece("pieces", "tools"), {"role": fill(piece("pieces", "role"), scope), "commands": commands}))


def check_format(name: str) -> None:
    """Raise `UsageError`, with the names of all formats, unless `name` is one of them."""
    if name not in (names := format_names()):
        raise UsageError(f"There is no format {name!r}.", hint=f"Choose one of: {', '.join(names)}")
