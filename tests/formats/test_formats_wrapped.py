"""A whole reply in one fence: it is read where it stands alone, and told of where it may be an example."""

from __future__ import annotations

import pytest

from dovetail.formats import parse
from dovetail.formats.stream import Stream
from dovetail.model.codes import Code

LISTINGS = "src/a.py\n```python\nx = 1\n```\n\nAnd the other:\n\nsrc/b.py\n```python\ny = 1\n```\n"
DIFF = "```diff\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x = 0\n+x = 1\n```\n"


@pytest.mark.parametrize("opening", ["````markdown", "````", "~~~~md", "`````"])
@pytest.mark.parametrize("before", ["", "\n\n", "<think>\nI will list both.\n</think>\n\n"])
def test_a_fence_around_the_whole_reply_is_no_part_of_it(opening: str, before: str) -> None:
    mark = opening.rstrip("markdown")
    blocks = [b for b in parse(f"{before}{opening}\n{LISTINGS}{mark}\n").blocks if not b.draft]
    assert [(b.format, b.path, b.replace) for b in blocks] == [
        ("whole", "src/a.py", "x = 1\n"),
        ("whole", "src/b.py", "y = 1\n"),
    ]
    assert [b.line - before.count("\n") for b in blocks] == [4, 11]


def test_so_it_is_around_a_diff() -> None:
    (one,) = parse(f"````markdown\nThis is it:\n\n{DIFF}````\n").blocks
    assert (one.format, one.path, one.search, one.replace) == ("udiff", "src/a.py", "x = 0\n", "x = 1\n")


@pytest.mark.parametrize("mark", ["````", "```"])
@pytest.mark.parametrize("first", [LISTINGS, DIFF, "### File: n.py\n<<<<<<< NEW_FILE\nn\n>>>>>>> NEW_FILE\n"])
def test_what_else_stands_in_it_counts_too(mark: str, first: str) -> None:
    block = "c.py\n```\n<<<<<<< SEARCH\nz = 0\n=======\nz = 1\n>>>>>>> REPLACE\n```\n"
    parsed = parse(f"{mark}markdown\nThis first:\n\n{first}\nAnd then:\n\n{block}{mark}\nDone.\n")
    assert [b.path for b in parsed.blocks] == [*[b.path for b in parse(first).blocks], "c.py"]
    assert parsed.diagnostics == ()


def test_a_document_that_is_labelled_with_its_file_is_that_file() -> None:
    document = "# Demo\n\n```sh\nmake\n```\n\nDone.\n"
    (one,) = parse(f"```markdown\n<!-- filepath: README.md -->\n{document}```\n").blocks
    assert (one.path, one.replace) == ("README.md", document)
    (said,) = parse(f"```markdown\n<!-- README.md -->\n{document}```\n").diagnostics
    assert "README.md" in said.message


def test_no_markers_are_written_where_only_whole_files_are_asked_for() -> None:
    reply = "````markdown\na.py\n```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n````\n"
    (one,) = parse(reply, format="whole").blocks
    assert one.malformed is not None


@pytest.mark.parametrize(
    "before", ["Write listings so:\n\n", "n.py\n```\nn\n```\n\n", f"{DIFF}\n"], ids=["text", "listing", "diff"]
)
def test_behind_anything_else_it_is_an_example_and_said_to_be_one(before: str) -> None:
    alone = parse(before)
    parsed = parse(f"{before}````markdown\n{LISTINGS}````\n")
    assert len(parsed.blocks) == len(alone.blocks)
    (said,) = parsed.diagnostics
    assert (said.code, said.severity.value, said.line) == (Code.NO_BLOCKS, "warning", before.count("\n") + 1)
    assert "src/a.py" in said.message


def test_a_listing_of_a_document_is_a_file_of_its_own() -> None:
    (one,) = parse(f"notes.md\n````markdown\n{LISTINGS}````\n").blocks
    assert (one.path, one.replace) == ("notes.md", LISTINGS)


def test_a_stream_finds_the_same() -> None:
    reply = f"````markdown\n{LISTINGS}````\n"
    stream = Stream()
    for letter in reply:
        stream.feed(letter)
    stream.close()
    assert stream.parsed == parse(reply)
