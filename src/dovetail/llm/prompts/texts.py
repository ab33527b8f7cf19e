"""The prompts' texts: how documents are read, gaps are filled, code is fenced and worked examples are put together.

A document has front matter between two ``---`` lines (``key: value``), then text, or sections that begin with
``# name``. A gap is ``{{name}}`` or ``{{name argument}}``. Only the package's own data is ever filled, once, from left
to right: what fills a gap is not read for gaps again, and replies and files are never read as templates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from dovetail.formats.table import PROMPTS
from dovetail.llm.values import Message, Role
from dovetail.model.errors import UsageError
from dovetail.model.markers import Markers
from dovetail.model.text import closed
from dovetail.syntax import language_of

Value = str | Callable[[str], str]
"""The value of a gap: a text, or a function of the gap's argument ("" if it has none)."""

_ROOT = "dovetail.llm.prompts"
_SECTION = re.compile(r"^# ([a-z][a-z -]*)\n", re.MULTILINE)
_GAP = re.compile(r"\{\{([a-z][a-z-]*)(?: ([a-z]+))?\}\}")
_BLANK_RUN = re.compile(r"\n{3,}")
# A heading with nothing below it but the next heading, or the end.
_EMPTY_PART = re.compile(r"^## [^\n]*\n+(?=## |\Z)", re.MULTILINE)
_BACKTICKS = re.compile(r"`{3,}")


# --- Documents


@dataclass(frozen=True, slots=True)
class PromptDocument:
    """Front matter and sections; text before the first section is the section ``""``."""

    meta: Mapping[str, str]
    sections: Mapping[str, str]


def folder(*names: str) -> Traversable:
    """Return a folder or file of the package's data."""
    return files(_ROOT).joinpath(*names)


@cache
def piece(*names: str) -> str:
    """Return a shared text without blank lines around it; names as in ``piece("pieces", "sizing")``."""
    return folder(*names[:-1], names[-1] + ".md").read_text(encoding="utf-8").strip("\n")


@cache
def format_document(name: str) -> PromptDocument:
    """Return the document of a format. Missing keys and sections come from the format that its key ``like`` names."""
    if name in PROMPTS and not PROMPTS[name]:
        raise UsageError(f"Nothing teaches the format {name!r} to a model.", hint="Choose another format to ask for.")
    own = parse(PROMPTS.get(name) or folder("formats", f"{name}.md").read_text(encoding="utf-8"))
    if "like" not in own.meta:
        return own
    base = format_document(own.meta["like"])
    return PromptDocument({**base.meta, **own.meta}, {**base.sections, **own.sections})


@cache
def sections(name: str) -> Mapping[str, str]:
    """Return the sections of one of the documents `chat` and `repair`."""
    return parse(folder(f"{name}.md").read_text(encoding="utf-8")).sections


def parse(text: str) -> PromptDocument:
    """Read a document."""
    meta: dict[str, str] = {}
    if text.startswith("---\n"):
        head, _, text = text.removeprefix("---\n").partition("\n---\n")
        for line in head.splitlines():
            key, _, value = line.partition(":")
            meta[key.strip()] = value.strip()
    parts = _SECTION.split(text)
    sections = {name: body.strip("\n") for name, body in zip(parts[1::2], parts[2::2], strict=True)}
    if opening := parts[0].strip("\n"):
        sections[""] = opening
    return PromptDocument(meta, sections)


# --- Gaps


def fill(template: str, values: Mapping[str, Value]) -> str:
    """Return the template with each gap filled. Raises `KeyError` for a name that has no value."""

    def put(gap: re.Match[str]) -> str:
        value = values[gap[1]]
        return value if isinstance(value, str) else value(gap[2] or "")

    return _GAP.sub(put, template)


def filled(template: str, value: str) -> re.Pattern[str]:
    """Return a pattern of the filled template; `value` is a pattern, without groups, of what fills each gap."""
    # `split` gives a text, then the gap's groups, then the next text: every third piece is text.
    return re.compile(value.join(map(re.escape, _GAP.split(template)[:: _GAP.groups + 1])))


def gaps(template: str) -> frozenset[str]:
    """Return the names of all gaps."""
    return frozenset(gap[1] for gap in _GAP.finditer(template))


def tidy(text: str) -> str:
    """Return the text without the blank lines and headings that empty pieces left behind."""
    return _EMPTY_PART.sub("", _BLANK_RUN.sub("\n\n", text).strip("\n") + "\n").strip("\n")


