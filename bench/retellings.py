"""A reply told in other ways that mean the same.

A reply of search/replace blocks is taken apart by its lines (`Told`), by rules of its own: an engine under test must
not be asked what its reply says. A retelling puts it together otherwise: other decoration, other fences, another place
for the path, another format. It gives None where it has nothing to bite on.
"""

from __future__ import annotations

import difflib
import json
import re
import textwrap
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

_START = re.compile(r"<{5,9} ?SEARCH>?\s*$")
_DIVIDER = re.compile(r"={5,9}\s*$")
_END = re.compile(r">{5,9} ?REPLACE\s*$")
_FENCE = re.compile(r"(?P<mark>`{3,}|~{3,}|<(?:source|pre|code)>)(?P<info>[^`]*)$")
_CLOSING = re.compile(r"</(?:source|pre|code)>|(?:`{3,}|~{3,})\s*$")


class Part(Enum):
    """What a line of a reply is."""

    PROSE = "prose"
    PATH = "path"
    OPENING = "opening"
    START = "start"
    OLD = "old"
    DIVIDER = "divider"
    NEW = "new"
    END = "end"
    CLOSING = "closing"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a reply."""

    part: Part
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """One block, as lines; `path` is the one above it, or above an earlier one."""

    path: str
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """A reply, line by line; `spans` are its blocks, each from its path or fence to its fence's end."""

    lines: tuple[Line, ...]
    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, reply: str, names: Collection[str]) -> Told | None:
        """Take a reply apart, in which `names` may stand as paths; None where it has no block, or half a one."""
        lines = list(_sorted_out(reply, names))
        if lines[-1].part not in (Part.PROSE, Part.CLOSING, Part.END):
            return None
        spans = []
        for at, line in enumerate(lines):
            if line.part is Part.START:
                first, last = at, next(i for i in range(at, len(lines)) if lines[i].part is Part.END)
                if first and _FENCE.match(lines[first - 1].text):
                    first -= 1
                    lines[first] = replace(lines[first], part=Part.OPENING)
                if first and lines[first - 1].part is Part.PATH:
                    first -= 1
                if last + 1 < len(lines) and _CLOSING.match(lines[last + 1].text):
                    last += 1
                    lines[last] = replace(lines[last], part=Part.CLOSING)
                spans.append((first, last + 1))
        return cls(tuple(lines), tuple(spans)) if spans else None

    def with_each(self, change: Callable[[Line], str | None]) -> str:
        """The reply with each line as `change` gives it; None leaves it out."""
        return "\n".join(text for line in self.lines if (text := change(line)) is not None)

    def with_blocks(self, change: Callable[[Sequence[Line]], Sequence[str]]) -> str:
        """The reply with each block as `change` gives it."""
        out: list[str] = []
        done = 0
        for first, end in self.spans:
            out += [line.text for line in self.lines[done:first]]
            out += change(self.lines[first:end])
            done = end
        return "\n".join(out + [line.text for line in self.lines[done:]])

    @property
    def edits(self) -> list[Edit] | None:
        """What the blocks say, in order; None where one has no path, or quotes nothing."""
        found: list[Edit] = []
        path = None
        for first, end in self.spans:
            block = self.lines[first:end]
            path = next((name_in(line.text) for line in block if line.part is Part.PATH), path)
            old, new = (tuple(line.text for line in block if line.part is part) for part in (Part.OLD, Part.NEW))
            if path is None or not any(map(str.strip, old)):
                return None
            found.append(Edit(path, old, new))
        return found


def _sorted_out(reply: str, names: Collection[str]) -> Iterator[Line]:
    inside = Part.PROSE
    for text in reply.split("\n"):
        if inside is Part.PROSE and _START.match(text):
            yield Line(Part.START, text)
            inside = Part.OLD
        elif inside is Part.OLD and _DIVIDER.match(text):
            yield Line(Part.DIVIDER, text)
            inside = Part.NEW
        elif inside is Part.NEW and _END.match(text):
            yield Line(Part.END, text)
            inside = Part.PROSE
        else:
            yield Line(Part.PATH if inside is Part.PROSE and name_in(text) in names else inside, text)


def name_in(text: str) -> str:
    """A line without what decorates a path."""
    return text.strip().strip("`*#: ")


Retelling = Callable[[Told], str | None]


def lines_as(**ways: Callable[[str], str | None]) -> Retelling:
    """Retells the lines of some parts."""
    return lambda told: told.with_each(lambda line: ways.get(line.part.value, str)(line.text))


def path_as(form: str) -> Retelling:
    """Writes the path above each block in another form."""

    def retold(told: Told) -> str:
        return told.with_blocks(
            lambda block: [form.format(name_in(x.text)) if x.part is Part.PATH else x.text for x in block]
        )

    return retold


def path_inside(form: str) -> Retelling:
    """Puts the path into the fence, as its first line."""

    def swapped(block: Sequence[Line]) -> list[str]:
        texts = [line.text for line in block]
        if [line.part for line in block[:2]] != [Part.PATH, Part.OPENING]:
            return texts
        return [texts[1], form.format(name_in(texts[0])), *texts[2:]]

    return lambda told: told.with_blocks(swapped)


def path_in_info(form: str) -> Retelling:
    """Puts the path behind the fence's language."""

    def joined(block: Sequence[Line]) -> list[str]:
        texts = [line.text for line in block]
        opening = _FENCE.match(texts[1]) if [x.part for x in block[:2]] == [Part.PATH, Part.OPENING] else None
        if opening is None or opening["mark"][0] == "<":
            return texts
        return [opening["mark"] + form.format(opening["info"].strip() or "text", name_in(texts[0])), *texts[2:]]

    return lambda told: told.with_blocks(joined)


