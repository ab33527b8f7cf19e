"""Programs that print texts: their arguments, or the texts of files."""

from __future__ import annotations

import re
from functools import partial

from dovetail.shell.files import UNKNOWN
from dovetail.shell.options import split_options
from dovetail.shell.patterns import compiled, from_posix
from dovetail.shell.run import Done, Program, Shell
from dovetail.shell.syntax import NotReadError

_MOST_TEXT = 64 << 20


_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", '"': '"', "'": "'"}


def _echo(_: Shell, words: list[str], __: str) -> Done:
    newline, escapes = "\n", False
    while words and re.fullmatch("-[neE]+", words[0]):
        newline = "" if "n" in words[0] else newline
        escapes = "e" in words[0] if set(words[0]) & {"e", "E"} else escapes
        words = words[1:]
    text = " ".join(words)
    if escapes and "\\" in text:
        text = _unescaped(text)
        if text.endswith(UNKNOWN + "c"):
            raise NotReadError("`\\c`")
    return Done(0, text + newline)


def _unescaped(text: str, *, format_of_printf: bool = False) -> str:
    def sign(found: re.Match[str]) -> str:
        # `echo -e` keeps `\"`, the format of `printf` does not.
        made = _ESCAPES.get(found[1]) if found[1] not in "\"'" or format_of_printf else found[0]
        if made is None:
            if found[1].isalnum():
                raise NotReadError(f"`{found[0]}`")
            return found[0]
        return made

    return re.sub(r"\\([\s\S])", sign, text)


def _printf(_: Shell, words: list[str], __: str) -> Done:
    words = words[1:] if words[:1] == ["--"] else words
    if not words or words[0].startswith("-") or UNKNOWN in words[0]:
        raise NotReadError("`printf`")
    parts = re.findall(r"%%|%.|\\[\s\S]|[^%\\]+|[%\\]", words[0])
    values, out = words[1:], []
    while True:
        taken = 0
        for part in parts:
            if part == "%%":
                out.append("%")
            elif part[0] == "%":
                value = values.pop(0) if values else ""
                taken += 1
                if (
                    part == "%s"
                    or (part == "%b" and "\\" not in value)
                    or (part in ("%d", "%i") and re.fullmatch(r"0|[1-9]\d{0,15}", value))
                ):
                    out.append(value)
                else:
                    raise NotReadError(f"`printf {part}`")
            else:
                out.append(_unescaped(part, format_of_printf=True) if part[0] == "\\" else part)
        # The format is used again as long as values are left: `printf '%s\n' a b` prints two lines.
        if not values or not taken:
            break
    return Done(0, "".join(out))


def texts_of(shell: Shell, words: list[str], given: str) -> str | None:
    """Return the texts of files, joined; ``-`` is `given`, the standard input. None if a file is missing."""
    out = []
    for word in words or ["-"]:
        if word == "-":
            out.append(given)
            continue
        key = shell.key(word)
        if not shell.files.is_file(key):
            return None
        # `sort a > a` reads an empty file; behind another file it could read what it just printed.
        if key in shell.files.opened and len(words) > 1:
            raise NotReadError(f"`{key}`, which is read and written at once,")
        out.append(shell.files.read(key) if key in shell.files.texts else UNKNOWN)
        shell.files.readings.append(key)
        if sum(map(len, out)) > _MOST_TEXT:
            raise NotReadError("a long text")
    return "".join(out)


def _cat(shell: Shell, words: list[str], given: str) -> Done:
    try:
        _, paths, _ = split_options(words, "u")
    except NotReadError:
        return Done(None, UNKNOWN)
    text = texts_of(shell, paths, given)
    return Done(1, UNKNOWN) if text is None else Done(0, text)


def _head(shell: Shell, words: list[str], given: str, *, last: bool = False) -> Done:
    # `head -5 a`, but not the number of `head -n -5 a`.
    words = [re.sub(r"^-(?=\d+$)", "-n", word) for word in words[:1]] + words[1:]
    try:
        _, paths, values = split_options(words, "q", "n")
        text = texts_of(shell, paths, given)
    except NotReadError:
        return Done(None, UNKNOWN)
    count = values.get("n", ["10"])[-1]
    if text is None:
        return Done(1, UNKNOWN)
    if len(paths) > 1 or not re.fullmatch(r"\+?\d+" if last else r"-?\d+", count) or UNKNOWN in text:
        return Done(0, UNKNOWN)
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    # `-n 3` and `-n +3` of `tail`: the last three lines, or all from the third on. `tail -n +0` and `head -n -0`: all.
    n = int(count)
    if last:
        lines = lines[max(n - 1, 0) :] if count[0] == "+" else lines[-n:] if n else []
    else:
        lines = lines if count == "-0" else lines[:n]
    return Done(0, "".join(lines))


def _grep(shell: Shell, words: list[str], given: str) -> Done:
    try:
        options, others, values = split_options(words, "qniEFcvlwhsHxr", "eABCm")
        # Nothing here refuses the command: a search changes no file, so at worst its output is not known.
        patterns = values.get("e") or others[:1]
        paths = others if "e" in values else others[1:]
        if "r" in options or len(patterns) != 1 or "\n" in patterns[0] or UNKNOWN in patterns[0]:
            return Done(None, UNKNOWN)
        text = texts_of(shell, paths, given)
        if text is None or UNKNOWN in text:
            return Done(None, UNKNOWN)
        posix = re.escape(patterns[0]) if "F" in options else from_posix(patterns[0], extended="E" in options)
        # `-x` is the whole line, by `match` below and `\Z` here.
        posix = rf"\b(?:{posix})\b" if "w" in options else rf"(?:{posix})\Z" if "x" in options else posix
        lines = text.removesuffix("\n").split("\n") if text else []
        pattern = compiled(posix, re.IGNORECASE if "i" in options else 0, max(map(len, lines), default=0))
    except NotReadError:
        return Done(None, UNKNOWN)
    find = pattern.match if "x" in options else pattern.search
    found = [line for line in lines if (find(line) is not None) != ("v" in options)]
    # Only these print the lines as they are; with the others (`-n`, `-c`, `-o`) the output counts as unknown.
    plain = not set(options) - {"i", "E", "F", "v", "x", "h"} and len(paths) < 2 and not set(values) - {"e"}
    out = "".join(f"{line}\n" for line in found) if plain else "" if "q" in options else UNKNOWN
    return Done(int(not found), out)


def _sort(shell: Shell, words: list[str], given: str) -> Done:
    """`sort` prints nothing for an empty input, as for a file that `>` just emptied; any other output is unknown."""
    if any(UNKNOWN in word or re.match(r"-\w*[oT]|--output", word) for word in words):
        raise NotReadError("`sort` that may write")
    text = texts_of(shell, [word for word in words if not word.startswith("-")], given)
    return Done(2, UNKNOWN) if text is None else Done(0, "") if not text else Done(None, UNKNOWN)


TEXT_PROGRAMS: dict[str, Program] = {
    "echo": _echo, "printf": _printf, "cat": _cat, "head": _head, "tail": partial(_head, last=True), "grep": _grep,
    "egrep": lambda shell, words, given: _grep(shell, ["-E", *words], given), "sort": _sort,
}  # fmt: skip
