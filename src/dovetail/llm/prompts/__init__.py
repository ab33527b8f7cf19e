"""What teaches a model an edit format: system text, worked examples, a reminder. Markdown data, composed here.

Each format's document holds what is its own: the form of an edit, its rules, how files are created. All else (who the
model is, sizes, exact quoting, deletes and renames, commands) is shared and fitted in by the format's words. Rendered
with the fence, the markers and the policy in force; `editor-*` formats never ask for commands.
"""

from __future__ import annotations

from dataclasses import dataclass

from dovetail.formats.table import FORMATS
from dovetail.llm.fences import Fence
from dovetail.llm.prompts.documents import Document, format_document, piece
from dovetail.llm.prompts.rendering import Value, fill, tidy
from dovetail.llm.prompts.scenes import Scene, fence_words, marker_words, scenes
from dovetail.llm.values import Message
from dovetail.model.codes import Occurrence, OnFailure
from dovetail.model.errors import UsageError
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.policy import DEFAULT_POLICY, Policy

__all__ = ["FORMATS", "Wording", "architect", "check_format"]


@dataclass(frozen=True, slots=True)
class Wording:
    """How a format is taught. Its texts raise `UsageError` where `format` is a name that is none.

    shell: commands are asked for where they help. markers: those that the reply will be read with.
    """

    format: str
    fence: Fence = Fence()  # noqa: RUF009 - a frozen value
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
        """The worked examples as turns of a conversation."""
        return tuple(turn for scene in self.scenes for turn in scene.messages(self.fence))

    @property
    def _document(self) -> Document:
        check_format(self.format)
        return format_document(self.format)

    @property
    def _may_suggest(self) -> bool:
        return self.shell and self._document.meta.get("shell", "yes") == "yes"

    def _text(self, which: str) -> str:
        """Words go into sections and pieces, these into the whole; nothing that was put in is looked at again."""
        document, words = self._document, self._words()
        sections = {part: fill(document.sections.get(part, ""), words) for part in ("form", "rules", "files", "recall")}
        scope = {"scope": piece("pieces", "scope")}
        chosen = _chosen(document, self._may_suggest, self.policy)
        pieces = {place: fill(piece("pieces", of), words | scope) if of else "" for place, of in chosen.items()}
        return tidy(fill(piece("pieces", which), words | scope | sections | pieces))

    def _words(self) -> dict[str, Value]:
        """The words of the format that pieces are fitted in with."""
        marks, meta = marker_words(self.markers), self._document.meta
        own: dict[str, Value] = {name: fill(meta.get(name, ""), marks) for name in ("noun", "quote", "edit", "file")}
        return own | marks | fence_words(self.fence)


def architect() -> str:
    """The system text for the model that plans in prose; a second one turns the plan into edits."""
    return tidy(fill(piece("pieces", "architect"), {"scope": piece("pieces", "scope")}))


def check_format(name: str) -> None:
    """Raise `UsageError` for a name that is no format, with those that are."""
    if name not in FORMATS:
        raise UsageError(f"There is no format {name!r}.", hint=f"Choose one of: {', '.join(FORMATS)}")


def _chosen(document: Document, shell: bool, policy: Policy) -> dict[str, str]:
    """Which piece stands in which place; "" for none."""
    meta = document.meta
    edits = meta["kind"] == "edits"
    return {
        "role": meta.get("role", "role"),
        "answer": meta.get("answer", "answer"),
        "exact": "exact" if edits else "complete",
        "brief": "recall-edits" if edits else "recall-files",
        "place": ("place-first" if policy.occurrence is Occurrence.FIRST else "place-unique") if edits else "",
        "together": "together" if policy.on_failure is OnFailure.ALL and edits else "",
        "sizing": "sizing" if edits else "",
        "guidance": "edit-or-file" if meta.get("file") else "edit-or-new" if edits else "",
        "moves": "" if meta["moves"] == "own" else "moves-by-shell" if shell else "moves-in-words",
        "commands": meta.get("commands", "commands") if shell else "no-commands",
    }
