r"""What shows in a text that an edit is meant, in a form of which no machine reads it: it must not pass unsaid.

Owns a table of signs, each with what it is a sign of; nothing is read out of such a text. A text is searched for what
stands in every match of a sign, which most texts lack, and only then for the sign.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from dovetail.model.patterns import late


class _Sign(NamedTuple):
    """What every match of the pattern has in it, the pattern, and what it is a sign of."""

    part: str
    pattern: re.Pattern[str]
    what: str


_SIGNS = (
    _Sign(
        "old_",
        late(
            r"(?m)(?:^[ \t]*(?:-[ \t]+)?|[({,][ \t]*|--)old_(?:string|str|text|content|code)\b"
            r"(?:[ \t]*[:=]|[ \t]+[\"'$])[ \t]*(?=\S)(?!=|\w+[,)])"
            r"|[\"']old_(?:string|str|text|content|code)[\"'](?:[ \t]*:[ \t]*[\"']|>)"
        ),
        "a function call",
    ),
    _Sign("data:", late(r"(?m)^data:[ ]?\{[^\n]*\"(?:delta|choices|candidates)\""), "a provider's stream of events"),
    _Sign('"delta"', late(r"(?m)^\{[^\n]*\"delta\":"), "a provider's stream of events"),
    _Sign('"done"', late(r"(?m)^\{[^\n]*\"done\":[ ]?false"), "a provider's stream of events"),
    _Sign("vnd.ant.code", late(r"<antArtifact\s[^<>\n]*vnd\.ant\.code"), "an artifact whose file nothing names"),
    _Sign("@@start", late(r"(?m)^@@start$"), "an edit by line numbers"),
    _Sign("end_of_edit", late(r"(?m)^end_of_edit$"), "an edit by line numbers"),
    _Sign("\\n====", late(r"\\n={5,9}\\n"), "a text whose line ends are written out"),
)


def sign_in(text: str) -> tuple[int, str] | None:
    """Where in `text` an edit first shows that is not read, and what it seems to be."""
    likely = [(sign.pattern.search(text), sign.what) for sign in _SIGNS if sign.part in text]
    return min(((found.start(), what) for found, what in likely if found is not None), default=None)
