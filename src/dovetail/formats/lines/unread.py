r"""What shows in a text that an edit is meant, in a form of which no machine reads it: it must not pass unsaid.

Owns a table of signs, each on a line of its own and with what it is a sign of, and the two words that stand over the
halves of an edit in whatever signs. Nothing is read out of such a text. A text is searched for what stands in every
match of a sign, which most texts lack, and only then for the sign.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from dovetail.model.patterns import late


class Sign(NamedTuple):
    """Where a sign stands, what it is one of, and the file that it names."""

    at: int
    what: str
    path: str | None = None


class _Known(NamedTuple):
    """What every match of the pattern has in it, the pattern, and what it is a sign of."""

    part: str
    pattern: re.Pattern[str]
    what: str


_RULED = r"+[ \t]*(?:(?:begin|start|new|file)[ \t:]+)*(?P<path>[\w./-]{1,200}\.[a-z]\w{0,9})[ \t]*"
_SIGNS = (
    _Known(
        "old_",
        late(
            r"(?m)(?:^[ \t]*(?:-[ \t]+)?|[({,][ \t]*|--)old_(?:string|str|text|content|code)\b"
            r"(?:[ \t]*[:=]|[ \t]+[\"'$])[ \t]*(?=\S)(?!=|\w+[,)])"
            r"|[\"']old_(?:string|str|text|content|code)[\"'](?:[ \t]*:[ \t]*[\"']|>)"
        ),
        "a function call",
    ),
    _Known("data:", late(r"(?m)^data:[ ]?\{[^\n]*\"(?:delta|choices|candidates)\""), "a provider's stream of events"),
    _Known('"delta"', late(r"(?m)^\{[^\n]*\"delta\":"), "a provider's stream of events"),
    _Known('"done"', late(r"(?m)^\{[^\n]*\"done\":[ ]?false"), "a provider's stream of events"),
    _Known("vnd.ant.code", late(r"<antArtifact\s[^<>\n]*vnd\.ant\.code"), "an artifact whose file nothing names"),
    _Known("@@start", late(r"(?m)^@@start$"), "an edit by line numbers"),
    _Known("end_of_edit", late(r"(?m)^end_of_edit$"), "an edit by line numbers"),
    _Known("\\n====", late(r"\\n={5,9}\\n"), "a text whose line ends are written out"),
    _Known("&lt;", late(r"(?i)&lt;[a-z][\w-]{0,39}[ \t][^\n]{0,300}?path=(?:\"|&quot;)"), "an edit in HTML entities"),
    _Known("==", late(rf"(?m)^={_RULED}={{2,}}[ \t]*$"), "a file's text without a fence"),
    _Known("--", late(rf"(?mi)^-{_RULED}-{{2,}}[ \t]*$"), "a file's text without a fence"),
    _Known("<<", late(rf"(?mi)^<{_RULED}>{{2,}}[ \t]*$"), "a file's text without a fence"),
)
_OLD_HALF = "SEARCH|FIND|OLD|ORIGINAL|BEFORE"
_HALF = late(
    rf"(?m)^(?:[^\w\n]*(?:(?P<word>{_OLD_HALF})|REPLACE(?: WITH|MENT)?|NEW|UPDATED|AFTER)[^\w\n]*"
    r"|[ \t]*(?:-[ ])?(?:(?P<key>search|find)|replace):[ ]?[|>][-+]?[ \t]*)$"
)
_WORDS = (*_OLD_HALF.split("|"), "search:", "find:")


def sign_in(text: str) -> Sign | None:
    """The first sign in `text` of an edit that is not read."""
    likely = ((known, known.pattern.search(text)) for known in _SIGNS if known.part in text)
    found = (Sign(m.start(), known.what, m.groupdict().get("path")) for known, m in likely if m is not None)
    return min(found, default=None, key=lambda sign: sign.at)


def halves_in(text: str, *, old: bool) -> tuple[bool, Sign | None]:
    """Whether a word for the old half of an edit stands alone on a line of `text`, and the sign that one for the new
    half is behind it; `old`: the first has come already."""
    for half in _HALF.finditer(text) if old or any(map(text.__contains__, _WORDS)) else ():
        first = half["word"] is not None or half["key"] is not None
        if old and not first:
            return True, Sign(half.start(), "an edit whose halves stand under other words than any format has")
        old = old or first
    return old, None
