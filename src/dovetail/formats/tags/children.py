r"""What the tags inside a tag say: old and new texts, a file's whole text, its path, what becomes of it.

Grammar::

    children = (child | wrapper)*                 with nothing but blanks between them
    wrapper  = "<change>" children "</change>"    and other names of `_ROLES`
    child    = "<" name attribute* ">" text "</" name ">"  |  "<" name attribute* "/>"
    edit     = child of an old text, child of a new one

Names count without case, underscores and hyphens. A text that begins on the line behind its tag has whole lines, and
what stands before its closing tag is the tag's; any other is a run of characters. One fence, a CDATA section or two
lines `===` around a text are the reply's. A tag that is in no table makes all of it text, which is no edit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, auto
from typing import NamedTuple

from dovetail.formats.calls import shapes
from dovetail.formats.calls.call_edits import Call, Item
from dovetail.formats.calls.tool_names import Act, squashed
from dovetail.formats.lines import fences, lookalike
from dovetail.formats.lines.paths import Form, form_of, normalise
from dovetail.formats.lines.vocabulary import (
    CONTENT,
    EVERYWHERE,
    LINES,
    NEW_BESIDE_PATH,
    OLD_BESIDE_PATH,
    PATH,
    PATTERNS,
)
from dovetail.formats.scan import faults
from dovetail.formats.scan.faults import Fault
from dovetail.formats.tags.tagged import behind, outdented, unwrapped
from dovetail.model.blocks import NO_HINTS, Block, Hints, Kind
from dovetail.model.text import closed


class Role(Enum):
    """What a child says."""

    OLD = auto()
    NEW = auto()
    TEXT = auto()  # the whole file; behind an old text the new one
    PATH = auto()
    FACT = auto()
    REMARK = auto()
    WRAPPER = auto()


ACT_NAMES = ("action", "changetype", "operation", "type")
_PARTS = ("endline", "lines", "linerange", "range")
_REMARKS = """comment description explanation instruction instructions language notes rationale reason
    reasoning summary title"""
_WRAPPERS = """block blocks change changes edit edits hunk hunks modification modifications replacements searchreplace
    update updates"""
_ROLES = {
    **dict.fromkeys((*PATH, "name"), Role.PATH),
    **dict.fromkeys(OLD_BESIDE_PATH, Role.OLD),
    **dict.fromkeys(NEW_BESIDE_PATH, Role.NEW),
    **dict.fromkeys((*CONTENT, "code"), Role.TEXT),
    **dict.fromkeys((*ACT_NAMES, *LINES, *_PARTS, *EVERYWHERE, *PATTERNS), Role.FACT),
    **dict.fromkeys(_REMARKS.split(), Role.REMARK),
    **dict.fromkeys(_WRAPPERS.split(), Role.WRAPPER),
}
HALVES = (Role.OLD, Role.NEW)
ATTRIBUTES = r"(?:[ \t]{1,9}[\w-]{1,40}[ \t]?=[ \t]?(?:\"[^\"<>\n]{0,400}\"|'[^'<>\n]{0,400}'|[\w./-]{1,100}))*"
_TAG = re.compile(rf"<(?P<name>[a-z][\w-]{{0,39}})(?P<given>{ATTRIBUTES})[ \t]*(?P<alone>/)?>", re.IGNORECASE)
_BLANKS = re.compile(r"\s*")
_NEXT = re.compile(r"\s*(?:<|\Z)")
_GIVEN = re.compile(r"([\w-]{1,40})[ \t]?=[ \t]?(?:\"([^\"<>\n]*)\"|'([^'<>\n]*)'|([\w./-]+))")
_ACTS = {
    **dict.fromkeys(("delete", "deletefile", "remove"), Act.DELETE),
    **dict.fromkeys(("add", "create", "createfile", "new"), Act.CREATE),
    **dict.fromkeys(("move", "rename"), Act.RENAME),
}
_RULE = "==="
_UNREAD = Fault(
    "The edit in tags cannot be read: {what}.",
    "Write each edit as the old text in one tag and the new text in the next, under the file's path.",
)


class Child(NamedTuple):
    """One tag, with nothing taken off its text; `line` counts the lines before it, `given` are its attributes."""

    name: str
    role: Role
    text: str
    line: int
    given: str


class Said(NamedTuple):
    """What is known when a child is met: the file's path, what becomes of it, and what is said of its edits.

    line: where the next edit begins. everywhere: it is made in every place. pattern: it looks for a pattern. part: a
    part of the file is named, by lines or otherwise.
    """

    path: str | None
    act: Act | None = None
    line: int | None = None
    everywhere: bool = False
    pattern: bool = False
    part: bool = False

    def given(self, attributes: Mapping[str, str]) -> Said:
        """The same with a tag's attributes."""
        fields = {squashed(key): value for key, value in attributes.items()}
        said = self._replace(part=self.part or Call(None, fields, attributes).partial)
        for name, value in fields.items():
            on = value.lower() in ("true", "1", "yes", "all")
            if name in ACT_NAMES:
                said = said.doing(value)
            elif name in PATH:
                said = said._replace(path=value)
            elif name in LINES and value.isdecimal() and len(value) < 10:
                said = said._replace(line=int(value))
            elif name in EVERYWHERE and on:
                said = said._replace(everywhere=True)
            elif name in PATTERNS and on:
                said = said._replace(pattern=True)
        return said

    def doing(self, word: str) -> Said:
        """The same where a word says what becomes of the file; most of them say no more than that it changes."""
        return self._replace(act=_ACTS.get(squashed(word), self.act))

    def told(self, child: Child) -> Said:
        """The same with what a child says of the file or of the edits."""
        text = child.text.strip()
        return self._replace(path=text or None) if child.role is Role.PATH else self.given({child.name: text})


