r"""What shows in a text that an edit is meant, in a form of which no machine reads it: it must not pass unsaid.

Owns a table of signs, each on a line of its own and with what it is a sign of, and the two words that stand over the
halves of an edit in whatever signs. Nothing is read out of such a text. A text is searched for what stands in every
match of a sign, which most texts lack, and only then for the sign. Texts are handed in with a newline in front.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from dovetail.formats.lines.vocabulary import CALL_TAGS, OLD_TEXTS


class Sign(NamedTuple):
    """Where a sign stands, from 0 behind the newline in front, what it is one of, and the file that it names."""

    at: int
    what: str
    path: str | None = None


_SIGNS = (
    (
        "old_",
        re.compile(
            r"(?m)(?:^[ \t]*(?:-[ \t]+)?|[({,][ \t]*|--)old_(?:string|str|text|content|code)\b"
            r"(?:[ \t]*[:=]|[ \t]+[\"'$])[ \t]*(?=\S)(?!=|\w+[,)])"
            r"|[\"'“”]old_(?:string|str|text|content|code)[\"'“”](?:[ \t]*:[ \t]*[\"'“”]|>)"
        ),
        "a function call",
    ),
    ("data:", re.compile(r"(?m)^data:[ ]?\{[^\n]*\"(?:delta|choices|candidates)\""), "a provider's stream of events"),
    ('"d', re.compile(r"(?m)^\{[^\n]*\"(?:delta\":|done\":[ ]?false)"), "a provider's stream of events"),
    ("vnd.ant.code", re.compile(r"<antArtifact\s[^<>\n]*vnd\.ant\.code"), "an artifact whose file nothing names"),
    ("@@start", re.compile(r"(?m)^@@start$"), "an edit by line numbers"),
    ("end_of_edit", re.compile(r"(?m)^end_of_edit$"), "an edit by line numbers"),
    ("\\n====", re.compile(r"\\n={5,9}\\n"), "a text whose line ends are written out"),
    ("&lt;", re.compile(r"(?i)&lt;[a-z][\w-]{0,39}[ \t][^\n]{0,300}?path=(?:\"|&quot;)"), "an edit in HTML entities"),
    (
        "path=",
        re.compile(
            r"(?mi)^[ \t]*<[a-z][\w-]{0,39}[ \t](?:[^<>\n]{0,200}[ \t_-])?(?:file)?path=[\"']"
            r"(?P<path>[\w./-]{1,200}\.[a-z]\w{0,9})[\"'][^<>\n]{0,200}>[ \t]*$"
        ),
        "a file's text in tags",
    ),
    (
        "</",
        re.compile(rf"(?m)^[ \t]*</(?:invoke|function|parameter|(?:old|new)_\w+|{CALL_TAGS})>[ \t]*$"),
        "the end of a call whose beginning is missing",
    ),
    ("</", re.compile(rf"(?mi)</(?:{OLD_TEXTS})>[ \t]*\n\s{{0,99}}<(?:replace|new|updated)"), "an edit in tags"),
    (
        ".",
        re.compile(
            r"(?m)\n[=<-]{2,}+[ \t]*(?i:(?:begin|start|new|file)[ \t:]+)*"
            r"(?P<path>[\w./-]{1,200}\.[a-z]\w{0,9})[ \t]*[=>-]{2,}[ \t]*$"
        ),
        "a file's text without a fence",
    ),
)
"""What every match of a sign has in it, its pattern, and what it is a sign of."""
_HALF = re.compile(
    r"(?m)\n(?=[^\w\n]*+[A-Zfrs][A-Ze])[^\w\n]*+(?:(?:"
    r"(?P<word>SEARCH|FIND|OLD|ORIGINAL|BEFORE)|REPLACE(?: WITH|MENT)?|NEW|UPDATED|AFTER)[^\w\n]*"
    r"|(?:(?P<key>search|find)|replace):[ ]?[|>][-+]?[ \t]*)$"
)


def sign_in(text: str) -> Sign | None:
    """The first sign in `text` of an edit that is not read."""
    likely = ((pattern.search(text), what) for part, pattern, what in _SIGNS if part in text)
    found = (
        Sign(m.start() - (m[0][0] != "\n"), what, m.groupdict().get("path")) for m, what in likely if m is not None
    )
    return min(found, default=None, key=lambda sign: sign.at)


def halves_in(text: str, *, old: bool) -> tuple[bool, Sign | None]:
    """Whether a word for the old half of an edit stands alone on a line of `text`, and the sign that one for the new
    half is behind it; `old`: the first has come already."""
    for half in _HALF.finditer(text):
        first = half["word"] is not None or half["key"] is not None
        if old and not first:
            return True, Sign(half.start(), "an edit whose halves stand under other words than any format has")
        old = old or first
    return old, None
