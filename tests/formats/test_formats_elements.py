"""Tags around a file and its edits: what is a file's text, what edits it, and what only names it."""

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
    "its text in a tag of its own": ('<file path="a.py">\n<content>\nx = 1\n</content>\n</file>\n', "rewrite", "a.py", "x = 1\n"),
    "its path in a tag of its own": ("<file>\n<path>a.py</path>\n<content>\nx = 1\n</content>\n</file>\n", "rewrite", "a.py", "x = 1\n"),
    "a tag for the text of a new file": ('<create_file path="a.py">\n<content>\nx\n</content>\n</create_file>\n', "create", "a.py", "x\n"),
    "made by its action": ('<file path="a.py" action="create">\nx\n</file>\n', "create", "a.py", "x\n"),
    "made in a change, between rules": ('<file path="a.py" action="create">\n  <change>\n    <description>b.py</description>\n    <content>\n===\nx\n===\n    </content>\n  </change>\n</file>\n', "create", "a.py", "x\n"),
    "tags that are the file's own": ('<file path="a.xml"><![CDATA[\n<content>\n<x/>\n</content>\n]]></file>\n', "rewrite", "a.xml", "<content>\n<x/>\n</content>\n"),
    "a page in a tag of its own": ('<file path="a.html">\n<content>\n<p>x</p>\n</content>\n</file>\n', "rewrite", "a.html", "<p>x</p>\n"),
    "a page under its path's tag": ("<file>\n<path>a.html</path>\n<content>\n<p>x</p>\n</content>\n</file>\n", "rewrite", "a.html", "<p>x</p>\n"),
    "a page that goes": ("<file>\n<path>a.html</path>\n<action>delete</action>\n</file>\n", "delete", "a.html", ""),
    "rules that are the document's own": ('<file path="a.rst">\n<content>\n===\nOne\n===\n</content>\n</file>\n', "rewrite", "a.rst", "===\nOne\n===\n"),
    "its tag in capitals": ('<File path="a.py">\nx = 1\n</FILE>\n', "rewrite", "a.py", "x = 1\n"),
    "its text in a tag of another name": ('<file path="a.py">\n<contents>\nx = 1\n</contents>\n</file>\n', "rewrite", "a.py", "x = 1\n"),
    "a document with hunks": ('<file path="A.MD">\n@@ -1 +1 @@\n-x\n+y\n</file>\n', "rewrite", "A.MD", "@@ -1 +1 @@\n-x\n+y\n"),
    "a page with tags like an edit's": ('<file path="A.HTML">\n<p>\n<search>\nx\n</search>\n</p>\n</file>\n', "rewrite", "A.HTML", "<p>\n<search>\nx\n</search>\n</p>\n"),
    "a document with tags like an edit's": ('<file path="A.MD">\nSo:\n<search>\nx\n</search>\n</file>\n', "rewrite", "A.MD", "So:\n<search>\nx\n</search>\n"),
    "with its closing tag indented": ('<file path="a.py">\nx = 1\n  </file>\n', "rewrite", "a.py", "x = 1\n"),
    "an empty file in an empty fence": ('<file path="a.py">\n```python\n```\n</file>\n', "create", "a.py", ""),
    "an empty file that is written": ('<write_file path="a.py">\n\n</write_file>\n', "create", "a.py", "\n"),
    "moved, with its tag closed": ('<file path="a.py" action="rename" new_path="b.py">\n</file>\n', "rename", "a.py", ""),
    "an empty file": ('<file path="a/__init__.py"></file>\n', "create", "a/__init__.py", ""),
    "gone by its action": ('<file path="a.py" action="delete"></file>\n', "delete", "a.py", ""),
    "gone by its action, in itself": ('<file path="a.py" action="delete"/>\n', "delete", "a.py", ""),
    "gone, with a reason": ('<file path="a.py" action="delete">\n<change>\n<description>Unused.</description>\n</change>\n</file>\n', "delete", "a.py", ""),
    "moved by its action": ('<file path="a.py" action="rename" new_path="b.py"/>\n', "rename", "a.py", ""),
    "a tag that makes a file": ('<create path="a.py">\nx\n</create>\n', "create", "a.py", "x\n"),
    "a tag that writes a file": ('<write path="a.py">\nx\n</write>\n', "rewrite", "a.py", "x\n"),
    "a tag that deletes a file": ('<delete path="a.py"/>\n', "delete", "a.py", ""),
    "a deletion": ('<lov-delete file_path="a.py" />\n', "delete", "a.py", ""),
    "a tag in capitals that deletes a file": ('<DeleteFile file="a.py" />\n', "delete", "a.py", ""),
    "a tag in capitals that moves a file": ('<MoveFile from="a.py" to="b.py" />\n', "rename", "a.py", ""),
    "a tag in capitals that makes a file": ('<CreateFile path="a.py">\nx\n</CreateFile>\n', "create", "a.py", "x\n"),
    "a tag that removes a file": ('<remove-file path="a.py"></remove-file>\n', "delete", "a.py", ""),
    "a move": ('<lov-rename original_file_path="a.py" new_file_path="b.py" />\n', "rename", "a.py", ""),
}  # fmt: skip
PAIR = "<search>\n    x = 1\n</search>\n<replace>\n    x = 2\n</replace>\n"
EDITS = {
    "in a file's tag": f'<file path="a.py">\n{PAIR}</file>\n',
    "in a file's tag by its name": f'<file name="a.py">\n{PAIR}</file>\n',
    "in a change": f'<file path="a.py" action="modify">\n  <change>\n    <description>see b.py</description>\n{PAIR}  </change>\n</file>\n',
    "in an edit's tag": f'<edit path="a.py">\n{PAIR}</edit>\n',
    "under a path's tag": f"<edit>\n<path>a.py</path>\n{PAIR}</edit>\n",
    "under a path": f"a.py\n{PAIR}",
    "under a path, in an edit's tag": f"a.py\n<edit>\n{PAIR}</edit>\n",
    "under a path, in other tags": f"a.py\n\n<changes>\n<one>\n{PAIR}</one>\n</changes>\n",
    "in a fence": f'```xml\n<edit path="a.py">\n{PAIR}</edit>\n```\n',
    "in a fence under a path": f"a.py\n```\n{PAIR}```\n",
    "other names": '<edit file="a.py">\n<old_code>\n    x = 1\n</old_code>\n<new_code>\n    x = 2\n</new_code>\n</edit>\n',
    "names in capitals": '<Edit Path="a.py">\n<Search>\n    x = 1\n</Search>\n<Replace>\n    x = 2\n</Replace>\n</Edit>\n',
    "a colon behind each tag": '<edit path="a.py">\n<search>:\n    x = 1\n</search>\n<replace>:\n    x = 2\n</replace>\n</edit>\n',
    "names in capitals under a path": "a.py\n<Search>\n    x = 1\n</SEARCH>\n<REPLACE>\n    x = 2\n</replace>\n",
    "below a closing tag under a path": f"a.py\n<step n='1'>Do:</step>\n</note>\n{PAIR}",
    "in a fence without a language and path": f'```\n<edit path="a.py">\n{PAIR}</edit>\n```\n',
    "indented tags": '<edit path="a.py">\n  <old>\n    x = 1\n  </old>\n\n  <new>\n    x = 2\n  </new>\n</edit>\n',
    "a content for the new text": '<edit path="a.py">\n<search>\n    x = 1\n</search>\n<content>\n    x = 2\n</content>\n</edit>\n',
    "between rules": '<edit path="a.py">\n<search>\n===\n    x = 1\n===\n</search>\n<content>\n===\n    x = 2\n===\n</content>\n</edit>\n',
    "in fences of their own": '<edit path="a.py">\n<old>\n```python\n    x = 1\n```\n</old>\n<new>\n```python\n    x = 2\n```\n</new>\n</edit>\n',
    "as CDATA": '<edit path="a.py">\n<old><![CDATA[\n    x = 1\n]]></old>\n<new><![CDATA[\n    x = 2\n]]></new>\n</edit>\n',
    "hunks in a tag for them": '<patch file="a.py">\n@@ -1 +1 @@\n-    x = 1\n+    x = 2\n</patch>\n',
    "in a tag of another name that speaks of a change": f'<ai-edit file="a.py">\n{PAIR}</ai-edit>\n',
    "hunks": '<file path="a.py">\n@@ -1 +1 @@\n-    x = 1\n+    x = 2\n</file>\n',
    "hunks in a fence": '<file path="a.py">\n```diff\n@@ -1 +1 @@\n-    x = 1\n+    x = 2\n```\n</file>\n',
}  # fmt: skip
UNREAD = {
    "a pattern": '<edit path="a.py">\n<search regex="true">\nx.\n</search>\n<replace>\ny\n</replace>\n</edit>\n',
    "an insertion by a line's number": '<insert path="a.py" after_line="7">\nx\n</insert>\n',
    "lines of a file to be deleted": '<delete path="a.py" lines="3-5"/>\n',
    "a line of a file to be deleted": "<file>\n<path>a.py</path>\n<action>delete</action>\n<start_line>3</start_line>\n</file>\n",
    "lines of a file whose action it is": '<file path="a.py" action="delete" lines="3-5"></file>\n',
    "lines of a file whose action it is, with a reason": '<file path="a.py" action="delete" lines="3-5">\n<description>x</description>\n</file>\n',
    "lines of a file, and a tag for them": '<file path="a.py" lines="3-5">\n<content>\nx\n</content>\n</file>\n',
    "lines of a file in tags": "<file>\n<path>a.py</path>\n<start_line>3</start_line>\n<end_line>4</end_line>\n<content>\nx\n</content>\n</file>\n",
    "lines of a file in a change": '<file path="a.py">\n<change lines="3-5">\n<content>\nx\n</content>\n</change>\n</file>\n',
    "more text for a file": '<file path="a.py" mode="append">\n<content>\nx\n</content>\n</file>\n',
    "text of a file to be deleted": '<delete path="a.py">\nx\n</delete>\n',
    "lines of a file": '<file path="a.py" start_line="1" end_line="2">\nx\n</file>\n',
    "an anchor alone": '<edit path="a.py">\n<insert_after>\nx\n</insert_after>\n<content>\ny\n</content>\n</edit>\n',
    "no new text": '<edit path="a.py">\n<search>\nx\n</search>\n</edit>\n',
    "no new text, under a path": "a.py\n<search>\nx\n</search>\n",
    "no new text before the next": "a.py\n<old_text>\nx\n</old_text>\n<old_text>\ny\n",
    "text between the two": '<file path="a.py">\nThis:\n<search>\nx\n</search>\nbecomes\n<replace>\ny\n</replace>\n</file>\n',
    "two new texts": '<edit path="a.py">\n<new>\nx\n</new>\n</edit>\n',
    "cut off in the new text": "a.py\n<search>\nx\n</search>\n<replace>\ny\n",
    "cut off in the old text": "a.py\n<old_text>\nx\n",
    "a file cut off in its tag": "<file>\n<path>a.py</path>\n<content>\nx\n",
    "tags that nobody knows": '<file path="a.py">\n<at>3</at>\n<put>x</put>\n</file>\n',
    "tags that nobody knows, in a change": '<file path="a.py">\n<change>\nThe line\n</change>\n</file>\n',
    "an old text without its beginning": '<file path="a.py">\nx\n</search>\n<replace>\ny\n</replace>\n</file>\n',
    "a new text that is not closed before the next edit": f'<edit path="a.py">\n<search>\nz\n</search>\n<replace>\nz\n<change>\n{PAIR}</change>\n</edit>\n',
    "a new text whose tag stands there twice": '<edit path="a.py">\n<search>\nx\n</search>\n<replace>\n<replace>\ny\n</replace>\n</edit>\n',
    "a new text whose tag stands there twice, under a path": "a.py\n<search>\nx\n</search>\n<replace>\n<replace>\ny\n</replace>\n",
    "a file's text whose tag stands there twice": '<file path="a.py">\n<content>\n<content>\nx\n</content>\n</file>\n',
    "a change in words": '<QuickEdit file="a.py">\nMake it faster.\n</QuickEdit>\n',
    "a change in an attribute": '<line-replace path="a.py" search="x" to="y"/>\n',
    "a part of a file that goes": '<RemoveImport path="a.py" type="delete"/>\n',
    "a text of a file that goes": '<file path="a.py" action="delete">\nx = 1\n</file>\n',
}  # fmt: skip
NAMES = {
    "under a closing tag": "a.py\n</step>\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
    "blocks in a tag of another name": '<x-patch path="a.py">\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n</x-patch>\n',
    "blocks": '<file path="a.py">\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n</file>\n',
    "not closed before the next": '<file path="a.py">\n```\nx\n```\n\n<file path="b.py">\n```\ny\n```\n</file>\n',
    "not closed": '<file path="a.py">\n```\nx\n```\n',
}
TEXT = {
    "a sentence": '<file path="a.py"> is the tag, and </file>\nends it.\n',
    "inside a sentence": 'Use <file path="a.py"> here.\n\n</file>\n',
    "an example in a fence": '```xml\n<file path="a.txt">\nx\n</file>\n```\n',
    "an example in a fence that makes a file": '```xml\n<file path="a.py">\n<content>\nx\n</content>\n</file>\n```\n',
    "a page's own tag": "The element:\n\n<search>\n<form></form>\n</search>\n\nIt is new.\n",
    "a page's own tag under a word": "Element\n<search>\n<form></form>\n",
    "tags without a path": "<edit>\n<note>x</note>\n</edit>\n",
    "an insertion of nothing": '<insert path="a.py" after_line="7">\n\n</insert>\n',
    "an edit of nothing": '<edit path="a.py">\n```\n```\n</edit>\n',
    "a tag that says nothing of a file": "<file>\n1| x\n2| y\n</file>\n",
    "a tag with a path alone": "<file>\n<path>a.py</path>\n<size>7</size>\n</file>\n",
    "a tag that only names a file": '<file path="a.py"/>\n',
    "no path": '<file name="upload">\nx\n</file>\n',
    "a page's element with a name like a change": '<InlineEdit path="user.name">\nx\n</InlineEdit>\n',
    "a page's element with a name unlike one": '<Editor path="a.py">\nx\n</Editor>\n',
    "text around a fence": '<file path="a.py">\nIt goes like this:\n```\nx\n```\nDone.\n</file>\n',
}


