"""Tokens are written `kind:text`; only the first letter of the kind is given."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.model.language import Token
from dovetail.model.text import Text
from dovetail.syntax import default_language
from dovetail.syntax.definitions import definitions
from dovetail.syntax.errors import error_lines
from dovetail.syntax.grammars import GRAMMARS
from dovetail.syntax.parsing import parse
from dovetail.syntax.tokens import tokens

CASES = {
    "call.py": ("f(a, 'x  y')  # why\n", ["n:f", "o:(", "n:a", "o:,", "s:'x  y'", "o:)", "c:# why"]),
    "number.py": ("x = 0x1F + 1.5\n", ["n:x", "o:=", "n:0x1F", "o:+", "n:1.5"]),
    "format.py": ("f'a {b} c'\n", ["s:f'", "s:a ", "o:{", "n:b", "o:}", "s: c", "s:'"]),
    "wide.py": ("é = 'ü😀' + z\n", ["n:é", "o:=", "s:'ü😀'", "o:+", "n:z"]),
    "template.js": ("`x ${b}  y`;\n", ["o:`", "s:x ", "o:${", "n:b", "o:}", "s:  y", "o:`", "o:;"]),
    "regex.js": ("r = /a b/g", ["n:r", "o:=", "s:/a b/g"]),
    "markup.jsx": (
        '<a b="c">d  e</a>',
        ["o:<", "n:a", "n:b", "o:=", 's:"c"', "o:>", "s:d  e", "o:</", "n:a", "o:>"],
    ),
    "rune.go": ("var x = 'y' + `r  s`", ["o:var", "n:x", "o:=", "s:'y'", "o:+", "s:`r  s`"]),
    "raw.rs": ('r#"raw"#; 1_0u8 // c', ['s:r#"raw"#', "o:;", "n:1_0u8", "c:// c"]),
    "macro.c": ("#define A(x) x + 1\n", ["o:#define", "n:A", "o:(", "n:x", "o:)", "n:x + 1"]),
    "plain.json": ('{"a": [1, true]}', ["o:{", 's:"a"', "o::", "o:[", "n:1", "o:,", "o:true", "o:]", "o:}"]),
    "block.yaml": ("a: b  # c\n", ["s:a", "o::", "s:b", "c:# c"]),
    "fence.md": (
        "# T\n\nx *y*\n\n```py\na = 1\n```\n",
        ["o:#", "s:T", "s:x *y*", "o:```", "n:py", "n:a", "o:=", "n:1", "o:```"],
    ),
    "piece.php": ("$a = f('b');\n", ["o:$", "n:a", "o:=", "n:f", "o:(", "s:'b'", "o:)", "o:;"]),
    "broken.py": ("def f(:\n  ?? 1\n", ["o:def", "n:f", "o:(", "o::", "o:??", "n:1"]),
}


def shown(found: tuple[Token, ...]) -> list[str]:
    return [f"{token.kind[0]}:{token.text}" for token in found]


@pytest.mark.parametrize("path", CASES)
def test_tokens(path: str) -> None:
    text, expected = CASES[path]
    found = default_language().tokens(path, text)
    assert found is not None
    assert shown(found) == expected


@pytest.mark.parametrize("path", CASES)
def test_comments_alone_are_marked_so(path: str) -> None:
    for token in default_language().tokens(path, CASES[path][0]) or ():
        assert token.comment == (token.kind == "comment")


LANGUAGES = sorted(GRAMMARS.keys() - {"php_only"})
SPACES = ["a", "é", "😀", "x1", " ", "  ", "\n", "\r\n", "\t", "\f", "\u2028", "\udc80"]
MARKS = [*"(){}[]<>'\"`=:;,.\\", "- ", "# ", "/*", "*/", "//", "${", "#{"]
WORDS = ["def f(x):\n", "class A ", "if x ", "<<E\n"]
PIECES = st.sampled_from([*SPACES, *MARKS, *WORDS])


@settings(max_examples=200, deadline=None)
@given(language=st.sampled_from(LANGUAGES), pieces=st.lists(PIECES, max_size=40))
def test_tokens_cover_all_but_blanks_in_order(language: str, pieces: list[str]) -> None:
    text = "".join(pieces)
    source = parse(language, text)
    assert source is not None
    done = 0
    for token in tokens(source):
        assert not text[done : token.start].strip()
        assert token.start < token.end
        assert token.text == text[token.start : token.end]
        done = token.end
    assert not text[done:].strip()


@settings(max_examples=200, deadline=None)
@given(language=st.sampled_from(LANGUAGES), pieces=st.lists(PIECES, max_size=40))
def test_definitions_and_errors_stay_inside_the_lines(language: str, pieces: list[str]) -> None:
    text = "".join(pieces)
    lines = len(Text(text))
    source = parse(language, text)
    assert source is not None
    for definition in definitions(source):
        assert 0 <= definition.first_line <= definition.body_line <= definition.last_line < lines
        assert definition.name
        assert definition.qualified.endswith(definition.name)
    assert all(1 <= line <= lines + 1 for line in error_lines(source))
