"""The worked examples: little scenes with files before and after, and a reply in every format.

A scene is a folder: ``request.md``, ``before/``, ``after/``, ``replies/FORMAT.md``. Where a format renames and deletes
files itself, ``after-moved/`` holds what comes out. A file's name there is its path with ``__`` for ``/``, and ``.txt``
behind it, so that no tool takes it for code of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dovetail.llm.fences import Fence
from dovetail.llm.prompts.documents import Document, folder, format_document
from dovetail.llm.prompts.rendering import Value, fill
from dovetail.llm.values import Message, Role
from dovetail.model.markers import Markers
from dovetail.syntax import language_of

_NATIVE, _SHELL = "own", "shell"


@dataclass(frozen=True, slots=True)
class Scene:
    """One example: a user's files and wish, the reply that fulfils it, and the files that come out.

    `commands` are what the reply suggests for a shell; they do not show in `after`.
    """

    name: str
    before: Mapping[str, str]
    request: str
    reply: str
    after: Mapping[str, str]

    def messages(self, fence: Fence) -> tuple[Message, Message]:
        """The example as two turns."""
        shown = [f"{path}\n{fence.around(text, language_of(path) or '')}" for path, text in self.before.items()]
        return Message(Role.USER, "\n\n".join([*shown, self.request])), Message(Role.ASSISTANT, self.reply)


def scenes(name: str, fence: Fence, shell: bool, markers: Markers) -> tuple[Scene, ...]:
    """The scenes that a format's prompt shows, rendered with a fence and markers."""
    document = format_document(name)
    chosen = document.meta["scenes"].split()
    words = fence_words(fence) | marker_words(markers)
    return tuple(_scene(scene, name, document, words) for scene in chosen if shell or not _needs_shell(scene, document))


def _needs_shell(scene: str, document: Document) -> bool:
    return scene == "move" and document.meta["moves"] == _SHELL


def _scene(scene: str, name: str, document: Document, words: Mapping[str, Value]) -> Scene:
    source = document.meta.get("like", name)
    reply = folder("examples", scene, "replies", f"{source}.md").read_text(encoding="utf-8").strip("\n")
    request = folder("examples", scene, "request.md").read_text(encoding="utf-8").strip("\n")
    moved = folder("examples", scene, "after-moved")
    after = "after-moved" if document.meta["moves"] == _NATIVE and moved.is_dir() else "after"
    return Scene(scene, _files(scene, "before"), request, fill(reply, words) + "\n", _files(scene, after))


def _files(scene: str, when: str) -> dict[str, str]:
    found = sorted(folder("examples", scene, when).iterdir(), key=lambda place: place.name)
    return {_path(place.name): place.read_text(encoding="utf-8") for place in found}


def _path(name: str) -> str:
    return name.removesuffix(".txt").replace("__", "/")


def fence_words(fence: Fence) -> dict[str, Value]:
    """The gaps that a fence fills: of code in any language, and of commands."""
    commands = fence.for_commands
    return {
        "open": fence.opening,
        "close": fence.right,
        "bash": commands.opening("bash"),
        "bash-end": commands.right,
    }


def marker_words(markers: Markers) -> dict[str, Value]:
    """The gaps that markers fill: their runs, and the words of the first pair."""
    return {
        "left": "<" * markers.usual,
        "right": ">" * markers.usual,
        "divider": markers.divider,
        "dashes": "-" * markers.usual,
        "pluses": "+" * markers.usual,
        "search": markers.search_words[0],
        "replace": markers.replace_words[0],
    }
