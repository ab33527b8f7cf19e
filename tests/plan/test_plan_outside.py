"""Absolute paths: those of this project, of one beside it, and of another machine."""

from __future__ import annotations

import pytest

from dovetail.formats import parse
from dovetail.model.codes import Code
from dovetail.model.results import Plan
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan

TEXT = "port = 80\nhost = 1\n"
EDIT = "<<<<<<< SEARCH\nport = 80\n=======\nport = 81\n>>>>>>> REPLACE\n"
WHOLE = "```\nport = 81\nhost = 1\n```\n"
EDITED = "port = 81\nhost = 1\n"


def made(path: str, body: str, root: str, file: str = "src/app.py") -> Plan:
    """The plan of one block under an absolute path, for a folder with one file."""
    return plan(parse(f"{path}\n{body}").relative_to(root), Snapshot.of({file: TEXT}))


BESIDE = [
    ("/home/ann/blog/src/app.py", "/home/ann/shop"),
    ("/home/ann/shop-old/src/app.py", "/home/ann/shop"),
    ("/home/ann/trees/shop/src/app.py", "/home/ann/shop"),
    ("/home/ann/src/app.py", "/home/ann/shop"),
    ("/home/bob/work/src/app.py", "/home/ann/shop"),
    ("/etc/src/app.py", "/home/ann/shop"),
    ("~/blog/src/app.py", "/home/ann/shop"),
    ("$HOME/blog/src/app.py", "/home/ann/shop"),
    ("file:///home/ann/blog/src/app.py", "/home/ann/shop"),
    (r"C:\sites\blog\src\app.py", "C:/sites/shop"),
    ("c:/Sites/blog/src/app.py", "C:/sites/shop"),
]


@pytest.mark.parametrize("body", [EDIT, WHOLE], ids=["edit", "whole text"])
@pytest.mark.parametrize(("path", "root"), BESIDE)
def test_a_namesake_in_another_project_is_not_this_projects_file(path: str, root: str, body: str) -> None:
    done = made(path, body, root)
    assert (done.changes, done.results[0].code) == ((), Code.OUTSIDE_ROOT)


ELSEWHERE = [
    ("/workspace/src/app.py", "/home/ann/shop"),
    ("/app/src/app.py", "/home/ann/shop"),
    ("/home/user/shop/src/app.py", "/home/ann/shop"),
    ("/mnt/data/shop/src/app.py", "/home/ann/shop"),
    ("~/shop/src/app.py", "/srv/shop"),
]


@pytest.mark.parametrize("body", [EDIT, WHOLE], ids=["edit", "whole text"])
@pytest.mark.parametrize(("path", "root"), ELSEWHERE)
def test_the_same_project_on_another_machine_is_this_one_with_a_warning(path: str, root: str, body: str) -> None:
    done = made(path, body, root)
    assert [(change.path, change.after) for change in done.changes] == [("src/app.py", EDITED)]
    (warning,) = (note for note in done.results[0].warnings if note.code is Code.PATH_GUESSED)
    assert warning.message == f"`{path}` is an absolute path; taken to be `src/app.py`, the file that it ends with."


@pytest.mark.parametrize("path", ["/workspace/lib/app.py", "/srv/deep/lib/src/app.py", "/workspace/src/new.py"])
def test_a_whole_text_takes_no_file_that_only_its_name_suggests(path: str) -> None:
    done = made(path, WHOLE, "/home/ann/shop")
    assert (done.changes, done.results[0].code) == ((), Code.OUTSIDE_ROOT)


@pytest.mark.parametrize("path", ["/home/ann/shop/src/app.py", "file:///home/ann/shop/./src/app.py"])
def test_a_path_under_the_root_is_named_from_there_without_a_word(path: str) -> None:
    (result,) = made(path, EDIT, "/home/ann/shop").results
    assert (result.path, result.code, result.warnings) == ("src/app.py", None, ())
