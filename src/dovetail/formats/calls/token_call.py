r"""Function calls between a chat template's own tokens, left in the reply by a server that does not know the template.

Grammar::

    call  = token (token | word)* value        value: JSON, in a fence or not, or calls as Python writes them
          | "[" name "(" …                     such calls in a list, at the start of a line
    token = "<|tool_call_begin|>" | "<｜tool▁call▁begin｜>" | "<|message|>" | …
          | "[TOOL_CALLS]" | "[CALL_ID]" | "[ARGS]" | "<TOOLCALL>" | "<tool_call>" | "<tool_calls>" | label
    label = "Action:" | "Action Input:" | "functools"
    word  = the call's name | "to=" name | "function" | "json" | …

The name stands alone between two tokens, or in the value. What `chat_tokens.CALL` finds begins a call anywhere, a label
only at the start of a line. Text after a token that is no call is read as a new line, so that a patch after a token is
a patch; text after a label is not, as any sentence may begin with a label's words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dovetail.formats.calls import json_text, python_call
from dovetail.formats.calls.give import give_all, give_broken, note_unread
from dovetail.formats.calls.json_call import items_in
from dovetail.formats.calls.names import tool_in
from dovetail.formats.chat_tokens import BARRED, CALL, CALL_ENDS, CALL_PARTS, LABEL
from dovetail.formats.scanner import EveryLine, GiveBack
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from dovetail.formats.scanner import TextMachine

_MOST_LINES = 6
# What may stand before a value: `<|tool_call_begin|>functions.edit:0<|tool_call_argument_begin|>{`,
# `[TOOL_CALLS]edit[CALL_ID]ab12[ARGS]{`, `<|channel|>commentary to=functions.edit <|constrain|>json<|message|>{`,
# `Action: edit` and `Action Input: {` on two lines.
_PIECE = pattern(
    rf"\s*(?:(?P<mark>{BARRED}|{CALL_PARTS}|{LABEL}|(?P<fence>`{{3,}})[ \t]*\w*[ \t]*\n)"
    r"|to=(?P<to>[\w.:/-]{1,80})|(?P<word>[\w.:/-]{1,80}))"
)
_NEXT = pattern(rf"(?i)\s*(?:(?:{BARRED}|{CALL_ENDS})\s*)*?(?:{CALL})")
"""Behind a call, another one."""
_AROUND = frozenset(("assistant", "commentary", "analysis", "function", "tool", "json", "code"))
_MOST_WORDS = 3


class _TokenHead(NamedTuple):
    """The tokens and words before a value.

    name: the call's name, or None. behind: the offset after the last token that is no label. value: the offset of the
    value, None if there is none yet. fence: the mark of the fence around it, or "". more: the next line may continue
    it.
    """

    name: str | None
    behind: int
    value: int | None
    fence: str
    more: bool


class TokenCall(EveryLine):
    """Calls in a row, from the first token to the line on which the last value, or its fence, ends.

    text: the lines so far, without the later lines of an open value, which are in `value`. at, number: the offset and
    the reply's line where the current call begins. value_end: the offset after its value, once only the fence's end is
    missing.
    """

    def __init__(self, prose: TextMachine, line: int) -> None:
        self.prose = prose
        self.scanner = prose.scanner
        self.number = line
        self.text = ""
        self.at = 0
        self.head: _TokenHead | None = None
        self.value: list[str] = []
        self.balance = json_text.Balance()
        self.value_end: int | None = None

    def line(self, text: str, _line: int) -> GiveBack | None:
        """Take the next line of a head or a value."""
        if self.head is None or self.value_end is not None:
            self.text += text
            return self._read()
        self.value.append(text)
        self.balance.feed(text)
        return self._read() if self.balance.closed or self.balance.broken else None

    def _read(self) -> GiveBack | None:
        """Read call after call, as far as the text goes, and give back what follows the last one."""
        while True:
            if self.head is None:
                head = _head(self.text, self.at)
                if head.value is None:
                    more = head.more and self.text.count("\n", self.at) < _MOST_LINES
                    return None if more else self._back(head.behind)
                self.head, self.balance = head, json_text.Balance()
                self.balance.feed(self.text, head.value)
            if self.value_end is None:
                if not (self.balance.closed or self.balance.broken):
                    return None
                self.value_end = self._give_value(self.head)
                if self.value_end is None:
                    return self._broken(self.head)
                if self.head.fence and not self.text[self.value_end :].strip():
                    return None  # the next line may close the fence
            if (rest := self._behind(self.head.fence, self.value_end)) is not None:
                return rest

    def _give_value(self, head: _TokenHead) -> int | None:
        """Pass on the value's edits; return the offset after it, or None if it is neither JSON nor Python calls."""
        self.text += "".join(self.value)
        # The balance counts offsets in the piece that it was fed last.
        fed_from = len(self.text) - len(self.value[-1]) if self.value else 0
        start, end = head.value or 0, fed_from + self.balance.end
        self.value = []
        line = self.number + self.text.count("\n", self.at, start)
        if self.balance.closed:
            found, stop = items_in(self.text[start:end], line, tool=head.name)
        else:
            found, stop = python_call.items_in(self.text[start : self.text.index("\n", start)], line)
        if not stop:
            return None
        if found:
            self.scanner.recent.clear()
            give_all(self.scanner, found)
        else:
            self.prose.plain(self.text[self.at : start + stop], self.number)
            values, _ = json_text.decoded(self.text[start : start + stop])
            note_unread(self.scanner, [value for value, _ in values], line)
        return start + stop

    def _behind(self, fence: str, end: int) -> GiveBack | None:
        """Go on after a value, which ends at the offset `end`, and its fence. Return None if another call follows; else
        give back the rest."""
        closing = re.compile(rf"\s*{fence}").match(self.text, end) if fence else None
        behind = closing.end() if closing is not None else end
        self.number += self.text.count("\n", self.at, behind)
        self.at, self.head, self.value_end = behind, None, None
        # Several calls stand behind each other, perhaps with closing tokens between.
        if _NEXT.match(self.text, behind) is not None:
            return None
        self.scanner.state = self.prose
        return GiveBack(self.text[behind:], self.number)

    def end(self) -> GiveBack | None:
        """The reply ends inside a call."""
        if self.head is None:
            return self._back(_head(self.text, self.at).behind)
        if self.value_end is None:
            return self._broken(self.head)
        return self._behind(self.head.fence, self.value_end)

    def _broken(self, head: _TokenHead) -> GiveBack | None:
        """Report an incomplete or invalid value if it seems to be an edit, and give it back as text."""
        self.text += "".join(self.value)
        body = self.text[head.value :]
        if give_broken(self.scanner, body, self.number, head.name or tool_in(body)):
            self.scanner.tried.json_from = self.number + self.text.count("\n", self.at)
        return self._back(head.behind)

    def _back(self, behind: int) -> GiveBack | None:
        """Give back what turned out to be no call: the text from `behind` on, the offset after the last token, or, if
        only a label began it, the text after the label's line."""
        self.scanner.state = self.prose
        text = self.text[self.at :]
        if behind > self.at:
            self.prose.plain(self.text[self.at : behind], self.number)
            return GiveBack(self.text[behind:], self.number + self.text.count("\n", self.at, behind))
        first, newline, rest = text.partition("\n")
        back = self.prose.bulk(first + newline, self.number)
        if back is None:
            return GiveBack(rest, self.number + 1) if rest else None
        return GiveBack(back.text + rest, back.line)


def _head(text: str, at: int) -> _TokenHead:
    """Read the tokens and words before a value, from the offset `at` on, where a token begins."""
    name, fence, words, behind = None, "", 0, at
    pinned = is_id = False
    while (piece := _PIECE.match(text, at)) is not None:
        at = piece.end()
        if piece["fence"]:
            fence = piece["fence"]
        elif piece["mark"]:
            # The word behind `[CALL_ID]` is no name. Behind a label no token has ended, so `behind` stays.
            behind, words, is_id = at if piece["mark"][0] in "<[" else behind, 0, piece["mark"] == "[CALL_ID]"
        elif piece["to"]:
            name, pinned = piece["to"], True
        elif words < _MOST_WORDS:
            words += 1
            if not (pinned or is_id or piece["word"] in _AROUND):
                # Two words in a row are a sentence, and name no call.
                name = piece["word"] if words == 1 else None
        else:
            break
    rest = text[at : at + 400].lstrip()
    value = text.index(rest[0], at) if rest[:1] in ("{", "[") and words <= 1 else None
    return _TokenHead(name, behind, value, fence, more=not rest)
