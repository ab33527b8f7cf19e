r"""Function calls between a chat template's own tokens, as a server leaves them that does not know the template.

Grammar::

    call  = token (token | word)* value        value: JSON, in a fence or not, or calls as Python writes them
    token = "<|tool_call_begin|>" | "<｜tool▁call▁begin｜>" | "<|message|>" | …
          | "[TOOL_CALLS]" | "[CALL_ID]" | "[ARGS]" | "<TOOLCALL>" | label
    label = "Action:" | "Action Input:"
    word  = the call's name | "to=" name | "function" | "json" | …

The name stands alone between two tokens, or in the value. What `tokens.CALL` finds begins a call anywhere, a label at
the start of a line. A token ends a line: what stands behind one and is no call is read as a line of its own, so that a
patch behind a token is a patch. A label does not, as any sentence may begin with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dovetail.formats import json_lines, pythonic
from dovetail.formats.scanner import GiveBack
from dovetail.formats.tokens import BARRED, CALL_PARTS
from dovetail.formats.tool_call import give_all, give_broken, items_in
from dovetail.model.patterns import late

if TYPE_CHECKING:
    from dovetail.formats.prose import Prose

MOST_LINES = 6
_EVERY = late(r"\n")
_PIECE = late(
    rf"\s*(?:(?P<mark>{BARRED}|{CALL_PARTS}|Action(?: Input)?:|(?P<fence>`{{3,}})[ \t]*\w*[ \t]*\n)"
    r"|to=(?P<to>[\w.:/-]{1,80})|(?P<word>[\w.:/-]{1,80}))"
)
_AROUND = frozenset(("assistant", "commentary", "analysis", "function", "tool", "json", "code"))
_MOST_WORDS = 3


class _Head(NamedTuple):
    """What stands before a value: the call's name, where the last token ends that is no label, where the value begins
    (None where none does), the mark of the fence around it, and whether the next line may go on with it."""

    name: str | None
    behind: int
    value: int | None
    fence: str
    more: bool


class TokenCall:
    """One call, from its first token to the line on which its value ends, or its fence."""

    interest = _EVERY

    def __init__(self, prose: Prose, line: int) -> None:
        self.prose = prose
        self.scanner = prose.scanner
        self.first = line
        self.lines: list[str] = []
        self.head: _Head | None = None
        self.balance = json_lines.Balance()
        self.waited = False

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Never called: every line is looked at."""
        return self.line(text, line)

    def line(self, text: str, _line: int) -> GiveBack | None:
        """The next line of the call."""
        self.lines.append(text)
        if self.head is None:
            whole = "".join(self.lines)
            head = _head(whole)
            if head.value is None:
                more = head.more and len(self.lines) < MOST_LINES
                return None if more else self._back(head.behind)
            self.head, text = head, whole[head.value :]
        self.balance.feed(text)
        return self._settle(self.head) if self.balance.closed or self.balance.broken else None

    def _settle(self, head: _Head) -> GiveBack | None:
        whole = "".join(self.lines)
        body = whole[head.value :]
        line = self.first + whole.count("\n", 0, head.value)
        found, stop = items_in(body, line, name=head.name)
        if not stop:
            found, stop = pythonic.items_in(body, line)
        if head.fence and stop and not self.waited and not body[stop:].strip():
            self.waited = True
            return None  # the next line may close the fence
        if not found:
            return self._broken(head) if not stop else self._back(head.behind)
        self.scanner.state = self.prose
        self.scanner.recent.clear()
        give_all(self.scanner, found)
        rest = body[stop:]
        rest = rest.lstrip().removeprefix(head.fence) if head.fence else rest
        return GiveBack(rest, line + body.count("\n", 0, len(body) - len(rest))) if rest.strip() else None

    def end(self) -> GiveBack | None:
        """The reply ends inside."""
        return self._back(_head("".join(self.lines)).behind) if self.head is None else self._broken(self.head)

    def _broken(self, head: _Head) -> GiveBack | None:
        """The value is none, or is cut off: told, if it seems to edit."""
        body = "".join(self.lines)[head.value :]
        if give_broken(self.scanner, body, self.first, head.name or pythonic.name_in(body)):
            self.scanner.json_from = self.first + len(self.lines)
        return self._back(head.behind)

    def _back(self, behind: int) -> GiveBack | None:
        """No call: what stands behind the last token is read anew, or behind the line of a label."""
        whole = "".join(self.lines)
        self.scanner.state = self.prose
        if behind:
            self.prose.plain(whole[:behind], self.first)
            return GiveBack(whole[behind:], self.first + whole.count("\n", 0, behind))
        back = self.prose.bulk(self.lines[0], self.first)
        rest = "".join(self.lines[1:])
        if back is None:
            return GiveBack(rest, self.first + 1) if rest else None
        return GiveBack(back.text + rest, back.line)


def _head(text: str) -> _Head:
    """What the beginning of a text says that begins with a token."""
    name, fence = None, ""
    at = behind = words = 0
    pinned = is_id = False
    while (piece := _PIECE.match(text, at)) is not None:
        at = piece.end()
        if piece["fence"]:
            fence, words = piece["fence"], 0
        elif piece["mark"]:
            behind, words, is_id = at if piece["mark"][0] in "<[" else behind, 0, piece["mark"] == "[CALL_ID]"
        elif piece["to"]:
            name, pinned = piece["to"], True
        elif words < _MOST_WORDS:
            words += 1
            if not (pinned or is_id or piece["word"] in _AROUND):
                name = piece["word"] if words == 1 else None
        else:
            break
    rest = text[at:].lstrip()
    value = len(text) - len(rest) if rest.startswith(("{", "[")) and words <= 1 else None
    return _Head(name, behind, value, fence, more=not rest)