@pytest.mark.parametrize(("reply", "kind", "path", "text"), WRITES.values(), ids=WRITES.keys())
def test_elements_that_write(reply: str, kind: str, path: str, text: str) -> None:
    (block,) = parse(f"Sure.\n\n{reply}Done.\n").blocks
    assert (block.kind, block.path, block.replace, block.malformed) == (Kind(kind), path, text, None)
    listing = reply.lower().startswith("<file") and kind in ("rewrite", "create")
    assert block.format == ("whole" if listing else "tool-call")


@pytest.mark.parametrize("reply", EDITS.values(), ids=EDITS.keys())
def test_edits_in_tags(reply: str) -> None:
    (block,) = parse(f"Sure.\n\n{reply}Done.\n").blocks
    assert (block.kind, block.path, block.malformed) == (Kind.EDIT, "a.py", None)
    assert (block.search, block.replace, block.inline) == ("    x = 1\n", "    x = 2\n", False)


@pytest.mark.parametrize("reply", UNREAD.values(), ids=UNREAD.keys())
def test_what_begins_as_an_edit_in_tags_and_is_none_is_malformed(reply: str) -> None:
    blocks = parse(reply).blocks
    assert blocks
    assert all(block.malformed is not None and block.path == "a.py" for block in blocks)


@pytest.mark.parametrize("tag", ["file", "ai-edit"])
def test_a_tag_around_a_fence_and_other_text_is_told_of_unless_its_file_is_edited(tag: str) -> None:
    reply = f'<{tag} path="a.py">\nIt goes like this:\n```\nx\n```\n</{tag}>\n'
    assert [(told.code, told.line) for told in parse(reply).diagnostics] == [(Code.NO_BLOCKS, 1)]
    assert [block.path for block in parse(reply, format="whole").blocks] == ["a.py"]
    assert not parse(f"{reply}\na.py\n```\ny\n```\n").diagnostics
    assert not parse(reply.replace("a.py", "a.txt").replace(tag, "file")).diagnostics


