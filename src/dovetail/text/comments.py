"""What a line is to those who read it: a comment, words for people, the head of a definition; by its signs alone.

No grammar is asked, so the marks of most languages count in any. Where one is known, `heads` tells more.
"""

from __future__ import annotations

import re

from dovetail.text.line import distinctive
from dovetail.text.quoting import strings

_LINE = re.compile(r"\s*(?://|#(?![\w\[])|--(?!\w)|/\*|\*(?:\s|$)|<!--|;;|%%)")
_DOCUMENTS = re.compile(r"\s*[rRuU]?(?:\"\"\"|''')")
_SENTENCE = re.compile(r"\s*[A-Z][a-z]*+(?: [a-z'-]++[,.:]?){3,}+[.:]?\s*$")
_ENDS = "\"'.*/ "
_SIGNS_OF_CODE = frozenset("=(){}[]<>;_")
_DEFINES = re.compile(
    r"\s*(?:[\w@.\s<>\[\],:&*]*\b)?(?:def|class|function|func|fn|struct|enum|interface|trait|impl|module|namespace|type|sub|"
    r"proc|record|union|package)\b"
)
_BEHIND = re.compile(r"(?:^|\s)\s*+(?://|#(?![\w\[])|--(?!\w)|/\*(?!.*\*/.*\S)|<!--(?!.*-->.*\S))")


def is_comment(line: str) -> bool:
    """Whether a line holds a comment and nothing else, by the marks of most languages."""
    return _LINE.match(line) is not None


def is_prose(line: str) -> bool:
    """Whether a line is words for people: a comment, the first line of a docstring, or a plain sentence."""
    if is_comment(line):
        return True
    return (is_docstring(line) or _SENTENCE.match(line) is not None) and _SIGNS_OF_CODE.isdisjoint(line)


def goes_on(line: str, longer: str) -> bool:
    """Whether a comment, both of them stripped, has all that another says before its end, and more or the same."""
    return distinctive(line) and longer.startswith(line.rstrip(_ENDS))


def is_docstring(line: str) -> bool:
    """Whether a line begins with a text in triple quotes."""
    return _DOCUMENTS.match(line) is not None


def is_remark(line: str) -> bool:
    """Whether a line holds a comment, or begins with a docstring."""
    return is_comment(line) or is_docstring(line)


def defines(line: str) -> bool:
    """Whether a line begins a named definition, by the keywords of most languages."""
    return _DEFINES.match(line) is not None


def parted(line: str) -> tuple[str, str]:
    """The code of a line and the comment behind it, with the blanks between them."""
    line = line.rstrip()
    quoted = strings(line)
    at = next(
        (
            match.start()
            for match in _BEHIND.finditer(line)
            if not any(string.start < match.end() and match.start() < string.end for string in quoted)
        ),
        len(line),
    )
    return line[:at], line[at:]
