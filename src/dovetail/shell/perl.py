"""Substitutions of `perl -p`, carried out on a text line by line, or on the whole of it with `-0777`."""

from __future__ import annotations

import re
from functools import partial

from dovetail.shell.files import UNKNOWN
from dovetail.shell.patterns import CLASSES, compiled, splits_signs
from dovetail.shell.syntax import NotReadError

_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}
# `s/a/b/`, `s{a}{b}`, `s|a|b|`. With single quotes as delimiters perl fills in no variables, so those are left.
_BEGINS = re.compile(r"s[^\w\s']")
# Without `-C` perl sees bytes: `.` is half of an `ä`. `.*` takes both halves, so it is as good as in Python.
_BYTES = re.compile(r"\.(?![*+])|\[\^|\\[WSDwb]")
_SIGNS = "/|,#!%:@~=;"
_PAIRS = {"{": "}", "(": ")", "[": "]", "<": ">"}
_LITERAL = re.compile(r"\\Q(.*?)(?:\\E|\Z)", re.DOTALL)


def run_perl(script: str, text: str, *, whole: bool) -> str:
    """Return what `perl -p` prints for a text and a script that has only substitutions. Raises `NotReadError`."""
    if UNKNOWN in script:
        raise NotReadError("a script of `perl` that is computed")
    chunks = [text] if whole else re.findall(r"[^\n]*\n|[^\n]+", text)
    for pattern, new, everywhere in _read(script, max(map(len, chunks), default=0)):
        if not text.isascii() and (_BYTES.search(pattern.pattern) or splits_signs(pattern, text)):
            raise NotReadError("a pattern of `perl` over signs of several bytes")
        put = partial(_filled, new)
        chunks = [pattern.sub(put, one, count=0 if everywhere else 1) for one in chunks]
    return "".join(chunks)


def _filled(new: tuple[str | int, ...], found: re.Match[str]) -> str:
    return "".join(part if isinstance(part, str) else found[part] or "" for part in new)


def _read(script: str, longest: int) -> list[tuple[re.Pattern[str], tuple[str | int, ...], bool]]:
    found = []
    at = 0
    while at < len(script):
        if script[at] in " \t\n;":
            at += 1
            continue
        if not _BEGINS.match(script, at):
            raise NotReadError(f"the script of `perl` from `{script[at : at + 20]}`")
        pattern, at = _delimited(script, at + 1)
        sign = script[at - 1]
        # `s{a}{b}` and `s{a} {b}` have two pairs; in `s/a/b/` the middle delimiter ends one and begins the other.
        if sign in _PAIRS.values():
            while at < len(script) and script[at].isspace():
                at += 1
            new, at = _delimited(script, at)
        else:
            new, at = _delimited(script, at - 1)
        flags = re.compile(r"[gims]*").match(script, at)
        at = flags.end() if flags else at
        if script[at : at + 1] not in ("", ";", " ", "\n", "}"):
            raise NotReadError(f"the flags of `perl` from `{script[at : at + 20]}`")
        chosen = flags[0] if flags else ""
        options = sum(flag for sign, flag in _FLAGS.items() if sign in chosen)
        compiled_one = compiled(_pattern(pattern), options | re.ASCII, longest)
        found.append((compiled_one, _replacement(new, compiled_one.groups), "g" in chosen))
    return found


def _delimited(script: str, at: int) -> tuple[str, int]:
    """Return the text between the delimiter at `at` and its closing one, and the offset after that."""
    sign = script[at : at + 1]
    close, depth, end = _PAIRS.get(sign, sign), 1, at + 1
    while end < len(script):
        if script[end] == "\\":
            end += 2
            continue
        if script[end] == close:
            depth -= 1
            if not depth:
                text = script[at + 1 : end]
                # A delimiter behind a backslash is itself, unless it means something in a pattern, as `{` does.
                kept = sign in _PAIRS or sign not in _SIGNS
                return text if kept else text.replace(f"\\{sign}", sign), end + 1
        elif script[end] == sign:
            depth += 1
        end += 1
    raise NotReadError("a script of `perl` without its end")


def _pattern(text: str) -> str:
    text = _LITERAL.sub(lambda found: re.escape(found[1]), text)
    plain = re.sub(r"\\.", "", text, flags=re.DOTALL)
    # `$x` and `@x` are variables, `(?{…})` is code, `a++` gives nothing back; a lone `$` is the end of a line.
    if re.search(r"\$[\w{$&]|@[\w{]|\(\?[^:=!<]|[*+?}]\+", plain) or not text:
        raise NotReadError("a pattern of `perl` that is computed")
    for escape in re.findall(r"\\.", text, flags=re.DOTALL):
        if escape[1].isalnum() and escape[1] not in "wWsSdDbBntrf":
            raise NotReadError(f"`{escape}` in a pattern of `perl`")
    # Python has no `[[:space:]]`.
    text = re.sub(r"\[:(\w+):\]", lambda found: CLASSES.get(found[1], found[0]), text)
    if "[:" in text:
        raise NotReadError("a class of characters in a pattern of `perl`")
    return text


def _replacement(text: str, groups: int) -> tuple[str | int, ...]:
    parts: list[str | int] = []
    for sign in re.findall(r"\\[\s\S]|\$(?:\{\d\}|\d|&)|[\s\S]", text):
        if sign[0] == "$" and len(sign) > 1:
            number = int(re.sub(r"\D", "", sign) or 0)
            if number > groups:
                raise NotReadError("a group that the pattern has not")
            parts.append(number)
        elif sign[0] in "$@":
            raise NotReadError("a variable in what `perl` puts in")
        elif sign[0] == "\\" and sign[1].isalnum():
            if sign[1].isdecimal() and 0 < int(sign[1]) <= groups:
                parts.append(int(sign[1]))
            elif sign[1] in "nt":
                parts.append({"n": "\n", "t": "\t"}[sign[1]])
            else:
                raise NotReadError(f"`{sign}` in what `perl` puts in")
        else:
            parts.append(sign[-1])
    return tuple(parts)