def test_edits_in_tags_one_after_another() -> None:
    reply = f"<edits>\n<edit path='a.py'>\n{PAIR}{PAIR}</edit>\n<edit path='b.py'>\n{PAIR}</edit>\n</edits>\n"
    assert [(b.path, b.line) for b in parse(reply).blocks] == [("a.py", 3), ("a.py", 9), ("b.py", 17)]
    reply = f"<edits>\n<file_path>a.py</file_path>\n{PAIR}\n{PAIR}\nb.py:\n{PAIR}</edits>\n"
    assert [(b.path, b.line) for b in parse(reply).blocks] == [("a.py", 3), ("a.py", 10), ("b.py", 18)]


def test_a_text_on_its_tag_s_line_is_a_run_of_characters() -> None:
    for reply in ('<edit path="a.py"><old>1</old><new>2</new></edit>\n', "a.py\n<old>1</old> <new>2</new>\n"):
        (block,) = parse(reply).blocks
        assert (block.path, block.search, block.replace, block.inline) == ("a.py", "1", "2", True)


def test_a_new_text_that_is_empty_deletes_lines() -> None:
    for new in ("<replace>\n</replace>", "<replace></replace>", "<replace/>"):
        (block,) = parse(f"a.py\n<search>\nx\n</search>\n{new}\n").blocks
        assert (block.search, block.replace, block.malformed) == ("x\n", "", None)


