"""Splits a program's arguments into options and other words; long options count as the short ones they stand for."""

from __future__ import annotations

from dovetail.shell.files import UNKNOWN
from dovetail.shell.syntax import NotReadError

_LONG = {
    "--in-place": "-i", "--expression": "-e", "--quiet": "-n", "--silent": "-n", "--regexp-extended": "-E",
    "--force": "-f", "--recursive": "-r", "--parents": "-p",
}  # fmt: skip
"""Long options of `sed`, `rm` and `mkdir`, by the short ones."""


def split_options(
    words: list[str], flags: str, valued: str = "", attached: str = ""
) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """Return the short options, the other words, and the values by option.

    flags: letters of options without a value. valued: of options whose value may be the next word. attached: of options
    whose value is the rest of their word, perhaps "". Raises `NotReadError` for any other option.
    """
    found: list[str] = []
    values: dict[str, list[str]] = {}
    others: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            others.extend(rest)
            break
        if not (word.startswith("-") and len(word) > 1):
            others.append(word)
            continue
        name, _, value = word.partition("=")
        word = _LONG[name] + value if name in _LONG else word
        for at, sign in enumerate(word[1:], start=2):
            if sign in valued or sign in attached:
                # `-i.bak` and `-i` (its value is ""), but `-e script` and `-escript`.
                behind = word[at:] if sign in attached else word[at:] or next(rest, None)
                if behind is None:
                    raise NotReadError(f"`{word}`")
                values.setdefault(sign, []).append(behind)
                break
            if sign not in flags:
                raise NotReadError(f"the option `{word.replace(UNKNOWN, '…')[:30]}`")
            found.append(sign)
    return found, others, values
