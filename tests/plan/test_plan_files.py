"""What each kind of block does to the files: made, filled, replaced, appended to, removed, moved, refused."""

from __future__ import annotations

import dataclasses

import pytest
from plan_builders import (
    DONE,
    OK,
    after,
    bad,
    codes,
    delete,
    edit,
    new_file,
    planned,
    read_in,
    rename,
    said,
    seen_as,
    whole,
)

from dovetail.model.blocks import Block, Kind, Parsed
from dovetail.model.codes import Code, OnFailure, Severity, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.plan import plan

Files = dict[str, str]
A: Files = {"a.py": "one = 1\ntwo = 2\n"}

COMES_OUT: dict[str, tuple[Files, list[Block], Files]] = {
    "a new file": (A, [edit("b.py", "", "x\n")], {**A, "b.py": "x\n"}),
    "a blank search is an empty one": (A, [edit("b.py", "\n", "x\n")], {**A, "b.py": "x\n"}),
    "a new file in a new folder, by its own name": ({"src/b.py": "y\n"}, [edit("b.py", "", "x\n")], {"src/b.py": "y\n", "b.py": "x\n"}),
    "a new file, then an edit of it": (A, [edit("b.py", "", "x\ny\n"), edit("b.py", "x\n", "X\n")], {**A, "b.py": "X\ny\n"}),
    "a new file in two pieces": (A, [edit("b.py", "", "x\n"), edit("b.py", "", "y\n")], {**A, "b.py": "x\ny\n"}),
    "an empty file is filled": ({"a": ""}, [edit("a", "", "x\n")], {"a": "x\n"}),
    "an empty file is filled where the divider stands twice": (
        {"a": ""},
        [read_in("a", ("", "x\n"), ("=======\nx\n", ""))],
        {"a": "x\n"},
    ),
    "a blank file keeps its bytes": ({"a": " \n"}, [edit("a", "", "x\n")], {"a": " \nx\n"}),
    "a blank file is filled": ({"a": "\n"}, [new_file("a", "x\n")], {"a": "x\n"}),
    "appended": (A, [edit("a.py", "", "three = 3\n")], {"a.py": "one = 1\ntwo = 2\nthree = 3\n"}),
    "rewritten": (A, [whole("a.py", "uno = 1\ntwo = 2\n")], {"a.py": "uno = 1\ntwo = 2\n"}),
    "rewritten with its line ends": ({"a": "x\r\ny\r\n"}, [whole("a", "x\nz\nw\n")], {"a": "x\r\nz\r\nw\r\n"}),
    "rewritten without its last newline": ({"a": "x\ny"}, [whole("a", "w\ny\n")], {"a": "w\ny"}),
    "rewritten with another last line": ({"a": "x\ny"}, [whole("a", "x\nz\n")], {"a": "x\nz\n"}),
    "rewritten, then edited": (A, [whole("a.py", "uno = 1\n"), edit("a.py", "uno = 1\n", "uno = 2\n")], {"a.py": "uno = 2\n"}),
    "edited, then rewritten": (A, [edit("a.py", "two = 2\n", "two = 3\n"), whole("a.py", "new = 1\n")], {"a.py": "new = 1\n"}),
    "edited, then rewritten and moved": (
        A,
        [edit("a.py", "two = 2\n", "two = 3\n"), dataclasses.replace(whole("a.py", "new = 1\n"), destination="b.py")],
        {"b.py": "new = 1\n"},
    ),
    "a whole new file": (A, [whole("b.py", "x\n")], {**A, "b.py": "x\n"}),
    "deleted": (A, [delete("a.py")], {}),
    "edited, then deleted": (A, [edit("a.py", "two = 2\n", ""), delete("a.py")], {}),
    "deleted, then made": (A, [delete("a.py"), new_file("a.py", "x\n")], {"a.py": "x\n"}),
    "moved": (A, [rename("a.py", "lib/b.py")], {"lib/b.py": A["a.py"]}),
    "moved into a folder of its own name": (A, [rename("a.py", "a.py/b.py")], {"a.py/b.py": A["a.py"]}),
    "moved, though its lines stand already": (A, [edit("a.py", "one = 0\ntwo = 2\n", A["a.py"], destination="b.py")], {"b.py": A["a.py"]}),
    "edited, then moved": (A, [edit("a.py", "one = 1\n", ""), rename("a.py", "b.py")], {"b.py": "two = 2\n"}),
    "moved, then edited under its new name": (A, [rename("a.py", "b.py"), edit("b.py", "one = 1\n", "")], {"b.py": "two = 2\n"}),
    "moved, then edited under its old name": (A, [rename("a.py", "b.py"), edit("a.py", "one = 1\n", "")], {"b.py": "two = 2\n"}),
    "moved twice": (A, [rename("a.py", "b.py"), rename("b.py", "c.py")], {"c.py": A["a.py"]}),
    "moved in two edits": (
        A,
        [edit("a.py", "one = 1\n", "", destination="b.py"), edit("a.py", "two = 2\n", "2\n", destination="b.py")],
        {"b.py": "2\n"},
    ),
    "moved with a rewrite": (A, [dataclasses.replace(whole("a.py", "x\n"), destination="b.py")], {"b.py": "x\n"}),
    "moved, and its place taken": (A, [rename("a.py", "b.py"), new_file("a.py", "x\n")], {"a.py": "x\n", "b.py": A["a.py"]}),
    "two files change places": (
        {"a": "1\n", "b": "2\n"}, [rename("a", "c"), rename("b", "a"), rename("c", "b")], {"a": "2\n", "b": "1\n"},
    ),
    "moved with an edit, then edited under its new name": (
        A,
        [edit("a.py", "one = 1\n", "", destination="b.py"), edit("b.py", "two = 2\n", "2\n")],
        {"b.py": "2\n"},
    ),
    "moved with an edit to where a file was": (
        {**A, "b.py": "x\n"},
        [delete("b.py"), edit("a.py", "one = 1\n", "", destination="b.py"), rename("b.py", "c.py")],
        {"c.py": "two = 2\n"},
    ),
    "moved with an edit from where another file goes": (
        {**A, "b.py": "x\n"},
        [edit("a.py", "one = 1\n", "", destination="c.py"), rename("b.py", "a.py")],
        {"a.py": "x\n", "c.py": "two = 2\n"},
    ),
    "a file moves out of the way of a folder": (
        A, [edit("a.py", "one = 1\n", "", destination="b.py"), new_file("a.py/c.py", "x\n")], {"a.py/c.py": "x\n", "b.py": "two = 2\n"},
    ),
    "a folder is named before its file moves away": (
        A,
        [new_file("a.py/c.py", "x\n"), edit("a.py/c.py", "x\n", "y\n"), edit("a.py", "one = 1\n", ""), rename("a.py", "b.py")],
        {"a.py/c.py": "y\n", "b.py": "two = 2\n"},
    ),
    "a file is named before its folder is emptied": (
        {"d/x": "x\n", "d/in/y": "y\n"},
        [rename("d/x", "d"), edit("d/in/y", "y\n", "Y\n", destination="e"), edit("d", "x\n", "X\n")],
        {"d": "X\n", "e": "Y\n"},
    ),
    "a file and a folder change places": (
        {"d/x": "x\n", "f": "f\n"}, [rename("f", "t"), rename("d/x", "f"), rename("t", "d")], {"d": "f\n", "f": "x\n"},
    ),
    "a name is a folder's for a while": (
        {"q": "q\n"},
        [rename("q", "t"), new_file("q/x", "x\n"), rename("q/x", "u"), new_file("q", "Q\n"), rename("q", "v")],
        {"t": "q\n", "u": "x\n", "v": "Q\n"},
    ),
    "a case change of a name": (A, [rename("a.py", "A.py")], {"A.py": A["a.py"]}),
    "an empty new file": (A, [edit("pkg/__init__.py", "", "")], {**A, "pkg/__init__.py": ""}),
}  # fmt: skip


