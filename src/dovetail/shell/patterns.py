r"""Patterns of a command, matched in bounded time.

Patterns of `sed` and `grep` are turned into Python's. POSIX takes the longest match, Python the first: a pattern is
refused where they differ.

A pattern is also refused if repetitions are nested, or so many that a text could take long. Any other takes at most
about n**k steps for n characters and k repetitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dovetail.shell.syntax import NotReadError

_MOST_STEPS = 500_000_000
_HEAD = re.compile(r"(?:[\w<>/ \"'=#:;,-]|\\[^\w])+(?![*+?{])")  # the literal text that a pattern begins with
_MOST_TRIES = 20_000  # longer matches that are tried in a line
CLASSES = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z", "space": r" \t\n\r\f\v",
    "blank": r" \t", "xdigit": "0-9A-Fa-f", "punct": r"!-/:-@\[-`{-~",
}  # fmt: skip
_SAME = frozenset("wWsSbB")
_GNU = {"t": r"\t", "n": r"\n", "r": r"\r", "f": r"\f", "v": r"\v"}


def compiled(pattern: str, flags: int, longest: int, text: str | None = None) -> re.Pattern[str]:
    """Compile a Python pattern, or raise `NotReadError` if it is invalid or may take long.

    longest: the most characters that one match may run through. text: the text that is searched, if it is known.
    """
    head = _HEAD.match(pattern) if text is not None and not flags & re.IGNORECASE and "|" not in pattern else None
    # A match begins only where the pattern's literal head stands: `class A.*?x` is tried once for each `class A`.
    starts = text.count(re.sub(r"\\(.)", r"\1", head[0])) if head is not None and text is not None else longest
    _check(pattern, longest, starts)
    try:
        return re.compile(pattern, flags)
    except (re.error, OverflowError, RecursionError):
        raise NotReadError(f"the pattern `{pattern[:60]}`") from None


def splits_signs(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether a program that reads bytes could find an empty match inside a character of several bytes."""
    return not text.isascii() and (found := pattern.match("éé", 1)) is not None and not found[0]


def _check(pattern: str, longest: int, starts: int) -> None:
    """Raise `NotReadError` for a pattern that may take long."""
    # One list for each open group: does it hold a repetition or a choice? `last` is the same of the piece just read,
    # which a repetition sign would repeat: `(a|b)*` is refused, as is `(a*)*`.
    groups, repeats, at, last = [[False]], 0, 0, [False]
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\":
            if pattern[at + 1 : at + 2].isdecimal():
                raise NotReadError("a pattern that refers to its own groups")
            at, last = at + 2, [False]
        elif sign == "[":
            end = at + 1 + (pattern[at + 1 : at + 2] == "^")
            # `[]a]` and `[^]a]`: a bracket that comes first belongs to the set.
            end += pattern[end : end + 1] == "]"
            while end < len(pattern) and pattern[end] != "]":
                end += 1 + (pattern[end] == "\\")
            at, last = end + 1, [False]
        elif sign == "(":
            groups.append([False])
            at += 1
        elif sign == ")":
            last = groups.pop() if len(groups) > 1 else [False]
            groups[-1][0] |= last[0]
            at += 1
        elif sign in "*+?{" and not (sign == "?" and pattern[at - 1 : at] == "("):
            # `{3}` repeats a fixed small number of times, and is not counted.
            again = sign in "*+" or re.match(r"\{\d*,\d*\}|\{\d{2,}\}", pattern[at:]) is not None
            lazy = sign == "?" and pattern[at - 1 : at] in ("*", "+", "?", "}")
            if again and last[0]:
                raise NotReadError("a pattern with a repetition inside another")
            repeats += again
            groups[-1][0] |= again or (sign == "?" and not lazy)
            at, last = at + 1, [False]
        else:
            groups[-1][0] |= sign == "|"
            at, last = at + 1, [False]
    # Each repetition may end at any character, and each end leads to all ends of the next.
    if repeats and starts * longest**repeats > _MOST_STEPS:
        raise NotReadError("a pattern with many repetitions, for a long text")


