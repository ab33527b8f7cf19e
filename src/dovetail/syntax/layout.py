"""What a formatter may write otherwise in a language: which tokens it adds or drops, and how it spells the others.

The idea: a token is spare where the code means the same with it and without it, whatever other spare tokens come or
go. That is told by the tokens beside it, and only where they leave no doubt: a bracket is spare where nothing but it
ends there, a semicolon where the line's end does its work. What is not certain counts.
"""

from __future__ import annotations

import re
from textwrap import dedent
from typing import TYPE_CHECKING

from dovetail.model.dataclasses import dataclass, replace
from dovetail.model.patterns import late
from dovetail.syntax.brackets import Brackets
from dovetail.syntax.embedded import MARKUP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dovetail.model.language import Token

    _Rule = Callable[["Code"], Iterator[int]]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SCRIPTS = ("javascript", "typescript", "tsx")
_STYLES = ("css", "scss")
_EITHER_QUOTES = ("bash", "dart", "lua", "php", "php_only", "ruby", "toml", "yaml")

_PLAIN = late(r"(['\"])([^'\"\\`$#{}\n]*)\1")
_SHORT = 2  # characters of what may be one in other marks, where a language has a kind for it
_STRING = late(r"([A-Za-z]{0,2})('{3}|\"{3}|['\"])(.*)\2", re.DOTALL)
_MARK = late(r"([A-Za-z]{0,2})('{3}|\"{3}|['\"])")
_ESCAPE = late(r"\\(.)", re.DOTALL)
_KEY = late(r"(['\"])([A-Za-z_$][\w$]*)\1")
_DECIMAL = late(r"(?=.*\d)([-+]?)(\d*)\.(\d*?)0*(e[-+]?\d+)?")
_COLOUR = late(r"[0-9A-Fa-f]{3,8}")
_UNQUOTED = late(r"[\w.:/#-]+")
_BROKEN = late(r"[ \t]*\n\s*")
_BLANK_LINE = late(r"\n[ \t]*\n")

_ENDS = _words(") ] } , ;")
_BEFORE_WHOLE = _words("= += -= *= /= ??= ||= &&= => return ? : ( [ , ${")
_BEFORE_MARKUP = _BEFORE_WHOLE | _words("{ && || ??")
_BEFORE_ARROW = _BEFORE_MARKUP | _words("async default")
_BEHIND_MARKUP = _words("&& || ??")
_BEGINS_STATEMENT = _words("{ function class let async interface")
_GOES_ON = _words("in instanceof of as satisfies is extends implements")
_LEAVES = _words("return break continue")
_WANTS_MORE = _words(
    """yield throw async await get set static accessor declare abstract readonly let const var type interface namespace
    module enum void typeof delete new else do in of instanceof public private protected override out using from as
    satisfies is asserts keyof infer unique case default export import extends implements"""
)
_HEADS = _words("if while for with")
_BEFORE_BAR = _words("= : ( < , [ => ? extends")
_CLOSES_VALUE = _words(") ] } ` > /> ++ -- !")

_ASSIGNS = _words("= += -= *= /= //= %= @= &= |= ^= >>= <<= **=")
_CONDITIONS = _words("if elif while")
_MAKES_MORE = _words("for async yield :=")
_ROOM = _words("( [ { , :")

_VOID = _words("area base br col embed hr img input link meta source track wbr")
_CLOSE = 200  # tokens that are looked through for the end of a declaration, or the begin of a tag
_JOINED = _words("| || |& && \\ ( (( $( ` { do then else elif in ;; ;& ;;&")