def test_a_closing_tag_inside_a_text_belongs_to_it() -> None:
    reply = 'a.py\n<search>\nx("</search>")\n</search>\n<replace>\nx("<replace></replace>")\n</replace>\n'
    (block,) = parse(reply).blocks
    assert (block.search, block.replace) == ('x("</search>")\n', 'x("<replace></replace>")\n')


def test_the_line_that_a_tag_names_is_a_hint() -> None:
    reply = "a.py\n<old_text line=3>\nx\n</old_text>\n<new_text>\ny\n</new_text>\n"
    assert [block.hints.line for block in parse(reply).blocks] == [3]
    reply = f'<edit path="a.py">\n<line>4</line>\n{PAIR}{PAIR}</edit>\n'
    assert [block.hints.line for block in parse(reply).blocks] == [4, None]


@pytest.mark.parametrize(
    "reply",
    [
        '<edit path="a.py" replace_all="true">\n<old>\nx\n</old>\n<new>\ny\n</new>\n</edit>\n',
        '<edit path="a.py">\n<replace_all>true</replace_all>\n<old>\nx\n</old>\n<new>\ny\n</new>\n</edit>\n',
        'a.py\n<old replace_all="true">\nx\n</old>\n<new>\ny\n</new>\n',
    ],
)
def test_every_place_where_a_tag_says_so(reply: str) -> None:
    assert [block.replace_all for block in parse(reply).blocks] == [True]


