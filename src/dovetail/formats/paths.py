r"""Which path a line names, and how sure its form makes us. No file is looked at; whoever plans scores candidates.

Owns the cleaning of decoration (rule 5 of the formats): emphasis, backticks, quotes, a leading ``#`` or ``//``,
``File:``, list bullets, a trailing ``:``. The idea: a line gives *candidates*, each with a `Form`; where a name
could be read in two ways, both are kept. A sentence, a lone brace or a language name is never a strong candidate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache

from dovetail.formats.names import EXTENSIONS, KNOWN_NAMES, LANGUAGES
from dovetail.model.dataclasses import dataclass

LONGEST_LINE = 400

_LABEL = re.compile(
    r"(?:new |full |target )?(?:file|filename|file ?name|file ?path|path)\s*:\s*"
    r"|(?:create|new|edit|update|modify|modified|delete|in)\s*:\s+",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+")
_COMMENT = re.compile(r"(?:#{1,6}|//+|--|;+|%|/\*+|<!--|\"\"\")\s*")
_COMMENT_END = re.compile(r"\s*(?:\*+/|-->|\"\"\")$")
_REMARK = re.compile(r"\s+(?:\([^()]*\)|\[[^\[\]]*\]|[-–—]\s.*)$")
_LINE_SUFFIX = re.compile(r"(?<=[\w)\]]):\d+(?:[-:]\d+)?$")
_EXTENSION = re.compile(r"[\w)\]}$@+~-]\.[A-Za-z][\w+-]{0,14}$|[\w-]\.(?:7z|mp[34]|[1-9])$")
_DOTFILE = re.compile(r"(?:^|/)\.[A-Za-z][\w.-]*$")
_FORBIDDEN = re.compile(r"[<>\"|?*;={},`\x00-\x1f]|://|&&|\$\(|\.\.\.")
_BARE = re.compile(r"[\w./\\][\w./\\-]*\w$")
_CODE_SPAN = re.compile(r"`([^`\n]{1,300})`")
_EMPHASIS = re.compile(r"\*\*([^*\n]{1,300})\*\*")


class Form(IntEnum):
    """How sure a text's form makes us that it is a path; higher is surer.

    `INSIDE` is marked as code or bold inside a sentence, `MENTION` a plain word of one, `WORD` a line's only word.
    """

    NONE = 0
    LANGUAGE = 1
    MENTION = 2
    WORD = 3
    INSIDE = 4
    SPACED = 5
    STRONG = 6


@dataclass(frozen=True, slots=True)
class Candidate:
    """A path that a line may name."""

    path: str
    form: Form


def normalise(path: str) -> str:
    r"""`path` with ``/`` as separator, without ``./`` and doubled slashes. A leading slash or drive stays."""
    path = path.strip().replace("\\", "/")
    lead = "/" if path.startswith("/") else ""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return lead + "/".join(parts)


def form_of(text: str) -> Form:
    """Judge a cleaned text by its form alone."""
    if not text or len(text) > LONGEST_LINE or not any(c.isalnum() for c in text) or _FORBIDDEN.search(text):
        return Form.NONE
    slashed = text.replace("\\", "/")
    has_extension = bool(_EXTENSION.search(slashed) or _DOTFILE.search(slashed))
    if " " in text or "\t" in text:
        return Form.SPACED if has_extension and "/" in slashed else Form.NONE
    lowered = text.lower()
    if lowered in LANGUAGES and text not in ("Dockerfile", "Makefile"):
        return Form.LANGUAGE
    if has_extension or lowered in KNOWN_NAMES or _looks_like_folders(slashed):
        return Form.STRONG
    return Form.WORD if re.fullmatch(r"[\w.+@-]+", text) and not text.endswith(".") else Form.NONE


def _looks_like_folders(slashed: str) -> bool:
    """``src/app/Makefile``: every piece is a word; ``and/or`` is one too, and the files will say."""
    return (
        "/" in slashed
        and not slashed.endswith("/")
        and bool(re.fullmatch(r"(?:[A-Za-z]:)?[\w./@+()\[\]$~-]+", slashed))
    )


def undecorate(line: str) -> str:
    """What is left of a line when its decoration is peeled off, one layer at a time."""
    text = line.strip()
    while not _BARE.match(text):
        before = text
        for peel in (_BULLET, _COMMENT, _LABEL):
            if match := peel.match(text):
                text = text[match.end() :].strip()
        text = _COMMENT_END.sub("", text)
        text = _unwrap(text.rstrip(":,").rstrip())
        if text == before:
            break
    return text


def _unwrap(text: str) -> str:
    """Take off one pair of emphasis, backticks, quotes or brackets around the whole text."""
    for mark in ("***", "**", "__", "*", "`", '"', "'", "_"):
        size = len(mark)
        if len(text) > 2 * size and text.startswith(mark) and text.endswith(mark):
            inner = text[size:-size]
            if mark not in ("_", "__") or ("/" in inner or "." in inner):
                return inner.strip()
    for left, right in (("[", "]"), ("<", ">"), ("“", "”"), ("‘", "’")):
        if len(text) > 2 and text[0] == left and text[-1] == right and left not in text[1:]:
            return text[1:-1].strip()
    return text.lstrip("*`\"'").rstrip("*`\"'") if text[:1] in "*`" or text[-1:] in "*`" else text


def in_line(line: str) -> tuple[Candidate, ...]:
    """Every path that a line may name, surest first; none for a line that is plainly something else."""
    return _in_line(line.strip()) if len(line) <= LONGEST_LINE else ()


@lru_cache(maxsize=1024)
def _in_line(stripped: str) -> tuple[Candidate, ...]:
    found: dict[str, Form] = {}

    def add(text: str, form: Form | None = None) -> None:
        form = form_of(text) if form is None else form
        if form is not Form.NONE and (path := normalise(text)):
            found[path] = max(found.get(path, Form.NONE), form)

    cleaned = undecorate(stripped)
    add(cleaned)
    if "\\" in cleaned and found:
        found.setdefault(cleaned, Form.WORD)  # where a backslash is part of the name
    shorter = _LINE_SUFFIX.sub("", undecorate(_REMARK.sub("", cleaned)))
    if shorter != cleaned:
        add(shorter, min(form_of(shorter), Form.SPACED))
    if not any(form >= Form.SPACED for form in found.values()):
        for text, form in _inside(stripped):
            if form_of(text) in (Form.STRONG, Form.SPACED) and _has_known_end(text):
                add(text, form)
    if found and stripped not in (cleaned, "") and " " not in stripped.rstrip(":"):
        add(stripped, Form.WORD if form_of(stripped) is not Form.NONE else None)
    ranked = sorted(found.items(), key=lambda item: -item[1])
    return tuple(Candidate(path, form) for path, form in ranked)


def _inside(text: str) -> Iterator[tuple[str, Form]]:
    """What may be a path inside a sentence: code spans and bold text, or else its words."""
    spans = [span.strip() for span in (*_CODE_SPAN.findall(text), *_EMPHASIS.findall(text))]
    for span in spans:
        yield _LINE_SUFFIX.sub("", span), Form.INSIDE
    for word in () if spans else text.split():
        if "." in word:
            yield word.strip("()[]\"',.:;!?*"), Form.MENTION


def _has_known_end(text: str) -> bool:
    """Whether a name inside a sentence ends as files do; a method's name has a dot too."""
    name = text.replace("\\", "/").rpartition("/")[2].lower()
    return name in KNOWN_NAMES or name.startswith(".") or name.rpartition(".")[2] in EXTENSIONS


