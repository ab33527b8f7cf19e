"""Laws of parsing, on replies put together at random from what replies are made of."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from dovetail.formats import FORMATS, Stream, parse, render
from dovetail.model.blocks import Block, CellTarget, Kind, LineTarget, Parsed, SymbolTarget, Target
from dovetail.model.errors import RenderError

PIECES = (
    "a.py\n", "src/b.ts\n", "**`c.md`**:\n", "### File: d.go\n", "# e.py\n", "./f\\g.py\n",
    "```\n", "```python\n", "````\n", "~~~\n", "  ```py\n", "```edit:h.py\n", "```i.py\n", "<source>\n", "</source>\n",
    "<<<<<<< SEARCH\n", "<<<<< SEARCH  \n", "<<<<<<< ORIGINAL\n", "<<<<<<< NEW_FILE\n", ">>>>>>> NEW_FILE\n",
    "=======\n", "======\n", ">>>>>>> REPLACE\n", ">>>>>>> UPDATED\n", "------- SEARCH\n", "+++++++ REPLACE\n",
    "<<<<<<< EDIT\n", "-------\n", ">>>>>>>\n", "««« EDIT\n", "═══════ REPL\n", "»»» EDIT END\n",
    "🟧🟧🟧 EDIT\n", "🟨🟨🟨 REPL\n", "🟩🟩🟩 END\n", ":start_line:3\n",
    "--- a/x.py\n", "+++ b/x.py\n", "@@ -1,2 +1,2 @@\n", "-old\n", "+new\n", " kept\n", "/dev/null\n",
    "*** Begin Patch\n", "*** Update File: y.py\n", "*** Add File: z.py\n", "*** Delete File: w.py\n",
    "*** Move to: v.py\n", "@@ def f():\n", "*** End of File\n", "*** End Patch\n",
    "<boltArtifact id=\"i\" title=\"t\">\n", "<boltAction type=\"file\" filePath=\"u.py\">\n",
    "<boltAction type=\"edit\">\n", "</boltAction>\n", "</boltArtifact>\n",
    "<replace_in_file>\n", "<path>t.py</path>\n", "<diff>\n", "</diff>\n", "</replace_in_file>\n", "<apply_diff>\n",
    '{"path": "s.py", "old_string": "a", "new_string": "b"}\n', "[\n", "]\n",
    "<think>\n", "</think>\n", "[THINK]", "[/THINK]", "<|channel|>analysis<|message|>", "<|end|>",
    "Action: ", "Action Input: ", "<|python_tag|>", "[TOOL_CALLS]", "edit_file", "[ARGS]", "<tool_call>edit_file\n",
    "</tool_call>", "```tool_code\n", "edit_file(path='a')\n", "x = 1\n", "y = 2\n", "\n", "Some prose.\n", "run `git rm r.py` now\n", "```bash\n",
    "x = 1", "\r\n", "é 🟧 ", "=", "<", "`",
)  # fmt: skip

replies = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


def fed(reply: str, cuts: list[int], name: str = "auto") -> Parsed:
    """The blocks of a reply that arrives in pieces."""
    parser = Stream(format=name)
    for start, stop in pairwise([0, *sorted(cuts), len(reply)]):
        parser.feed(reply[start:stop])
    parser.close()
    return parser.parsed


@settings(max_examples=300, deadline=None)
@given(replies, st.data())
def test_any_split_gives_the_same_blocks(reply: str, data: st.DataObject) -> None:
    whole = parse(reply)
    cuts = data.draw(st.lists(st.integers(0, len(reply)), max_size=6))
    assert fed(reply, cuts) == whole
    assert fed(reply, list(range(len(reply)))) == whole


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=30, deadline=None)
@given(replies, st.data())
def test_any_split_gives_the_same_blocks_in_a_named_format(name: str, reply: str, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(reply)), max_size=3))
    assert fed(reply, cuts, name) == parse(reply, format=name)


@settings(max_examples=100, deadline=None)
@given(replies)
def test_crlf_replies_parse_as_lf_ones(reply: str) -> None:
    assume("\r" not in reply)
    crlf = parse(reply.replace("\n", "\r\n"))
    assert [(b.path, b.kind, b.readings) for b in crlf.blocks] == [
        (b.path, b.kind, b.readings) for b in parse(reply).blocks
    ]


words = st.sampled_from(
    ["x = 1", "    return x", "\ty", "", "a  b", "é = '…'", "if a < b:", "=====", "- item", "+1", " "]
)
texts = st.lists(words, min_size=1, max_size=6).map(lambda lines: "".join(line + "\n" for line in lines))
paths = st.sampled_from(["a.py", "src/deep/b.ts", "Makefile", "dir with blank/c.md", ".env", "d-e_f.g.go"])


KINDS = {
    "sections": (Kind.EDIT, Kind.CREATE),
    "artifact": (Kind.EDIT, Kind.REWRITE),
    "whole": (Kind.REWRITE,),
    "udiff": (Kind.EDIT, Kind.CREATE, Kind.DELETE),
    "apply-patch": (Kind.EDIT, Kind.CREATE, Kind.DELETE),
    "code-mode": (Kind.EDIT, Kind.CREATE, Kind.DELETE),
}
"""What formats say besides edits; the others say edits alone."""


numbers = st.integers(1, 99)
TARGETS: dict[str, st.SearchStrategy[Target]] = {
    "line-call": st.builds(lambda first, more: LineTarget(first, first + more), numbers, st.integers(-1, 9)),
    "symbol-call": st.builds(SymbolTarget, st.sampled_from(["f", "A/f", "/A"]), st.sampled_from(["replace", "after"])),
    "notebook-call": st.builds(CellTarget, st.sampled_from(["a", 3]), st.just("replace")),
}
"""What the edits of a format name where they quote nothing."""


@st.composite
def blocks(draw: st.DrawFn, name: str) -> Block:
    """A block that a format is able to say, unless its lines look like markers."""
    kind = draw(st.sampled_from(KINDS.get(name, (Kind.EDIT,))))
    if name in TARGETS:
        return Block(name, Kind.EDIT, draw(paths), "", draw(texts), target=draw(TARGETS[name]))
    search = draw(texts) if kind is Kind.EDIT else ""
    replace = "" if kind is Kind.DELETE else draw(st.one_of(texts, st.just(""))) if search else draw(texts)
    return Block(name, kind, draw(paths), search, replace)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_parse_after_render_is_identity(name: str, data: st.DataObject) -> None:
    stated = data.draw(st.lists(blocks(name), min_size=1, max_size=3))
    try:
        reply = render(stated, name)
    except RenderError:
        assume(False)
    found = parse(reply, format=name).blocks
    assert [(b.path, b.search, b.replace) for b in found] == [(b.path, b.search, b.replace) for b in stated], reply


@given(st.text(max_size=300))
@example("<<<<<<< SEARCH")
@example("{")
@example("[" * 300)
@settings(max_examples=150, deadline=None)
def test_no_text_stops_the_parser(reply: str) -> None:
    parse(reply)


SAID = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ['"', "\\", "{", "]", "</tool_call>", "a\r\nb", "é", "\ud83d", "\U0001f7e9", '{"path": "x"}', "\t,}", "\0"]
    ),
)
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.integers(10**300, 10**301),
        st.floats(),
        st.sampled_from((1e400, -1e400)),
        SAID,
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SAID, inner, max_size=3),
    max_leaves=6,
)
CALLS = st.fixed_dictionaries(
    {"file_path": SAID, "old_string": SAID, "new_string": SAID},
    optional={"replace_all": VALUES, "line": VALUES, "edits": VALUES, "content": SAID, "patch": SAID},
)


@settings(max_examples=300, deadline=None)
@given(CALLS, SAID, st.booleans(), st.sampled_from(("", ",", "</tool_call>", " \t")))
def test_a_call_on_one_line_says_what_it_says_on_several(
    fields: dict[str, object], again: str, escaped: bool, behind: str
) -> None:
    # A field that comes twice counts as it is said last, on one line or on several.
    twice = [f'"new_string": {json.dumps(again, ensure_ascii=escaped)}']
    said = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=escaped)}" for key, value in fields.items()] + twice
    line = f'{{"name": "edit", "input": {{{", ".join(said)}}}}}{behind}\n'
    lines = '{"name":\n"edit",\n"input": {\n' + ",\n".join(said) + f"\n}}}}{behind}\n"
    assert parse(line) == parse(lines)
    assert parse(line).blocks or parse(line).unread or not any(fields.values())
