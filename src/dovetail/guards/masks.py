"""Guards: a mask (`***`, `<redacted>`, `ghp_S1...Pn2T`), or a placeholder, in the place of a value.

A model that was shown a masked file writes the mask back. New lines are compared with removed ones that have a value
under the same name, or between the same texts. A mask refuses the edit; a placeholder (`YOUR_API_KEY`), which an author
may want, is a warning. It takes one pass over the lines: names are looked up, and no line is compared with all others.
The refusal stops none of 4,100 real replies and calls; of the reported cases 63, all rightly. The warning
bears on none of the real ones, and on 12 of the others, rightly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dovetail.guards.finding import Finding
from dovetail.guards.impact import Impact
from dovetail.text.pattern import pattern

_WORD = "redacted|hidden|masked|secret|removed|omitted|filtered|scrubbed|sanitized|censored"
TRIGGER = ("***", *_WORD.split("|"), "...", "…", "xxxx", "•••")
PLACEHOLDER_TRIGGER = (
    "your",
    "key>",
    "token>",
    "secret>",
    "password>",
    "key}",
    "token}",
    "changeme",
    "replace",
    "insert",
)
_BRACKETED = rf"[«<\[({{]{{1,2}}(?:{_WORD})\b[^»>\])}}\n]{{0,60}}[»>\])}}]{{1,2}}"
# Finds `***`, `***abc***`, `[REDACTED]`, `<hidden>`, `xxxxxx`, and the dots of `ghp_S1...Pn2T`; not `range(...)`,
# `**bold**` or `...` at the end of a word, which code and prose have.
_MASK = pattern(
    rf"(?i)\*{{3,}}(?:\w{{1,60}}\*{{3,}})?|{_BRACKETED}"
    r"|(?:(?:\.{3}|…)\s?)?\bredacted\b(?:\s?(?:\.{3}|…))?|(?<=\w)(?:\.{3}|…)(?=\w)|\bx{6,}\b|•{3,}"
)
_MASKED = pattern(rf"(?i)(?:{_BRACKETED}|redacted|x{{4,}}(?:[-_ ]?x{{4,}}){{0,8}})|.*(?:\*{{3,}}|•{{3,}}).*")
# A key with its middle or its end cut out: `sk-…9f`, `ghp_S1...`; of `a.b.c` nothing is cut out.
_SHORTENED = pattern(r"([^\s.…]{0,80})(?:\.{3}|…)([^\s.…]{0,80})")
# Matches `YOUR_API_KEY`, `<your-token>`, `{{ api_key }}`, `changeme`; not `keyring`.
_PLACEHOLDER = pattern(
    r"(?i)[<{]{0,2}(?:your|my|insert|replace|change|put|enter)[-_ ]?[\w -]{0,40}"
    r"(?:key|token|secret|password|here|me|id)[>}]{0,2}"
    r"|[<{]{1,2}\s?[\w-]{0,30}(?:key|token|secret|password)\s?[>}]{1,2}|changeme"
)
# Name and value: `token = "abc"`, `"token": "<my token>"`, `password => s3cret;`. A value ends at a blank, a comma or
# a bracket, but for one that is itself in brackets.
_PAIR = pattern(
    r"""(?<![\w.-])([A-Za-z_][\w.-]{0,80})["'`]?[ \t]{0,8}(?:=>|:=|=|:)[ \t]{0,8}["'`]?"""
    r"""([«<\[({]{1,2}[^»>\])}\s"'`;,]{0,60}[ ]?[^»>\])}\s"'`;,]{0,60}[»>\])}]{1,2}|[^"'`\s,;(){}\[\]]{1,400})"""
)
# The text before the first `=` or `:` of a line, blanks aside: lines of one name are compared with each other.
_NAME = pattern(r"[^=:]{1,200}?(?=\s{0,9}[=:])")
_LONGEST = 2_000  # characters of a line that is compared with those of its name
_SAME_NAME = 8  # the most lines of one name that a line is compared with
_KEY = 32  # the least characters of a word that fills its line and may be a key
_SECRET = 6  # the least characters of a value that may be a secret
_HINT = "Leave the line as the file has it, or quote only the lines that change."


class _Pair(NamedTuple):
    name: str
    value: str


def masked_value(impact: Impact) -> Finding | None:
    """Find a mask where the file has a value."""
    line = next(_masked_lines(impact), None)
    return Finding(f"The new text has a mask where the file has a value: {line[:120]}", _HINT) if line else None