def _deeper(block: Sequence[Line]) -> list[str]:
    """The lines three blanks further right; empty ones stay."""
    return ["   " + line.text if line.text else "" for line in block]


def indented(told: Told) -> str:
    """Every block three blanks further right, as in a list."""
    return told.with_blocks(_deeper)


def listed(told: Told) -> str | None:
    """Every block as an item of a list that begins with its path."""
    if any(told.lines[first].part is not Part.PATH for first, _ in told.spans):
        return None

    return told.with_blocks(lambda block: ["1. " + block[0].text, *_deeper(block[1:])])


def refenced(mark: str) -> Callable[[str], str]:
    """Another mark for a fence that opens or closes."""

    def retold(text: str) -> str:
        found = _FENCE.match(text)
        return mark if found is None else mark + found["info"]

    return retold


def as_hunks(head: str, at: str = "") -> Retelling:
    """Every block as a hunk with all of its lines; `head` stands over it, and `at` in place of its numbers."""

    def retold(told: Told) -> str | None:
        if told.edits is None:
            return None
        return "\n".join(f"{head.format(e.path)}{hunk}```\n" for e in told.edits if (hunk := _hunk(e, at)))

    return retold


def in_a_list(retelling: Retelling) -> Retelling:
    """Retells, and moves it all three blanks to the right."""

    def retold(told: Told) -> str | None:
        text = retelling(told)
        return None if text is None else textwrap.indent(text, "   ", bool)

    return retold


def as_patch(told: Told) -> str | None:
    """The blocks as the sections of one patch."""
    if told.edits is None:
        return None
    hunks = ((edit.path, _hunk(edit, "@@\n")) for edit in told.edits)
    sections = "".join(f"*** Update File: {path}\n{hunk}" for path, hunk in hunks if hunk)
    return f"*** Begin Patch\n{sections}*** End Patch\n"


def _hunk(edit: Edit, at: str) -> str:
    rows = list(difflib.unified_diff(edit.old, edit.new, lineterm="", n=len(edit.old) + len(edit.new)))[2:]
    return "".join(at if row.startswith("@@") else f"{row}\n" for row in rows)


def as_tools(told: Told) -> str | None:
    """The blocks as calls of a tool that takes a diff of them."""
    if told.edits is None:
        return None
    calls = (
        f"<replace_in_file>\n<path>{edit.path}</path>\n<diff>\n------- SEARCH\n{_text(edit.old)}=======\n"
        f"{_text(edit.new)}+++++++ REPLACE\n</diff>\n</replace_in_file>\n"
        for edit in told.edits
    )
    return "\n".join(calls)


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def whole(change: Callable[[str], str]) -> Retelling:
    """Retells the reply's text as a whole."""
    return lambda told: change("\n".join(line.text for line in told.lines))


RETELLINGS: dict[str, Retelling] = {
    "line ends of Windows": whole(lambda text: text.replace("\n", "\r\n")),
    "line ends of old": whole(lambda text: text.replace("\n", "\r")),
    "a byte-order mark": whole("\ufeff{}".format),
    "blanks behind markers": lines_as(**dict.fromkeys(("start", "divider", "end", "path", "opening"), "{}  ".format)),
    "markers of nine": lines_as(
        start=lambda _: "<" * 9 + " SEARCH", divider=lambda _: "=" * 9, end=lambda _: ">" * 9 + " REPLACE"
    ),
    "older words": lines_as(start=lambda _: "<<<<<<< ORIGINAL", end=lambda _: ">>>>>>> UPDATED"),
    "the end twice": lines_as(end="{0}\n{0}".format),
    "no fences": lines_as(opening=lambda _: None, closing=lambda _: None),
    "tildes": lines_as(opening=refenced("~~~~"), closing=lambda _: "~~~~"),
    "a blank line in the fence": lines_as(opening="{}\n".format, closing="\n{}".format),
    "indented": indented,
    "in a list": listed,
    "path: code": path_as("`{}`"),
    "path: bold": path_as("**{}**"),
    "path: bold code": path_as("**`{}`**"),
    "path: title": path_as("### {}"),
    "path: title of code": path_as("#### 2. `{}`:"),
    "path: with a label": path_as("**File:** `{}`"),
    "path: in a sentence": path_as("Now update `{}`:"),
    "path: a comment": path_as("// {}"),
    "path: link": path_as("[{0}]({0})"),
    "path: of the folder": path_as("./{}"),
    "path: set off": path_as("{}\n"),
    "path: inside": path_inside("{}"),
    "path: a comment inside": path_inside("# {}"),
    "path: in the info string": path_in_info("{0} {1}"),
    "path: behind a colon": path_in_info("{0}:{1}"),
    "path: an attribute": path_in_info('{0} title="Change" file="{1}"'),
    "in a fence of its own": whole("``````markdown\n{}\n``````\n".format),
    "in a tag": whole("<answer>\n{}\n</answer>\n".format),
    "behind a draft": whole("<think>\n{0}\n</think>\n\n{0}".format),
    "a provider's answer": whole(
        lambda text: json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]})
    ),
    "a diff": as_hunks("```diff\n--- a/{0}\n+++ b/{0}\n", "@@ ... @@\n"),
    "a diff without a head": as_hunks("**{0}**\n```diff\n"),
    "a diff in a list": in_a_list(as_hunks("```diff\n--- {0}\n+++ {0}\n", "@@\n")),
    "a patch": as_patch,
    "calls of a tool": as_tools,
}
