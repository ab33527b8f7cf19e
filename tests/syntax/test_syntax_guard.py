"""What could crash or stall a grammar. Grammars are tried in processes of their own, so that a crash is seen.

Here with short texts; `bench/grammars.py` has the long ones too, and looks at the seconds.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from dovetail.syntax import default_language
from dovetail.syntax.guard import MAX_BYTES, MAX_REPEATS, may_parse
from dovetail.syntax.parsing import GRAMMARS

BENCH = Path(__file__).parents[2] / "bench"
GROUPS = 6
LANGUAGES = sorted(GRAMMARS.keys() - {"php_only"})


@pytest.mark.parametrize("group", range(GROUPS))
def test_no_text_that_is_deep_long_or_junk_crashes_a_grammar(group: int) -> None:
    languages = LANGUAGES[group::GROUPS]
    command = [sys.executable, str(BENCH / "grammars.py"), "--quick", *languages]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert (run.returncode, run.stdout.split(), run.stderr) == (0, languages, "")


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
    data = (unit * MAX_BYTES)[:MAX_BYTES].encode()  # so long that a search that takes quadratic time does not end
    may_parse(data, "markdown")
    may_parse(data, "java")


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
