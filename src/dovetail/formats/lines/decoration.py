r"""What stands around a path on its line: labels, bullets, emphasis, quotes, symbols, links, tags, remarks.

Owns the peeling (rule 5 of the formats), and nothing of what a path is. The idea: layers come off from the outside
in, one at a time; quotes, backticks, a tag and ``File:`` say besides that all they hold is the name, the last two that
it is a file's.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from dovetail.formats.lines.names import COMMANDS, FRESH, KNOWN_NAMES, PIECES, QUOTING
from dovetail.formats.lines.tongues import LABEL

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_LINE = 400
"""Characters of a line that is looked at for a path."""
_FILE = re.compile(
    r"[*_]{0,2}(?:(?:new |full |target |updated |modified |changed |edited |revised )?"
    rf"(?:filename|file ?name|file ?path|file|path)|{LABEL})(?:\s*#?\d{{1,3}})?"
    r"\s*[*_]{0,2}[:：]\s*(?:[*_]{2}\s*)?",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"([*_]{0,2})(?:created?|new|edit(?:ed)?|updated?|modify|modified|changed?|revised|rewritten|added|delete|in)"
    r"(?:\s*:\1|\1\s*:)\s+|(?:step|part|change)\s*#?\d{1,3}\s*[:.)–—-]\s*",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?:[-*+•]|\d{1,3}[.)]|\d\ufe0f?\u20e3)\s+")
_COMMENT = re.compile(r"(?:#{1,6}|//+|--|;+|%|/\*+|<!--|\"\"\")\s*")
_QUOTES = (
    ("“", "”"), ("„", "“"), ("„", "”"), ("”", "”"), ("‘", "’"), ("‚", "‘"), ("«", "»"), ("»", "«"), ("「", "」"),
    ("『", "』"), ("《", "》"), ("〈", "〉"),
)  # fmt: skip
_BRACKETS = (("[", "]"), ("<", ">"), ("(", ")"), ("（", "）"), ("【", "】"), ("［", "］"))
_PAIRS = frozenset(_BRACKETS + _QUOTES)
MARKS = "“”„‘’‚«»「」『』《》〈〉（）【】［］"
"""What is written around a name, or a part of a sentence, in whatever language."""
STOPS = "：，、。；！？؟،"
"""Signs behind words in languages that have their own."""
UNSEEN = "\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
"""Characters that are not drawn: what joins, what parts, and what turns the direction of writing."""
BLANKS = " \t\n\r\f\v\u00a0\u202f\u3000" + UNSEEN
"""What may stand around a name and is no part of it."""
_SYMBOL = re.compile(rf"[^\w\s\x00-\x7f{MARKS}](?:[^\w\x00-\x7f{MARKS}]|[ \t])*(?![/.])")
_AHEAD = re.compile(
    r"[(\[](?:new|updated|modified|changed|added|edited|moved|renamed)(?: file)?[)\]]:?\s+", re.IGNORECASE
)
_PAIRED = ("***", "**", "*", "`", '"', "'")
_COMMENT_END = re.compile(r"\s*(?:\*+/|-->|\"\"\")$")
_COMMENT_ENDS = ("*/", "-->", '"""')
_RULED = re.compile(r"(?:=+>?|-{2,}>?)\s+(\S.*?)\s+(?:<?=+|<?-{2,})$")
LINK = re.compile(r"\[((?:[^\[\]\n]|\[[^\[\]\n]*\]){1,300})\]\(((?:[^()\s]|\([^()\s]*\)){1,300})\)")
"""A Markdown link: its text and its target, each with brackets of its own kind in it, as ``app/(site)/[id]`` has."""
_TAG = re.compile(
    r"(?i)<[A-Za-z][\w:.-]*\s(?:[^<>]*\s)?(?:file_?-?path|file_?-?name|path|file|(?<=<file )name)\s*=\s*"
    r"(?:\"([^\"<>]+)\"|'([^'<>]+)')[^<>]*>$"
)
_ELEMENT = re.compile(
    r"(?i)<(?:file_?-?path|file_?-?name|path|file)>([^<>]+)</(?:file_?-?path|file_?-?name|path|file)>$"
)
_MARKUP = re.compile(
    r"(?i)(?:<details(?:\s+open)?>\s*)?<(b|strong|em|i|u|code|kbd|samp|p|h[1-6]|summary)(?:\s[^<>]*)?>"
    r"\s*((?:(?!</?\1\b).)+?)\s*</\1>$"
)
_BARE = re.compile(r"[\w./\\][\w./\\-]*\w$")
_UNDERSCORED = re.compile(r"(__?)([^\s_](?:.*[^\s_])?|__.*[^\s_])\1$")
_WITH_END = re.compile(r"\.[^\W_]{1,15}[*`\"']*$")

_REMARK = re.compile(r"\s+(?:\(([^()]*)\)|\[([^\[\]]*)\]|[-–—]\s(.*))$")
_LINES = re.compile(r"(?<=[\w)\]])(?::\d+(?:[-:–]\d+)?|#L\d+(?:-L?\d+)?)$")
_RANGE = re.compile(r"\bL?\d+\s*(?:[-–]|to)\s*L?\d+\b|\bL\d+\b")


class Remark(Enum):
    """What is said behind a path: nothing, that its text is new, that a piece is quoted, or something else."""

    NONE = 0
    FRESH = 1
    OTHER = 2
    QUOTING = 3


