r"""Which path a line names, and how sure its form makes us. No file is looked at; whoever plans scores candidates.

The idea: a line, freed of its decoration, gives *candidates*, each with a `Form`; where a name could be read in two
ways, both are kept. A sentence, a lone brace or a language name is never a strong candidate, and a text with blanks
may always be a sentence, unless it is marked as a name. Where files hardly ever have such a name, only a file says so;
so it does of a bare word, which no extension and no folder shows to be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from dovetail.formats.lines.decoration import (
    BLANKS,
    LINK,
    LONGEST_LINE,
    MARKS,
    STOPS,
    UNSEEN,
    Remark,
    bare,
    is_command,
    linked,
    unquoted,
    without_lines,
    without_remark,
    without_underscores,
)
from dovetail.formats.lines.names import BUTTONS, EXTENSIONS, KNOWN_NAMES, LANGUAGES, MODELS

_EXTENSION = re.compile(r"[\w)\]}$@+~-]\.[A-Za-z][A-Za-z0-9_+-]{0,14}$|[\w-]\.(?:7z|mp[34]|[1-9])$")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+")  # no page of a manual, as `git.1` is
_LONGEST_END = 17  # characters of what that finds
_DOTFILE = re.compile(r"\.[A-Za-z][\w.-]*$")
_FORBIDDEN = re.compile(r"[|`\x00-\x1f]|://|&&|\$\(|\.\.\.")
_ODD = re.compile(rf"[<>\"?*;={{}},“”„«»《》{STOPS}]")
_UNSPACED = r"\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts that put no blank before a name
_RUN_ON = re.compile(rf"[{_UNSPACED}]+(?:[A-Za-z_@]|\.[\w-]+/)|[^{_UNSPACED}]*[!-~][{_UNSPACED}]+$")
_FILLED_IN = re.compile(r"\[\[?\.\.\.\w{1,80}\]?\]|\{\{[^{}\n]{1,80}\}\}")  # ``[...slug]`` and ``{{ name }}``
_ROOTED = re.compile(r"(?:[A-Za-z]:|~)?/(?=[^/\s])")
_FOLDER_AND_END = re.compile(r"[\w.@()\[\]$-]+(?:[/\\][\w@()\[\]$-]+)+\.[A-Za-z]\w{1,14}")
_SIGNS = re.compile(rf"[{MARKS}{STOPS}]+")
_HIDDEN = re.compile(r"\.(?:[\w-]*(?:ignore|rc|config|attributes|modules|version)|env)(?:\.[\w-]+)*")
_SAID_NAMES = frozenset(name for name in KNOWN_NAMES if name.endswith("file"))
_ASCII = re.compile(r"[!-~]{3,300}")
_CLOSING_TAG = re.compile(r"</[A-Za-z][\w:-]*\s*>")
_JOINERS = "\u200c\u200d"
_LETTER = re.compile(r"[^\W_]")
_SIGN = re.compile(r"[^\w\x00-\x7f]")  # accents and vowel signs are no letters to a pattern
_NAMING = re.compile(r"\.\S|\Bfile", re.IGNORECASE)  # a word without these is no name in a sentence
_AROUND = "()[]\"',:;!?*" + MARKS + STOPS + UNSEEN
_CODE_SPAN = re.compile(r"`([^`\n]{1,300})`")
_EMPHASIS = re.compile(r"\*\*([^*\n]{1,300})\*\*")


class Form(IntEnum):
    """How sure a text's form makes us that it is a path; higher is surer.

    `ODD` has characters that names hardly ever have, or words before a name without a blank as some languages write
    them, and is a path only where there is such a file. `PHRASE` is a text
    with blanks, a path only where there is such a file or folder; `MENTION` a plain word of a sentence, `WORD` a line's
    only word, like `LANGUAGE` a path only where there is such a file, `NAMED` one that is marked as a name, `INSIDE`
    marked as code or bold inside a sentence. Behind a `QUOTED` path its line says that a piece of the file follows,
    behind a `REMARKED` one something else. `SPACED` has blanks or is a bare word, and is marked as a name, or has a
    remark behind it that its text is new.
    """

    NONE = 0
    ODD = 1
    LANGUAGE = 2
    PHRASE = 3
    MENTION = 4
    WORD = 5
    NAMED = 6
    INSIDE = 7
    QUOTED = 8
    REMARKED = 9
    SPACED = 10
    STRONG = 11


@dataclass(frozen=True, slots=True)
class Candidate:
    """A path that a line may name."""

    path: str
    form: Form


def normalise(path: str) -> str:
    r"""`path` with ``/`` as separator, without ``./``, doubled slashes, and the quotes around it. A leading slash or
    drive stays."""
    path = unquoted(path.strip(BLANKS)).replace("\\", "/")
    lead = "/" if path.startswith("/") else ""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return lead + "/".join(parts)


_BEHIND = {
    Remark.NONE: Form.SPACED,
    Remark.FRESH: Form.SPACED,
    Remark.OTHER: Form.REMARKED,
    Remark.QUOTING: Form.QUOTED,
}


def form_of(text: str, *, named: bool = False, labelled: bool = False) -> Form:
    """Judge a cleaned text by its form alone; `named` says that its line marks it as a name, `labelled` as a file's."""
    if "[..." in text or "{{" in text:
        text = _FILLED_IN.sub("x", text)
    if not text or len(text) > LONGEST_LINE or not _LETTER.search(text) or _FORBIDDEN.search(text):
        return Form.NONE
    text = _lettered(text) if _SIGN.search(text) else text
    slashed = text.replace("\\", "/")
    if _ODD.search(text):
        return Form.ODD if has_known_end(slashed) else Form.NONE
    if not (named or text.isascii() or " " in text) and _RUN_ON.match(text):
        return Form.ODD
    ends = _EXTENSION.search(slashed[-_LONGEST_END:]) or _DOTFILE.match(slashed.rpartition("/")[2])
    has_extension = ends is not None and not _VERSION.fullmatch(text)
    if " " in text or "\t" in text:
        return _spaced(slashed, named=named) if has_extension else Form.NONE
    lowered = text.lower()
    if lowered in LANGUAGES and text not in ("Dockerfile", "Makefile"):
        return Form.LANGUAGE
    if has_extension or lowered in KNOWN_NAMES or (_looks_like_folders(slashed) and not _is_either(slashed)):
        return Form.STRONG
    if not re.fullmatch(r"[\w.+@/-]+", text) or text.endswith((".", "/")):
        return Form.NONE
    return Form.SPACED if labelled else Form.NAMED if named else Form.WORD


