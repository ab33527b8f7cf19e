"""Validation of replies, the table of formats, and events as they arrive."""

from __future__ import annotations

import pytest

from dovetail.formats import FORMATS, MarkerCount, Stream, check, parse
from dovetail.formats.events import BlockClosed, Text
from dovetail.model.codes import Code, Severity
from dovetail.model.errors import UsageError

S, D, E = "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"
BLOCK = f"{S}old\n{D}new\n{E}"

SHELL = '<boltArtifact id="1" title="t">\n<boltAction type="shell">npm i</boltAction>\n</boltArtifact>\n'
START = SHELL.replace('"shell"', '"start"')
QUERY = SHELL.replace('"shell"', '"supabase" operation="query"')

FOUND = {
    "sound": (f"a.py\n{BLOCK}", [], True),
    "nothing to say": ("Just text.\n", [], False),
    "twice the same": (f"a.py\n{BLOCK}\n{BLOCK}", [(Code.DUPLICATE, 8)], True),
    "no divider": (f"a.py\n{S}old\n{E}", [(Code.NO_DIVIDER, 2)], False),
    "unbalanced": (f"a.py\n{S}old\n{D}new\n", [(Code.UNBALANCED, None), (Code.NO_END, 2)], False),
    "one of two": (f"a.py\n{BLOCK}b.py\n{S}x\n", [(Code.UNBALANCED, None), (Code.NO_DIVIDER, 8)], False),
    "a command that writes a file": ("```sh\ncat > a.py <<'EOF'\nx\nEOF\n```\n", [(Code.NO_BLOCKS, 2)], False),
    "markers only mentioned": ("Put it after the <<<<<<< SEARCH line.\n", [(Code.NO_BLOCKS, 1)], False),
    "a shell action alone": (SHELL, [], False),
    "a start action alone": (START, [], False),
    "a database action alone": (QUERY, [], False),
    "an action and a marker that is only mentioned": (f"{SHELL}See <<<<<<< SEARCH.\n", [(Code.NO_BLOCKS, 4)], False),
    "text that no file can hold": (f"a.py\n{S}old\n{D}n\0w\n{E}", [(Code.MALFORMED, 2)], False),
    "half a pair": (f"a.py\n{S}old\n{D}n\ud83dw\n{E}", [(Code.MALFORMED, 2)], False),
    "half a pair in a call": (
        '{"path": "a", "old_string": "x", "new_string": "\\ud83d"}',
        [(Code.MALFORMED, 1)],
        False,
    ),
    "a pair": ('{"path": "a", "old_string": "x", "new_string": "\\ud83d\\ude00"}', [], True),
    "text that no file can hold is not found": (f"a.py\n{S}o\0d\n{D}new\n{E}", [], True),
    "stray": (f"Text.\n{E}", [(Code.NO_BLOCKS, 2), (Code.STRAY_MARKER, 2)], False),
}


@pytest.mark.parametrize(("reply", "codes", "ok"), FOUND.values(), ids=FOUND.keys())
def test_what_check_finds(reply: str, codes: list[tuple[Code, int | None]], ok: bool) -> None:
    """A reply is sound if it has an edit and no error; commands alone are no edit."""
    result = check(reply)
    assert sorted((d.code, d.line) for d in result.diagnostics) == sorted(codes)
    assert result.ok is ok
    assert all(d.hint for d in result.diagnostics)


def test_markers_are_counted_by_format() -> None:
    result = check(f"a.py\n{BLOCK}b.py\n{S}x\n{D}{D}{E}\nc.py\n««« EDIT\nx\n")
    assert result.counts == (MarkerCount("diff", 2, 2, 2), MarkerCount("guillemet", 1, 0, 0))


def test_edits_of_diffs_and_patches_are_counted_by_their_starts() -> None:
    hunks = "@@\n-1\n@@\n-2\n"
    assert check(f"```diff\n--- a\n+++ a\n{hunks}```\n").counts == (MarkerCount("udiff", 2, 0, 0),)
    assert check(f"*** Begin Patch\n*** Update File: a\n{hunks}*** End Patch\n").counts == (
        MarkerCount("apply-patch", 2, 0, 0),
    )


def test_a_call_in_tags_has_no_markers_to_be_out_of_balance() -> None:
    call = "<search>x = 1</search>\n<replace>x = 2</replace>"
    reply = f"<search_and_replace>\n<path>a.py</path>\n{call}\n</search_and_replace>\n"
    assert check(reply).counts == ()
    assert check(reply).diagnostics == ()


def test_an_unbalanced_count_is_no_error_by_itself() -> None:
    found = [d for d in check(f"a.py\n{S}old\n{D}new\n").diagnostics if d.code is Code.UNBALANCED]
    assert [d.severity for d in found] == [Severity.WARNING]


