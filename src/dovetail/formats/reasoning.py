r"""The tags and tokens with which models begin and end a reasoning section.

Grammar::

    opening = "<" [name ":"] word ["-" … | " " …] ">"  |  "[THINK]"  |  "◁think▷"
            | "<|START_THINKING|>"  |  "<|begin_of_thought|>"  |  [turn] "<|channel|>analysis" ["<|message|>"]
    closing = "</" [name ":"] word ["-" … | " " …] ">"  |  "[/THINK]"  |  "◁/think▷"
            | "<|END_THINKING|>"  |  "<|end_of_thought|>"  |  "<|end|>"  |  [turn] "<|channel|>final" ["<|message|>"]
    word    = ["ant"] "think" | ["ant"] "thinking" | "thought" | "thoughts" | "reasoning" | "reasoning_content"
            | "reflection" | "scratchpad"                                                   case is free
    turn    = "<|start|>assistant"

Any closing ends any section. A closing without an opening means that the reply began inside a section, as some models
are given the opening; except for the last two, which also end or begin other parts of a reply.
"""

from __future__ import annotations

import re

from dovetail.formats.chat_tokens import CHANNEL, MESSAGE
from dovetail.text.pattern import pattern

_WORD = r"(?:\w{1,20}:)?(?:(?:ant)?think(?:ing)?|thoughts?|reasoning(?:_content)?|reflection|scratchpad)"
# `<think>`, `<thinking mode="deep">`, `<think-hard>`; not `<thinker>`.
_BEHIND = r"(?:[-\s][^<>\n]{0,200})?>"
OPENING = (
    rf"<{_WORD}{_BEHIND}|\[(?-i:THINK)\]|◁think▷|<\|(?:START_THINKING|begin_of_thought)\|>"
    rf"|{CHANNEL}analysis{MESSAGE}"
)
"""The opening of a section, in any case."""
_PARTS = rf"<\|end\|>|{CHANNEL}final{MESSAGE}"
_CLOSING = rf"</{_WORD}{_BEHIND}|\[/(?-i:THINK)\]|◁/think▷|<\|(?:END_THINKING|end_of_thought)\|>|{_PARTS}"
TAG = rf"{OPENING}|{_CLOSING}"
"""An opening or a closing, in any case."""
CLOSING_LINE = rf"</{_WORD}[-\s>]|\[/(?-i:THINK)\]|◁/think▷|<\|(?:end|start|channel)"
"""The beginning of a line that closes a section, for patterns that look for such lines; case is free."""
HEADS = "<[◁"
"""The characters with which a tag begins."""

_OPENS = pattern(OPENING, re.IGNORECASE)
_CLOSES = pattern(rf"[ \t]*(?:{_CLOSING})", re.IGNORECASE)
_SPLITS = pattern(_PARTS, re.IGNORECASE)


def opens(tag: str) -> bool:
    """Return whether a tag opens a section."""
    return _OPENS.match(tag) is not None


def splits(tag: str) -> bool:
    """Return whether a tag may also stand between two parts of a reply of which neither is reasoning."""
    return _SPLITS.match(tag) is not None


def closes(line: str) -> bool:
    """Return whether a line begins with a closing tag."""
    return _CLOSES.match(line) is not None
