"""Lines that open and close a fence.

A fence is a run of backticks or tildes, or a pair such as ``<source>`` and ``</source>``. A run may open on the line of
a list's item; then the lines below are indented as deep. A fence closes at a line of its own character that is at least
as long and has no info string; the machine that holds an open fence decides whether such a line closes it (inside a
block it may be content). Also owns the languages by which fences are classified.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from dovetail.formats.paths.info import in_info
from dovetail.text.languages import language_of
from dovetail.text.listed import listed
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from dovetail.model.blocks import Block

ITEM = r"(?:[-*+]|\d{1,3}[.)])[ \t]{1,4}"
"""The mark of a list's item, on whose line a fence may open; the lines below are indented as deep as the fence."""
# Blanks, perhaps the mark of an item (`- `), a run of three or more, and its info string.
_FENCE = pattern(rf"([ \t]*(?:{ITEM})?)(`{{3,}}|~{{3,}})([^\n]*)")
_WORD = pattern(r"[\w+#.:/\\-]*")
COMMANDS = frozenset(["mswea_bash_command"])
"""Languages of fences that are calls of a shell, in the protocols of agents."""
SHELLS = COMMANDS | listed(
    "bash sh shell zsh console shellsession shell-session terminal powershell ps1 cmd bat batch fish"
)
DIFFS = frozenset(["diff", "udiff", "patch", "unidiff"])
MARKDOWN = frozenset(["markdown", "md", "mdx"])
HOLD_REPLIES = MARKDOWN | {""}
"""Languages of fences that may hold prose with fences and lists in it, as a reply does."""
NO_FILES = SHELLS | DIFFS | listed("output log logs stdout traceback mermaid error read view run context example")
"""Languages of fences that hold no file's new text, and other words in an info string that say so."""
SCRIPTS = (".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd")
"""Ends of files that hold commands."""
DATA = frozenset(["json", "jsonc", "json5", "jsonl", "toml", "yaml", "yml"])


def ends_as(path: str | None, kinds: str | tuple[str, ...]) -> bool:
    """Return whether a path has one of these endings, whatever their case."""
    return path is not None and path.lower().endswith(kinds)


@dataclass(frozen=True, slots=True)
class Fence:
    """An open fence. `mark` is its run, or its opening tag, with the indentation `blank`; `close` is the closing tag
    of a pair, else ``""``. `item`: it opens on the line of a list's item.
    """

    mark: str
    info: str = ""
    blank: str = ""
    close: str = ""
    item: bool = False
    language: str = field(default="", init=False)
    path: str | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        language, path = in_info(self.info)
        object.__setattr__(self, "language", language)
        object.__setattr__(self, "path", path)

    @property
    def may_close(self) -> bool:
        """Whether the fence's opening line could also close a fence."""
        return not (self.info or self.item)

    @property
    def long(self) -> bool:
        """Whether the fence is longer than three signs, so that shorter fences inside it are content."""
        return not self.close and len(self.mark) > 3

    def closes(self, line: str) -> bool:
        """Return whether `line` could end this fence."""
        text = line.strip()
        if self.close:
            return text.lower() == self.close
        # At least as long as the opening run, and of its sign alone: an info string opens a fence, and ends none.
        return text.startswith(self.mark) and not text.strip(self.mark[0])

    def opens(self, line: str) -> Fence | None:
        """Return the fence that a line opens inside this one, or None. A list item may open one only in Markdown or
        without
        a language: `- ` is a removed line in a diff, `* ` a comment in code."""
        inner = opening(line)
        return None if inner is not None and inner.item and self.language not in HOLD_REPLIES else inner

    def is_above(self, line: str) -> bool:
        """Return whether `line` is indented deeper than this fence."""
        return len(line) - len(line.lstrip(" \t")) > len(self.blank)

    def without_indent(self, text: str) -> str:
        """Return `text` without the fence's own indentation, as in a list; a line with a part of it loses that part.

        If the first line has less, only the fence was indented, and no more than that is taken off each line.
        """
        # The first line shows whether the fence alone is indented, or the text with it.
        first = next((line for line in text.split("\n") if line.strip()), "")
        shared = self.shared(first)
        return "\n".join(line[_alike(shared, line) :] for line in text.split("\n")) if shared else text

    def shared(self, line: str) -> str:
        """Return the part of the fence's indentation that `line` shares."""
        return self.blank[: _alike(self.blank, line)]


def unfenced(text: str, path: str | None) -> str:
    """Return a file's text without the one fence around it, which is the reply's; in Markdown it may be the file's, and
    stays."""
    if language_of(path or "") == "markdown":
        return text
    first, *inside = text.strip().split("\n")
    fence = opening(first)
    if fence is None or not inside or not fence.closes(inside[-1]):
        return text
    return "".join(line + "\n" for line in inside[:-1])


def outdented(text: str, blank: str) -> str:
    """Return `text` without `blank` before each line. A line that begins with only a part of `blank` keeps it."""
    return "\n".join(line.removeprefix(blank) for line in text.split("\n")) if blank else text


def _alike(blank: str, line: str) -> int:
    """Return how many characters of `blank` the line begins with."""
    return next((n for n, char in enumerate(blank) if line[n : n + 1] != char), len(blank))


@lru_cache(maxsize=256)
def opening(line: str, pairs: tuple[tuple[str, str], ...] = ()) -> Fence | None:
    """Return the fence that `line` opens, or None. Cached, as most fences of a reply open alike.

    pairs: further lines that open and close fences.
    """
    text = line.lstrip()
    if ("```" in text or "~~~" in text) and (match := _FENCE.match(line)) is not None:
        before, mark, info = match.groups()
        # As in CommonMark: ```` ```a``` ```` on one line is a code span.
        if "`" in info and mark[0] == "`":
            return None
        fence = Fence(mark, info.strip(), re.sub(r"\S", " ", before), item=bool(before.strip()))
        # `- ``` opens a fence` is a sentence in a list; `- ```python src/a.py` is a fence.
        says_more = " " in fence.info and fence.path is None
        return None if fence.item and says_more else fence  # an item that speaks of fences
    # Each pair is tried only where its first character stands: nearly all lines have none.
    first = text[:1].lower()
    for left, right in pairs:
        begins = left[:1].lower() == first and text.lower().startswith(left.lower())
        if begins and _WORD.fullmatch(rest := text[len(left) :].strip()):
            return Fence(left, rest, line[: len(line) - len(text)], right.lower())
    return None


def is_fence_line(line: str) -> bool:
    """Return whether a line begins with a run of backticks or tildes."""
    return line.lstrip(" \t").startswith(("```", "~~~"))


def around(text: str, fence: str, info: str) -> str:
    """Return a text in a fence like `fence`, longer than every run of its character that begins a line of the text."""
    # One longer than the longest run inside, so that no line of the text can close the fence.
    runs = (len(run) for run in re.findall(rf"(?m)^[ \t]*({re.escape(fence[0])}{{3,}})", text))
    marks = fence[0] * max(len(fence), max(runs, default=0) + 1)
    return f"{marks}{info}\n{text}{marks}\n"


def language_word(block: Block) -> str:
    """Return the language for the info string of a fence around the block's code; "" for shells, as such a fence would
    be read as commands."""
    word = language_of(block.path or "")
    return "" if word is None or word in SHELLS else word
