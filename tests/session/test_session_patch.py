"""Patches: git takes them, and makes of a file's bytes what its change says."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.model.results import FileChange
from dovetail.session.apply.diff import patch

MARK = "\ufeff"
APPLY = ("git", "-c", "core.autocrlf=false", "-c", "core.fileMode=true", "apply", "--whitespace=nowarn", "-")
PIECES = st.sampled_from(["a", "b", "", "  a", "x y", "été", "\f", "a\u2028b", "a\rb", "+", "-- a", "@@"])
LINES = st.lists(st.tuples(PIECES, st.sampled_from(["\n", "\n", "\r\n"])), max_size=10)
TEXTS = st.builds(lambda lines, last: "".join(map("".join, lines)) + last, LINES, st.sampled_from(["", "", "end"]))
OLD_MAC = st.lists(PIECES, min_size=1, max_size=4).map("\r".join)
HELD = st.one_of(st.none(), st.just(""), TEXTS, TEXTS, OLD_MAC)
PATHS = [
    "a.txt",
    "deep/er/b c.txt",
    "é ñ.md",
    'd"q',
    "t\tab",
    "line\nend",
    "back\\slash",
    "end ",
    " begin",
    "it's",
    "-n",
]
TIMES = ["d 2020-01-02", "d 2020-01-02 10:11:12.000 +0000", "d 72-02-05", "b/a/x b/x", "log 10:11"]


def applied(folder: Path, path: str, before: str | None, made: str) -> str | None:
    """What git makes of a file by a patch; None where there is none then."""
    file = folder / path
    if before is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(before.encode())
    if made:
        done = subprocess.run(APPLY, cwd=folder, input=made.encode(), capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b""), made
    return file.read_bytes().decode() if file.exists() else None


def held(text: str | None, *, marked: bool) -> str | None:
    return None if text is None else MARK * marked + text


@settings(max_examples=120, deadline=None)
@given(HELD, HELD, st.booleans(), st.sampled_from([0, 1, 3, 9]), st.sampled_from(PATHS))
def test_git_makes_the_later_bytes_of_the_earlier(
    before: str | None, after: str | None, marked: bool, context: int, path: str
) -> None:
    made = patch(FileChange(path, before, after, marks=(marked, marked)), context or 3)
    with tempfile.TemporaryDirectory() as folder:
        was, now = held(before, marked=marked), held(after, marked=marked)
        assert applied(Path(folder), path, was, made) == now
    assert bool(made) == (was != now)


@pytest.mark.parametrize("path", PATHS + TIMES)
@pytest.mark.parametrize(
    ("before", "after"), [(None, ""), ("", None), (None, "x\n"), ("x\n", None), ("x\n", "y\n"), ("x\n", "")]
)
def test_every_name_is_found(tmp_path: Path, path: str, before: str | None, after: str | None) -> None:
    assert applied(tmp_path, path, before, patch(FileChange(path, before, after))) == after


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (FileChange("a b.txt", "x\n", "y\n"), ["--- a/a b.txt", "+++ b/a b.txt", "@@ -1 +1 @@", "-x", "+y"]),
        (FileChange("n", None, "x\n"), ["--- /dev/null", "+++ b/n", "@@ -0,0 +1 @@", "+x"]),
        (FileChange("n", "x\n", None), ["--- a/n", "+++ /dev/null", "@@ -1 +0,0 @@", "-x"]),
        (FileChange("n", None, ""), ["diff --git a/n b/n", "new file mode 100644", ""]),
        (FileChange("n", "", None), ["diff --git a/n b/n", "deleted file mode 100644", ""]),
        (FileChange("n", "same\n", "same\n"), []),
        (FileChange("n", "", ""), []),
    ],
)
def test_there_is_no_more_head_than_git_needs(change: FileChange, lines: list[str]) -> None:
    assert patch(change) == "".join(f"{line}\n" for line in lines)


def test_the_mark_stands_in_the_first_line_alone() -> None:
    numbers = [f"{n}\n" for n in range(1, 10)]
    first, last = ["one\n", *numbers[1:]], [*numbers[:-1], "nine\n"]
    whole = "".join(numbers)
    assert patch(FileChange("n", whole, "".join(first), marks=(True, True))).count(MARK) == 2
    assert MARK not in patch(FileChange("n", whole, "".join(last), marks=(True, True)))


def test_what_is_written_without_a_mark_is_told_without() -> None:
    """As a new file is, whose text begins with one."""
    assert MARK not in patch(FileChange("n", None, MARK + "x\n"))
