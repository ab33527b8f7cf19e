import pytest

from dovetail.syntax import default_language

CASES = {
    "a.py": [("x = 1\n", ()), ("x = 1\ny = (\n", (2,)), ("a\n\n)\n", (3,)), ("", ())],
    "a.js": [("f();\n", ()), ("let = ;\nok();\n", (1,)), ("if (a) {\n  b();\n\nc(]);\n}\n", (4,))],
    "a.json": [('{"a": 1}\n', ()), ('{\n "a": 1,\n}\n', (2,)), ('{"a" 1}', (1,))],
    "a.rs": [("fn f() {}\n", ()), ("fn f() {}\nfn {}\n", (2,))],
    "a.java": [("class A { int x; }\n", ()), ("class A {\n int = 1;\n}\n", (2,))],
    "a.css": [("a { b: c }\n", ()), ("a { b: c }\n}\n", (2,))],
}
LET_PASS = {
    "a.cpp": [('f("a\n");\n', (1,)), ('f("a\\\nb");\n', ()), ('f("a");  // don\'t\n', ()), ('f(R"(a\nb)");\n', ())],
    "a.java": [('class A {\n String s = "a\nb";\n}\n', (2,)), ('class A { String s = """\n a" b\n """; }\n', ())],
    "a.py": [("f(f'\n{x}')\n", (1,)), ('f("""a\n\'b""")\n', ()), ("f(f'{\nx}')\n", ())],
    "a.ts": [("f(‘a’);\n", (1,)), ("f('‘a’'); // it’s\n", ())],
    "a.tsx": [("const a = <A b='c\n d' />;\n", ())],
    "a.php": [("<?php f('a\nb');\n", ()), ("<?php f(‘a’);\n", (1,))],
    "a.kt": [('val a = "a\nb"\n', (1,)), ('val a = """\n"a\n"""\n', ())],
}
"""Strings that a line end cuts and names in curly quotes, which grammars let pass, beside texts that are like them."""


@pytest.mark.parametrize(("path", "text", "lines"), [(p, t, n) for p, rows in CASES.items() for t, n in rows])
def test_error_lines(path: str, text: str, lines: tuple[int, ...]) -> None:
    assert default_language().errors(path, text) == lines


@pytest.mark.parametrize(("path", "text", "lines"), [(p, t, n) for p, rows in LET_PASS.items() for t, n in rows])
def test_errors_that_grammars_let_pass(path: str, text: str, lines: tuple[int, ...]) -> None:
    assert default_language().errors(path, text) == lines


def test_crlf_and_form_feed_move_no_error() -> None:
    assert default_language().errors("a.py", "# \f\u2028\r\nx = 1\r\ny = )\r\n") == (3,)
    assert default_language().errors("a.java", 'class A {\r\n String s = "a\r\nb";\r\n}\r\n') == (2,)


def test_no_text_makes_more_than_a_thousand_lines_of_errors() -> None:
    found = default_language().errors("a.js", "let = ;\nok();\n" * 3_000)
    assert found is not None
    assert len(found) == 1_000