def from_posix(pattern: str, *, extended: bool, only_posix: bool = False) -> str:
    """Return Python's pattern for one of `sed`. Raises `NotReadError`; if `only_posix`, for GNU's extensions, too."""
    made: list[str] = []
    at, starts = 0, True  # starts: `*` and `^` are read here as at the pattern's start
    while at < len(pattern):
        sign, behind = pattern[at], pattern[at + 1 : at + 2]
        special = sign
        if sign == "\\":
            at += 1
            if not behind:
                raise NotReadError("a pattern that ends with a backslash")
            # In a basic pattern `\(` groups and `(` is a sign; in an extended one it is the other way round. `special`
            # is what the sign means, "" for a literal one.
            if behind in "(){}|+?" and (not extended):
                if only_posix and behind in "|+?":
                    raise NotReadError(f"`\\{behind}` in a pattern")
                special = behind
            elif behind in _SAME or behind in _GNU or behind in "<>":
                if only_posix and behind != "n":
                    raise NotReadError(f"`\\{behind}` in a pattern")
                made.append({"<": r"\b(?=\w)", ">": r"\b(?<=\w)"}.get(behind) or _GNU.get(behind) or f"\\{behind}")
                at, starts = at + 1, False
                continue
            elif behind.isalnum() or behind in "`'":
                raise NotReadError(f"`\\{behind}` in a pattern")
            else:
                made.append(re.escape(behind))
                at, starts = at + 1, False
                continue
        elif sign == "[":
            text, at = _bracket(pattern, at)
            made.append(text)
            starts = False
            continue
        elif sign in "(){}|+?" and not extended:
            special = ""
        at += 1
        if special in ("*", "+", "?", "{") and starts:
            # `*` at the start of a basic pattern is a star; of the others each `sed` makes something else.
            if extended or special != "*":
                raise NotReadError(f"`{special}` at the start of a pattern")
            special = ""
        if special == "{":
            count = re.compile(r"(\d+(?:,\d*)?)\\?\}").match(pattern, at)
            if count is None:
                raise NotReadError("`{` in a pattern")
            made.append(f"{{{count[1]}}}")
            at = count.end()
        elif special == "^":
            # `continue` leaves `starts` as it is: in `^*ab` the star is still at the start.
            made.append("^" if starts or extended else r"\^")
            continue
        elif special == "$":
            ends = at == len(pattern) or pattern.startswith((")", "|") if extended else ("\\)", "\\|"), at)
            # `\Z`, as Python's `$` matches before a last line end, too.
            made.append(r"\Z" if ends or extended else r"\$")
        elif special in (*"()|*+?.",) and special:
            if special in "*+?" and made and made[-1] in ("*", "+", "?"):
                raise NotReadError("a repetition behind another")
            # A line here may hold a line end, which `s/x/a\nb/` put there, and POSIX' dot matches it.
            made.append("(?s:.)" if special == "." else special)
        else:
            made.append(re.escape(sign))
        starts = special in ("(", "|") and bool(special)
    return "".join(made)


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """Return Python's form of the set of characters that begins at `at`, and the offset after it."""
    end = at + 1
    made = ["["]
    if pattern[end : end + 1] == "^":
        made.append("^")
        end += 1
    first = True
    while end < len(pattern) and (pattern[end] != "]" or first):
        first = False
        named = re.compile(r"\[:(\w+):\]").match(pattern, end)
        if named is not None:
            if named[1] not in CLASSES:
                raise NotReadError(f"`{named[0]}` in a pattern")
            made.append(CLASSES[named[1]])
            end = named.end()
            continue
        sign = pattern[end]
        if sign == "[" and pattern[end + 1 : end + 2] in (".", "="):
            raise NotReadError("`[.` in a pattern")
        if sign == "\\" and pattern[end + 1 : end + 2] in ("n", "t"):
            made.append(f"\\{pattern[end + 1]}")
            end += 2
            continue
        made.append(sign if sign == "-" else re.escape(sign))
        end += 1
    if end >= len(pattern):
        raise NotReadError("`[` without its end in a pattern")
    text = "".join(made)
    return text.replace("[^", "[^", 1) + "]", end + 1


def matches(pattern: re.Pattern[str], line: str) -> Iterator[re.Match[str]]:
    """Yield the matches in a line as `sed` finds them: no empty one right after another match. Raises `NotReadError`
    if a longer match begins at the same place."""
    at, last, tries = 0, -1, 0
    # A single repetition takes the longest match by itself; of alternatives Python takes the first one that fits.
    signs = re.findall(r"[*+?{|]", re.sub(r"\\.|\(\?[s=<]", "", pattern.pattern))
    varies = len(signs) > 1 or "|" in signs
    while at <= len(line) and (found := pattern.search(line, at)) is not None:
        if varies:
            tries += len(line) - found.end()
            if tries > _MOST_TRIES:
                raise NotReadError("a pattern in a long line")
            for end in range(len(line), found.end(), -1):
                if pattern.fullmatch(line, found.start(), end) is not None:
                    raise NotReadError("a pattern with several matches at one place")
        # `s/b*/x/g` on `abc` gives `xaxcx`: no empty match right behind `b`.
        if found.end() > found.start() or found.start() != last:
            yield found
        last = found.end()
        at = found.end() + (found.end() == found.start())