def role_of(name: str) -> Role | None:
    """What a tag of this name says; None for one that is in no table."""
    return _ROLES.get(squashed(name))


def attributes(given: str) -> dict[str, str]:
    """The fields of a tag's attributes."""
    return {key: double or single or bare for key, double, single, bare in _GIVEN.findall(given)}


def items(body: str, said: Said) -> list[tuple[Item, int]] | None:
    """The edits of a tag's text, each with the lines before it; None where that is a text and not made of tags.

    An edit whose path neither a tag nor `said` tells has none.
    """
    children = _children(body)
    return None if children is None else list(_items(children, said))


def _children(body: str) -> list[Child] | None:
    found = []
    at = _skip(body, 0)
    lines = counted = 0
    while at < len(body):
        match = _TAG.match(body, at)
        role = role_of(match["name"]) if match is not None else None
        if match is None or role is None:
            return None
        stop = rest = match.end()
        if match["alone"] is None:
            closing = _closing(body, match["name"], stop)
            if closing is None:
                return None
            stop, rest = closing
        lines, counted = lines + body.count("\n", counted, at), at
        found.append(Child(match["name"], role, body[match.end() : stop], lines, match["given"]))
        at = _skip(body, rest)
    return found


def _skip(body: str, at: int) -> int:
    blanks = _BLANKS.match(body, at)
    return blanks.end() if blanks is not None else at


def _closing(body: str, name: str, at: int) -> tuple[int, int] | None:
    """Where a tag's text ends and what is behind it begins: at its closing tag, behind which another tag follows."""
    for match in re.compile(rf"</{re.escape(name)}[ \t]*>", re.IGNORECASE).finditer(body, at):
        if _NEXT.match(body, match.end()):
            return match.span()
    return None


def _items(children: Iterable[Child], around: Said) -> Iterator[tuple[Item, int]]:
    """The edits of some children, in order; one that is begun and not said whole is malformed."""
    said = around
    old: Child | None = None
    silent = True
    for child in children:
        silent = silent and child.role not in (*HALVES, Role.TEXT)
        match child.role:
            case Role.WRAPPER:
                inner = _children(child.text)
                failed = [(unread(said, "its tags cannot be told apart"), 0)]
                within = said.given(attributes(child.given))
                for item, line in failed if inner is None else _items(inner, within):
                    silent = False
                    yield item, child.line + line
            case Role.OLD:
                if old is not None:  # it is the nearest that a new text belongs to
                    yield unread(said, "it has an old text and no new one"), old.line
                old = child
            case Role.NEW | Role.TEXT if old is not None:
                yield edit(said, old.text, child.text, old.given), old.line
                old, said = None, said._replace(line=None, everywhere=around.everywhere, pattern=around.pattern)
            case Role.TEXT:
                yield from ((item, child.line) for item in _whole(said, child))
            case Role.NEW:
                yield unread(said, "it has a new text and no old one"), child.line
            case _:
                said = said.told(child)
    if old is not None:
        yield unread(said, "it has an old text and no new one"), old.line
    elif silent and said.act is Act.DELETE and said.part:
        yield unread(said, "it names a part of a file that goes"), 0
    elif silent and said.act is Act.DELETE and said.path is not None:
        yield from ((item, 0) for item in shapes.of_call("delete_file", {"path": said.path}))


