r"""Where a reasoning section begins and ends: the tags and tokens that models write around their thinking.

Grammar::

    opening = "<" [name ":"] word ["-" … | " " …] ">"  |  "[THINK]"  |  "◁think▷"
            | "<|START_THINKING|>"  |  "<|begin_of_thought|>"  |  [turn] "<|channel|>analysis" ["<|message|>"]
    closing = "</" [name ":"] word ["-" … | " " …] ">"  |  "[/THINK]"  |  "◁/think▷"
            | "<|END_THINKING|>"  |  "<|end_of_thought|>"  |  "<|end|>"  |  [turn] "<|channel|>final" ["<|message|>"]
    word    = ["ant"] "think" | ["ant"] "thinking" | "thought" | "thoughts" | "reasoning" | "reasoning_content"
            | "reflection" | "scratchpad"                                                   case is free
    turn    = "<|start|>assistant"
    frame   = "► **THINKING**" … "► **ANSWER**"  |  "Thinking..." … "...done thinking."  |  "<analysis>" … "</analysis>"

Any closing ends any section. One alone says that the section began before the reply did, as some models are given the
opening; but the last two end or begin a part of any reply, and say nothing of what stands above where no section is
open. A frame's two lines are found in any text, so that only both of them make a section.
"""

from __future__ import annotations

import re

from dovetail.formats.lines.tokens import CHANNEL, MESSAGE

_WORD = r"(?:\w{1,20}:)?(?:(?:ant)?think(?:ing)?|thoughts?|reasoning(?:_content)?|reflection|scratchpad)"
_BEHIND = r"(?:[-\s][^<>\n]{0,200})?>"
OPENING = (
    rf"<{_WORD}{_BEHIND}|\[(?-i:THINK)\]|◁think▷|<\|(?:START_THINKING|begin_of_thought)\|>"
    rf"|{CHANNEL}analysis{MESSAGE}"
)
"""The opening of a section, in any case."""
_PARTS = rf"<\|end\|>|{CHANNEL}final{MESSAGE}"
_TOKENS = rf"<\|(?:END_THINKING|end_of_thought)\|>|{_PARTS}"
_TAGS = rf"</{_WORD}{_BEHIND}|\[/(?-i:THINK)\]|◁/think▷"
_FRAME_OPENS = r"► \*\*THINKING\*\*|Thinking\.{3}|<analysis>"
_FRAME_CLOSES = r"► \*\*ANSWER\*\*|\.{3}done thinking\.|</analysis>"
TAG = rf"{OPENING}|{_TAGS}|{_TOKENS}|(?m:^(?:{_FRAME_OPENS}|{_FRAME_CLOSES})(?=[ \t]*$))"
"""An opening or a closing, in any case."""
CLOSING_LINE = rf"</{_WORD}[-\s>]|\[/(?-i:THINK)\]|◁/think▷|<\|(?:end|start|channel)"
"""What a line that closes a section begins with, for patterns that look for such lines in any case."""
HEADS = "<[◁"
"""The characters with which a tag begins."""

_OPENS = re.compile(OPENING, re.IGNORECASE)
_CLOSES = re.compile(rf"[ \t]*(?:{_TOKENS}|{_TAGS})", re.IGNORECASE)
_FRAMES = re.compile(rf"({_FRAME_OPENS})|(?:{_FRAME_CLOSES})", re.IGNORECASE)
_SPLITS = re.compile(_PARTS, re.IGNORECASE)


def opens(tag: str) -> bool:
    """Whether a text that is a tag opens a section."""
    return _OPENS.match(tag) is not None


def frames(tag: str) -> bool | None:
    """Whether a text that is a tag opens a frame, or closes one; None where it is no frame's."""
    found = _FRAMES.match(tag)
    return None if found is None else found[1] is not None


def splits(tag: str) -> bool:
    """Whether a text that is a tag may stand between any two parts of a reply."""
    return _SPLITS.match(tag) is not None


def closes(line: str) -> bool:
    """Whether a line begins with a closing."""
    return _CLOSES.match(line) is not None