@lru_cache(maxsize=1024)
def in_info(info: str) -> tuple[str, str | None]:
    """Split a fence's info string into its language and the path it names, if any.

    ``python``, ``python:src/a.py``, ``python src/a.py``, ``src/a.py``, ``edit:src/a.py``, ``js title="src/a.js"``.
    """
    info = info.strip()
    if not info or len(info) > LONGEST_LINE:
        return "", None
    if attribute := re.search(r"(?:title|file|filename|path|name)\s*=\s*(?:\"([^\"]+)\"|'([^']+)'|(\S+))", info):
        return info.split()[0].strip("{}.").lower(), normalise(next(g for g in attribute.groups() if g))
    head, colon, tail = info.partition(":")
    if colon and len(head) > 1 and " " not in head.strip() and "/" not in head and "\\" not in head and tail.strip():
        return head.strip().lower(), normalise(undecorate(tail))
    head, _, tail = info.partition(" ")
    if tail and (head.lower() in LANGUAGES or form_of(undecorate(head)) is Form.WORD):
        cleaned = undecorate(tail)
        return head.lower(), normalise(cleaned) if form_of(cleaned) >= Form.SPACED else None
    cleaned = undecorate(info)
    if form_of(cleaned) >= Form.SPACED and cleaned.lower() not in LANGUAGES:
        return "", normalise(cleaned)
    return head.lower(), None
