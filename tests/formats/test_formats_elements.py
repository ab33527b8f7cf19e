"""Tags whose attributes name a file: what is a file's text, and what only names it."""

from __future__ import annotations

import pytest

from dovetail.formats import parse
from dovetail.model.blocks import Kind
from dovetail.model.codes import Code

WRITES = {
    "a file": ('<file path="a.py">\nx = 1\n</file>\n', "rewrite", "a.py", "x = 1\n"),
    "a file by its name": ("<file name='src/a.py'>\nx = 1\n</file>\n", "rewrite", "src/a.py", "x = 1\n"),
    "on the tag's own line": ('<lov-write file_path="a.py">x = 1\ny = 2</lov-write>\n', "rewrite", "a.py", "x = 1\ny = 2\n"),
    "with more attributes": ('<dyad-write path="a.py" description="one">\nx\n</dyad-write>\n', "rewrite", "a.py", "x\n"),
    "a call's name": ('<create_file path="a.py">\nx\n</create_file>\n', "create", "a.py", "x\n"),
    "in a fence": ('<file path="a.py">\n```python\nx = 1\n```\n</file>\n', "rewrite", "a.py", "x = 1\n"),
    "as CDATA": ('<file path="a.xml"><![CDATA[\n<x/>\n]]></file>\n', "rewrite", "a.xml", "<x/>\n"),
    "with its own tag in it": ('<file path="a.py">\nx = "<file></file>"\ny\n</file>\n', "rewrite", "a.py", 'x = "<file></file>"\ny\n'),
    "a document with fences": ('<file path="a.md">\n# A\n\n```sh\nls\n```\n</file>\n', "rewrite", "a.md", "# A\n\n```sh\nls\n```\n"),
    "a deletion": ('<lov-delete file_path="a.py" />\n', "delete", "a.py", ""),
    "a move": ('<lov-rename original_file_path="a.py" new_file_path="b.py" />\n', "rename", "a.py", ""),
}  # fmt: skip
NAMES = {
    "blocks": '<file path="a.py">\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n</file>\n',
    "not closed before the next": '<file path="a.py">\n```\nx\n```\n\n<file path="b.py">\n```\ny\n```\n</file>\n',
    "not closed": '<file path="a.py">\n```\nx\n```\n',
}
TEXT = {
    "a sentence": '<file path="a.py"> is the tag, and </file>\nends it.\n',
    "inside a sentence": 'Use <file path="a.py"> here.\n\n</file>\n',
    "an example in a fence": '```xml\n<file path="a.txt">\nx\n</file>\n```\n',
    "no path": '<file name="upload">\nx\n</file>\n',
    "text around a fence": '<file path="a.py">\nIt goes like this:\n```\nx\n```\nDone.\n</file>\n',
}


@pytest.mark.parametrize(("reply", "kind", "path", "text"), WRITES.values(), ids=WRITES.keys())
def test_elements_that_write(reply: str, kind: str, path: str, text: str) -> None:
    (block,) = parse(f"Sure.\n\n{reply}Done.\n").blocks
    assert (block.kind, block.path, block.replace, block.malformed) == (Kind(kind), path, text, None)


@pytest.mark.parametrize("reply", NAMES.values(), ids=NAMES.keys())
def test_elements_that_only_name_the_path_of_what_stands_in_them(reply: str) -> None:
    assert [block.path for block in parse(reply).blocks] == ["a.py", "b.py"][: len(parse(reply).blocks)]
    assert all(block.malformed is None for block in parse(reply).blocks)


@pytest.mark.parametrize("reply", TEXT.values(), ids=TEXT.keys())
def test_what_is_no_element(reply: str) -> None:
    assert parse(reply).blocks == ()


@pytest.mark.parametrize("tag", ['file path="a.py"', 'lov-write file_path="a.py"'])
def test_an_element_that_is_cut_off_is_malformed(tag: str) -> None:
    (block,) = parse(f"<{tag}>\nx = 1\n").blocks
    assert (block.path, block.malformed and block.malformed.code) == ("a.py", Code.NO_END)


def test_an_element_in_a_draft_is_a_draft() -> None:
    reply = '<think>\n<file path="a.py">\nx\n</file>\n</think>\n<file path="a.py">\ny\n</file>\n'
    assert [(block.draft, block.replace) for block in parse(reply).blocks] == [(True, "x\n"), (False, "y\n")]
