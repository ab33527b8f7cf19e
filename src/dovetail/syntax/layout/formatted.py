"""Tells the tokens of a text by what they say, and which of them are spare.

The idea: a token is spare where the code means the same with it and without it, whatever other spare tokens come or
go. That is told by the tokens beside it, and only where they leave no doubt: a bracket is spare where nothing but it
ends there, a semicolon where the line's end does its work. What is not certain counts. Each language has its rules in
a module of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.syntax.brackets import Brackets
from dovetail.syntax.embedded import MARKUP
from dovetail.syntax.layout import markup, php, python, scripts, shell, styles, yaml
from dovetail.syntax.layout.commas import last_commas
from dovetail.syntax.layout.laid_out import LaidOut
from dovetail.syntax.layout.strings import string

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dovetail.model.language import Token

    _Rule = Callable[[LaidOut], Iterator[int]]


_SAYS: dict[str, Callable[[LaidOut, int], str | None]] = {
    "bash": shell.said,
    "php": php.said,
    "php_only": php.said,
    "python": python.said,
    "yaml": yaml.said,
    **dict.fromkeys(("javascript", "typescript", "tsx"), scripts.said),
    **dict.fromkeys(("css", "scss"), styles.said),
    **dict.fromkeys(MARKUP, markup.said),
}
"""How a language spells what others have not."""
_RULES: dict[str, tuple[_Rule, ...]] = {
    "javascript": scripts.RULES,
    "typescript": scripts.TYPED_RULES,
    "tsx": scripts.TYPED_RULES,
    "python": python.RULES,
    "css": styles.RULES,
    "scss": styles.RULES,
    "bash": shell.RULES,
    "php": php.RULES,
    "php_only": php.RULES,
    **dict.fromkeys(MARKUP, markup.RULES),
}
"""Which tokens are spare in the languages that have rules of their own."""


def formatted(language: str, tokens: Sequence[Token], lines: Sequence[int]) -> list[Token]:
    """Tokens, each with the line that it begins on, with what they say and whether they are spare."""
    told = list(tokens)
    solid = [i for i, token in enumerate(tokens) if not token.comment and token.text.strip()]
    own = [tokens[i] for i in solid]
    texts = [token.text for token in own]
    laid = LaidOut(own, [lines[i] for i in solid], Brackets.of(texts), [text.strip() for text in texts])
    spare = {at for rule in _RULES.get(language, (last_commas,)) for at in rule(laid)}
    for at, i in enumerate(solid):
        said = _said(language, laid, at)
        if at in spare or said != tokens[i].said:
            told[i] = replace(tokens[i], said=said, spare=at in spare)
    return told


def _said(language: str, laid: LaidOut, at: int) -> str:
    """What a token says, however it is spelled."""
    told = _SAYS.get(language)
    if told is not None and (said := told(laid, at)) is not None:
        return said
    token = laid.tokens[at]
    return string(language, token) if token.kind == "string" else token.said
