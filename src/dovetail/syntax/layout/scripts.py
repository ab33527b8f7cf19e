"""JavaScript and TypeScript: semicolons, brackets around values and parameters, bars before types, names of keys."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.syntax.layout.commas import commas
from dovetail.syntax.layout.laid_out import ENDS, words
from dovetail.syntax.layout.strings import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.syntax.layout.laid_out import LaidOut


_KEY = re.compile(r"(['\"])([A-Za-z_$][\w$]*)\1")
_BEFORE_WHOLE = words("= += -= *= /= ??= ||= &&= => return ? : ( [ , ${")
_BEFORE_MARKUP = _BEFORE_WHOLE | words("{ && || ??")
_BEFORE_ARROW = _BEFORE_MARKUP | words("async default")
_BEHIND_MARKUP = words("&& || ??")
_BEGINS_STATEMENT = words("{ function class let async interface")
_GOES_ON = words("in instanceof of as satisfies is extends implements")
_LEAVES = words("return break continue")
_WANTS_MORE = words(
    """yield throw async await get set static accessor declare abstract readonly let const var type interface namespace
    module enum void typeof delete new else do in of instanceof public private protected override out using from as
    satisfies is asserts keyof infer unique case default export import extends implements"""
)
_HEADS = words("if while for with")
_BEFORE_BAR = words("= : ( < , [ => ? extends")
_CLOSES_VALUE = words(") ] } ` > /> ++ -- !")


def said(laid: LaidOut, at: int) -> str | None:
    """A key without its quotes, a word that ends its statement, a number."""
    token, before, behind = laid.tokens[at], laid.text(at - 1), laid.text(at + 1)
    if behind == ":" and before in ("{", ",", ";") and (key := _KEY.fullmatch(token.text)):
        return key[2]
    if token.text in _LEAVES and before != "." and (behind in ("", ";", "}") or laid.ends_line(at)):
        return token.text + ";"
    return number(token.text) if token.kind == "number" else None


def _last_commas(laid: LaidOut) -> Iterator[int]:
    """Commas behind the last of several lines; there are no lists in round brackets."""
    return commas(laid, lambda _: False)


def _semicolons(laid: LaidOut) -> Iterator[int]:
    """Semicolons that the end of a line, or of a block, makes needless."""
    for at, token in enumerate(laid.tokens):
        if token.text != ";" or laid.text(laid.brackets.within[at]) in ("(", "[") or not _may_end(laid, at - 1):
            continue
        closed = laid.text(at + 1) == "}"
        if closed or (_statement_ends(laid, at) and laid.text(at - 1) not in _WANTS_MORE):
            yield at


def _may_end(laid: LaidOut, at: int) -> bool:
    """Whether a token may be a statement's last one, and the statement is none without its semicolon."""
    text = laid.text(at)
    if text == ")":
        head = laid.brackets.partner[at]
        before = laid.text(head - 1) if head >= 0 else "if"
        return before not in _HEADS and not (before == "await" and laid.text(head - 2) == "for")
    word = text[:1].isalnum() or text[:1] in ("_", "$", "'", '"', "/", "#")
    return word or text in _CLOSES_VALUE or text[-1:] in ("'", '"')


def _statement_ends(laid: LaidOut, at: int) -> bool:
    """Whether what stands behind a token begins another line, and cannot go on with what is before it."""
    if not laid.ends_line(at):
        return False
    text = laid.text(at + 1)
    return text == "}" or (
        text not in _GOES_ON and (text[:1].isalnum() or text[:1] in ("", "_", "$", "'", '"', "@", "#"))
    )


def _arrow_brackets(laid: LaidOut) -> Iterator[int]:
    """Brackets around the one plain parameter of an arrow function."""
    for first, last in laid.pairs():
        free = laid.text(first - 1) in _BEFORE_ARROW
        if last == first + 2 and laid.text(last + 1) == "=>" and laid.tokens[first + 1].kind == "name" and free:
            yield from (first, last)


def _whole_values(laid: LaidOut) -> Iterator[int]:
    """Brackets around the whole of a value, which something else ends; around markup beside `&&` and its like, too."""
    for first, last in laid.pairs():
        before, behind = laid.text(first - 1), laid.text(last + 1)
        begin = next(text for i in range(first + 1, last + 1) if (text := laid.text(i)) != "(")
        if begin in _BEGINS_STATEMENT or laid.text(last - 1) in _WANTS_MORE or "," in laid.inside(first, last):
            continue
        markup = _is_markup(laid, first + 1, last - 1)
        member = before == "," and laid.text(laid.brackets.within[first]) == "{"  # of a type that can be called
        if member or before not in (_BEFORE_MARKUP if markup else _BEFORE_WHOLE):
            continue
        ended = behind in ENDS or (behind == ":" and before == "?") or (markup and behind in _BEHIND_MARKUP)
        if ended or (last + 1 < len(laid.tokens) and _statement_ends(laid, last)):
            yield from (first, last)


def _is_markup(laid: LaidOut, first: int, last: int) -> bool:
    """Whether tokens are one element of markup."""
    if laid.text(first) != "<" or first == last:
        return False
    if laid.text(last) == "/>":
        return True
    at = last - 1
    while at > first and laid.text(at) not in ("<", "</", ">", "/>"):
        at -= 1
    return laid.text(last) == ">" and laid.text(at) == "</"


def _leading_bars(laid: LaidOut) -> Iterator[int]:
    """The bar before the first of several types."""
    for at, token in enumerate(laid.tokens):
        if token.text in ("|", "&") and laid.text(at - 1) in _BEFORE_BAR:
            yield at


RULES = (_last_commas, _semicolons, _arrow_brackets, _whole_values)
TYPED_RULES = (*RULES, _leading_bars)