@pytest.mark.parametrize(("path", "creates"), [("a.py", False), ("a.html", False), ("a.md", True)])
def test_a_listing_with_tags_of_an_edit_in_it_counts_where_its_file_has_them(path: str, creates: bool) -> None:
    (block,) = parse(f"{path}\n```\nThis:\n{PAIR}```\n").blocks
    assert block.doubt is not None
    assert block.doubt.lines == ("<search>", "<replace>")
    assert (block.doubt.settled_by("x\n"), block.doubt.settled_by(None)) == (False, creates)
    assert block.doubt.settled_by(PAIR)
    (block,) = parse(f"{path}\n```\nThis:\n<search>\nx\n</search>\n```\n").blocks
    assert block.doubt is None


@pytest.mark.parametrize(
    "text",
    [
        "<search>\n<a/>\n</search>\n<b/>\n",
        "<search>\n<a/>\n<search>\n",
        "<search>\n<a/>\n</search>\n",
        "<edit>\n<a/>\n</edit>\n",
        '<file path="x.py">\n<content>\ny\n</content>\n</file>\n',
    ],
)
def test_tags_in_a_page_s_own_fence_are_the_page_s(text: str) -> None:
    (block,) = parse(f"a.xml\n```xml\n{text}```\n").blocks
    assert (block.format, block.path, block.replace, block.malformed) == ("whole", "a.xml", text, None)
    reply = f"a.xml\n```xml\n{PAIR}```\n"
    assert [(block.path, block.search) for block in parse(reply).blocks] == [("a.xml", "    x = 1\n")]


def test_tags_that_may_be_the_reply_s_or_the_file_s_own_are_malformed() -> None:
    for path, tag in (("a.xml", "content"), ("a.html", "code")):
        (block,) = parse(f'<file path="{path}">\n<{tag}>\nx\n</{tag}>\n</file>\n').blocks
        assert block.path == path
        assert block.malformed is not None
        assert "CDATA" in block.malformed.message


def test_a_new_text_belongs_to_the_nearest_old_one() -> None:
    reply = '<edit path="a.py">\n<old>\nA\n</old>\n<old>\nB\n</old>\n<new>\nC\n</new>\n</edit>\n'
    blocks = parse(reply).blocks
    assert [(block.search, block.malformed is None) for block in blocks] == [("", False), ("B\n", True)]


def test_the_path_on_the_tag_of_an_old_text_is_that_pair_s() -> None:
    named = PAIR.replace("<search>", '<search path="src/b.py">')
    (block,) = parse(f"a.py\n{named}").blocks
    assert (block.path, block.path_candidates) == ("src/b.py", ("a.py",))