@dataclass(frozen=True, slots=True)
class Code:
    """The tokens of a text that are neither blank nor comments, with the line that each begins on, and the brackets.

    texts: what `text` answers for each token.
    """

    tokens: Sequence[Token]
    lines: Sequence[int]
    brackets: Brackets
    texts: Sequence[str]

    def text(self, at: int) -> str:
        """The text of a token, "" where there is none."""
        return self.texts[at] if 0 <= at < len(self.texts) else ""

    def ends_line(self, at: int) -> bool:
        """Whether the next token begins on another line than this one ends on, or there is none."""
        return at + 1 == len(self.tokens) or self.lines[at + 1] > self.lines[at] + self.tokens[at].text.count("\n")

    def pairs(self) -> Iterator[tuple[int, int]]:
        """The round brackets that hold something."""
        for first, last in self.brackets.pairs():
            if self.text(first) == "(" and last > first + 1:
                yield first, last

    def next_of(self, at: int, texts: Sequence[str]) -> str:
        """The first of some texts close behind a token, "" where there is none."""
        return next((text for i in range(at + 1, at + _CLOSE) if (text := self.text(i)) in texts), "")

    def lists(self, at: int) -> bool:
        """Whether a token is PHP's word for a list before the brackets that hold it."""
        return self.text(at) == "array" and self.tokens[at].kind == "other" and self.text(at + 1) == "("

    def begins_command(self, at: int) -> bool:
        """Whether a token of a shell begins a command that is parted from the one before."""
        last = at - 1
        parted = self.text(last) == ";"
        if parted:
            last -= 1
        elif last < 0 or not self.ends_line(last):
            return False
        if last < 0 or self.text(at) in (";", "{") or self.text(last) in _JOINED:
            return False
        holds = self.brackets.within[at]
        cased = self.text(last) == ")" and self.brackets.partner[last] < 0
        return not cased and not (self.text(holds) == "(" and self.text(holds - 1) == "=")

    def inside(self, first: int, last: int) -> Iterator[str]:
        """What stands between two brackets and in no others."""
        return (self.text(i) for i in range(first + 1, last) if self.brackets.within[i] == first)


def formatted(language: str, tokens: Sequence[Token], lines: Sequence[int]) -> list[Token]:
    """Tokens, each with the line that it begins on, with what they say and whether they are spare."""
    told = list(tokens)
    solid = [i for i, token in enumerate(tokens) if not token.comment and token.text.strip()]
    own = [tokens[i] for i in solid]
    texts = [token.text for token in own]
    code = Code(own, [lines[i] for i in solid], Brackets.of(texts), [text.strip() for text in texts])
    spare = {at for rule in _RULES.get(language, (_last_commas,)) for at in rule(code)}
    for at, i in enumerate(solid):
        said = _said(language, code, at)
        if at in spare or said != tokens[i].said:
            told[i] = replace(tokens[i], said=said, spare=at in spare)
    return told


def _said(language: str, code: Code, at: int) -> str:
    """What a token says, however it is spelled."""
    token, before, behind = code.tokens[at], code.text(at - 1), code.text(at + 1)
    if language in _SCRIPTS:
        if behind == ":" and before in ("{", ",", ";") and (key := _KEY.fullmatch(token.text)):
            return key[2]
        if token.text in _LEAVES and before != "." and (behind in ("", ";", "}") or code.ends_line(at)):
            return token.text + ";"
        if token.kind == "number":
            return _number(token.text)
    if token.kind == "number" and language == "python":
        return token.text.lower()
    told = _OF_LANGUAGE.get(language)
    if told is not None and (said := told(code, at)) is not None:
        return said
    if token.kind == "string":
        return _string(language, token)
    return token.said


def _number(text: str) -> str:
    text = text.lower().replace("e+", "e")
    found = _DECIMAL.fullmatch(text)
    if found is None:
        return text
    return found[1] + (found[2] or "0") + ("." + found[3] if found[3] else "") + (found[4] or "")


