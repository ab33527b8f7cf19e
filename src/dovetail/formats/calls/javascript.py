r"""Code mode: JavaScript that hands an edit to a tool, as ``const patch = "…"; text(await tools.apply_patch(patch))``.

Read, never run. Grammar::

    code     = (["const" | "let" | "var"] name "=" value | call | any token)*
    call     = ["tools."] name "(" [value] ")"            of a tool whose whole name is known
    value    = operand ("+" operand)*
    operand  = string | `template` | String.raw`template` | name | "(" value ")" | "await" operand
             | "[" value, … "]" [".join(" string ")"] | "{" (name | string) ":" value, … "}"

A value that would have to be computed is unknown, and so is a name that is assigned twice or assigned in a block. A
call inside of braces might never run, so its argument is unknown, too.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from dovetail.formats.calls.names import effect_of, may_edit, runs_shell
from dovetail.formats.diffs.signs import begins_patch
from dovetail.text.pattern import pattern

# Order counts: three quotes before one, `String.raw` before a name, comments before the sign `/`.
_TOKEN = pattern(
    r"(?P<space>\s+|//[^\n]*|/\*.*?(?:\*/|\Z)|#[ ][^\n]*)"  # the last is Python's, which calls tools alike
    r"|(?P<long>\"{3}(?:[^\\]|\\.)*?(?:\"{3}|\Z)|'{3}(?:[^\\]|\\.)*?(?:'{3}|\Z))"
    # Runs between backslashes, and not character by character: a patch in a string may have thousands of them.
    r"|(?P<string>\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+')"
    r"|(?P<raw>String\.raw\s*`[^`]*`)"
    r"|(?P<template>`[^`\\]*+(?:\\.[^`\\]*+)*+`)"
    r"|(?P<number>\d[\d_]*(?:\.\d+)?)"
    r"|(?P<name>[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)"
    r"|(?P<sign>\+=|=>|[=!]==?|.)",
    re.DOTALL,
)
_ESCAPE = pattern(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r?\n)|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_HALF = pattern("[\ud800-\udfff]")
_DECLARES = frozenset(("const", "let", "var"))
_LOOKS_LIKE_CODE = pattern(r"\btools\.\w+\s*\(|\bapply_patch\s*\(")
_DEEPEST = 40
UNKNOWN = object()
"""A value that only running the code would give."""


class CodeCall(NamedTuple):
    """A tool's name and its argument: a text, an object, a list, a number, a literal, or `UNKNOWN`."""

    name: str
    argument: object


class _Lexeme(NamedTuple):
    kind: str
    text: str


def is_code(text: str) -> bool:
    """Return whether a text is code that calls a tool; a patch is none, whatever calls its lines quote."""
    likely = (
        "tools." in text or "apply_patch" in text
    )  # found at once, and the pattern begins with no certain character
    if not likely or text.lstrip().startswith(("```", "~~~")) or begins_patch(text) is not None:
        return False
    return _LOOKS_LIKE_CODE.search(text) is not None


def unfinished_texts(text: str) -> list[str]:
    """Return the template strings that contain values to compute, such as ``cat ${name}``, without their quotes."""
    found = (match[0] for match in _TOKEN.finditer(text) if match.lastgroup == "template")
    return [_unescaped(one[1:-1]) for one in found if "${" in one]


def calls_in(text: str) -> list[CodeCall]:
    """Return the calls of tools that may edit or run a shell, in order."""
    return _CodeReader(text).calls()