def placeholder_value(impact: Impact) -> Finding | None:
    """Find a placeholder where the file has a value."""
    for pair, values in _changed_pairs(impact):
        if _PLACEHOLDER.fullmatch(pair.value) and any(_is_value(v) and not _PLACEHOLDER.fullmatch(v) for v in values):
            reason = f"A placeholder takes the place of the value of `{pair.name}`: {pair.value[:80]}"
            return Finding(reason, "Check that the value is to go.")
    return None


def _masked_lines(impact: Impact) -> Iterator[str]:
    for pair, values in _changed_pairs(impact):
        if any(_masks(pair.value, value) for value in values):
            yield f"{pair.name}: {pair.value}"
    by_name: dict[str, list[str]] = {}
    for line in impact.removed:
        if len(line) <= _LONGEST and len(same := by_name.setdefault(_name(line), [])) < _SAME_NAME:
            same.append(line)
    quoted = {found[0] for found in _MASK.finditer(impact.search)}
    for region in impact.regions:
        # a key over several lines, as in PEM files, is compared as one word
        whole = "".join(map(str.strip, region.removed[: _SAME_NAME * _SAME_NAME]))[:_LONGEST]
        for line in region.added if whole else ():
            for found in _MASK.finditer(line) if len(line) <= _LONGEST else ():
                left, right = line[: found.start()], line[found.end() :]
                # the edit quotes this mask, so the file has it; or it begins a line of prose (`***` is a rule)
                if found[0] in quoted or (impact.prose and not left.strip()):
                    continue
                # With text before the mask, a removed line must have the same text around a value. Without, the mask
                # stands for the whole line, or for a key on several lines.
                if left.strip():
                    masked = any(_has_value(gone, left, right, found[0]) for gone in by_name.get(_name(line), ()))
                else:
                    masked = _is_key(whole, right) or (
                        not right.strip() and found[0][0] in "«<[" and len(whole) >= _KEY
                    )
                if masked:
                    yield line.strip()


def _changed_pairs(impact: Impact) -> Iterator[tuple[_Pair, set[str]]]:
    """Yield names with a new value, each with the values of the same name in the removed lines."""
    had: dict[str, set[str]] = {}
    for pair in _pairs(impact.removed):
        had.setdefault(pair.name, set()).add(pair.value)
    known = {pair.value for pair in _pairs(impact.search.split("\n"))} if had else set[str]()
    for pair in _pairs(impact.added) if had else ():
        values = had.get(pair.name)
        if values is not None and pair.value not in values and pair.value not in known:
            yield pair, values


def _pairs(lines: Iterable[str]) -> Iterator[_Pair]:
    return (_Pair(*found.groups()) for line in lines for found in _PAIR.finditer(line))


def _masks(new: str, old: str) -> bool:
    """Return whether `new` may mask `old`: by a word or signs, or, for a key, by its beginning and its end."""
    if _MASKED.fullmatch(new) is not None:
        return _is_value(old)
    shortened = _SHORTENED.fullmatch(new)
    # letters and digits, as keys have them: `foo...` for `foobar` is a shortened word, and no secret
    is_key = len(old) >= _SECRET and any(map(str.isdigit, old)) and any(map(str.isalpha, old))
    return shortened is not None and is_key and _is_value(old)


def _is_value(text: str) -> bool:
    """Return whether a text is a value, and no mask, and no reference to a variable."""
    return (
        _MASKED.fullmatch(text) is None and _SHORTENED.fullmatch(text) is None and not text.startswith(("$", "{", "<"))
    )


def _name(line: str) -> str:
    found = _NAME.match(line)
    return found[0].strip() if found is not None else line[:1]


def _is_key(whole: str, right: str) -> bool:
    """Return whether removed lines, joined, are one long word before the text `right`, which follows the mask."""
    value = whole.removesuffix(right.strip()).strip("\"' ,;")
    return len(value) >= _KEY and not any(map(str.isspace, value))


def _has_value(line: str, left: str, right: str, mask: str) -> bool:
    """Return whether a line has a value between `left` and `right`, where another line has a mask."""
    if not (line.startswith(left) and line.endswith(right)):
        return False
    value = line[len(left) : len(line) - len(right)].strip("\"' ,;")
    return bool(value) and mask not in value and not any(map(str.isspace, value))