# --- Fences


@dataclass(frozen=True, slots=True)
class CodeFence:
    """Opening and closing line: a run of backticks or tildes, which takes a language, or a pair of tags."""

    left: str = "```"
    right: str = "```"

    @classmethod
    def of(cls, run: str) -> CodeFence:
        """Return a fence with the same run on both sides."""
        return cls(run, run)

    @property
    def names_language(self) -> bool:
        """Return whether the opening line takes a language; a tag does not."""
        return not self.left.startswith("<")

    @property
    def for_commands(self) -> CodeFence:
        """This fence, or backticks in place of tags: the word `bash` after the fence marks commands."""
        return self if self.names_language else CodeFence()

    def opening(self, language: str = "") -> str:
        """Return the first line."""
        return self.left + language if self.names_language else self.left

    def around(self, text: str, language: str = "") -> str:
        """Return the text between the two lines; a missing last line end is added."""
        return f"{self.opening(language)}\n{closed(text)}{self.right}"


def fence_around(texts: Iterable[str]) -> CodeFence:
    """Return a run of backticks that none of the texts can close: longer than the longest of 3 or more in any."""
    longest = max((len(run) for text in texts for run in _BACKTICKS.findall(text)), default=2)
    return CodeFence.of("`" * (longest + 1))


# --- Worked examples


@dataclass(frozen=True, slots=True)
class Scene:
    """A worked example: a user's files and request, the reply that answers it, and the resulting files.

    Commands that the reply suggests for a shell do not show in `after`.
    """

    name: str
    before: Mapping[str, str]
    request: str
    reply: str
    after: Mapping[str, str]

    def messages(self, fence: CodeFence) -> tuple[Message, Message]:
        """Return the example as two messages."""
        shown = [f"{path}\n{fence.around(text, language_of(path) or '')}" for path, text in self.before.items()]
        return Message(Role.USER, "\n\n".join([*shown, self.request])), Message(Role.ASSISTANT, self.reply)


def scenes(name: str, fence: CodeFence, shell: bool, markers: Markers) -> tuple[Scene, ...]:
    """Return the examples that a format's prompt shows, rendered with a fence and markers.

    A scene is a folder with ``request.md``, ``before/``, ``after/`` and ``replies/FORMAT.md``. Formats that rename and
    delete files themselves end with ``after-moved/``. An example that needs commands is left out without `shell`.
    """
    document = format_document(name)
    words = fence_words(fence) | marker_words(markers)
    moves, chosen = document.meta["moves"], []
    for scene in document.meta["scenes"].split():
        if scene == "move" and moves == "shell" and not shell:
            continue
        place = folder("examples", scene)
        reply = (place / "replies" / f"{document.meta.get('like', name)}.md").read_text(encoding="utf-8").strip("\n")
        request = (place / "request.md").read_text(encoding="utf-8").strip("\n")
        after = "after-moved" if moves == "own" and (place / "after-moved").is_dir() else "after"
        chosen.append(Scene(scene, _files(place / "before"), request, fill(reply, words) + "\n", _files(place / after)))
    return tuple(chosen)


def _files(place: Traversable) -> dict[str, str]:
    """Read a scene's files. A name is the path with ``__`` for ``/``, and ``.txt`` so that no tool reads it as code."""
    found = sorted(place.iterdir(), key=lambda file: file.name)
    return {file.name.removesuffix(".txt").replace("__", "/"): file.read_text(encoding="utf-8") for file in found}


_FENCE_RULE = "The fence names the language. Use exactly the fence shown here, even if the code has shorter ones."
_TAG_RULE = "Use exactly the fence shown here. It names no language."


def fence_words(fence: CodeFence) -> dict[str, Value]:
    """Return the values of the gaps for fences: around code in any language, and around commands."""
    commands = fence.for_commands
    return {
        "open": fence.opening,
        "fence-rule": _FENCE_RULE if fence.names_language else _TAG_RULE,
        "close": fence.right,
        "bash": commands.opening("bash"),
        "bash-end": commands.right,
    }


def marker_words(markers: Markers) -> dict[str, Value]:
    """Return the values of the gaps for markers: their runs of signs, and the words of the first pair."""
    return {
        "left": "<" * markers.usual,
        "right": ">" * markers.usual,
        "divider": markers.divider,
        "dashes": "-" * markers.usual,
        "pluses": "+" * markers.usual,
        "search": markers.search_words[0],
        "replace": markers.replace_words[0],
    }
