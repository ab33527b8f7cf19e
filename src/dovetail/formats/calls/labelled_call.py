r"""Function calls whose fields stand between labels, as an editor asks for them of models that know no calls.

Grammar, in a fence of its own::

    call  = "TOOL_NAME:" name field*
    field = "BEGIN_ARG:" name, text on lines of its own, "END_ARG"

The text of a file is whole lines, any other ends before its last line end, and a path may stand in quotes. A call that
cannot be read is malformed, if it seems to edit: a fence inside a field's text ends the one around the call.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats.calls import shapes
from dovetail.formats.calls.call_edits import Call, holds_file, malformed
from dovetail.formats.calls.tool_call import give
from dovetail.formats.calls.tool_names import may_edit, squashed
from dovetail.formats.lines.vocabulary import PATH

if TYPE_CHECKING:
    from dovetail.formats.scan.scanner import Scanner

_NAME = re.compile(r"\s*TOOL_NAME:[ \t]*([\w.:/-]{1,80})[ \t]*\n")
_BEGIN = re.compile(r"\s*BEGIN_ARG:[ \t]*(\w{1,80})[ \t]*\n")
_END = re.compile(r"(?m)^[ \t]*END_ARG[ \t]*$")


def in_fence(scanner: Scanner, content: str, line: int) -> bool:
    """Read the call of a closed fence; says whether it holds one that edits."""
    named = _NAME.match(content)
    if named is None:
        return False
    fields = _fields(named[1], content, named.end())
    if fields is not None:
        items = list(shapes.of_call(named[1], fields))
    elif may_edit(named[1]):
        call = Call(named[1], {}, {"name": named[1], "text": content})
        hint = "Send the call as one JSON object, or the change as a search/replace block."
        items = [malformed(call, f"The fields of the call `{named[1]}` cannot be told apart.", hint)]
    else:
        items = []
    for item in items:
        give(scanner, item, line)
    return bool(items)


def _fields(call: str, text: str, at: int) -> dict[str, object] | None:
    """The fields from the offset `at` on; None where text stands between them."""
    found: dict[str, object] = {}
    while (begin := _BEGIN.match(text, at)) is not None:
        end = _END.search(text, begin.end())
        if end is None or begin[1] in found:
            return None
        value = text[begin.end() : end.start()]
        value = value if holds_file(call, begin[1]) else value.removesuffix("\n")
        found[begin[1]] = value.strip('" ') if squashed(begin[1]) in PATH else value
        at = end.end()
    return found if not text[at:].strip() else None
