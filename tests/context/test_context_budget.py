"""Tokens and excerpts: nothing ever counts more than it may."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from word_counter import words_and_signs

from dovetail.context import estimate, excerpt, show_file
from dovetail.model.text import IndexedText

ESTIMATES = [
    ("", None, 0),
    ("abcd", "python", 1),
    ("a" * 41, "python", 10),
    ("a" * 67, "typescript", 20),
    ("a" * 59, "json", 20),
    ("a" * 36, "markdown", 10),
    ("a" * 35, None, 10),
    ("日本語", None, 3),
    ("a" * 35 + "é", None, 11),
]


@pytest.mark.parametrize(("text", "language", "tokens"), ESTIMATES)
def test_estimate(text: str, language: str | None, tokens: int) -> None:
    assert estimate(text, language) == tokens


# What the vocabulary o200k_base counts.
COUNTED = [
    ("examples/project/tally/report.py", "python", 151),
    ("examples/project/tally/__main__.py", "python", 95),
    ("src/dovetail/templates/starlette-service/files/{{package}}/app.py.tmpl", "python", 303),
    ("src/dovetail/templates/static-site/files/script.js", "javascript", 19),
    ("examples/project/README.md", "markdown", 18),
]


@pytest.mark.parametrize(("path", "language", "tokens"), COUNTED)
def test_estimates_are_near_what_a_vocabulary_counts(path: str, language: str, tokens: int) -> None:
    text = (Path(__file__).parents[2] / path).read_text()
    assert 0.75 < estimate(text, language) / tokens < 1.3


CODE = "import os\n\n\n" + "".join(
    f'def step_{n}(a, b):\n    """Step."""\n    x = a + {n}\n    return x * b\n\n\n' for n in range(300)
)


def test_a_small_file_is_shown_whole_and_a_large_one_in_parts() -> None:
    whole = show_file("a.py", "x = 1\n")
    assert (whole.text, whole.language, whole.excerpt, whole.tokens) == ("x = 1\n", "python", False, 2)
    assert whole.digest == hashlib.sha256(b"x = 1\n").hexdigest()
    assert show_file("a.py", "x", digest="of the bytes").digest == "of the bytes"
    cut = show_file("a.py", CODE)
    assert cut.excerpt
    assert cut.tokens <= 4_000
    assert show_file("a.py", CODE, limit=None).text == CODE


def test_an_excerpt_shows_what_is_asked_then_headers_and_says_its_gaps() -> None:
    line = CODE.split("\n").index("    x = a + 150")
    text = excerpt("a.py", CODE, 1_500, interest=[line])
    assert 'def step_150(a, b):\n    """Step."""\n    x = a + 150\n    return x * b\n' in text
    assert "def step_1(a, b):\n⋮ lines 11-15\ndef step_2(a, b):\n" in text
    assert text.endswith("-1803\n")


def test_an_excerpt_of_prose_is_its_beginning() -> None:
    assert excerpt("notes.txt", "word word\n" * 100, 20).startswith("word word\nword word\n")
    assert excerpt("notes.txt", "word word\n" * 100, 20).endswith("-100\n")


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(
        st.sampled_from(["def f():", "    return 1", "é" * 20, "x" * 300, "", "class A:", "\f"]), max_size=60
    ),
    limit=st.integers(0, 120),
    interest=st.lists(st.integers(0, 70), max_size=3),
    exact=st.booleans(),
)
def test_an_excerpt_never_counts_more_than_its_limit(
    lines: list[str], limit: int, interest: list[int], exact: bool
) -> None:
    text = "\n".join(lines)
    count = words_and_signs if exact else estimate
    real = IndexedText(text).lines
    cut = excerpt("a.py", text, limit, interest=interest, count=count)
    assert count(cut, "python") <= limit or cut == ""
    shown = [line for line in cut.split("\n")[:-1] if not line.startswith("⋮ line")]
    position = 0
    for line in shown:
        position = real.index(line, position) + 1
