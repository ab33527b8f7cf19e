"""Preparing, choosing and committing, without any face."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from pathlib import Path

import pytest

from dovetail.cli.inputs import find_location
from dovetail.model.codes import Code, OnFailure, Status
from dovetail.model.errors import ChangedError, UsageError
from dovetail.model.policy import Policy
from dovetail.session.apply import operations
from dovetail.session.apply.applying import GitChoice, Prepared, commit, prepare, with_on_failure, with_only, with_place
from dovetail.session.apply.undo_edits import undo_edits
from dovetail.session.settings import ReplyOptions
from dovetail.workspace import Workspace


def block(path: str, search: str, replace: str) -> str:
    return f"{path}\n```\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n```\n\n"


REPLY = block("a.txt", "one\n", "ONE\n") + block("a.txt", "two\n", "TWO\n") + block("b.txt", "", "new\n")
MISS = block("a.txt", "something else entirely\n", "x\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    return tmp_path


def statuses(prepared: Prepared) -> list[Status]:
    return [result.status for result in prepared.plan.results]


def test_what_was_prepared_is_what_is_written(root: Path) -> None:
    prepared = prepare(root, REPLY)
    shown = {change.path: change.after for change in prepared.plan.changes}
    assert not (root / ".dovetail").exists()
    assert commit(prepared).operation is not None
    assert {path: (root / path).read_text() for path in shown} == shown


def test_absolute_paths_under_the_root_are_paths_from_there(root: Path) -> None:
    prepared = prepare(root, block(f"{root}/a.txt", "one\n", "ONE\n") + block(f"{root}/new/b.txt", "", "new\n"))
    assert {change.path: change.after for change in prepared.plan.changes} == {
        "a.txt": "ONE\ntwo\nthree\n",
        "new/b.txt": "new\n",
    }
    assert all(result.warnings == () for result in prepared.plan.results)


def test_leaving_an_edit_out_plans_again_without_it(root: Path) -> None:
    chosen = with_only(prepare(root, REPLY), {1, 3})
    assert statuses(chosen) == [Status.FITS, Status.LEFT_OUT, Status.FITS]
    assert chosen.plan.results[1].code is Code.NOT_SELECTED
    assert [result.n for result in chosen.plan.results] == [1, 2, 3]
    commit(chosen)
    assert (root / "a.txt").read_text() == "ONE\ntwo\nthree\n"


def test_choices_add_up(root: Path) -> None:
    prepared = with_only(with_only(prepare(root, REPLY), {1, 2}), {1})
    assert statuses(prepared) == [Status.FITS, Status.LEFT_OUT, Status.LEFT_OUT]


@pytest.mark.parametrize(
    "other",
    [
        block("a.txt", "one\ntwo\n", "un\ndeux\n"),  # of the same lines
        block("a.txt", "one\n", "ONE\n"),  # the same edit
        block("a.txt", "one\ntwo\n", "ONE\ntwo\n"),  # what it makes in other words
    ],
)
@pytest.mark.parametrize("on_failure", list(OnFailure))
def test_nothing_comes_in_the_place_of_an_edit_that_is_left_out(root: Path, other: str, on_failure: OnFailure) -> None:
    terms = ReplyOptions(Policy(on_failure=on_failure))
    prepared = with_only(prepare(root, REPLY + other, terms), {3})
    for chosen in (prepared, with_on_failure(prepared, OnFailure.BLOCK)):
        assert {change.path for change in chosen.plan.changes} <= {"b.txt"}
        assert Status.FITS not in [status for n, status in enumerate(statuses(chosen), 1) if n != 3]


def test_the_same_edit_once_more_goes_with_the_one_that_is_chosen_or_left_out(root: Path) -> None:
    prepared = prepare(root, REPLY + block("a.txt", "one\n", "ONE\n") * 3)
    assert statuses(with_only(prepared, {1, 3}))[3:] == [Status.STANDS_ALREADY] * 3
    left_out = with_only(prepared, {3})
    assert statuses(left_out)[3:] == [Status.LEFT_OUT] * 3
    assert left_out.plan.files_modified == ("b.txt",)


def test_an_edit_that_failed_beside_another_may_be_chosen_in_its_place(root: Path) -> None:
    prepared = prepare(root, REPLY + block("a.txt", "one\ntwo\n", "un\ndeux\n"))
    assert statuses(prepared)[3] is Status.FAILED
    commit(with_only(prepared, {3, 4}))
    assert (root / "a.txt").read_text() == "un\ndeux\nthree\n"


def test_what_a_failure_means_can_be_chosen_after_the_fact(root: Path) -> None:
    prepared = prepare(root, REPLY + MISS)
    assert prepared.plan.changes == ()
    assert len(with_on_failure(prepared, OnFailure.BLOCK).plan.changes) == 2


def test_a_place_settles_an_ambiguity(root: Path) -> None:
    (root / "a.txt").write_text("x\ny\nx\n")
    prepared = prepare(root, block("a.txt", "x\n", "z\n"))
    assert [result.places for result in prepared.ambiguous] == [(1, 3)]
    commit(with_place(prepared, 1, 3))
    assert (root / "a.txt").read_text() == "x\ny\nz\n"


HINTS_APART = """\
```diff
--- a/a.txt
+++ b/a.txt
@@ -2,1 +2,1 @@ B:
-  x
+  z
```
"""
AT_BOTH_ENDS = "a.txt\n<<<<<<< EDIT\n-------\n  x\n=======\n  z\n-------\n>>>>>>>\n"


@pytest.mark.parametrize(
    ("reply", "before"), [(HINTS_APART, "A:\n  x\nB:\n  x\nC:\n  x\n"), (AT_BOTH_ENDS, "  x\nB:\n  x\n")]
)
def test_a_chosen_place_counts_more_than_what_the_reply_says_of_it(root: Path, reply: str, before: str) -> None:
    (root / "a.txt").write_text(before)
    prepared = prepare(root, reply)
    places = prepared.ambiguous[0].places
    for line in places:
        assert [(r.status, r.start) for r in with_place(prepared, 1, line).plan.results] == [(Status.FITS, line)]
    operation = commit(with_place(prepared, 1, places[0])).operation
    assert operation is not None
    undo_edits(root, operation.id, [1], ReplyOptions())
    assert (root / "a.txt").read_text() == before


@pytest.mark.parametrize("n", [-1, 0, 4])
def test_an_edit_that_the_reply_does_not_have_cannot_be_chosen(root: Path, n: int) -> None:
    prepared = prepare(root, REPLY)
    with prepared.workspace:
        for choose in (lambda: with_place(prepared, n, 1), lambda: with_only(prepared, {1, n})):
            with pytest.raises(UsageError, match=f"no edit {n}"):
                choose()


def test_what_others_wrote_meanwhile_is_merged_if_asked(root: Path) -> None:
    prepared = prepare(root, REPLY)
    others = (root / "a.txt").read_text() + "theirs\n"
    (root / "a.txt").write_text(others)
    committed = commit(prepared, merge=True)
    assert (root / "a.txt").read_text().endswith("theirs\n")
    assert committed.plan is not prepared.plan
    assert committed.operation is not None
    operations.undo(root, committed.operation.id)
    assert (root / "a.txt").read_text() == others


def test_an_edit_that_does_not_fit_any_more_says_so_and_writes_nothing(root: Path) -> None:
    prepared = prepare(root, REPLY)
    (root / "a.txt").write_text("nothing of it\n")
    with pytest.raises(ChangedError, match="edit 1 does not fit any more"):
        commit(prepared, merge=True)
    assert (root / "a.txt").read_text() == "nothing of it\n"
    assert not (root / "b.txt").exists()


def test_a_file_that_changed_after_the_plan_is_noticed(root: Path) -> None:
    prepared = prepare(root, REPLY)
    (root / "a.txt").write_text("one\ntwo\nmine\n")
    with pytest.raises(ChangedError):
        commit(prepared)
    assert (root / "a.txt").read_text() == "one\ntwo\nmine\n"
    assert not (root / "b.txt").exists()


def test_git_is_refused_before_anything_is_written(root: Path) -> None:
    prepared = prepare(root, REPLY)
    with pytest.raises(UsageError, match="no git work tree"):
        commit(prepared, GitChoice(add=True))
    assert not (root / "b.txt").exists()


def test_a_reply_that_moves_a_file_to_where_it_deletes_one_is_applied_once(root: Path) -> None:
    (root / "b.txt").write_text("old\n")
    reply = "*** Delete File: b.txt\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-one\n+ONE\n"
    reply = f"*** Begin Patch\n{reply}*** End Patch\n"
    commit(prepare(root, reply))
    again = prepare(root, reply)
    assert statuses(again) == [Status.STANDS_ALREADY] * 2
    assert not again.plan.changes
    assert (root / "b.txt").read_text() == "ONE\ntwo\nthree\n"


def test_what_is_said_about_the_journal_is_said_once(root: Path) -> None:
    (root / ".dovetail").mkdir()
    (root / ".dovetail/log").write_text("no log at all\n")
    with Workspace.open(root) as workspace:
        for text, said in (("one\n", [Code.JOURNAL_UNREADABLE]), ("two\n", [])):
            prepared = prepare(root, block(f"{text.strip()}.txt", "", text))
            prepared.workspace.close()
            done = commit(dataclasses.replace(prepared, workspace=workspace))
            assert [finding.code for finding in done.findings] == said


def test_nothing_to_write_is_no_operation(root: Path) -> None:
    assert commit(prepare(root, "only talk")).operation is None


def test_a_draft_is_no_edit(root: Path) -> None:
    assert prepare(root, f"<think>\n{REPLY}</think>\nDone.\n").parsed.has_edits is False


CHAIN = block("a.txt", "one\n", "ONE\n") + block("a.txt", "ONE\ntwo\n", "both\n")
DELETION = block("a.txt", "two\n", "")
DOUBLING = block("a.txt", "two\n", "two\ntwo\n")
APPENDING = block("a.txt", "", "four\n") + block("a.txt", "four\n", "five\n")
SWAP = block("a.txt", "one\n", "-\n") + block("a.txt", "two\n", "one\n") + block("a.txt", "-\n", "two\n")


@pytest.mark.parametrize(
    "reply",
    [REPLY, CHAIN, DELETION, DELETION + REPLY.replace("two\n", "three\n", 1), DOUBLING, APPENDING, SWAP],
)
def test_applied_twice_changes_nothing(root: Path, reply: str) -> None:
    commit(prepare(root, reply))
    after = (root / "a.txt").read_bytes()
    again = prepare(root, reply)
    assert statuses(again) == [Status.STANDS_ALREADY] * len(again.plan.results)
    assert commit(again).operation is None
    assert (root / "a.txt").read_bytes() == after


def test_what_is_left_out_by_choice_is_no_edit_of_the_second_run(root: Path) -> None:
    commit(prepare(root, REPLY))
    again = prepare(root, REPLY, ReplyOptions(policy=Policy(only=("b.txt",))))
    assert [result.code for result in again.plan.results[:2]] == [Code.NOT_SELECTED] * 2
    assert again.plan.results[2].status is Status.STANDS_ALREADY


def test_an_edit_whose_file_was_changed_since_is_still_a_miss(root: Path) -> None:
    reply = block("a.txt", "one\n", "ONE\n")
    commit(prepare(root, reply))
    (root / "a.txt").write_text("something\nthree\n")
    assert statuses(prepare(root, reply)) == [Status.FAILED]


def test_a_place_knows_folder_and_root(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "sub").mkdir()
    place = find_location(tmp_path / "sub")
    assert (place.folder, place.root) == ((tmp_path / "sub").resolve(), tmp_path.resolve())
    assert place.in_root("x/../y.txt") == "sub/y.txt"
    assert place.in_root("../z.txt") == "z.txt"
    with pytest.raises(UsageError, match="outside the root"):
        place.in_root("../../z.txt")
    assert find_location(tmp_path, Path("sub")).root == (tmp_path / "sub").resolve()
    with pytest.raises(UsageError):
        find_location(tmp_path / "none")


def test_a_path_may_enter_the_root_through_a_link(tmp_path: Path) -> None:
    """A home that is a link: the shell writes out the path as it was typed, and the root is where it leads."""
    root = tmp_path / "disk" / "project"
    (root / "sub").mkdir(parents=True)
    (root / "inside").symlink_to("sub")
    (tmp_path / "home").symlink_to("disk")
    (tmp_path / "short").symlink_to(root / "sub")
    (tmp_path / "other").mkdir()
    place = find_location(tmp_path / "home" / "project")
    for path, name in (
        ("home/project/new.txt", "new.txt"),
        ("home/project/inside/a", "inside/a"),
        ("short/b", "sub/b"),
    ):
        assert place.in_root(str(tmp_path / path)) == name
    for path in ("home/other", "home", "other/c", "nowhere/d", "short\0"):
        with pytest.raises(UsageError, match="outside the root"):
            place.in_root(str(tmp_path / path))


def test_the_policy_of_the_settings_counts(root: Path) -> None:
    prepared = prepare(root, REPLY + MISS, ReplyOptions(Policy(on_failure=OnFailure.BLOCK)))
    assert len(prepared.landed) == 3


NEW_FILE = "### File: lid/deep/new.txt\n<<<<<<< NEW_FILE\nnew\n>>>>>>> NEW_FILE\n"
MOVED = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: lid/deep/new.txt\n*** End Patch\n"


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("git", [False, True])
@pytest.mark.parametrize("reply", [block("lid/deep/new.txt", "", "new\n"), NEW_FILE, MOVED])
def test_a_file_is_made_below_a_link_to_a_folder_that_stays_inside(
    root: Path, reply: str, git: bool, absolute: bool
) -> None:
    (root / "in").mkdir()
    (root / "lid").symlink_to(root / "in" if absolute else "in")
    if git:
        subprocess.run(["git", "init", "-q", root], check=True)
    committed = commit(prepare(root, reply))
    assert committed.operation is not None
    assert (root / "lid").is_symlink()
    assert (root / "in/deep/new.txt").read_text() in ("new\n", "one\ntwo\nthree\n")
    operations.undo(root)
    assert list((root / "in").iterdir()) == []
    assert (root / "a.txt").read_text() == "one\ntwo\nthree\n"


@pytest.mark.parametrize("reply", [block("lid/new.txt", "", "new\n"), block("lid/deep/new.txt", "", "new\n")])
@pytest.mark.parametrize("target", ["../out", "{out}", "nowhere", "a.txt", "lid", ".git", "in/up"])
def test_nothing_is_made_below_a_link_that_leaves_or_leads_to_no_folder(
    tmp_path: Path, reply: str, target: str
) -> None:
    root, out = tmp_path / "root", tmp_path / "out"
    for folder in (root / "in", root / ".git", out):
        folder.mkdir(parents=True)
    (root / "a.txt").write_text("one\n")
    (root / "in/up").symlink_to("../../out")
    (root / "lid").symlink_to(target.format(out=out))
    prepared = prepare(root, reply)
    assert [(r.status, r.code) for r in prepared.plan.results] == [(Status.FAILED, Code.OUTSIDE_ROOT)]
    assert list(out.iterdir()) == list((root / ".git").iterdir()) == []


def test_a_file_is_no_folder_and_one_made_by_the_reply_is_none_either(root: Path) -> None:
    (root / "in").mkdir()
    (root / "lid").symlink_to("in")
    for reply in (block("a.txt/new.txt", "", "new\n"), block("lid/b", "", "b\n") + block("lid/b/c", "", "c\n")):
        assert prepare(root, reply).plan.results[-1].status is Status.FAILED


def test_a_hard_link_out_of_the_root_is_told_of(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    for name in ("inside.txt", "outside.txt", "plain.txt"):
        (root / name).write_text("one\n")
    (root / "twin.txt").hardlink_to(root / "inside.txt")
    (tmp_path / "elsewhere.txt").hardlink_to(root / "outside.txt")
    edits = [
        {"path": name, "old_string": "one", "new_string": "two"} for name in ("inside.txt", "outside.txt", "plain.txt")
    ]
    prepared = prepare(root, "\n".join(map(json.dumps, edits)))
    with prepared.workspace:
        assert [(said.code, said.path) for said in prepared.plan.diagnostics] == [("outside-root", "outside.txt")]
