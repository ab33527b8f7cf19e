"""Lines of a whole-file reply that stand for lines left out: ``// ... existing code ...`` and their like.

Owns what counts as such a mark. A comment that only happens to hold dots, or a line that the file has too, is content.
"""

from __future__ import annotations

import re

from dovetail.model.text import split_lines

_CLOSED = {
    "{{- /*": "*/ -}}", "{{/*": "*/}}", "{{--": "--}}", "{{!": "}}", "{-": "-}", "{#": "#}", "{*": "*}", "<%--": "--%>",
    "<%#": "%>", "<#": "#>", "@*": "*@",
}  # fmt: skip
"""How comments begin and end that are none without their end on the same line, which may be code then."""
_OPEN = ("//", "#", "--", "/*", "<!--", "{/*", ";", "%", "*", '"""', "'''", "(*", "!", "-#", "::")
_WORDS = ("REM ", "rem ", "@REM ", "@rem ")
_SIGNS = (*_CLOSED, *_OPEN, *_WORDS)
_CLOSERS = (*_CLOSED.values(), "*/}", "*/", "-->", '"""', "'''", "*)")
_BY_ENDING = {'"': (".vim", ".vimrc"), "'": (".bas", ".cls", ".vb", ".vbs"), "..": (".rst",), "/": (".haml", ".slim")}
"""Signs that begin a comment in some languages, and mean something else in others."""
_DOTS = re.compile(r"\.{3,}|…|\. \. \.")
_LEFT_OUT = re.compile(
    r"(?i)\b(existing|rest|unchanged|remaining|remains?|same|previous|other|original|omitted|unmodified|above|before|code|"
    r"content|contents|methods?|functions?|imports?|lines?|file|class|implementation|props|fields|keep)\b"
)
_SAID_SO = re.compile(
    r"(?i)\b(rest|remainder|remaining|existing|other|previous|all)\b.*\b(unchanged|same|omitted|as before|as is|here)\b"
    r"|\b(rest of (the|your|this) (code|file|class|function|method|content|implementation))\b"
)
LONGEST = 200  # characters of such a remark
_PLAIN_DOTS = ("...", "…")
_GAP = re.compile(r"⋮(?: lines? \d+(?:-\d+)?)?")  # what stands for lines left out in an excerpt that models are shown
_ELLIPSIS_IS_CODE = (".py", ".pyi")


def elisions(new: str, before: str, path: str = "") -> tuple[int, ...]:
    """Lines of `new`, from 0, that stand for lines left out. A line that the file has too is content."""
    content = {line.strip() for line in split_lines(before)}
    bare = not dots_are_code(path)
    return tuple(
        index
        for index, line in enumerate(split_lines(new))
        if line.strip() not in content and _stands_for_lines(line.strip(), path, bare=bare)
    )


def dots_are_code(path: str) -> bool:
    """Whether three dots alone say something in the language of a path."""
    return path.endswith(_ELLIPSIS_IS_CODE)


def _stands_for_lines(line: str, path: str, *, bare: bool) -> bool:
    if line in _PLAIN_DOTS:
        return bare
    leader, said = remark(line, path)
    if said.startswith("⋮"):
        return _GAP.fullmatch(said) is not None
    dots = _DOTS.search(said)
    words = _DOTS.sub(" ", said).strip(" ,.:[]()")
    if not leader:
        whole = said.startswith(_PLAIN_DOTS) and said.endswith(_PLAIN_DOTS)
        return whole and _LEFT_OUT.search(words) is not None
    if dots is not None and (dots.start() == 0 or dots.end() == len(said)):
        return not words or _LEFT_OUT.search(words) is not None
    return len(said) <= LONGEST and len(said.split()) <= 12 and _SAID_SO.search(said) is not None


def remark(line: str, path: str = "") -> tuple[str, str]:
    """How a comment begins ("" for a line that is none), and what it says between its marks."""
    begins = filter(line.startswith, _SIGNS)
    leader = next((sign for sign in begins if line.endswith(_CLOSED.get(sign, ""))), "")
    if not leader:
        own = (sign for sign, names in _BY_ENDING.items() if path.endswith(names))
        leader = next(filter(line.startswith, own), "")
    said = line.removeprefix(leader).strip()
    for closer in _CLOSERS if said.endswith(_CLOSERS) else ():
        said = said.removesuffix(closer).strip()
    return leader, said.strip("/#*-!;%<>()= \t")
