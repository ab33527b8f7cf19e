"""Reads the info string of a fence: the language, and the file that it names."""

from __future__ import annotations

from functools import lru_cache

from dovetail.formats.paths.forms import LONGEST_LINE, Form, Remark, form_of, normalise, peeled, without_remark
from dovetail.formats.paths.words import LANGUAGES
from dovetail.text.pattern import pattern

# `3:9:src/a.py`, `src/a.py:3-9`, `src/a.py#L3-L9`, `src/a.py (lines 3-9)`, `suggestion:-0+1`
_PIECE = pattern(
    r"^\d+:\d+:(?=\S)|(?<=[\w)\]])(?::\d+(?:[-:–]\d+)?|#L\d+(?:-L?\d+)?)(?=[\"'}]*$)|\s*[(\[]lines?\s[\d\s–-]+[)\]]$"
    r"|(?<=suggestion):-\d+\+\d+$"
)
# `title="src/a.js"`, `{file=a.js}`; not `class="a.js"`, which `_OTHER_ATTRIBUTES` takes off.
_ATTRIBUTE = pattern(
    r"(?<![\w-])(?:(?P<file>file|filename|path)|title|name)\s*=\s*"
    r"(?:\"(?P<double>[^\"]+)\"|'(?P<single>[^']+)'|(?P<unquoted>\S+))"
)
_OTHER_ATTRIBUTES = pattern(r"(?:\s+(?:[\w-]+=(?:\"[^\"]*\"|'[^']*'|\S+)|\{[\d\s,-]*\}))+$")


@lru_cache(maxsize=1024)
def in_info(info: str) -> tuple[str, str | None]:
    """Split a fence's info string into its language and the path it names, if any.

    ``python``, ``python:src/a.py``, ``python src/a.py``, ``src/a.py``, ``edit:src/a.py``, ``js title="src/a.js"``;
    each may add which lines of the file follow. A title may be any words; then it names no file.
    """
    info = info.strip()
    if not info or len(info) > LONGEST_LINE:
        return "", None
    info = _PIECE.sub("", info.replace("：", ":"))
    # Attributes go before `language:path`, as a value may hold a colon: `js title="a: b"`.
    if attributes := list(_ATTRIBUTE.finditer(info)):
        values = (
            (found["double"] or found["single"] or _without_braces(found["unquoted"]), found["file"])
            for found in attributes
        )
        named = (normalise(value) for value, of_file in values if of_file or form_of(value) >= Form.SPACED)
        return info.split()[0].strip("{}.").lower(), next(filter(None, named), None)
    info = _OTHER_ATTRIBUTES.sub("", info)
    head, colon, tail = info.partition(":")
    # `C:/src/a.py` is a path, `c:src/a.c` a language and a path.
    is_drive = len(head) == 1 and tail[:1] in ("/", "\\")
    if (
        colon
        and head
        and not is_drive
        and " " not in head.strip()
        and "/" not in head
        and "\\" not in head
        and tail.strip()
    ):
        return head.strip().lower(), normalise(peeled(tail).text)
    head, _, tail = info.partition(" ")
    if tail and (head.lower() in LANGUAGES or form_of(peeled(head).text) is Form.WORD):
        return head.lower(), _path_in_info(tail)
    # ```` ```Dockerfile ```` names a language here; the file is named by a path or on the line above.
    path = _path_in_info(info) if info.lower() not in LANGUAGES else None
    return ("", path) if path is not None else (head.lower(), None)


def _without_braces(value: str) -> str:
    """Return an attribute's value without a comma after it, a brace that ends all attributes, and its own braces."""
    value = value.rstrip(",")
    while value.endswith("}") and (value.startswith("{") or value.count("}") > value.count("{")):
        value = value.removeprefix("{")[:-1]
    return value


def shows_piece(info: str) -> bool:
    """Return whether an info string says that some lines of a file follow: ``src/a.py:3-9``, ``3:9:src/a.py``."""
    return in_info(info)[1] is not None and _PIECE.search(info.strip()) is not None


def _path_in_info(text: str) -> str | None:
    """Return the path that all of `text` is, or None. It may have blanks if its first word has a folder, as no sentence
    begins like that."""
    cleaned, named, _ = peeled(text)
    shorter, remark = without_remark(cleaned)
    cleaned = shorter if remark is Remark.FRESH else cleaned
    form = form_of(cleaned, named=named or "/" in cleaned.partition(" ")[0])
    return normalise(cleaned) if form >= Form.SPACED else None