@pytest.mark.parametrize("name", COMES_OUT)
def test_files_come_out(name: str) -> None:
    files, blocks, wanted = COMES_OUT[name]
    made = planned(files, *blocks)
    assert after(files, made) == wanted, said(made.results)
    assert all(result.status is Status.FITS for result in made.results)


REFUSED: dict[str, tuple[Files, list[Block], Code]] = {
    "a rewrite behind an empty search": (
        {"a": "def f():\n    go()\n    return 1\n"}, [edit("a", "", "def f():\n    go()\n    return 2\n")], Code.FILE_EXISTS,
    ),
    "most of the new text is there already": (
        {"a": "".join(f"line {i}\n" for i in range(40))},
        [edit("a", "", "".join(f"line {i}\n" for i in range(3, 13)) + "new\n")],
        Code.FILE_EXISTS,
    ),
    "an empty search where the format never appends": (A, [edit("a.py", "", "x\n", "anchored")], Code.FILE_EXISTS),
    "made over other text": (A, [new_file("a.py", "x\n")], Code.FILE_EXISTS),
    "deleted though absent": (A, [delete("b.py")], Code.FILE_MISSING),
    "deleted by a basename": ({"src/a.py": "x\n"}, [delete("a.py")], Code.FILE_MISSING),
    "moved though absent": (A, [rename("b.py", "c.py")], Code.FILE_MISSING),
    "moved over another file": ({**A, "b.py": "x\n"}, [rename("a.py", "b.py")], Code.FILE_EXISTS),
    "moved with an edit over another file": (
        {**A, "b.py": "x\n"}, [edit("a.py", "one = 1\n", "", destination="b.py")], Code.FILE_EXISTS,
    ),
    "differs in case only": (A, [edit("A.py", "", "x\n")], Code.FILE_EXISTS),
    "a file where a folder is": ({"src/a": "x\n"}, [edit("src", "", "x\n")], Code.FILE_EXISTS),
    "a folder where a file is": (A, [edit("a.py/b.py", "", "x\n")], Code.FILE_EXISTS),
    "a file where a folder keeps another one": (
        {"src/a": "x\n", "src/b": "y\n"}, [delete("src/a"), edit("src", "", "x\n")], Code.FILE_EXISTS,
    ),
    "moved out of a folder to its name, where it keeps another file": (
        {"src/a": "x\n", "src/b": "y\n"}, [rename("src/a", "src")], Code.FILE_EXISTS,
    ),
    "made below where an edit moves a file": (
        A, [edit("a.py", "one = 1\n", "", destination="d"), new_file("d/b.py", "x\n")], Code.FILE_EXISTS,
    ),
    "made above where an edit moves a file": (
        A, [edit("a.py", "one = 1\n", "", destination="d/b.py"), new_file("d", "x\n")], Code.FILE_EXISTS,
    ),
    "made in another case than an edit moves a file to": (
        A, [edit("a.py", "one = 1\n", "", destination="d.py"), new_file("D.py", "x\n")], Code.FILE_EXISTS,
    ),
    "made at no name": (A, [new_file(".", "x\n")], Code.OUTSIDE_ROOT),
    "climbs": (A, [edit("../b.py", "", "x\n")], Code.OUTSIDE_ROOT),
    "climbs and comes back": (A, [edit("x/../../a.py", "one = 1\n", "x\n")], Code.OUTSIDE_ROOT),
    "made at an absolute path": (A, [edit("/srv/b.py", "", "x\n")], Code.OUTSIDE_ROOT),
    "made at an address": (A, [edit("file:///b.py", "", "x\n")], Code.OUTSIDE_ROOT),
    "made where a variable says": (A, [edit("$HOME/b.py", "", "x\n")], Code.OUTSIDE_ROOT),
    "made where a variable of Windows says": (A, [edit("%APPDATA%/b.py", "", "x\n")], Code.OUTSIDE_ROOT),
    "made on a drive": (A, [new_file("C:\\x\\b.py", "x\n")], Code.OUTSIDE_ROOT),
    "moved outside": (A, [rename("a.py", "../a.py")], Code.OUTSIDE_ROOT),
    "deleted after its edit moved it": (
        A, [edit("a.py", "one = 1\n", "", destination="b.py"), delete("a.py")], Code.FILE_MISSING,
    ),
    "edited after it was deleted": (A, [delete("a.py"), edit("a.py", "one = 1\n", "")], Code.FILE_MISSING),
    "two files moved to one place": (
        {"a": "1\n", "b": "2\n"},
        [edit("a", "1\n", "x\n", destination="c"), edit("b", "2\n", "y\n", destination="c")],
        Code.FILE_EXISTS,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_reason_and_a_next_step(name: str) -> None:
    files, blocks, code = REFUSED[name]
    made = planned(files, *blocks)
    assert made.results[-1].code is code, said(made.results)
    assert made.results[-1].reason
    assert made.results[-1].hint
    assert not made.changes


SAME: dict[str, tuple[Files, list[Block]]] = {
    "made again": (A, [new_file("a.py", A["a.py"])]),
    "made again by an empty search": (A, [edit("a.py", "", A["a.py"])]),
    "rewritten the same": (A, [whole("a.py", A["a.py"])]),
    "rewritten the same, but for line ends": ({"a": "x\r\ny\r\n"}, [whole("a", "x\ny\n")]),
    "rewritten the same, but for the last newline": ({"a": "x\ny"}, [whole("a", "x\ny\n")]),
    "appended before": (A, [edit("a.py", "", "two = 2\n")]),
    "moved before": ({"b.py": "x\n"}, [rename("a.py", "b.py")]),
    "moved with its edits before": ({"b.py": "def two():\n    return 2\n"}, [
        edit("a.py", "def two():\n    return 1\n", "def two():\n    return 2\n", destination="b.py")
    ]),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_already_applied_changes_nothing(name: str) -> None:
    files, blocks = SAME[name]
    made = planned(files, *blocks)
    assert said(made.results) == [DONE]
    assert not made.changes


def test_appending_is_said_except_where_the_format_means_it() -> None:
    assert codes(planned(A, edit("a.py", "", "x\n")).results[0].warnings) == [Code.APPENDED]
    assert not planned(A, edit("a.py", "", "x\n", "apply-patch")).results[0].warnings


def test_a_much_smaller_text_is_said() -> None:
    files = {"a": "".join(f"line {i}\n" for i in range(30))}
    others = "".join(f"other {i}\n" for i in range(10))
    assert codes(planned(files, whole("a", others)).results[0].warnings) == [Code.SHRUNK]
    assert not planned(files, whole("a", files["a"] + "x\n")).results[0].warnings


def test_a_file_that_is_renamed_to_its_own_name_stays_as_it_is() -> None:
    made = planned(A, rename("a.py", "./a.py"))
    assert said(made.results) == [(Status.STANDS_ALREADY, Code.NOTHING_TO_CHANGE)]
    assert not made.changes


def test_a_file_is_moved_once_and_what_fails_beside_it_stays_failed() -> None:
    first = edit("a.py", "one = 1\n", "uno = 1\n", destination="b.py")
    again = edit("a.py", "two = 2\n", "due = 2\n", destination="c.py")
    made = planned(A, first, again, edit("a.py", "three = 3\n", "x\n"), on_failure=OnFailure.BLOCK)
    assert said(made.results) == [OK, bad(Code.FILE_EXISTS), bad(Code.NO_MATCH)]
    assert after(A, made) == {"b.py": "uno = 1\ntwo = 2\n"}


def test_files_that_wait_to_be_moved_are_moved_in_the_order_in_which_a_block_names_them() -> None:
    for n in range(12):  # names are hashed anew in each process
        here, there = f"a{n}", f"b{n}"
        made = planned(
            {here: "one\n", there: "two\n"},
            edit(here, "two\n", "three\n", destination="c"),
            edit(there, "two\n", "2\n", destination="d"),
            rename(here, there),
            on_failure=OnFailure.BLOCK,
        )
        assert made.results[0].hint == f"The search text stands in `{there}`. If that is the file, name it."


def test_a_move_is_two_changes() -> None:
    made = planned(A, rename("a.py", "b.py"), edit("b.py", "one = 1\n", ""))
    assert [(c.path, c.before, c.after, c.source) for c in made.changes] == [
        ("a.py", A["a.py"], None, None),
        ("b.py", None, "two = 2\n", "a.py"),
    ]


@pytest.mark.parametrize("problem", [Code.BINARY, Code.ENCODING, Code.READ_ONLY, Code.OUTSIDE_ROOT])
@pytest.mark.parametrize("block", [edit("f", "x\n", "y\n"), whole("f", "y\n"), delete("f"), rename("f", "g")])
def test_a_file_with_a_problem_is_left_alone(problem: Code, block: Block) -> None:
    text = "x\n" if problem is Code.READ_ONLY else None
    file = FileText("f", text, problem, detail="It is as it is.")
    made = planned(Snapshot({"f": file}, frozenset({"f"})), block)
    assert said(made.results) == [bad(problem)]
    assert made.results[0].reason == "It is as it is."


def test_a_link_is_edited_and_neither_deleted_nor_moved() -> None:
    snapshot = Snapshot({"f": FileText("f", "x\n", link=True)}, frozenset({"f"}))
    move = dataclasses.replace(edit("f", "x\n", "y\n"), destination="g")
    for block in (delete("f"), rename("f", "g"), move):
        assert said(planned(snapshot, block).results) == [bad(Code.READ_ONLY)]
        assert planned(snapshot, whole("f", "y\n"), block).results[1].code is Code.READ_ONLY
    assert after({"f": "x\n"}, planned(snapshot, edit("f", "x\n", "y\n"))) == {"f": "y\n"}


def test_a_file_is_edited_where_its_folder_takes_no_changes_and_nothing_is_made_or_moved_there() -> None:
    tree = frozenset({"in/f", "g"})
    snapshot = Snapshot(
        {path: FileText(path, "x\n") for path in tree}, tree, fixed=frozenset({"in/f", "in/n", "in/d/n"})
    )
    move = dataclasses.replace(edit("g", "x\n", "y\n"), destination="in/n")
    for blocks in ([delete("in/f")], [rename("in/f", "n")], [rename("g", "in/n")], [move], [whole("in/d/n", "n\n")]):
        assert said(planned(snapshot, *blocks).results) == [bad(Code.READ_ONLY)]
    made = planned(snapshot, edit("in/f", "x\n", "y\n"), delete("in/f"), on_failure=OnFailure.BLOCK)
    assert [result.status for result in made.results] == [Status.FITS, Status.FAILED]
    assert after({"in/f": "x\n"}, made) == {"in/f": "y\n"}


def test_what_is_written_under_two_names_of_a_file_is_written_once() -> None:
    files = {path: FileText(path, "1\n2\n3\n") for path in ("real", "link")}
    snapshot = Snapshot(files, frozenset(files), aliases={"link": "real"})
    first, second = ("1\n", "one\n"), ("3\n", "three\n")
    made = planned(snapshot, edit("real", *first), edit("link", *first), edit("link", *second), edit("real", *second))
    standing, applied = Status.STANDS_ALREADY, Status.FITS
    assert [result.status for result in made.results] == [applied, standing, applied, standing]
    assert [(change.path, change.after) for change in made.changes] == [("real", "one\n2\nthree\n")]
    (unnamed,) = planned(snapshot, dataclasses.replace(edit("real", "2\n", "two\n"), path=None)).changes
    assert unnamed.path == "real"


@pytest.mark.parametrize(
    "blocks",
    [
        [delete("a"), whole("z", "y\n")],
        [delete("a"), edit("z", "x\n", "y\n")],
        [rename("a", "b"), edit("z", "x\n", "y\n")],
        [edit("z", "x\n", "y\n"), delete("a")],
        [edit("a", "x\n", "y\n"), delete("z")],
        [delete("a"), delete("z")],
    ],
)
def test_a_file_does_not_lose_one_of_its_names_where_another_block_changes_it(blocks: list[Block]) -> None:
    files = {path: FileText(path, "x\n") for path in ("a", "z")}
    snapshot = Snapshot(files, frozenset(files), aliases={"z": "a"})
    first, second = planned(snapshot, *blocks, on_failure=OnFailure.BLOCK).results
    assert (first.status, second.code, second.path) == (Status.FITS, Code.READ_ONLY, blocks[1].path)
    assert planned(snapshot, blocks[0]).results[0].status is Status.FITS
    assert planned(snapshot, blocks[1]).results[0].status is Status.FITS


def test_a_file_of_one_name_is_edited_and_deleted_whatever_names_others_have() -> None:
    files = {path: FileText(path, "x\n") for path in ("a", "f", "z")}
    made = planned(Snapshot(files, frozenset(files), aliases={"z": "a"}), edit("f", "x\n", "y\n"), delete("f"))
    assert said(made.results) == [OK, OK]
    assert [(change.path, change.after) for change in made.changes] == [("f", None)]


def test_what_is_made_under_two_names_of_a_place_is_made_once() -> None:
    snapshot = Snapshot({"f": FileText("f", "x\n")}, frozenset({"f"}), aliases={"link/n": "real/n"})
    made = planned(snapshot, new_file("link/n", "n\n"), new_file("real/n", "n\n"))
    assert [result.status for result in made.results] == [Status.FITS, Status.STANDS_ALREADY]
    assert [change.path for change in made.changes] == ["real/n"]
    moved = planned(snapshot, rename("f", "link/n"), new_file("real/n", "n\n"))
    assert [result.code for result in moved.results if result.status is Status.FAILED] == [Code.FILE_EXISTS]


@pytest.mark.parametrize(
    ("path", "others"),
    [("SRC/b", ()), ("x/Y/b", (edit("x/y/a", "", "a\n"),)), ("SRC", ()), ("x/Y", (edit("x/y/a", "", "a\n"),)), ("src/A/b", ())],
)  # fmt: skip
def test_nothing_is_made_beside_a_file_or_folder_in_another_case(path: str, others: tuple[Block, ...]) -> None:
    *made, last = planned({"src/a": "a\n"}, *others, edit(path, "", "b\n")).results
    assert (last.code, last.status) == (Code.FILE_EXISTS, Status.FAILED)
    assert len(made) == len(others)


def test_a_folder_is_said_to_be_one() -> None:
    results = planned(
        {"src/a": "a\n"}, delete("src"), rename("src", "b"), edit("src", "x\n", ""), new_file("src", "")
    ).results
    assert [(result.code, result.reason) for result in results] == [
        *[(Code.FILE_MISSING, "`src` is a folder, not a file.")] * 3,
        (Code.FILE_EXISTS, "`src` is a folder that holds `src/a`."),
    ]


def test_a_change_says_of_both_sides_whether_the_file_begins_with_a_mark() -> None:
    files = {"a": FileText("a", "1\n"), "b": FileText("b", "2\n", marked=True)}
    snapshot = Snapshot(files, frozenset(files))
    said_of = lambda *blocks: {c.path: c.marks for c in planned(snapshot, *blocks).changes}  # noqa: E731
    assert said_of(edit("b", "2\n", "two\n"), edit("a", "1\n", "one\n")) == {"a": (False, False), "b": (True, True)}
    assert said_of(delete("a"), rename("b", "a")) == {"a": (False, True), "b": (True, False)}
    same = Snapshot({**files, "a": FileText("a", "2\n")}, frozenset(files))
    assert [c.path for c in planned(same, delete("a"), rename("b", "a")).changes] == ["a", "b"]
    assert said_of(rename("b", "c"), edit("b", "", "new\n")) == {"b": (True, False), "c": (False, True)}


def test_refused_paths_are_never_touched() -> None:
    snapshot = Snapshot({}, frozenset(), {"link/a": "It leads outside.", ".git/config": "It is protected."})
    made = planned(snapshot, edit("link/a", "", "x\n"), edit("./.git/config", "x\n", "y\n"), rename("a", ".git/config"))
    assert [result.code for result in made.results] == [Code.OUTSIDE_ROOT, Code.OUTSIDE_ROOT, Code.FILE_MISSING]
    assert made.results[0].reason == "It leads outside."


@pytest.mark.parametrize(
    "block", [edit("x/../a.py", "", "x\n"), edit("x/../a.py", "one\n", "x\n"), rename("a.py", "x/../b.py")]
)
def test_a_path_with_two_dots_is_not_said_to_leave_the_root(block: Block) -> None:
    assert planned(A, block).results[0].reason.endswith("holds `..`, which is never followed.")


def test_a_path_that_exists_and_was_not_read_is_not_made_anew() -> None:
    snapshot = Snapshot({}, frozenset({"a.py"}))
    for block in (edit("a.py", "", "x\n"), whole("a.py", "x\n"), edit("a.py", "x\n", "y\n"), delete("a.py")):
        assert said(planned(snapshot, block).results) == [bad(Code.FILE_MISSING)]


@pytest.mark.parametrize("quoted", ["one = 1\ntwo = 2\n", "one = 1  \ntwo = 2\n\n", "one = 1\ntwo = 2"])
def test_a_deletion_that_quotes_the_whole_file_takes_place(quoted: str) -> None:
    for text in (A["a.py"], A["a.py"] + "\n", A["a.py"].replace("\n", "\r\n"), "\ufeff" + A["a.py"]):
        assert after({"a.py": text}, planned({"a.py": text}, delete("a.py", quoted))) == {}
    edited = planned(A, edit("a.py", "two = 2\n", "two = 3\n"), delete("a.py", quoted))
    assert said(edited.results) == [OK, OK]


OTHER_LINES = {
    "something\nelse\n": "The deletion quotes a line that `a.py` does not have: something",
    "one = 1\ntwo = 3\n": "The deletion quotes a line that `a.py` does not have: two = 3",
    "one = 1\n": "The deletion does not quote all lines of `a.py`, one after the other.",
    "two = 2\none = 1\n": "The deletion does not quote all lines of `a.py`, one after the other.",
}


@pytest.mark.parametrize(("quoted", "reason"), OTHER_LINES.items())
def test_a_deletion_that_quotes_other_lines_fails(quoted: str, reason: str) -> None:
    made = planned(A, delete("a.py", quoted))
    assert (said(made.results), made.results[0].reason) == ([bad(Code.NO_MATCH)], reason)
    assert not made.changes


def test_a_file_that_this_reply_makes_and_removes_is_no_change() -> None:
    made = planned(A, edit("b.py", "", "x\n"), delete("b.py"))
    assert said(made.results) == [OK, OK]
    assert not made.changes


def test_a_draft_and_a_block_that_did_not_parse() -> None:
    draft = edit("a.py", "one = 1\n", "x\n", draft=True)
    broken = Block(
        "diff", Kind.EDIT, "a.py", "", "", line=9, malformed=Diagnostic(Code.NO_DIVIDER, "No divider.", hint="Add it.")
    )
    made = planned(A, draft, broken)
    assert said(made.results) == [(Status.LEFT_OUT, Code.DRAFT), bad(Code.MALFORMED)]
    assert made.results[1].hint == "Add it."
    assert "9" in (made.results[1].reason or "")


MARKED = "\ufeffimport a\nimport b\n"


@pytest.mark.parametrize("search", ["import a\nimport b\n", "\ufeffimport a\nimport b\n"])
def test_a_byte_order_mark_stays_before_the_first_line(search: str) -> None:
    made = planned({"f.py": MARKED}, edit("f.py", search, "import z\n" + search.removeprefix("\ufeff")))
    assert after({"f.py": MARKED}, made) == {"f.py": "\ufeffimport z\nimport a\nimport b\n"}


@pytest.mark.parametrize("text", ["import z\n", "\ufeffimport z\n"])
def test_a_rewritten_file_keeps_its_byte_order_mark(text: str) -> None:
    made = planned({"f.py": MARKED}, whole("f.py", text))
    assert after({"f.py": MARKED}, made) == {"f.py": "\ufeffimport z\n"}


def test_a_moved_file_keeps_its_byte_order_mark() -> None:
    made = planned({"f.py": MARKED}, rename("f.py", "g.py"))
    assert after({"f.py": MARKED}, made) == {"g.py": MARKED}


def test_a_byte_order_mark_is_no_change_since_the_model_saw_the_file() -> None:
    snapshot = seen_as("f.py", MARKED.removeprefix("\ufeff"), MARKED)
    made = planned(snapshot, edit("f.py", "import a\n", "import z\n"))
    assert after(snapshot, made) == {"f.py": "\ufeffimport z\nimport b\n"}
    assert made.results[0].warnings == ()


def test_no_byte_order_mark_comes_where_none_was() -> None:
    made = planned({"f.py": "import a\n"}, edit("f.py", "import a\n", "import b\n"))
    assert after({"f.py": "import a\n"}, made) == {"f.py": "import b\n"}
    assert planned({"f.py": MARKED}, whole("f.py", "import a\nimport b\n")).changes == ()


def test_what_a_later_listing_replaces_is_told() -> None:
    files = {"f.py": "a = 1\nb = 2\nc = 3\n"}
    lost = planned(files, edit("f.py", "b = 2\n", "b = 3\n"), whole("f.py", "a = 1\nc = 3\n"))
    assert after(files, lost) == {"f.py": "a = 1\nc = 3\n"}
    assert [codes(result.warnings) for result in lost.results] == [[Code.OVERWRITTEN], []]
    twice = planned({}, whole("f.py", "a = 1\n"), whole("f.py", "a = 2\n"))
    assert [codes(result.warnings) for result in twice.results] == [[Code.OVERWRITTEN], []]


def test_what_a_later_listing_has_too_is_not_lost() -> None:
    files = {"f.py": "alpha = 1\nbravo = 2\ncharlie = 3\n"}
    kept = planned(
        files, edit("f.py", "bravo = 2\n", "bravo = 20\n"), whole("f.py", "alpha = 10\nbravo = 20\ncharlie = 3\n")
    )
    assert [codes(result.warnings) for result in kept.results] == [[], []]
    same = planned(files, edit("f.py", "bravo = 2\n", "b = 3\n"), whole("f.py", "alpha = 1\nb = 3\ncharlie = 3\n"))
    assert [codes(result.warnings) for result in same.results] == [[], []]
    others = planned({**files, "g.py": "a\n"}, edit("g.py", "a\n", "b\n"), whole("f.py", "x = 1\ny = 2\n"))
    assert [codes(result.warnings) for result in others.results] == [[], []]


def test_an_edit_behind_a_listing_is_not_lost() -> None:
    made = planned({}, whole("f.py", "a = 1\nb = 2\n"), edit("f.py", "b = 2\n", "b = 3\n"))
    assert after({}, made) == {"f.py": "a = 1\nb = 3\n"}
    assert [codes(result.warnings) for result in made.results] == [[], []]


def test_a_file_made_twice_is_as_the_later_block_has_it() -> None:
    blocks = [edit("a", "", "def f():\n    return 1\n\nf()\n"), edit("a", "", "def f():\n    return 2\n")]
    made = planned({}, *blocks)
    assert [change.after for change in made.changes] == ["def f():\n    return 2\n"]
    assert codes(made.results[0].warnings) == [Code.OVERWRITTEN]


def test_what_other_programs_run_is_named() -> None:
    package = '{"scripts": {"test": "jest"}, "private": true}\n'
    files = {"Makefile": "all:\n", "package.json": package, "web/package.json": package, "src/run.py": "all:\n"}
    edits = [
        Block("diff", Kind.EDIT, "Makefile", "all:\n", "all: a\n"),
        Block("diff", Kind.EDIT, "package.json", package, package.replace("jest", "jest --ci")),
        Block("diff", Kind.EDIT, "web/package.json", package, package.replace("true", "false")),
        Block("diff", Kind.EDIT, "src/run.py", "all:\n", "all: a\n"),
        Block("diff", Kind.CREATE, ".github/workflows/ci.yml", "", "on: push\n"),
    ]
    noted = plan(Parsed(tuple(edits)), Snapshot.of(files)).diagnostics
    assert {said.path for said in noted} == {"Makefile", "package.json", ".github/workflows/ci.yml"}
    assert {(said.code, said.severity) for said in noted} == {(Code.RUN_BY_OTHERS, Severity.NOTE)}
