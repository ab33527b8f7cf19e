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
from dovetail.llm.prompts.scenes import Scene, fence_words, marker_words
from dovetail.llm.prompts.scenes import scenes as _scenes
from dovetail.llm.values import Message
from dovetail.model.codes import Occurrence, OnFailure
from dovetail.model.errors import UsageError
from dovetail.model.markers import DEFAULT_MARKERS, Markers
from dovetail.model.policy import DEFAULT_POLICY, Policy

__all__ = ["FORMATS", "architect", "examples", "reminder", "scenes", "system"]


def system(
    format: str,  # noqa: A002  # the word the command line and the docs use
    *,
    fence: Fence | str = "```",
    shell: bool = True,
    policy: Policy = DEFAULT_POLICY,
    markers: Markers = DEFAULT_MARKERS,
) -> str:
    """The system text for one format. `shell` asks for commands where they help.

    `markers` are those that the reply will be read with.

    Raises `UsageError` for a name that is no format.
    """
    return _text("system", format, _Terms(Fence.of(fence), markers, shell, policy))


def reminder(
    format: str,  # noqa: A002  # as above
    *,
    fence: Fence | str = "```",
    shell: bool = True,
    policy: Policy = DEFAULT_POLICY,
    markers: Markers = DEFAULT_MARKERS,
) -> str:
    """The short text that closes a request. Raises `UsageError` for a name that is no format."""
    return _text("reminder", format, _Terms(Fence.of(fence), markers, shell, policy))


def scenes(
    format: str,  # noqa: A002  # as above
    *,
    fence: Fence | str = "```",
    shell: bool = True,
    markers: Markers = DEFAULT_MARKERS,
) -> tuple[Scene, ...]:
    """The worked examples of one format, with their files before and after."""
    return _scenes(_known(format), Fence.of(fence), shell and _may_suggest(format_document(format)), markers)


def examples(
    format: str,  # noqa: A002  # as above
    *,
    fence: Fence | str = "```",
    shell: bool = True,
    markers: Markers = DEFAULT_MARKERS,
) -> tuple[Message, ...]:
    """The worked examples as turns of a conversation."""
    made = Fence.of(fence)
    shown = scenes(format, fence=made, shell=shell, markers=markers)
    return tuple(turn for scene in shown for turn in scene.messages(made))


def architect() -> str:
    """The system text for the model that plans in prose; a second one turns the plan into edits."""
    return tidy(fill(piece("pieces", "architect"), {"scope": piece("pieces", "scope")}))


def _known(name: str) -> str:
    if name not in FORMATS:
        raise UsageError(f"There is no format {name!r}.", hint=f"Choose one of: {', '.join(FORMATS)}")
    return name


def _may_suggest(document: Document) -> bool:
    return document.meta.get("shell", "yes") == "yes"


@dataclass(frozen=True, slots=True)
class _Terms:
    """What a text is rendered with."""

    fence: Fence
    markers: Markers
    shell: bool
    policy: Policy


def _text(which: str, name: str, terms: _Terms) -> str:
    """Words go into sections and pieces, these into the whole; nothing that was put in is looked at again."""
    document = format_document(_known(name))
    words = _words(document, terms)
    sections = {part: fill(document.sections.get(part, ""), words) for part in ("form", "rules", "files", "recall")}
    scope = {"scope": piece("pieces", "scope")}
    chosen = _chosen(document, terms.shell and _may_suggest(document), terms.policy)
    pieces = {place: fill(piece("pieces", of), words | scope) if of else "" for place, of in chosen.items()}
    return tidy(fill(piece("pieces", which), words | scope | sections | pieces))


def _words(document: Document, terms: _Terms) -> dict[str, Value]:
    """The words of the format that pieces are fitted in with."""
    marks = marker_words(terms.markers)
    own: dict[str, Value] = {
        name: fill(document.meta.get(name, ""), marks) for name in ("noun", "quote", "edit", "file")
    }
    return own | marks | fence_words(terms.fence)


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