def test_every_place_is_said_of_one_edit() -> None:
    reply = f'<file path="a.py">\n<replace_all>true</replace_all>\n{PAIR}{PAIR}</file>\n'
    assert [block.replace_all for block in parse(reply).blocks] == [True, False]


def test_a_tag_inside_may_name_another_file() -> None:
    reply = f'<file path="a.py">\n<edit path="b.py">\n{PAIR}</edit>\n{PAIR}</file>\n'
    assert [block.path for block in parse(reply).blocks] == ["b.py", "a.py"]


def test_what_becomes_of_a_file_whatever_else_its_tag_says() -> None:
    (block,) = parse('<file path="a.py" action="delete" type="python"></file>\n').blocks
    assert block.kind is Kind.DELETE


@pytest.mark.parametrize("reply", NAMES.values(), ids=NAMES.keys())
def test_elements_that_only_name_the_path_of_what_stands_in_them(reply: str) -> None:
    assert [block.path for block in parse(reply).blocks] == ["a.py", "b.py"][: len(parse(reply).blocks)]
    assert all(block.malformed is None for block in parse(reply).blocks)


@pytest.mark.parametrize("reply", TEXT.values(), ids=TEXT.keys())
def test_what_is_no_element(reply: str) -> None:
    assert parse(reply).blocks == ()


CUT_OFF = [
    '<file path="a.py">\nx = 1\n',
    '<File path="a.py">\nx = 1\n</fil',
    '<lov-write file_path="a.py">\nx = 1\n',
    '<write path="a.py">\n',
    '<file path="a.py">\n<content>\nx = 1\n',
    "<File>\n<path>a.py</path>\n<content>\nx = 1\n",
    "<file>\n<file_path>a.py</file_path>\n<contents>\nx = 1\n",
]


@pytest.mark.parametrize("reply", CUT_OFF)
def test_an_element_that_is_cut_off_is_malformed(reply: str) -> None:
    (block,) = parse(reply).blocks
    assert (block.path, block.malformed and block.malformed.code) == ("a.py", Code.NO_END)


def test_an_element_in_a_draft_is_a_draft() -> None:
    reply = '<think>\n<file path="a.py">\nx\n</file>\n</think>\n<file path="a.py">\ny\n</file>\n'
    assert [(block.draft, block.replace) for block in parse(reply).blocks] == [(True, "x\n"), (False, "y\n")]


TEXTS = {
    "on the tags' lines": ("<old>x</old>\n<new>y</new>", "x", "y", True),
    "behind the tags": ("<old>x\n</old>\n<new>y\n</new>", "x", "y", True),
    "below the tags": ("<old>\nx\n</old>\n<new>\ny\n</new>", "x\n", "y\n", False),
    "below a tag with a blank behind it": ("<old> \nx\n</old>\n<new>\ny\n  </new>", "x\n", "y\n", False),
    "up to the closing tags": ("<old>\nx</old>\n<new>\ny</new>", "x\n", "y\n", False),
    "a last line of its own before a closing tag": ("<old>\nx\n- </old>\n<new>\ny\n</new>", "x\n- \n", "y\n", False),
    "lines, and a run of characters": ("<old>\nx\n</old>\n<new>y</new>", "x\n", "y\n", False),
    "a run of characters, and nothing": ("<old>x</old>\n<new>\n</new>", "x", "", True),
    "no line": ("<old>\n  </old>\n<new>\ny\n</new>", "", "y\n", False),
    "a blank line": ("<old>\n\n</old><new>\ny\n</new>", "\n", "y\n", False),
    "between rules": ("<old>\n===\nx\n===\n</old>\n<new>\n  ===\ny\n  ===\n</new>", "x\n", "y\n", False),
    "one rule": ("<old>\nx\n</old>\n<new>\n===\n</new>", "x\n", "===\n", False),
    "under one rule": ("<old>\nx\n</old>\n<new>\n===\ny\n</new>", "x\n", "===\ny\n", False),
    "a closing tag in it": ("<old>\nx\n</old> z\n</old>\n<new>\ny\n</new>", "x\n</old> z\n", "y\n", False),
}


@pytest.mark.parametrize(("pair", "old", "new", "inline"), TEXTS.values(), ids=TEXTS.keys())
def test_what_of_a_text_in_tags_is_the_tags(pair: str, old: str, new: str, inline: bool) -> None:
    for reply in (
        f"a.py\n{pair}\n",
        f'<edit path="a.py">\n{pair}\n</edit>\n',
        f"<edit>\n<path> a.py </path>\n{pair}\n</edit>\n",
    ):
        (block,) = parse(reply).blocks
        assert (block.path, block.search, block.replace, block.inline) == ("a.py", old, new, inline)
        assert block.malformed is None