def _string(language: str, token: Token) -> str:
    """A string, the kind of its marks left out where both say the same."""
    if language not in (*_SCRIPTS, *_STYLES, "python"):
        plain = _PLAIN.fullmatch(token.text)
        same = plain is not None and (language in _EITHER_QUOTES or len(plain[2]) >= _SHORT)
        return f'"{plain[2]}"' if plain is not None and same else token.said
    if (mark := _MARK.fullmatch(token.text)) is not None:  # of a string with code inside
        return _prefix(mark[1]) + '"' * len(mark[2])
    found = _STRING.fullmatch(token.text)
    if found is None:
        return token.said
    prefix = _prefix(found[1])
    inside = found[3] if "r" in prefix else _ESCAPE.sub(lambda m: m[1] if m[1] in "'\"" else m[0], found[3])
    return prefix + '"' * len(found[2]) + inside + '"' * len(found[2])


def _prefix(text: str) -> str:
    return text.lower().replace("u", "")


def _style(code: Code, at: int) -> str | None:
    """Numbers with their zeros, colours in either case, and the words of a selector in quotes or none."""
    text, before = code.text(at), code.text(at - 1)
    if before == "#" and _COLOUR.fullmatch(text) and code.next_of(at, (";", "{", "}")) in (";", "}"):
        return text.lower()
    if before.endswith("=") and code.text(code.brackets.within[at]) == "[" and _UNQUOTED.fullmatch(text):
        return f'"{text}"'
    return _number(text) if _DECIMAL.fullmatch(text) else None


def _array(code: Code, at: int) -> str | None:
    """A list by either of its names: `array(…)` and `[…]`."""
    if code.lists(at):
        return ""
    opened = code.brackets.partner[at] if code.text(at) == ")" else at
    if opened > 0 and code.text(opened) == "(" and code.lists(opened - 1):
        return "[" if opened == at else "]"
    return None


def _markup(code: Code, at: int) -> str | None:
    """The end of a tag that has no other, quotes of either kind, and a text or an attribute wherever it is broken."""
    token, before = code.tokens[at], code.text(at - 1)
    if token.text == "/>":
        tag = at - 1
        while tag > max(0, at - _CLOSE) and code.text(tag) != "<":
            tag -= 1
        return ">" if code.text(tag + 1).lower() in _VOID else None
    if token.text in ("'", '"'):
        return '"'
    return token.text.lower() if before == "<!" else None


def _scalar(code: Code, at: int) -> str | None:
    """A text in quotes of either kind, wherever it is broken; a block of lines, however deep it stands."""
    token = code.tokens[at]
    text = token.text
    if token.kind != "string":
        return None
    if text[0] in "|>":
        head, _, body = text.partition("\n")
        return head + "\n" + dedent(body)
    if "\n" in text and not _BLANK_LINE.search(text) and "\\" not in text:
        text = _BROKEN.sub(" ", text)
    marked = text[0] in "'\"" and not any(sign in text[1:-1] for sign in "'\"\\")
    return f'"{text[1:-1]}"' if marked else text


def _command(code: Code, at: int) -> str | None:
    """The first word of a command, which a line's end or a semicolon parts from the one before."""
    return "; " + code.text(at) if code.begins_command(at) else None


_OF_LANGUAGE: dict[str, Callable[[Code, int], str | None]] = {
    "bash": _command,
    "php": _array,
    "php_only": _array,
    "yaml": _scalar,
    **dict.fromkeys(_STYLES, _style),
    **dict.fromkeys(MARKUP, _markup),
}
"""How a language spells what others have not."""


def _last_commas(code: Code) -> Iterator[int]:
    """Commas behind the last of several lines.

    In round brackets that nothing is called with, and that hold no other, a comma makes a list of what they hold.
    """
    return _commas(code, lambda at: code.text(at) == "(" and not _called(code, at))


def _last_commas_of_scripts(code: Code) -> Iterator[int]:
    """Commas behind the last of several lines; there are no lists in round brackets."""
    return _commas(code, lambda _: False)


def _last_commas_of_python(code: Code) -> Iterator[int]:
    """Commas behind the last of several lines; where they are the only one they may make a tuple, of a key too."""

    def tuples(at: int) -> bool:
        if code.text(at) == "[":
            return _called(code, at) or code.text(at - 1) in _ENDS
        return code.text(at) == "(" and not _called(code, at) and code.text(at - 1) != "import"

    return _commas(code, tuples)