class _CodeReader:
    """The tokens of some code, and the values of the names that it assigns once, outside of blocks."""

    def __init__(self, text: str) -> None:
        found = (_Lexeme(match.lastgroup or "", match[0]) for match in _TOKEN.finditer(text))
        self.tokens = [token for token in found if token.kind != "space"]
        self.at = 0
        self.values: dict[str, object] = {}

    def calls(self) -> list[CodeCall]:
        """Read the code once and return its calls in order."""
        found: list[CodeCall] = []
        depth = 0
        # After it paths are relative to an unknown folder.
        moves = any(token.text == "process.chdir" for token in self.tokens)
        while self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            behind = self.tokens[self.at + 1].text if self.at + 1 < len(self.tokens) else ""
            self.at += 1
            if text in "{}":
                depth += 1 if text == "{" else -1
            elif kind == "name" and behind in ("=", "+=") and text not in _DECLARES:
                self.at += 1
                start = self.at
                value = self._value(0)
                # Assigned once, outside of braces, and to the whole of the value: `x = "a" + f()` is not known.
                known = not depth and behind == "=" and text not in self.values and self._ends_value()
                self.values[text] = value if known else UNKNOWN
                self.at = start  # calls inside of the value are found, too
            elif kind == "name" and behind == "(" and _edits(text):
                self.at += 1
                start = self.at
                value = self._value(0)
                plain = not depth and self._sign(")") and not moves
                found.append(CodeCall(text.rpartition(".")[2], value if plain else UNKNOWN))
                # A call that is not understood may have one inside that is: `run(() => tools.apply_patch(p))`.
                self.at = self.at if plain else start
        return found

    def _sign(self, text: str) -> bool:
        """Take the next token if it is this sign."""
        if self.at < len(self.tokens) and self.tokens[self.at] == ("sign", text):
            self.at += 1
            return True
        return False

    def _ends_value(self) -> bool:
        """Return whether the value that was read is complete: a semicolon or the next statement follows."""
        token = self.tokens[self.at] if self.at < len(self.tokens) else _Lexeme("sign", ";")
        return token.text == ";" or token.kind == "name"

    def _value(self, depth: int) -> object:
        value = self._operand(depth)
        while self._sign("+"):
            other = self._operand(depth)
            value = value + other if isinstance(value, str) and isinstance(other, str) else UNKNOWN
        return value

    def _operand(self, depth: int) -> object:
        if self.at >= len(self.tokens) or depth > _DEEPEST:
            return UNKNOWN
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "string":
            return _unescaped(text[1:-1])
        if kind == "long":
            return _unescaped(text[3:-3]) if len(text) > 5 and text.endswith(text[:3]) else UNKNOWN
        if kind == "template":
            return UNKNOWN if "${" in text else _unescaped(text[1:-1])
        if kind == "raw":
            body = text[text.index("`") + 1 : -1]
            return UNKNOWN if "${" in body else body
        if kind == "number":
            return float(text.replace("_", ""))
        if kind == "name":
            if text == "await":
                return self._operand(depth + 1)
            return {"true": True, "false": False, "null": None}.get(text, self.values.get(text, UNKNOWN))
        if text == "(":
            value = self._value(depth + 1)
            return value if self._sign(")") else UNKNOWN
        if text == "[":
            return self._list(depth)
        return self._object(depth) if text == "{" else UNKNOWN

    def _list(self, depth: int) -> object:
        entries: list[object] = []
        while not self._sign("]"):
            entries.append(self._value(depth + 1))
            if not self._sign(",") and self.tokens[self.at : self.at + 1] != [("sign", "]")]:
                return UNKNOWN
        # `[…].join("\n")`: the tokens are a dot, a name, and an argument in parentheses
        ahead = self.tokens[self.at : self.at + 5]
        if [token.text for token in ahead[:3]] != [".", "join", "("] or len(ahead) < 5 or ahead[4].text != ")":
            return entries
        self.at += 5
        lines = [entry for entry in entries if isinstance(entry, str)]
        joined = ahead[3].kind == "string" and len(lines) == len(entries)
        return _unescaped(ahead[3].text[1:-1]).join(lines) if joined else UNKNOWN

    def _object(self, depth: int) -> object:
        fields: dict[str, object] = {}
        while not self._sign("}"):
            if self.at >= len(self.tokens):
                return UNKNOWN
            kind, text = self.tokens[self.at]
            self.at += 1
            key = _unescaped(text[1:-1]) if kind == "string" else text
            if kind not in ("string", "name"):
                return UNKNOWN
            fields[key] = self._value(depth + 1) if self._sign(":") else self.values.get(key, UNKNOWN)
            if not self._sign(",") and self.tokens[self.at : self.at + 1] != [("sign", "}")]:
                return UNKNOWN
        return UNKNOWN if UNKNOWN in fields.values() else fields


def _edits(name: str) -> bool:
    """Return whether a function is a tool that may edit or run a shell: one of `tools`, or with a known name of several
    words."""
    own, tool = name.startswith("tools."), name.rpartition(".")[2]
    return (
        may_edit(tool) or runs_shell(tool) if own else "." not in name and "_" in name and effect_of(name) is not None
    )


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        number = match[1] or match[2] or match[3]
        if number is not None:
            return chr(int(number, 16)) if int(number, 16) < 0x110000 else "\ufffd"
        return "" if match[4] is not None else _LETTERS.get(match[5], match[5])

    text = _ESCAPE.sub(character, text)
    # Two escapes may be halves of one character.
    has_halves = not text.isascii() and _HALF.search(text) is not None
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if has_halves else text
