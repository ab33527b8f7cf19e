r"""Laws of the stream: any split of a reply gives the same values, and CRLF reads as LF."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.formats import Stream, parse
from dovetail.formats.events import Event, LinesSoFar, Text
from dovetail.model.errors import UsageError

SAMPLES = {
    "diff": "One change:\n\nsrc/app.py\n```python\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n```\nDone.\n",
    "no newline at the end": "a.py\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE",
    "two in one fence": "```\na.py\n<<<<<<< SEARCH\n1\n=======\n2\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\n3\n=======\n4\n>>>>>>> REPLACE\n```\n",
    "unclosed": "a.py\n```\n<<<<<<< SEARCH\n1\n=======\n2\n```\n\nb.py\n```\n<<<<<<< SEARCH\n3\n=======\n4\n>>>>>>> REPLACE\n```\n",
    "nested without end": "a.py\n<<<<<<< SEARCH\n1\n=======\n2\nb.py\n<<<<<<< SEARCH\n3\n=======\n4\n>>>>>>> REPLACE\ntail\n",
    "end in content": "a.md\n```\n<<<<<<< SEARCH\n1\n=======\n2\n>>>>>>> REPLACE\nmore\n>>>>>>> REPLACE\n```\n",
    "reasoning": "<think>\na.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\nso </think>a.py\n<<<<<<< SEARCH\nx\n=======\nz\n>>>>>>> REPLACE\n",
    "whole": "README.md\n```markdown\n# Title\n\n```sh\nmake\n```\n\nThen:\n\n```\nok\n```\n```\n\nBye `git rm old.py`.\n",
    "bare fence behind a gap": "R.md\n```\n# A\nthen\n\n```\nmake\n```\n\nb\n```\n",
    "udiff": "```diff\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@ def f():\n one\n-two\n+--- three\n@@ @@\n-x\n```\n",
    "udiff bare": "See:\n--- x.py\n+++ x.py\n@@ -1 +1 @@\n-a\n+b\n\nThat is all.\n--- not a diff\nend\n",
    "a fence in a hunk": "```diff\n--- a\n+++ a\n@@ -1,5 +1,5 @@\n-```sh\n+```bash\n ls\n```\n \n-end\n+END\n```\n```diff\n--- a\n+++ a\n@@ -1 +1,9 @@\n+x\n```\n\n- so\n",
    "a hunk cut off": "```diff\ndiff --git a/x b/x\ncopy from x\ncopy to y\n--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n a\n+b = comp",
    "patch": "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@ class A\n@@ def f\n x\n-y\n+z\n*** Add File: n.py\n+1\n*** End Patch\nok\n",
    "changed lines": "Do:\n\n**a.py**\n```diff\n x\n-y\n+z\n```\nand\n```diff\n-v\n+w\n```\n```diff\n# b.py\n-y\n+z\n```\n",
    "artifact": 'Hi <boltArtifact id="i" title="t"><boltAction type="file" filePath="a.js">\nlet a\n</boltAction><boltAction type="shell">npm i</boltAction>\n</boltArtifact> end\n',
    "blank lines first": '<boltAction type="file" filePath="a">\n\n\nx\n</boltAction>',
    "an action not closed": '<boltAction type="file" filePath="a">\nx\n<boltAction type="edit">\nb\n<<<<<<< SEARCH\n<boltAction type="file">\n=======\ny\n>>>>>>> REPLACE\n<boltAction type="file" filePath="c">\nz\n</boltAction>\n',
    "anchored": "a.py\n<<<<<<< EDIT\ntop\n-------\nold\n=======\nnew\n-------\nend\n>>>>>>>\n",
    "guillemets": "a.py\n««« EDIT\nx\ny\n═══════ REPL\nx\nz\n»»» EDIT END\nb.py\n🟧🟧🟧 EDIT\n🟨🟨🟨 REPL\nq\n🟩🟩🟩 END\n",
    "json": 'Calls:\n{"name": "edit", "arguments": {"path": "a.py",\n "old_string": "x\\n{", "new_string": "y"}}\n{"not": "one"}\n[1, 2\nx\n',
    "calls in tags": 'Now\n<invoke name="edit">\n<parameter name="path">a.py</parameter>\n<parameter name="old_string">\nx\n</parameter>\n<parameter name="new_string">y</parameter>\n</invoke> and\n<tool_call>{"path": "a", "old_string": "b", "new_string": "c"}</tool_call>\n<function=edit>\na.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n',
    "cline": "<replace_in_file>\n<path>a.ts</path>\n<diff>\n------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n</diff>\n</replace_in_file>\n",
    "roo": "<apply_diff>\n<path>a.ts</path>\n<diff>\n<<<<<<< SEARCH\n:start_line:4\n-------\n\\=======\n=======\nb\n>>>>>>> REPLACE\n</diff>\n</apply_diff>\n",
    "attributes": 'So\n<lov-write file_path="a.js">\nlet a\n</lov-write> and <lov-delete file_path="b.js" />\n<str_replace path="a.py">\n<old_str>x</old_str>\n<new_str>y</new_str>\n</str_replace>\na.py\n<edits>\n<old_text line=3>\nx\n</old_text>\n<new_text>\ny\n</new_text>\n</edits>\n[Tool Use: apply_diff]\nPath: a.py\nDiff: <<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n',
    "edits in tags": 'So\n<edit path="a.py">\n<search>\nx\n</search>\n<replace>\ny\n</replace>\n</edit>\nb.py\n<old>\n1</old>\n2\n</old>\n\n<new>3</new> and\n<search>\nx\n</search>\n',
    "conflict": "a.js\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> updated\n```\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> branch\n",
    "a command before a tag": "use `git mv a b`\nok <reasoning> not\n`rm c` and `rm d`\n<<<<<<< SEARCH",
    "letters": "é.py\n<<<<<<< SEARCH\n“ü”\n=======\n🎉\n>>>>>>> REPLACE\n",
}


def _folded(events: list[Event]) -> list[Event]:
    """Neighbouring events that may be cut at any line, joined."""
    out: list[Event] = []
    for event in events:
        last = out[-1] if out else None
        if isinstance(event, Text) and isinstance(last, Text) and event.code == last.code:
            out[-1] = Text(last.text + event.text, last.line, last.code)
        elif (
            isinstance(event, LinesSoFar)
            and isinstance(last, LinesSoFar)
            and (event.n, event.part) == (last.n, last.part)
        ):
            out[-1] = LinesSoFar(last.n, last.part, last.text + event.text)
        else:
            out.append(event)
    return out


def _streamed(pieces: list[str] | list[bytes]) -> tuple[object, list[Event]]:
    stream = Stream()
    events: list[Event] = []
    for piece in pieces:
        events += stream.feed(piece)
    events += stream.close()
    return stream.parsed, _folded(events)


@pytest.mark.parametrize("reply", SAMPLES.values(), ids=SAMPLES.keys())
def test_split_at_every_byte_gives_the_same(reply: str) -> None:
    whole = _streamed([reply])
    data = reply.encode()
    for at in range(1, len(data)):
        assert _streamed([data[:at], data[at:]]) == whole


@pytest.mark.parametrize("reply", SAMPLES.values(), ids=SAMPLES.keys())
def test_single_bytes_give_the_same(reply: str) -> None:
    data = reply.encode()
    assert _streamed([data[n : n + 1] for n in range(len(data))]) == _streamed([reply])


@pytest.mark.parametrize("reply", SAMPLES.values(), ids=SAMPLES.keys())
@pytest.mark.parametrize("end", ["\r\n", "\r\r\n"])
def test_crlf_reads_as_lf_also_where_it_was_written_twice(reply: str, end: str) -> None:
    crlf = reply.replace("\n", end)
    assert parse(crlf) == parse(reply)
    assert _streamed(list(crlf)) == _streamed([reply])


def test_carriage_returns_alone_are_line_ends_where_there_are_no_others() -> None:
    reply = SAMPLES["diff"]
    assert parse(reply.replace("\n", "\r")) == parse(reply)


LINES = st.sampled_from(
    """<<<<<<< SEARCH|<<<<<<< SEARCH>|<<<<< ORIGINAL|<<<<<<< HEAD|<<<<<<< EDIT|<<<<<<< NEW_FILE|=======|=====|    =======
    |>>>>>>> REPLACE|>>>>>>>|>>>>>>> NEW_FILE|>>>>>>> updated|-------|------- SEARCH|+++++++ REPLACE|```|```python|````|```diff
    |```json|```bash|```edit:a.py|~~~|<source>|</source>|a.py|src/b.ts:|**c.md**|### File: d.rs|# Heading|text here
    |<think>|</think>|ok <reasoning> not|x </thinking> y|--- a/x.py|+++ b/x.py|--- /dev/null|@@ -1,2 +1,2 @@ f|@@|+added|-removed| context
    |diff --git a/x b/y|rename from x|rename to y|*** Begin Patch|*** End Patch|*** Update File: p.py|*** Add File: q.py
    |*** Delete File: r.py|*** Move to: s.py|*** End of File|{"path": "a", "old_string": "b", "new_string": "c"}|{"a":|[|}|]
    |<boltArtifact id="1" title="t">|</boltArtifact>|<boltAction type="file" filePath="a">|<boltAction type="edit">|</boltAction>
    |<apply_diff>|</apply_diff>|<path>a.py</path>|<diff>|</diff>|<write_to_file>|<content>|</content>|</write_to_file>
    |<invoke name="edit">|</invoke>|<function=write_file>|</function>|<insert_content>|<tool_call>{"path": "a"}</tool_call>
    |««« EDIT|═══════ REPL|»»» EDIT END|🟧🟧🟧 EDIT|🟨🟨🟨 REPL|🟩🟩🟩 END|use `git mv a b`|:start_line:3|\\=======|&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH
    |&gt;&gt;&gt;&gt;&gt;&gt;&gt; REPLACE|x <boltArtifact id="2"> y|>>>>>>> REPLACE>|""".replace("\n    |", "|").split(
        "|"
    )
)
REPLIES = st.lists(LINES, max_size=40).flatmap(
    lambda lines: st.sampled_from(["\n".join(lines), "\n".join(lines) + "\n"])
)


@settings(max_examples=100, deadline=None)
@given(reply=REPLIES, cuts=st.lists(st.integers(min_value=0, max_value=600), max_size=8))
def test_any_split_of_any_mixture_gives_the_same(reply: str, cuts: list[int]) -> None:
    edges = sorted({0, len(reply), *(cut for cut in cuts if cut < len(reply))})
    pieces = [reply[a:b] for a, b in pairwise(edges)]
    whole = _streamed([reply])
    assert _streamed(pieces) == whole
    assert _streamed(list(reply)) == whole


@settings(max_examples=80, deadline=None)
@given(reply=REPLIES)
def test_every_block_names_its_own_line_and_keeps_its_first_reading(reply: str) -> None:
    parsed = parse(reply)
    last = reply.count("\n") + 2
    for block in parsed.blocks:
        assert 1 <= block.line <= last
        assert 1 <= len(block.readings) <= 16
        assert (block.readings[0].search, block.readings[0].replace) == (block.search, block.replace)
        assert block.path is None or block.path not in block.path_candidates
        for reading in block.readings if not block.inline else ():
            assert not reading.search or reading.search.endswith("\n")


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=300))
def test_garbage_is_read_without_complaint(garbage: str) -> None:
    stream = Stream()
    stream.feed(garbage)
    stream.close()
    assert stream.parsed is not None


@settings(max_examples=80, deadline=None)
@given(st.lists(st.binary(max_size=30), max_size=10))
def test_bytes_are_read_where_they_are_a_text_and_refused_otherwise(pieces: list[bytes]) -> None:
    stream = Stream()
    try:
        text = b"".join(pieces).decode()
    except UnicodeDecodeError:
        with pytest.raises(UsageError, match=r"UTF-8|inside a character"):
            for piece in pieces:
                stream.feed(piece)
            stream.close()
    else:
        for piece in pieces:
            stream.feed(piece)
        stream.close()
        assert stream.parsed == parse(text)


def test_a_stream_that_tells_nothing_finds_the_same() -> None:
    for reply in SAMPLES.values():
        silent = Stream(events=False)
        assert silent.feed(reply) + silent.close() == []
        assert silent.parsed == _streamed([reply])[0]