def test_a_new_text_may_hold_tags_of_an_edit_in_a_cdata_section_in_a_document_and_where_the_old_one_has_them() -> None:
    inner = "<old>\nx\n</old>\n<new>\ny\n</new>\n"
    for path, old, new in (
        ("a.py", "x\n", f"<![CDATA[\n{inner}]]>"),
        ("a.md", "x\n", f"\n{inner}"),
        ("a.py", inner, f"\nz\n{inner}"),
    ):
        reply = f'<edit path="{path}">\n<search>\n{old}</search>\n<replace>{new}</replace>\n</edit>\n'
        (block,) = parse(reply).blocks
        assert block.malformed is None and block.replace.endswith(inner)


def test_rules_around_a_text_of_a_document_are_its_own() -> None:
    rules = "<old>\n===\nx\n===\n</old>\n<new>\n===\ny\n===\n</new>"
    (block,) = parse(f'<edit path="a.RST">\n{rules}\n</edit>\n').blocks
    assert (block.search, block.replace) == ("===\nx\n===\n", "===\ny\n===\n")


@pytest.mark.parametrize(
    ("said", "everywhere", "line"),
    [
        ('replace_all="TRUE"', True, None),
        ('replace_all="false"', False, None),
        ('line="3"', False, 3),
        ('line="3-5"', False, None),
        ('line="12345678901"', False, None),
        ('regex="false"', False, None),
        ('id="true"', False, None),
        ('size="7"', False, None),
    ],
)
def test_what_an_attribute_says_of_an_edit(said: str, everywhere: bool, line: int | None) -> None:
    for reply in (
        f'<edit path="a.py" {said}>\n{PAIR}</edit>\n',
        "a.py\n" + PAIR.replace("<search>", f"<search {said}>"),
    ):
        (block,) = parse(reply).blocks
        assert (block.search, block.malformed) == ("    x = 1\n", None)
        assert (block.replace_all, block.hints.line) == (everywhere, line)


WHY = {
    "an old text alone under a path": ("a.py\n<old_text>\nx\n</old_text>\n", "no new one right behind it", 2),
    "an old text alone without a path": ("<old_text>\nx\n</old_text>\n", "no new one right behind it", 1),
    "an old text that is cut off": ("a.py\n<old>\nx\n", "is not ended", 2),
    "a new text that is cut off": ("<old>\nx\n</old>\n<new>\ny\n", "is not ended", 1),
    "a new text alone": ('<edit path="a.py">\n<new>\nx\n</new>\n</edit>\n', "a new text and no old one", 2),
    "an old text alone": ('<edit path="a.py">\n<old>\nx\n</old>\n</edit>\n', "an old text and no new one", 2),
    "a path of words": ("<file>\n<path>the file</path>\n<content>\nx\n</content>\n</file>\n", "no file for it", 3),
    "a text of a file that goes": (
        '<file path="a.py" action="delete">\n<content>\nx\n</content>\n</file>\n',
        "no file for it",
        2,
    ),
    "lines of a file that goes": ('<delete path="a.py" lines="3-5"/>\n', "a part of a file that goes", 1),
    "lines of an empty file": ('<file path="a.py" lines="3-5">\n</file>\n', "`create_file`", 1),
    "an insertion": ('<insert path="a.py" after_line="7">\nx\n</insert>\n', "`insert_text`", 1),
}


@pytest.mark.parametrize(("reply", "why", "line"), WHY.values(), ids=WHY.keys())
def test_the_reason_why_tags_say_no_edit(reply: str, why: str, line: int) -> None:
    (block,) = parse(reply).blocks
    assert block.malformed is not None and why in block.malformed.message
    assert block.line == line