def _lettered(text: str) -> str:
    """`text` with each accent or vowel sign as the letter that it stands on."""
    import unicodedata  # few names need it

    letters: list[str] = []
    for char in text:
        joined = bool(letters) and (unicodedata.category(char).startswith("M") or char in _JOINERS)
        letters.append(letters[-1] if joined else char)
    return "".join(letters)


def is_furniture(line: str) -> bool:
    """Whether a line is what a chat's page writes over a listing: its language, and buttons such as ``Copy code``."""
    text = line.strip().lower()
    return text in BUTTONS or text in LANGUAGES


def is_word(name: str) -> bool:
    """Whether nothing in a name says that it is a file's: a language, a bare word."""
    return form_of(name) in (Form.LANGUAGE, Form.WORD)


def is_odd(name: str) -> bool:
    """Whether a name has characters that names hardly ever have, or may be a sentence and a name in one; a catch-all or
    a placeholder is neither."""
    return _ODD.search(_FILLED_IN.sub("x", name)) is not None or _RUN_ON.match(name) is not None


def _spaced(slashed: str, *, named: bool) -> Form:
    """A text with blanks that ends as files do: a sentence may, and a command behind its prompt is one."""
    if slashed.startswith(("$ ", "> ", "% ")):
        return Form.NONE
    if named or _ROOTED.match(slashed):
        return Form.SPACED
    return Form.PHRASE if "/" in slashed or has_known_end(slashed) else Form.NONE


def _looks_like_folders(slashed: str) -> bool:
    """``src/app/Makefile``: every piece is a word; ``and/or`` is one too, and the files will say."""
    return (
        "/" in slashed
        and not slashed.endswith("/")
        and bool(re.fullmatch(r"(?:[A-Za-z]:)?[\w./@+()\[\]$~-]+", slashed))
    )


def _is_either(slashed: str) -> bool:
    """Whether a slash stands between words that are no folder and no file: ``AND/OR``, ``html/css``."""
    words = slashed.lower().split("/")
    capitals = re.fullmatch(r"[A-Z]+(?:/[A-Z]+)+", slashed) is not None
    return (capitals or all(word in LANGUAGES for word in words)) and words[-1] not in KNOWN_NAMES


def in_line(line: str) -> tuple[Candidate, ...]:
    """Every path that a line may name, surest first; none for a line that is plainly something else."""
    stripped = line.strip()
    if len(line) > LONGEST_LINE or (stripped[:2] == "</" and _CLOSING_TAG.fullmatch(stripped)):
        return ()
    return _in_line(stripped)


def says_path(line: str) -> bool:
    """Whether a line is a path, perhaps with a remark behind it."""
    return any(candidate.form >= Form.QUOTED for candidate in in_line(line))


