"""What could crash or stall a grammar. Each language is tried in a process of its own, so that a crash is seen."""

import subprocess
import sys

import pytest

from dovetail.syntax import default_language
from dovetail.syntax.guard import MAX_BYTES, MAX_REPEATS, may_parse
from dovetail.syntax.parsing import GRAMMARS

HOSTILE = """
import random, sys, time
from dovetail.syntax.parsing import parse

NESTS = [
    ("(", ")"), ("[", "]"), ("{", "}"), ("{\\n", "}\\n"), ("f(){ if (a) {\\n", "}}"), ("<a>", "</a>"), ("<div>", ""),
    ("- ", ""), ("? ", ""), ("> ", ""), (">", ""), ("* ", ""), ("1. ", ""), ("*", ""), ("_", ""), ("`", ""), ("#", ""),
    ("a => ", ""), ("a =>\\n", ""), ("-> ", ""), ("/-", ""), ("{-", ""), ("/*", ""), ("%w(", ""), ("%q{", ""), ("A<", ""),
    ("$(", ")"), ("${", "}"), ('"${', '}"'), ("`${", "}`"), ("f'{", "}'"), ("if(a){}else ", ""), ("if x then\\n", ""),
    ("begin ", "end "), ("do\\n", "end\\n"), ("!", ""), ("1+", "1"), ("a.", "b"), ("f()", ""), ("a?b:", "c"), ("a: ", ""),
    ("case x of\\n", ""), ("= a\\n== b\\n", ""), ("&a ", ""), ("{% if x %}", ""), ("\\\\begin{a}", ""), ("@a(", ")"),
    ("R'a(", ""), ("<<A ", ""), ("\\0", ""), ("\\f", ""), ("\\r", ""), ("\\t", ""), ("x\\ty\\n", ""), ("#{", "}"),
]

def texts():
    for opening, closing in NESTS:
        for times in (60, 190, 450, 6000):
            yield opening * times + closing * times
    for step, line in ((1, "if x:"), (1, "k:"), (2, "- a"), (1, "-"), (1, "let do x ="), (2, "* a"), (1, ".. a::\\n")):
        yield "".join(" " * step * i + line + "\\n" for i in range(450))
    for sign in ("=>", "= %", "=> &&", "=", "?", "->", "-> &&", "=> (T)", "= <-", "(T) =>"):
        yield " ".join(f"a{i} {sign}" for i in range(2500))
    yield "<<" + "A" * 5000 + "\\n"
    yield "".join(f"<<A{i} " for i in range(500))
    yield "".join(f"<t{i}>" for i in range(3000))
    for seed in range(3):
        yield "".join(random.Random(seed).choices("(){}[]<>\\"'`$|&;# \\nabc=!~*-+\\\\:.,%@/0", k=20_000))

longest = int(sys.argv[1])
tried = dict.fromkeys(text[:longest] for text in texts())
for language in sys.argv[2:]:
    for text in tried:
        before = time.thread_time()
        parse(language, text)
        spent = time.thread_time() - before
        assert spent < 5, (language, text[:20], len(text), spent)
    print(language)
"""

MAIN = [
    "python", "javascript", "typescript", "tsx", "html", "css", "json", "yaml", "markdown", "rust", "go", "java", "c",
    "cpp", "ruby", "php", "bash", "toml",
]  # fmt: skip


def survivors(longest: int, languages: list[str]) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", HOSTILE, str(longest), *languages],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, (run.returncode, run.stdout.split()[-1:], run.stderr[-500:])
    return run.stdout.split()


@pytest.mark.parametrize("language", MAIN)
def test_no_text_crashes_or_stalls_a_grammar(language: str) -> None:
    assert survivors(60_000, [language]) == [language]