ORPHANS = {
    "a new text below the end of an old one": "a.py\nx\n</search>\n<replace>\ny\n</replace>\n",
    "with a blank line between": "a.py\nx\n</old_text>\n\n<new_text>\ny\n</new_text>\n",
    "an old text's garbled tag": "a.py\n<sea\n</search>\n<replace>\ny\n</replace>\n",
    "the end of a call below its fields": 'a.py\n<parameter name="path">a.py</parameter>\n</invoke>\n',
    "a file's text below its path": "<path>a.py</path>\n<content>\nx\n</content>\n",
    "with the end of the file's tag": "<path>a.py</path>\n<content>\nx\n</content>\n</file>\n",
    "in a garbled tag": "<fil>\n<path>a.py</path>\n<content>\nx\n</content>\n</file>\n",
    "and below it a cut-off": "<path>a.py</path>\n<content>\nx\n",
    "the end of a call below its tags": "a.py\n<path>a.py</path>\n<content>\nx\n</content>\n</write_file>\n",
}
NO_ORPHANS = {
    "a page's closing tag": "So:\n</search>\n<p>x</p>\n",
    "a new text alone": "So:\n<new>\ny\n</new>\n",
    "the end of a call alone": "So:\n</invoke>\n",
    "a text without a path": "So:\n<content>\nx\n</content>\n",
    "a sentence about both": "Put the path above:\n<path>a.py</path> and below it\n<content>.\n",
    "the end of a tag that was text": '<file name="upload">\nx\n</file>\n',
    "an example in a fence": "So:\n```xml\nx\n</search>\n<replace>\ny\n</replace>\n```\n",
}


@pytest.mark.parametrize("reply", ORPHANS.values(), ids=ORPHANS.keys())
def test_an_edit_in_tags_whose_beginning_is_missing_is_told_of(reply: str) -> None:
    (block,) = parse(reply).blocks
    assert (block.path, block.malformed and block.malformed.code) == ("a.py", Code.MALFORMED)
    assert parse(f"<think>\n{reply}</think>\n").diagnostics == ()
    assert parse(reply, format="diff").blocks == ()


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("<file>\n<content>\nx\n</content>\n</file>\n", "it has a text and no file for it"),
        ("<file>\n<path></path>\n<content>\nx\n</content>\n</file>\n", "it has a text and no file for it"),
        ("<file>\n<new>\nx\n</new>\n</file>\n", "it has a new text and no old one"),
        ("<file>\n<path>a.py</path>\nx\n</content>\n</file>\n", "its tags cannot be told apart"),
        ("<file>\n<content>\nx\n", "not ended"),
        ('<file path="">\nx\n</file>\n', "it names no file"),
        ('<write_file path="">\nx\n</write_file>\n', "it names no file"),
        ('<delete path=""/>\n', "it names no file"),
        ("<body>\nx\n</file>\n", "whose beginning is missing"),
    ],
)
def test_a_file_in_tags_that_has_no_path_is_told_of(reply: str, why: str) -> None:
    (block,) = parse(reply).blocks
    assert block.path is None
    assert block.malformed is not None and why in block.malformed.message


@pytest.mark.parametrize("tag", ["file", "write_file"])
def test_a_bare_word_is_a_path_where_the_tag_says_so(tag: str) -> None:
    (block,) = parse(f'<{tag} path="main">\nx\n</{tag}>\n').blocks
    assert (block.path, block.replace, block.malformed) == ("main", "x\n", None)
    for given in ('path="path"', 'path="PATH_HERE"', 'path="..."', 'name="main"'):
        assert parse(f"<{tag} {given}>\nx\n</{tag}>\n").blocks == ()


def test_the_end_of_a_tag_around_edits_is_no_edit() -> None:
    edit = "<change>\n<search>\nx\n</search>\n<replace>\ny\n</replace>\n</change>\n"
    assert [block.malformed for block in parse(f'a.py\n<file name="upload">\n{edit}</file>\n').blocks] == [None]


def test_a_file_s_tag_that_the_next_begins_in_is_told_of() -> None:
    first, second = parse('<file path="a.py">\nx\n<file path="b.py">\ny\n</file>\n').blocks
    assert (first.path, first.malformed and first.malformed.code) == ("a.py", Code.NO_END)
    assert (second.path, second.replace, second.malformed) == ("b.py", "y\n", None)


@pytest.mark.parametrize("colon", [":", " :", ": "])
@pytest.mark.parametrize("tag", ["file", "write_file"])
def test_a_colon_behind_a_file_s_tag_is_the_tag_s(tag: str, colon: str) -> None:
    (block,) = parse(f'<{tag} path="a.py">{colon}\nx\n</{tag}>\n').blocks
    assert (block.path, block.replace) == ("a.py", "x\n")


@pytest.mark.parametrize("reply", NO_ORPHANS.values(), ids=NO_ORPHANS.keys())
def test_tags_that_may_be_any_text_s_are_text(reply: str) -> None:
    assert parse(reply).blocks == ()
