r"""The tokens of a chat's template at a reply's ends: ``<|im_end|>``, ``</s>``, ``<|channel|>final<|message|>``.

A local server that does not know its model's template leaves them in. They are no part of the reply at its very
beginning and its very end. A file may hold such tokens: one that is all that a diff's last line adds stays, and one
that another stands before on its line. A tag around the whole reply (``</answer>``) comes off behind a line of its
frame.
"""

from __future__ import annotations

import re

from dovetail.formats.lines import reasoning, tokens

LONGEST = 1000
_MARK = rf"(?:{tokens.BARRED}|</?s>|<[be]os>|<(?:start|end)_of_turn>|\[/?INST\]|\[E?BOS\]|\[EOS\]|</TOOLCALL>)"
_FIRST = re.compile(rf"(?:{_MARK}[ \t]*(?:[\w.=]{{1,60}}[ \t]*(?:[\w.=]{{1,60}}[ \t]*)?(?=<\|))?)+")
_PART = re.compile(rf"(?i){tokens.CALL}|{reasoning.OPENING}")
_LAST = re.compile(rf"((?:{_MARK}\s*)+)\Z")
_ENDS = (">", "]")
_MARKS = re.compile(_MARK)
_WRAPPED = re.compile(
    r"(?i)((?:`{3}|~{3}|>{5}|REPLACE|UPDATED|End Patch)>*)[ \t]*</(?:answer|response|output|result|assistant)>\s*\Z"
)


def without_first(text: str) -> str:
    """A reply's beginning without the tokens before it, up to those that begin a call or a reasoning section; blank
    lines above them stay."""
    bare = text.lstrip()
    found = _FIRST.match(bare) if bare[:1] in ("<", "[") else None
    if found is None:
        return text
    part = _PART.search(found[0])
    blank = text[: len(text) - len(bare)]
    return blank[: blank.rfind("\n") + 1] + bare[found.end() if part is None else part.start() :]


def held_from(text: str) -> int:
    """Where the last line of `text` that is not blank begins, if it ends with a token that may be the reply's last;
    else the length of `text`."""
    bare = text[-LONGEST:].rstrip()
    if not bare.endswith(_ENDS):
        return len(text)
    line = bare.rfind("\n") + 1
    whole = len(text) <= LONGEST or line > 0
    ends = whole and (_LAST.search(bare, line) or _WRAPPED.search(bare, line))
    return max(len(text) - LONGEST, 0) + line if ends else len(text)


def without_last(text: str) -> str:
    """A reply's last lines without the tokens behind them, the line end in their place."""
    tail = text[-LONGEST:]
    if not tail.rstrip().endswith(_ENDS):
        return text
    if (wrapped := _WRAPPED.search(tail)) is not None:
        return text[: len(text) - len(tail) + wrapped.end(1)] + "\n"
    found = _LAST.search(tail)
    if found is None:
        return text
    before = text[: len(text) - len(found[0])]
    line = before.rpartition("\n")[2]
    if line.strip() in ("+", "-") or _MARKS.search(line) is not None:
        return text
    return before.rstrip(" \t") + ("\n" if line.strip() else "")