REFUSED = {
    "brackets": ("python", "(" * 201),
    "brackets behind closing ones": ("python", ")" * 300 + "(" * 201),
    "indents": ("yaml", "".join(" " * i + "k:\n" for i in range(120))),
    "list markers": ("yaml", "- " * 60),
    "quote markers": ("markdown", ">" * 60),
    "generics": ("java", "A<" * 300),
    "chain of arrows": ("java", "a => " * 2_000),
    "chain of arrows over lines": ("c", "a =>\n" * 2_000),
    "chain of names and arrows": ("java", " ".join(f"a{n} =>" for n in range(500))),
    "chain of signs": ("javascript", " ".join(f"a{n} = %\n" for n in range(500))),
    "long heredoc": ("ruby", "<<" + "A" * 200),
    "many heredocs": ("ruby", "<<A " * 70),
    "binary": ("python", "x = 1\0"),
    "size": ("python", "x = 1\n" * (MAX_BYTES // 6 + 1)),
}
TAKEN = {
    "brackets": ("python", "(" * 200 + ")" * 200),
    "closed brackets": ("python", "()" * 2_000),
    "aligned comments": ("c", "int a; " + " " * 150 + "// b\n" + (" " * 150 + "// c\n") * 200),
    "lines": ("python", "x = 1\n" * 20_000),
    "calls": ("javascript", "go();\n" * 20_000),
    "zeros": ("c", "int a[] = {" + "0x00, " * 5_000 + "0};"),
    "rulers": ("markdown", "-" * 300 + "\n\n" + "=" * 300 + "\n"),
    "assignments": ("python", "".join(f"A{n} = B{n}\n" for n in range(2_000))),
    "long sum": ("python", "x = " + " + ".join(f"a{n}" for n in range(2_000))),
    "rows": ("json", "[" + "0," * 5_000 + "0]"),
    "comparisons": ("java", "b = a < c;\n" * 500),
    "output": ("cpp", "cout << a << b << c << d << e << f;\n" * 100),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_too_much_is_refused(name: str) -> None:
    language, text = REFUSED[name]
    assert not may_parse(text.encode(), language)


@pytest.mark.parametrize("name", TAKEN)
def test_what_people_write_is_taken(name: str) -> None:
    language, text = TAKEN[name]
    assert may_parse(text.encode(), language)


LONG_RUNS = ["a", "a ", "a.", "$", "(a) ", "a = b\n", " ", "\t", "<a", "1. ", "<<", "x=", "A1+"]


@pytest.mark.parametrize("unit", LONG_RUNS)
def test_looking_a_text_over_takes_linear_time(unit: str) -> None:
    import time

    data = (unit * MAX_BYTES)[:MAX_BYTES].encode()
    before = time.thread_time()
    may_parse(data, "markdown")
    may_parse(data, "java")
    assert time.thread_time() - before < 2


def test_a_refused_text_is_answered_with_none_and_an_empty_one_with_nothing() -> None:
    language = default_language()
    assert language.definitions("a.py", "x\0") is None
    assert language.errors("a.yaml", "- " * 300) is None
    assert language.definitions("a.java", "a => " * MAX_REPEATS) is None
    assert language.definitions("a.py", "") == language.errors("a.py", "") == ()


def test_thousands_of_lines_are_read() -> None:
    text = "".join(f"def f{i}(a):\n    return a + {i}\n\n" for i in range(2_000))
    found = default_language().definitions("a.py", text)
    assert found is not None
    assert len(found) == 2_000
    assert found[-1].first_line == 3 * 1_999


def test_deep_trees_are_walked_without_recursion() -> None:
    language = default_language()
    text = "x = " + "".join(f"a{i} + " for i in range(8_000)) + "1\n"
    assert language.definitions("a.py", text) == ()
    assert language.errors("a.py", text) == ()


RARER = sorted(GRAMMARS.keys() - {"php_only", *MAIN})


@pytest.mark.parametrize("group", range(6))
def test_rarer_grammars_survive_nesting(group: int) -> None:
    assert survivors(6_000, RARER[group::6]) == RARER[group::6]
