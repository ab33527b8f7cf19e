"""Grammars load late, once, and wherever a folder can be had. Each case runs in a process of its own."""

import os
import subprocess
import sys


def run(code: str, **environment: str) -> str:
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=180,
        env={**os.environ, **environment},
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


READS = """
from dovetail.syntax import default_language
print(len(default_language().definitions("a.py", "def f(): pass\\n")))
"""


def test_importing_and_asking_for_the_reader_loads_nothing() -> None:
    code = "import sys\nfrom dovetail.syntax import default_language, language_of\ndefault_language()\nlanguage_of('a.py')\n"
    assert run(code + "print([m for m in sys.modules if m.startswith('tree_sitter')])") == "[]"


def test_only_the_grammar_that_is_asked_for_is_loaded() -> None:
    code = READS + "import sys\nprint(sorted(m for m in sys.modules if m.startswith('tree_sitter_')))"
    assert run(code).split("\n") == ["1", "['tree_sitter_python._binding']"]


def test_what_reads_the_queries_of_a_wheel_is_not_loaded() -> None:
    assert run(READS + "import sys\nprint('tempfile' in sys.modules)").split("\n") == ["1", "False"]


def test_a_language_whose_grammar_is_not_installed_is_unknown() -> None:
    code = (
        "import sys\nsys.modules['tree_sitter_python'] = None\n"
        "from dovetail.syntax import default_language\nprint(default_language().definitions('a.py', 'x'))"
    )
    assert run(code) == "None"
