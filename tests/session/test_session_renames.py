"""Renames as people are shown them."""

from __future__ import annotations

import pytest

from dovetail.model.results import FileChange
from dovetail.session.apply.diff import with_renames_joined

OLD = FileChange("a", "one\n", None)
NEW = FileChange("b", None, "two\n", source="a")
OTHER = FileChange("c", "x\n", "y\n")


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ((OLD, NEW, OTHER), (FileChange("b", "one\n", "two\n", "a"), OTHER)),
        ((OLD, OTHER), (OLD, OTHER)),
        ((), ()),
        ((FileChange("a", "one\n", "new\n"), NEW), (FileChange("a", "one\n", "new\n"), NEW)),
        ((OLD, FileChange("b", "gone\n", "two\n", "a")), (OLD, FileChange("b", "gone\n", "two\n", "a"))),
    ],
    ids=["joined", "deleted", "nothing", "the old name is used again", "the new name was another file's"],
)
def test_a_rename_is_one_change(changes: tuple[FileChange, ...], shown: tuple[FileChange, ...]) -> None:
    assert with_renames_joined(changes) == shown
