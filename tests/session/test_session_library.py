"""The public library: its names, how little it costs to import, and its calls on texts and on folders."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import dovetail
from dovetail.errors import UsageError

NAMES = [
    "Applied",
    "Block",
    "BlockResult",
    "Code",
    "Diagnostic",
    "DovetailError",
    "FileChange",
    "Kind",
    "Markers",
    "Occurrence",
    "OnFailure",
    "Parsed",
    "Plan",
    "Policy",
    "Preview",
    "Snapshot",
    "Status",
    "Stream",
    "Tier",
    "Workspace",
    "apply",
    "apply_async",
    "check",
    "errors",
    "events",
    "make_plan",
    "make_plan_async",
    "parse",
    "preview",
    "redo",
    "render",
    "retry_message",
    "rewards",
    "schema",
    "tools",
    "undo",
    "undo_to",
]

BEFORE = "def f():\n    return 1\n"
REPLY = "app.py\n```python\n<<<<<<< SEARCH\n    return 1\n=======\n    return 2\n>>>>>>> REPLACE\n```\n"
MISS = REPLY.replace("return 1", "return some_other_thing_altogether(1, 2, 3)")


def test_the_public_names_are_these() -> None:
    assert sorted(dovetail.__all__) == NAMES
    assert all(getattr(dovetail, name) is not None for name in NAMES)
    assert set(dir(dovetail)) == {*NAMES, "__version__"}


def test_the_stub_names_the_same() -> None:
    stub = Path(dovetail.__file__).with_suffix(".pyi").read_text()
    assert sorted(name for name in NAMES if f'"{name}"' in stub) == NAMES


def test_every_error_is_one_of_the_tree_and_can_be_caught_by_name() -> None:
    errors = dovetail.errors
    tree = [getattr(errors, name) for name in errors.__all__]
    assert all(issubclass(one, dovetail.DovetailError) for one in tree)
    assert errors.UsageError in tree
    assert errors.__doc__ is not None
    assert all(name in errors.__doc__ for name in errors.__all__)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: dovetail.apply(b"x", {}), "type bytes"),  # type: ignore[arg-type]
        (lambda: dovetail.apply(None, {}), "type NoneType"),  # type: ignore[arg-type]
        (lambda: dovetail.apply(dovetail.parse(REPLY), {}), "type Parsed"),  # type: ignore[arg-type]
        (lambda: dovetail.make_plan(b"x", {}), "type bytes"),  # type: ignore[arg-type]
        (lambda: dovetail.make_plan(["x"], {}), "One of the blocks is of the type str"),  # type: ignore[list-item]
        (lambda: dovetail.apply(REPLY, {}, "block"), "policy is of the type str"),  # type: ignore[arg-type]
        (lambda: dovetail.apply(REPLY, "nowhere", "block"), "policy is of the type str"),  # type: ignore[arg-type]
        (lambda: dovetail.apply(REPLY, {Path("app.py"): BEFORE}), "PosixPath"),  # type: ignore[dict-item]
        (lambda: dovetail.apply(REPLY, {"app.py": b"x"}), "'app.py' is of the type bytes"),  # type: ignore[dict-item]
        (lambda: dovetail.apply(REPLY, {}, seen={"app.py": None}), "`seen` has for 'app.py'"),  # type: ignore[dict-item]
        (lambda: dovetail.apply(REPLY, None), "`files` is of the type NoneType"),  # type: ignore[arg-type]
        (lambda: dovetail.make_plan(REPLY, "folder"), "`files` is of the type str"),  # type: ignore[arg-type]
        (lambda: dovetail.apply(REPLY, {}, markers="x"), "markers are of the type str"),  # type: ignore[arg-type]
        (lambda: dovetail.parse(5), "reply is of the type int"),  # type: ignore[arg-type]
        (lambda: dovetail.parse(b"x"), "reply is of the type bytes"),  # type: ignore[arg-type]
        (lambda: dovetail.parse(None), "reply is of the type NoneType"),  # type: ignore[arg-type]
        (lambda: dovetail.parse(REPLY, markers="x"), "markers are of the type str"),  # type: ignore[arg-type]
        (lambda: dovetail.check(5), "reply is of the type int"),  # type: ignore[arg-type]
        (lambda: dovetail.check(b"x"), "reply is of the type bytes"),  # type: ignore[arg-type]
        (lambda: dovetail.check(REPLY, markers=5), "markers are of the type int"),  # type: ignore[arg-type]
        (lambda: dovetail.Stream().feed(5), "piece is of the type int"),  # type: ignore[arg-type]
        (lambda: dovetail.Stream().feed(None), "piece is of the type NoneType"),  # type: ignore[arg-type]
        (lambda: dovetail.Stream(markers="x"), "markers are of the type str"),  # type: ignore[arg-type]
        (lambda: dovetail.Stream().feed(b"\xff"), "no UTF-8 at byte 0"),
        (lambda: dovetail.retry_message(5), "results are of the type int"),  # type: ignore[arg-type]
        (lambda: dovetail.retry_message([5]), "results is of the type int"),  # type: ignore[list-item]
        (lambda: dovetail.retry_message(dovetail.make_plan(MISS, {})), "type Plan"),  # type: ignore[arg-type]
        (lambda: dovetail.retry_message([], markers="x"), "markers are of the type str"),  # type: ignore[arg-type]
        (lambda: dovetail.render(5, "diff"), "blocks are of the type int"),  # type: ignore[arg-type]
        (lambda: dovetail.render(REPLY, "diff"), "blocks is of the type str"),  # type: ignore[arg-type]
        (lambda: dovetail.render(dovetail.parse(REPLY), "diff"), "type Parsed"),  # type: ignore[arg-type]
        (lambda: dovetail.render([], "diff", fence=5), "5 is no fence"),  # type: ignore[arg-type]
        (lambda: dovetail.render([], "diff", markers="x"), "markers are of the type str"),  # type: ignore[arg-type]
        (lambda: dovetail.make_plan(REPLY, dovetail.Snapshot.of({}), seen={}), "`seen` is given, too"),
        (lambda: dovetail.undo(".", 5), "`operation` is of the type int"),  # type: ignore[arg-type]
        (lambda: dovetail.undo(None), "`root` is of the type NoneType"),  # type: ignore[arg-type]
        (lambda: dovetail.undo(""), "`root` is an empty text"),
        (lambda: dovetail.apply(REPLY, ""), "`files` is an empty text"),
        (lambda: dovetail.apply(REPLY, "/tmp/\0x"), "`files` is no path"),  # noqa: S108 - there is none such
        (lambda: dovetail.apply(REPLY, "\ud800"), "`files` is no path"),
        (lambda: dovetail.apply(REPLY, b"x"), "`files` is of the type bytes"),  # type: ignore[arg-type]
        (lambda: dovetail.Policy(only=[Path("a")]), "`only` is of the type PosixPath"),  # type: ignore[list-item]
        (lambda: dovetail.Policy(only=[3]), "`only` is of the type int"),  # type: ignore[list-item]
        (lambda: dovetail.Policy(only=b"a"), "`only` is of the type int"),  # type: ignore[arg-type]
        (lambda: dovetail.Policy(tiers=[[]]), "[] is no value of the policy's `tiers`"),  # type: ignore[list-item]
        (lambda: dovetail.Workspace.open(None), "`root` is of the type NoneType"),  # type: ignore[arg-type]
        (lambda: dovetail.Workspace.open(b"x"), "`root` is of the type bytes"),  # type: ignore[arg-type]
        (lambda: dovetail.Workspace.open(""), "`root` is an empty text"),
    ],
)
def test_a_value_of_the_wrong_kind_is_said_at_the_door(call: Callable[[], object], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        call()
    assert said in caught.value.message
    assert caught.value.hint


Call = Callable[[dovetail.Workspace], object]
EMPTY = dovetail.Snapshot.of({})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda ws: ws.snapshot(None), "paths are of the type NoneType"),
        (lambda ws: ws.snapshot("app.py"), "paths are of the type str"),
        (lambda ws: ws.snapshot([Path("app.py")]), "paths is of the type PosixPath"),
        (lambda ws: ws.snapshot([], seen={"app.py": None}), "`seen` has for 'app.py'"),
        (lambda ws: ws.commit(None, None), "changes are of the type NoneType"),
        (lambda ws: ws.commit(["app.py"], EMPTY), "changes is of the type str"),
        (lambda ws: ws.commit([], None), "snapshot is of the type NoneType"),
        (lambda ws: ws.commit([], EMPTY), "nothing to write"),
        (lambda ws: ws.commit([], EMPTY, reply=None), "reply is of the type NoneType"),
        (lambda ws: ws.commit([dovetail.FileChange("a", None, "x")], EMPTY, results=[3]), "results is of the type int"),
        (lambda ws: ws.check_commit(None, EMPTY), "changes are of the type NoneType"),
        (lambda ws: ws.check_commit([], None), "snapshot is of the type NoneType"),
        (lambda ws: ws.undo(3), "`operation` is of the type int"),
        (lambda ws: ws.show(None), "`operation` is of the type NoneType"),
        (lambda ws: ws.show(3), "`operation` is of the type int"),
    ],
)
def test_a_workspace_says_so_too(tmp_path: Path, call: Call, said: str) -> None:
    with dovetail.Workspace.open(tmp_path) as workspace, pytest.raises(UsageError) as caught:
        call(workspace)
    assert said in caught.value.message
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "call",
    [
        lambda ws: ws.tree(),
        lambda ws: ws.snapshot(["app.py"]),
        lambda ws: ws.commit([dovetail.FileChange("a", None, "x")], EMPTY),
        lambda ws: ws.check_commit([dovetail.FileChange("a", None, "x")], EMPTY),
        lambda ws: ws.undo(),
        lambda ws: ws.redo(),
        lambda ws: ws.log(),
        lambda ws: ws.show("x"),
    ],
)
@pytest.mark.parametrize("descriptors", [True, False])
def test_a_workspace_that_is_closed_says_so(tmp_path: Path, call: Call, descriptors: bool) -> None:
    workspace = dovetail.Workspace.open(tmp_path, descriptors=descriptors)
    workspace.close()
    workspace.close()
    with pytest.raises(UsageError, match="is closed"):
        call(workspace)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = dovetail.nonsense  # type: ignore[attr-defined]


def test_importing_the_package_loads_no_room() -> None:
    code = "import sys, dovetail; print([name for name in sys.modules if name.startswith('dovetail.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_applying_to_texts_gives_new_texts_and_leaves_the_old() -> None:
    files = {"app.py": BEFORE}
    applied = dovetail.apply(REPLY, files)
    assert (applied.ok, applied.files, applied.operation) == (True, {"app.py": "def f():\n    return 2\n"}, None)
    assert (applied.retry, applied.failed) == (None, ())
    assert files == {"app.py": BEFORE}


def test_a_miss_is_a_value_with_a_message_for_the_model() -> None:
    applied = dovetail.apply(MISS, {"app.py": BEFORE})
    assert (applied.ok, applied.files) == (False, {})
    assert applied.failed[0].status is dovetail.Status.FAILED
    assert applied.retry is not None
    assert applied.retry.startswith("Your edit could not be applied.\n\n### Edit 1, app.py\n")


def test_a_reply_without_an_edit_is_not_ok() -> None:
    assert dovetail.apply("only talk", {"app.py": BEFORE}).ok is False
    assert dovetail.apply(f"<think>\n{REPLY}</think>\nDone.\n", {"app.py": BEFORE}).ok is False


def test_an_edit_that_was_dropped_for_the_file_s_own_lines_is_not_ok() -> None:
    policy = dovetail.Policy(conflicts="ours")
    applied = dovetail.apply(REPLY, {"app.py": BEFORE.replace("1", "3")}, policy, seen={"app.py": BEFORE})
    assert (applied.plan.results[0].code, applied.files, applied.ok) == (dovetail.Code.STALE, {}, False)


def test_what_can_be_gone_through_once_is_enough() -> None:
    results = dovetail.make_plan(MISS, {"app.py": BEFORE}).results
    assert dovetail.retry_message(iter(results)) == dovetail.retry_message(results)
    blocks = dovetail.parse(REPLY).blocks
    assert dovetail.render(iter(blocks), "diff") == dovetail.render(blocks, "diff") != ""


def test_applying_to_a_folder_writes_and_can_be_undone(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(BEFORE)
    applied = dovetail.apply(REPLY, tmp_path)
    assert applied.operation is not None
    assert (tmp_path / "app.py").read_text() == applied.files["app.py"]
    assert dovetail.undo(tmp_path, applied.operation) == ("app.py",)
    assert (tmp_path / "app.py").read_text() == BEFORE


def test_a_policy_is_a_value() -> None:
    files = {"app.py": BEFORE}
    policy = dovetail.Policy(on_failure=dovetail.OnFailure.BLOCK)
    assert dovetail.apply(REPLY + MISS, files).files == {}
    assert dovetail.apply(REPLY + MISS, files, policy).files == {"app.py": "def f():\n    return 2\n"}


def test_a_stream_and_a_plan_come_to_the_same() -> None:
    stream = dovetail.Stream()
    for sign in REPLY:
        stream.feed(sign)
    stream.close()
    plan = dovetail.make_plan(stream.parsed, {"app.py": BEFORE})
    assert plan == dovetail.make_plan(REPLY, {"app.py": BEFORE})
    assert plan == dovetail.make_plan(dovetail.parse(REPLY), dovetail.Snapshot.of({"app.py": BEFORE}))


def test_what_the_model_saw_is_merged_with_what_is_there_now() -> None:
    now = "import os\n\n\n" + BEFORE
    applied = dovetail.apply(REPLY, {"app.py": now}, seen={"app.py": BEFORE})
    assert applied.files == {"app.py": now.replace("1", "2")}


def test_a_format_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(dovetail.DovetailError) as caught:
        dovetail.apply(REPLY, {}, format="nonsense")
    assert caught.value.code == "usage"


def test_paths_that_no_root_allows_are_refused_in_memory_too() -> None:
    applied = dovetail.apply("../up.txt\n```\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n```\n", {})
    assert applied.files == {}
    assert applied.failed[0].code is dovetail.Code.OUTSIDE_ROOT


KEYS = [
    "/home/project/src/app.py",
    "./src/app.py",
    "src//app.py",
    "src\\app.py",
    "C:\\work\\src\\app.py",
    "~/src/app.py",
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("named", ["src/app.py", None])
def test_files_come_back_by_the_paths_that_were_given(key: str, named: str | None) -> None:
    reply = REPLY.replace("app.py", named or key)
    applied = dovetail.apply(reply, {key: BEFORE, "b.py": "x\n"})
    assert applied.files == {key: BEFORE.replace("1", "2")}
    assert applied.plan.results[0].path == key
    assert applied.plan.files_modified == (key,)


def test_a_listing_replaces_a_file_that_was_given_from_the_disk_s_root() -> None:
    path = "/home/project/app.py"
    assert dovetail.apply(f"{path}\n```\nx = 1\n```\n", {path: BEFORE}).files == {path: "x = 1\n"}
    assert dovetail.apply(f"/etc{path}\n```\nx = 1\n```\n", {path: BEFORE}).files == {}


def test_what_the_model_saw_and_what_is_asked_for_may_be_spelled_so_too() -> None:
    path = "./app.py"
    policy = dovetail.Policy(only=(path,))
    (result,) = dovetail.apply(REPLY, {path: BEFORE + "y = 1\n"}, policy, seen={path: BEFORE}).plan.results
    assert result.status is dovetail.Status.FITS


def test_two_spellings_of_one_path_are_refused() -> None:
    with pytest.raises(dovetail.DovetailError, match="the same file"):
        dovetail.apply(REPLY, {"app.py": BEFORE, "./app.py": BEFORE})


@pytest.mark.parametrize("files", [["app.py"], ("app.py",), b"src", None])
def test_what_is_neither_texts_nor_a_folder_is_told_both(files: object) -> None:
    with pytest.raises(UsageError) as refused:
        dovetail.apply("Nothing.", files)  # type: ignore[arg-type]
    assert refused.value.hint is not None
    assert '{"app.py": text}' in refused.value.hint
    assert "folder" in refused.value.hint


def test_a_reply_that_is_read_in_part_is_not_ok() -> None:
    edit = "a.py\n```\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n"
    reply = f"{edit}Then run:\n```sh\nsed -i s/x/y/ a.py\n```\n"
    files = {"a.py": "x = 1\n"}
    held = dovetail.apply(reply, files)
    assert (held.ok, held.files, [r.code for r in held.plan.unread]) == (False, {}, ["unread"])
    assert "a.py" in (held.retry or "")
    partly = dovetail.apply(reply, files, dovetail.Policy(partial=True))
    assert (partly.ok, partly.files) == (False, {"a.py": "x = 2\n"})


def test_a_listing_that_is_not_read_holds_no_edit_back() -> None:
    edit = "a.py\n```\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n"
    listing = "In `a.py` add:\n```python\ny = x\n```\n"
    made = dovetail.apply(edit + listing, {"a.py": "x = 1\n"})
    assert (made.ok, made.files, [r.code for r in made.plan.unread]) == (True, {"a.py": "x = 2\n"}, ["unread"])
    assert made.retry is None
    alone = dovetail.apply(listing, {"a.py": "x = 1\n"})
    assert (alone.ok, alone.files) == (False, {})
    assert "a.py" in (alone.retry or "")


def test_a_preview_writes_nothing_and_then_what_it_showed(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(BEFORE)
    shown = dovetail.preview(REPLY, tmp_path)
    assert (tmp_path / "app.py").read_text() == BEFORE
    assert shown.plan.files_modified == ("app.py",)
    assert shown.retry is None
    applied = shown.write()
    assert (tmp_path / "app.py").read_text() == BEFORE.replace("1", "2")
    assert applied.plan == shown.plan.as_written
    assert dovetail.undo(tmp_path, applied.operation) == ("app.py",)
    assert dovetail.redo(tmp_path) == ("app.py",)
    assert (tmp_path / "app.py").read_text() == BEFORE.replace("1", "2")


def test_a_preview_writes_nothing_over_a_file_that_changed_since(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(BEFORE)
    shown = dovetail.preview(REPLY, tmp_path)
    (tmp_path / "app.py").write_text(BEFORE + "# mine\n")
    with pytest.raises(dovetail.errors.ChangedError):
        shown.write()
    assert (tmp_path / "app.py").read_text() == BEFORE + "# mine\n"


def test_undo_to_takes_back_every_later_apply(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(BEFORE)
    first = dovetail.apply(REPLY, tmp_path).operation
    assert first is not None
    for old, new in (("2", "3"), ("3", "4")):
        dovetail.apply(REPLY.replace("return 2", f"return {new}").replace("return 1", f"return {old}"), tmp_path)
    assert (tmp_path / "app.py").read_text() == BEFORE.replace("1", "4")
    assert dovetail.undo_to(tmp_path, first) == ("app.py",)
    assert (tmp_path / "app.py").read_text() == BEFORE.replace("1", "2")


def test_values_are_shown_in_a_line() -> None:
    plan = dovetail.make_plan(REPLY + MISS, {"app.py": BEFORE}, dovetail.Policy(on_failure="block"))
    assert repr(plan) == "<Plan 1 fits, 1 failed; files: app.py>"
    assert repr(plan.results[0]) == "<BlockResult 1 fits exact app.py:2-2>"
    assert repr(plan.results[0].block) == "<Block diff edit app.py, line 3 of the reply>"
    assert repr(plan.changes[0]) == "<FileChange app.py modified>"


def test_checking_a_reply_without_an_edit_is_not_ok() -> None:
    assert not dovetail.check("no edits").ok
    assert dovetail.check(REPLY).ok