def _called(code: Code, at: int) -> bool:
    return at > 0 and code.tokens[at - 1].kind == "name"


def _commas(code: Code, lists: Callable[[int], bool]) -> Iterator[int]:
    for first, last in code.brackets.pairs():
        at = last - 1
        if code.text(at) != "," or not code.ends_line(at) or at - 1 == first or code.text(at - 1) == ",":
            continue
        if not lists(first) or sum(text == "," for text in code.inside(first, last)) > 1:
            yield at


def _semicolons(code: Code) -> Iterator[int]:
    """Semicolons that the end of a line, or of a block, makes needless."""
    for at, token in enumerate(code.tokens):
        if token.text != ";" or code.text(code.brackets.within[at]) in ("(", "[") or not _may_end(code, at - 1):
            continue
        closed = code.text(at + 1) == "}"
        if closed or (_statement_ends(code, at) and code.text(at - 1) not in _WANTS_MORE):
            yield at


def _may_end(code: Code, at: int) -> bool:
    """Whether a token may be a statement's last one, and the statement is none without its semicolon."""
    text = code.text(at)
    if text == ")":
        head = code.brackets.partner[at]
        before = code.text(head - 1) if head >= 0 else "if"
        return before not in _HEADS and not (before == "await" and code.text(head - 2) == "for")
    word = text[:1].isalnum() or text[:1] in ("_", "$", "'", '"', "/", "#")
    return word or text in _CLOSES_VALUE or text[-1:] in ("'", '"')


def _statement_ends(code: Code, at: int) -> bool:
    """Whether what stands behind a token begins another line, and cannot go on with what is before it."""
    if not code.ends_line(at):
        return False
    text = code.text(at + 1)
    return text == "}" or (
        text not in _GOES_ON and (text[:1].isalnum() or text[:1] in ("", "_", "$", "'", '"', "@", "#"))
    )


def _arrow_brackets(code: Code) -> Iterator[int]:
    """Brackets around the one plain parameter of an arrow function."""
    for first, last in code.pairs():
        free = code.text(first - 1) in _BEFORE_ARROW
        if last == first + 2 and code.text(last + 1) == "=>" and code.tokens[first + 1].kind == "name" and free:
            yield from (first, last)


def _whole_values(code: Code) -> Iterator[int]:
    """Brackets around the whole of a value, which something else ends; around markup beside `&&` and its like, too."""
    for first, last in code.pairs():
        before, behind = code.text(first - 1), code.text(last + 1)
        begin = next(text for i in range(first + 1, last + 1) if (text := code.text(i)) != "(")
        if begin in _BEGINS_STATEMENT or code.text(last - 1) in _WANTS_MORE or "," in code.inside(first, last):
            continue
        markup = _is_markup(code, first + 1, last - 1)
        member = before == "," and code.text(code.brackets.within[first]) == "{"  # of a type that can be called
        if member or before not in (_BEFORE_MARKUP if markup else _BEFORE_WHOLE):
            continue
        ended = behind in _ENDS or (behind == ":" and before == "?") or (markup and behind in _BEHIND_MARKUP)
        if ended or (last + 1 < len(code.tokens) and _statement_ends(code, last)):
            yield from (first, last)


def _is_markup(code: Code, first: int, last: int) -> bool:
    """Whether tokens are one element of markup."""
    if code.text(first) != "<" or first == last:
        return False
    if code.text(last) == "/>":
        return True
    at = last - 1
    while at > first and code.text(at) not in ("<", "</", ">", "/>"):
        at -= 1
    return code.text(last) == ">" and code.text(at) == "</"


def _leading_bars(code: Code) -> Iterator[int]:
    """The bar before the first of several types."""
    for at, token in enumerate(code.tokens):
        if token.text in ("|", "&") and code.text(at - 1) in _BEFORE_BAR:
            yield at