def in_text(line: str) -> Iterable[Candidate]:
    """Every path that a line of text may name, however long the line is."""
    if len(line) <= LONGEST_LINE:
        return in_line(line)
    return (Candidate(normalise(text), form) for text, form in _inside(line) if form >= Form.MENTION)


@lru_cache(maxsize=1024)
def _in_line(stripped: str) -> tuple[Candidate, ...]:
    found: dict[str, Form] = {}

    def add(text: str, form: Form | None = None) -> None:
        form = form_of(text) if form is None else form
        if form is not Form.NONE and (path := normalise(text)):
            found[path] = max(found.get(path, Form.NONE), form)

    def add_spaced(text: str, form: Form) -> None:
        add(text, form)
        if form is Form.PHRASE:
            add(_trimmed(text.split()[-1]), Form.MENTION)

    cleaned, named, labelled = bare(stripped)
    add_spaced(cleaned, form_of(cleaned, named=named, labelled=labelled))
    if "\\" in cleaned and any(form is not Form.ODD for form in found.values()):
        found.setdefault(cleaned, Form.WORD)  # where a backslash is part of the name
    shorter, remark = without_remark(cleaned)
    if shorter != cleaned:
        add_spaced(shorter, min(form_of(shorter, named=named, labelled=labelled), _BEHIND[remark]))
    if not any(form >= Form.QUOTED for form in found.values()):
        for text, form in _inside(stripped):
            add_spaced(text, form)
    certain = any(form is not Form.ODD for form in found.values())
    if certain and stripped not in (cleaned, "") and " " not in stripped.rstrip(":"):
        spelt = form_of(stripped)
        add(stripped, Form.WORD if spelt > Form.ODD else Form.NONE if labelled else spelt)
    ranked = sorted(found.items(), key=lambda item: -item[1])
    return tuple(Candidate(path, form) for path, form in ranked)


def _inside(text: str) -> Iterator[tuple[str, Form]]:
    """What may be a path inside a sentence: code spans, bold text and links, or else its words."""
    links, unlinked = LINK.findall(text), LINK.sub(" ", text)
    code = [without_lines(span.strip().rstrip(":")) for span in _CODE_SPAN.findall(unlinked)]
    other = [without_lines(span.strip()) for span in _EMPHASIS.findall(unlinked)]
    other += [linked(*link).strip("`*") for link in links]
    for span in filter(_ends_as_file, code):
        form = form_of(span, named="/" in span and not is_command(span))
        yield span, Form.INSIDE if form >= Form.SPACED else form if form is Form.PHRASE else Form.NONE
    for span in filter(has_known_end, other):
        yield span, Form.INSIDE if form_of(span) is Form.STRONG else Form.NONE
    for word in () if code or other or not _NAMING.search(text) else map(_trimmed, _words(text)):
        if _is_said(word) and form_of(word) is Form.STRONG:
            yield word, Form.MENTION


def _words(text: str) -> Iterator[str]:
    """The words of a sentence; where blanks do not part them, what stands between its signs, and all that is ASCII."""
    for word in text.split():
        yield word
        if not word.isascii():
            for part in _SIGNS.split(word):
                yield part
                if not part.isascii():
                    yield from _ASCII.findall(part)


def _ends_as_file(span: str) -> bool:
    """Whether what is marked as code may name a file: it ends as one we know, or stands in a folder and ends as one."""
    return has_known_end(span) or _FOLDER_AND_END.fullmatch(span) is not None


def _is_said(word: str) -> bool:
    """Whether a word of a sentence may be a file's name: it ends as one we know, or has no other meaning."""
    if word.startswith("."):
        return _HIDDEN.fullmatch(word) is not None or ("/" in word and has_known_end(word))
    return has_known_end(word) if "." in word else word.lower() in _SAID_NAMES


def _trimmed(word: str) -> str:
    """A word of a sentence without the marks around it; a dot that it begins with may be its own."""
    return without_underscores(word.lstrip(_AROUND).rstrip(_AROUND + "."))


def as_line(path: str | None) -> str:
    """A line that names a path and nothing else, as plain as it is still read back."""
    plain = path or ""
    read = ((line, next(iter(in_line(line)), None)) for line in (plain, f"`{plain}`", f"File: {plain}"))
    return next((line for line, c in read if c is not None and c.path == path and c.form >= Form.QUOTED), plain)


def has_known_end(text: str) -> bool:
    """Whether a name inside a sentence ends as files do; a method's name has a dot too."""
    name = text.replace("\\", "/").rpartition("/")[2].lower()
    if name in KNOWN_NAMES or _DOTFILE.match(name):
        return True
    stem, _, end = name.rpartition(".")
    return end in EXTENSIONS or stem in _SAID_NAMES or (end in MODELS and has_known_end(stem))