class Bare(NamedTuple):
    """A line without its decoration; `named` says that what was peeled off marks all the rest as a name, `labelled`
    that it says that this is a file's."""

    text: str
    named: bool = False
    labelled: bool = False


def bare(line: str) -> Bare:
    """Peel a line, one layer at a time; one that is too long to name a path stays as it is."""
    text, named, labelled = line.strip(BLANKS), False, False
    if len(text) > LONGEST_LINE:
        return Bare(text)
    if text[:1] == "<" and (tag := _TAG.match(text) or _ELEMENT.match(text)) is not None:
        return Bare(tag[tag.lastindex or 0].strip(), named=True, labelled=True)
    while not _BARE.match(text) or without_underscores(text) != text:
        before = text
        if ruled := _RULED.match(text):
            text = ruled[1]
        for peel in (_BULLET, _COMMENT, _SYMBOL, _AHEAD, _STEP):
            if match := peel.match(text):
                text = text[match.end() :].strip(BLANKS)
        text = without_underscores(text)
        if (":" in text or "：" in text) and (label := _FILE.match(text)):
            text, named, labelled = text[label.end() :].strip(BLANKS), True, True
        text = _COMMENT_END.sub("", text) if text.endswith(_COMMENT_ENDS) else text
        text, quoted = _unwrap(text.rstrip(":,\\" + STOPS).rstrip(BLANKS))
        named = named or quoted
        if text == before:
            break
    return Bare(text, named, labelled)


def unquoted(name: str) -> str:
    """A name without the emphasis, backticks or quotes around the whole of it."""
    for mark, inner in _marked(name):
        if mark not in inner:
            return unquoted(inner.strip())
    return name


def _marked(text: str) -> Iterator[tuple[str, str]]:
    """The emphasis, backticks or quotes around the whole of a text, longest first, each with what is in it."""
    if text[:1] in _PAIRED and text[:1] == text[-1:]:
        for mark in _PAIRED:
            inner = text[len(mark) : -len(mark)]
            if inner and text == mark + inner + mark:
                yield mark, inner


def _unwrap(text: str) -> tuple[str, bool]:
    """Take off one pair of emphasis, quotes, tags or brackets around the whole text; whether it was a quote."""
    if text[:1] == "<" and (markup := _MARKUP.match(text)) is not None:
        return markup[2], markup[1].lower() in ("code", "kbd", "samp")
    for mark, inner in _marked(text):
        return inner.strip(), mark in "`\"'" and mark not in inner and not is_command(inner)
    if (inner := without_underscores(text)) != text:
        return inner, False
    if (link := LINK.fullmatch(text)) is not None:
        return linked(link[1].strip(), link[2]), False
    if len(text) > 2 and (pair := (text[0], text[-1])) in _PAIRS and _is_one_pair(text, *pair):
        return text[1:-1].strip(BLANKS), pair in _QUOTES
    return text.lstrip("*`\"'").rstrip("*`\"'") if text[:1] in "*`" or text[-1:] in "*`" else text, False


def _is_one_pair(text: str, left: str, right: str) -> bool:
    """Whether the sign that ends a text closes the one that begins it: ``[app/[id].ts]``, and not ``[a]/[b]``."""
    inside = text[1:-1]
    if left == right or left not in inside:
        return left not in inside
    depth = 0
    for char in inside:
        depth += (char == left) - (char == right)
        if depth < 0:
            return False
    return depth == 0


def without_underscores(text: str) -> str:
    """A text without the emphasis ``_`` or ``__``, where what is in it ends as a file does; names have underscores too,
    and ``__tests__/__mocks__`` begins and ends with its own."""
    match = _UNDERSCORED.match(text) if text[:1] == "_" == text[-1:] else None
    if match is None:
        return text
    name = match[2].rpartition("/")[2]
    known = name != match[2] and name.lower() in KNOWN_NAMES
    return match[2] if known or _WITH_END.search(name) else text


def is_command(text: str) -> bool:
    """Whether a text begins as a command does: ``python main.py``."""
    return (text.split()[:1] or [""])[0].lower() in COMMANDS


def linked(text: str, target: str) -> str:
    """What a Markdown link names: its target, unless that is an address, or its text is another name."""
    plain = text.strip("`*")
    other = "." in plain and target.rpartition("/")[2] != plain.rpartition("/")[2]
    return text if other or ":" in target or target.startswith("#") else target


def without_remark(text: str) -> tuple[str, Remark]:
    """A bare text without the line numbers or the remark behind it, and what they were."""
    match = _REMARK.search(text)
    remark = Remark.NONE
    if match is not None:
        text = bare(text[: match.start()]).text
        remark = remark_of(match[match.lastindex or 0])
    shorter = without_lines(text)
    return shorter, Remark.QUOTING if shorter != text else remark


def without_lines(text: str) -> str:
    """A text without the line numbers behind it."""
    return _LINES.sub("", text) if text[-1:].isdigit() else text


def remark_of(remark: str) -> Remark:
    """What the words behind a path say."""
    words = set(re.findall(r"[^\W\d_]+", remark.lower()))
    if words & QUOTING or _RANGE.search(remark):
        return Remark.QUOTING
    return Remark.FRESH if words & FRESH and not words & PIECES else Remark.OTHER