def test_every_format_can_be_asked_for_and_no_other() -> None:
    for name in FORMATS:
        assert parse("", format=name).blocks == ()
    with pytest.raises(UsageError):
        parse("", format="patch")


def test_a_block_without_a_fence_closes_at_its_end_marker() -> None:
    stream = Stream()
    stream.feed(f"a.py\n{S}old\n{D}")
    assert isinstance(stream.feed(E)[-1], BlockClosed)


def test_a_closed_stream_takes_nothing_more() -> None:
    stream = Stream()
    stream.close()
    assert stream.close() == []
    with pytest.raises(UsageError, match="closed"):
        stream.feed("x")


def test_text_outside_blocks_is_given_whole() -> None:
    stream = Stream()
    reply = f"One\n# Two\n- three <think>\n{{no json\n> four\n\na.py\n{BLOCK}tail"
    events = [*stream.feed(reply), *stream.close()]
    assert "".join(e.text for e in events if isinstance(e, Text)) == reply.replace(BLOCK, "") + "\n"


def test_bytes_that_are_no_text_are_refused_and_nothing_of_them_is_taken() -> None:
    stream = Stream()
    stream.feed(b"\xc3")
    with pytest.raises(UsageError, match="no UTF-8 at byte 2") as caught:
        stream.feed(b"\xa4\xff a.py\n")
    assert caught.value.code == "reply-encoding"
    stream.feed(b"\xa4\nb.py\n" + BLOCK.encode())
    stream.close()
    assert [b.path for b in stream.parsed.blocks] == ["b.py"]


def test_bytes_that_end_inside_a_character_are_said_and_what_was_before_stands() -> None:
    stream = Stream()
    stream.feed(b"b.py\n" + BLOCK.encode() + b"\xc3")
    with pytest.raises(UsageError, match="breaks off inside a character"):
        stream.close()
    assert [b.path for b in stream.parsed.blocks] == ["b.py"]
    assert stream.close() == []


LISTING = "```python\nimport os\n\nprint(os.name)\n```\n"
EDIT = "b.py\n```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n"
SENTENCE = "Here is the new `app.py`:\n\n"


def test_a_listing_that_only_a_sentence_names_is_told_of_where_no_edit_came() -> None:
    (told,) = parse(f"Sure.\n\n{SENTENCE}{LISTING}").diagnostics
    assert (told.code, told.line) == (Code.NO_BLOCKS, 5)
    assert "`app.py`" in told.message
    assert "compares" in (told.hint or "")
    assert len(parse(f"{SENTENCE}{LISTING}Now `b.py`:\n{LISTING}").diagnostics) == 1


@pytest.mark.parametrize("reply", [f"{SENTENCE}{LISTING}{EDIT}", f"{EDIT}{SENTENCE}{LISTING}"])
def test_it_is_told_of_beside_edits_of_other_files_too(reply: str) -> None:
    parsed = parse(reply)
    assert [block.path for block in parsed.blocks] == ["b.py"]
    assert ["`app.py`" in told.message for told in parsed.diagnostics] == [True]


@pytest.mark.parametrize("reply", ["", EDIT])
def test_a_listing_that_only_its_first_line_names_is_told_of(reply: str) -> None:
    text = "# src/helper.py\ndef f():\n    pass\n"
    reply = f"{reply}\nThe helper of `main.py`:\n\n```python\n{text}```\n"
    (told,) = parse(reply.replace(" of `main.py`", "")).diagnostics
    assert (told.code, "`src/helper.py`" in told.message) == (Code.NO_BLOCKS, True)
    assert "compares" in (told.hint or "")
    *_, block = parse(reply, format="whole").blocks
    assert (block.path, block.replace) == ("src/helper.py", text)


@pytest.mark.parametrize(
    "reply",
    [
        f"{SENTENCE}{LISTING}{EDIT.replace('b.py', 'app.py')}",
        f"{EDIT}```python\n# b.py\nimport os\nprint()\n```\n",
        f"Here is how:\n\n{LISTING}",
        f"{SENTENCE}```bash\nmake\nmake install\n```\n",
        f"<think>\n{SENTENCE}{LISTING}</think>\nDone.\n",
    ],
)
def test_nothing_is_said_of_other_listings(reply: str) -> None:
    assert parse(reply).diagnostics == ()


def test_what_is_asked_for_by_name_is_an_edit_or_none() -> None:
    assert len(parse(f"{SENTENCE}{LISTING}", format="whole").blocks) == 1
    assert parse(f"{SENTENCE}{LISTING}", format="diff").diagnostics == ()


def test_one_text_at_two_lines_is_no_edit_twice() -> None:
    edits = (
        '{"op": "delete_lines", "start_line": 3, "end_line": 3}, {"op": "delete_lines", "start_line": 9, "end_line": 9}'
    )
    assert check(f'{{"name": "edit", "arguments": {{"path": "a.py", "edits": [{edits}]}}}}\n').diagnostics == ()
