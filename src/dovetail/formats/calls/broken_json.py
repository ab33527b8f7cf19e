"""Text that should be JSON and is not: whether it speaks of an edit, and of which file.

Nothing is read out of such a text but that; what it would change is not guessed at.
"""

from __future__ import annotations

import re

from dovetail.formats.calls.tool_names import act_of
from dovetail.formats.lines.paths import normalise
from dovetail.formats.scan.faults import Fault
from dovetail.model.codes import Code

_QUOTE = r"[\"'`]"
_FIELD = re.compile(
    rf"(?i){_QUOTE}?\b(?:old|new)_?(?:string|str|text|content){_QUOTE}?\s{{0,9}}:\s{{0,9}}{_QUOTE}"
    rf"|{_QUOTE}(?:replace_?all|insert_?line|code_?edit){_QUOTE}\s{{0,9}}:"
    r"|\*{3} Begin Patch"
)
_PATH_FIELD = r"(?:path|file_?path|file|file_?name|target_?file)"
_PATH = re.compile(rf"(?i){_QUOTE}?\b{_PATH_FIELD}{_QUOTE}?\s{{0,9}}:\s{{0,9}}\"([^\"\\\n]{{1,400}})\"")
_WHOLE = re.compile(
    rf"(?i)\A[\[{{\s]{{0,99}}\"{_PATH_FIELD}\"\s{{0,9}}:\s{{0,9}}\"[^\"\n]{{1,400}}\"\s{{0,9}},\s{{0,99}}"
    r"\"(?:contents?|file_?text)\"\s{0,9}:\s{0,9}\""
)
_NAME = re.compile(r"(?i)\"(?:name|tool|tool_?name|command)\"\s{0,9}:\s{0,9}\"([\w.:/-]{1,80})\"")
_CALL = re.compile(r"(?i)\"(?:old_?(?:string|str|text)|tool_calls|tool_use|arguments)\"\s{0,9}:")
NO_JSON = Fault(
    "This looks like a tool call and is no JSON.",
    "Send the call again as one JSON object, with line ends and quotes inside strings escaped.",
    Code.BAD_JSON,
)
"""A value that names an edit and does not parse."""


def names_edit(text: str) -> bool:
    """Whether a text names the fields of an edit, or a call that is one."""
    if _FIELD.search(text) is not None or _WHOLE.match(text) is not None:
        return True
    return any(act_of(match[1]) is not None for match in _NAME.finditer(text)) and _PATH.search(text) is not None


def names_call(text: str) -> bool:
    """Whether a text names the fields of any function call."""
    return _CALL.search(text) is not None


def path_in(text: str) -> str | None:
    """The first file that a text names."""
    match = _PATH.search(text)
    return normalise(match[1]) if match is not None else None