def _last_semicolons(code: Code) -> Iterator[int]:
    """Semicolons before the end of a block, where they only divide."""
    for at, token in enumerate(code.tokens):
        if token.text == ";" and code.text(at + 1) == "}" and code.text(at - 1) not in ("", "{", ";"):
            yield at


def _array_words(code: Code) -> Iterator[int]:
    """PHP's word for a list."""
    return (at for at in range(len(code.tokens)) if code.lists(at))


def _command_ends(code: Code) -> Iterator[int]:
    """Semicolons behind a command: what begins behind them says so itself."""
    for at, token in enumerate(code.tokens):
        if token.text == ";" and (at + 1 == len(code.tokens) or code.begins_command(at + 1)):
            yield at


def _plain_quotes(code: Code) -> Iterator[int]:
    """Quotes around the one word of an attribute."""
    for at in range(1, len(code.tokens) - 1):
        marks = code.text(at - 1), code.text(at + 1)
        if marks[0] in ("'", '"') and marks[0] == marks[1] and _UNQUOTED.fullmatch(code.text(at)):
            yield from (at - 1, at + 1)


def _line_joints(code: Code) -> Iterator[int]:
    """Backslashes at the ends of lines."""
    return (at for at, token in enumerate(code.tokens) if token.text.strip() == "\\")


def _python_values(code: Code) -> Iterator[int]:
    """Brackets around the whole of a value, a condition or a target, which something else ends."""
    starts = _line_starts(code)
    for first, last in code.brackets.pairs():
        if code.text(first) != "(":
            continue
        if last == first + 1:
            named = code.text(first - 2) == "class" and code.text(last + 1) == ":"
            yield from (first, last) if named else ()
        elif not _MAKES_MORE.intersection(code.inside(first, last)) and _is_whole(code, first, last, starts):
            yield from (first, last)


def _line_starts(code: Code) -> list[int]:
    """For each token the first one of its logical line."""
    starts: list[int] = []
    for at in range(len(code.tokens)):
        joined = at == 0 or code.brackets.depth[at] > 0 or code.text(at - 1) == "\\" or not code.ends_line(at - 1)
        starts.append((starts[-1] if at else 0) if joined else at)
    return starts


def _is_whole(code: Code, first: int, last: int, starts: Sequence[int]) -> bool:
    before, behind = code.text(first - 1), code.text(last + 1)
    ends = last + 1 < len(code.tokens) and starts[last + 1] == last + 1 and behind not in _ENDS
    begins = first > 0 and starts[first] == first - 1
    one = "," not in code.inside(first, last)
    if before in _ASSIGNS:
        return ends or (one and behind in _ENDS)
    if before in _CONDITIONS or before == "with":
        return begins and behind == ":" and (one or (before == "with" and "as" in code.inside(first, last)))
    if before == "assert":
        return begins and one and (ends or behind == ",")
    if before in ("return", "del", "import"):
        return ends
    if before == "for":
        return behind == "in"
    if before == "in":
        head = starts[first] + (code.text(starts[first]) == "async")
        loops = code.text(head) == "for" and "in" not in [code.text(i) for i in range(head, first - 1)]
        return loops and behind == ":"
    return before in _ROOM and one and (behind in _ENDS or (before == "," and ends))


_OF_SCRIPTS = (_last_commas_of_scripts, _semicolons, _arrow_brackets, _whole_values)
_RULES: dict[str, tuple[_Rule, ...]] = {
    "javascript": _OF_SCRIPTS,
    "typescript": (*_OF_SCRIPTS, _leading_bars),
    "tsx": (*_OF_SCRIPTS, _leading_bars),
    "python": (_last_commas_of_python, _line_joints, _python_values),
    "css": (_last_commas, _last_semicolons),
    "scss": (_last_commas, _last_semicolons),
    "bash": (_command_ends, _line_joints),
    "php": (_last_commas, _array_words),
    "php_only": (_last_commas, _array_words),
    **dict.fromkeys(MARKUP, (_plain_quotes,)),
}
"""The rules of each language that has some of its own."""