def unread(said: Said, what: str) -> Block:
    """An edit that its tags do not say; `what` they say instead."""
    path = normalise(said.path) if said.path is not None else None
    return faults.spoil(Block("tool-call", Kind.EDIT, path, "", ""), _UNREAD.at(0, what=what))


def edit(said: Said, old: str, new: str, given: str = "") -> Block:
    """Old text → new text: lines where the old one stands on lines of its own, else a run of characters.

    `given` are the attributes of the old text's tag.
    """
    said = said.given(attributes(given))
    if said.pattern:
        return unread(said, "it looks for a pattern")
    if _holds_another(old, new, said.path):
        return unread(said, "its new text holds the tags of an edit; close it, or put it into a CDATA section")
    (search, inline), (replace, _) = _text(old, said.path), _text(new, said.path)
    if not inline:
        search, replace = closed(search), closed(replace)
    elif search:
        search, replace = search.removesuffix("\n"), replace.removesuffix("\n")
    path = normalise(said.path) if said.path is not None else None
    return Block(
        "tool-call", Kind.EDIT, path, search, replace, inline=inline and bool(search), replace_all=said.everywhere,
        hints=Hints(line=said.line) if said.line is not None else NO_HINTS,
    )  # fmt: skip


def _holds_another(old: str, new: str, path: str | None) -> bool:
    """Whether a new text begins with such a tag, or holds the tags of a whole edit that the old one has not.

    Then a tag is there twice, or it was not closed. In a document they may be its own.
    """
    if unwrapped(new) != new:
        return False
    first = _TAG.match(new.lstrip())
    if first is not None and role_of(first["name"]) is Role.NEW and not old.lstrip().startswith(first[0]):
        return True
    tags = () if fences.ends_as(path, fences.DOCUMENTS) else lookalike.tags_in(new)
    return any(tag not in old for tag in tags)


def _text(raw: str, path: str | None) -> tuple[str, bool]:
    """A child's text, and whether it is a run of characters."""
    text = unwrapped(raw)
    head, broken, rest = text.partition("\n")
    own = bool(broken) and not behind(head)
    if own:
        text = rest
    body, broken, tail = text.rpartition("\n")
    if broken and not tail.strip():
        text = f"{body}\n"
    elif own and not tail.strip():
        text = ""
    return (_bare(text, path), False) if own else (text, True)


def _bare(text: str, path: str | None) -> str:
    """Lines without the fence or the rules around them; in a document they may be its own."""
    lines = text.strip().split("\n")
    ruled = len(lines) > 1 and lines[0].strip() == lines[-1].strip() == _RULE
    if ruled and not fences.ends_as(path, fences.DOCUMENTS):
        return "".join(f"{line}\n" for line in lines[1:-1])
    return fences.unfenced(text, path)


def _whole(said: Said, child: Child) -> Iterator[Item]:
    """A file's whole text; nothing is deleted or moved that has one."""
    named = said.path is not None and form_of(said.path) >= Form.QUOTED
    if said.act in (Act.DELETE, Act.RENAME) or not named:
        yield unread(said, "it has a text and no file for it")
        return
    if said.part:
        yield unread(said, "it names a part of the file, and not what stands there")
        return
    first = _TAG.match(child.text.lstrip())
    if first is not None and first["name"].lower() == child.name.lower():
        yield unread(said, "its text begins with its own tag; put the file's text into a CDATA section")
        return
    name = "create_file" if said.act is Act.CREATE else "write_file"
    content = closed(_text(outdented(child.text), said.path)[0])
    yield from shapes.of_call(name, {"path": said.path, "content": content})
