"""Patterns of the tokens with which chat templates mark the parts of a turn, which a server leaves in a reply if it
does not know its model's template. `reasoning`, `token_call` and `turn` read them.

Each alternative of a pattern begins with one fixed character, outside any group, so that a search can skip from one
such character to the next.
"""

from __future__ import annotations

from dovetail.formats.vocabulary import CALL_TAGS

# `<|tool_call_begin|>`, `<｜tool▁call▁begin｜>`
BARRED = r"<\|/?[\w\u2581 -]{1,40}\|>|<\uff5c[\w\u2581\uff5c -]{1,40}\uff5c>"
"""Any token between bars."""
_TAG = r"(?:TOOLCALL|tool_?calls?|function_?calls?)>"
CALL_PARTS = rf"\[(?-i:TOOL_CALLS|CALL_ID|ARGS)\]|</?{_TAG}"
"""Further tokens between the parts of a call."""
_TURN = r"start\|>[ \t]*assistant[ \t]*"
CHANNEL = rf"<\|(?:{_TURN}<\|)?channel\|>[ \t]*"
"""The tokens before a channel's name."""
MESSAGE = r"[ \t]*(?:<\|message\|>)?"
"""The token after a channel's name, which may be missing."""
# `<|start|>assistant<|channel|>commentary to=`, `<|channel|>commentary to=`
TO_TOOL = rf"<\|(?:{_TURN}(?:<\|channel\|>[ \t]*\w{{1,20}}[ \t]*)?|channel\|>[ \t]*\w{{1,20}}[ \t]+)to="
"""A message to a tool."""
CALL = (
    r"<\|(?:tool_calls?(?:_section)?(?:_begin|_start)?|tools_prefix|python_tag|action_start|START_ACTION)\|>"
    rf"|<\uff5ctool[\u2581_]calls?[\u2581_]begin\uff5c>|\[(?-i:TOOL_CALLS)\]|<TOOLCALL>|{TO_TOOL}"
    rf"|<{_TAG}(?=[ \t]*[\[{{])"
)
"""The tokens that begin a call anywhere in a line."""
CALL_OPENS, CALL_ENDS = rf"<{_TAG}", rf"</{_TAG}"
# `<tool_call>edit` at a line's end or before `<arg_key>`, `<function=edit>{`, `<function_calls><invoke `, `<invoke
# name="edit"><parameter `, `<str_replace path=`. Not `<function_calls>` in a sentence.
TAGGED = (
    r"<tool_call>(?=[ \t]*(?:\w[\w.-]{0,79}[ \t]*(?:\n|<arg_key>)|<function=\w))"
    r"|<function=[\w.:-]{1,80}>(?=[ \t]*(?:\{|<parameter[ =]))"
    r"|<function_calls>(?=[ \t]*<invoke )|<invoke name=\"[\w.:-]{1,80}\">(?=[ \t]*<parameter )"
    rf"|<(?:{CALL_TAGS})(?=[ \t]+[\w-]{{1,40}}=)"
)
"""Opening tags that begin a call even after other text on a line, as what follows them leaves no doubt."""
LABEL = r"Action(?: Input)?:|\*\*Action(?: Input)?(?::\*\*|\*\*:)|functools(?=\[)"
"""Labels that an agent, or a model without a template, writes before a call, at the start of a line."""
# `[edit(path="a.py", …)]`, `[save()]`; not `[f(x) for x in y]`.
PYTHON = r"\[[a-zA-Z_][\w.]{0,80}\((?:\w{1,80}[ \t]*=|\)[\],])"
"""The start of a list of Python calls that has nothing before it."""
