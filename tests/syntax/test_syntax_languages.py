import pytest

from dovetail.syntax import default_language, language_of
from dovetail.syntax.parsing import GRAMMARS

NAMES = {
    "a.py": "python",
    "pkg/a.pyi": "python",
    "a.js": "javascript",
    "a.jsx": "javascript",
    "a.mjs": "javascript",
    "a.ts": "typescript",
    "a.d.ts": "typescript",
    "a.tsx": "tsx",
    "index.HTML": "html",
    "a.css": "css",
    "a.json": "json",
    "tsconfig.json": "jsonc",
    "a.yaml": "yaml",
    "a.yml": "yaml",
    "README.md": "markdown",
    "a.rs": "rust",
    "a.go": "go",
    "A.java": "java",
    "a.c": "c",
    "a.h": "cpp",
    "a.cc": "cpp",
    "a.rb": "ruby",
    "Gemfile": "ruby",
    "a.php": "php",
    "a.sh": "bash",
    "home/.bashrc": "bash",
    "Cargo.toml": "toml",
    "win\\dir\\a.rs": "rust",
    "Dockerfile": "dockerfile",
    "Dockerfile.dev": "dockerfile",
    "Makefile": "make",
    "CMakeLists.txt": "cmake",
    "a.kt": "kotlin",
    "a.vue": "vue",
    "notes.txt": None,
    "LICENSE": None,
    "a.py.txt": None,
    "dir.py/file": None,
    "py": None,
    "": None,
    "a.": None,
}


@pytest.mark.parametrize(("path", "language"), NAMES.items())
def test_language_is_told_by_the_name(path: str, language: str | None) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize("language", sorted(GRAMMARS))
def test_every_language_of_the_table_has_a_grammar_that_reads(language: str) -> None:
    from dovetail.syntax.parsing import parse

    source = parse(language, "a = 1\n")
    assert source is not None
    assert source.root.end_byte <= 6


def test_an_unknown_language_is_answered_with_none() -> None:
    language = default_language()
    assert language.definitions("notes.txt", "x") is None
    assert language.errors("notes.txt", "x") is None
