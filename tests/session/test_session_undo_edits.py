"""One edit taken back: the others stay, later changes stay, and what cannot be done is refused whole."""

from __future__ import annotations

import codecs
import stat
import threading
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.model.codes import Occurrence, OnFailure, Tier
from dovetail.model.errors import DovetailError, JournalError
from dovetail.model.markers import Markers
from dovetail.model.policy import Policy
from dovetail.session.apply.applying import commit, prepare
from dovetail.session.apply.operations import UndoResult, log, redo, undo
from dovetail.session.apply.undo_edits import undo_edits
from dovetail.session.settings import DEFAULT_REPLY_OPTIONS, ReplyOptions
from dovetail.workspace import OperationState


def block(path: str, search: str, replace: str) -> str:
    return f"{path}\n```\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n```\n\n"


LINES = "".join(f"line {n}\n" for n in range(1, 21))
THREE = (
    block("a.txt", "line 3\n", "LINE 3\n")
    + block("a.txt", "line 10\n", "line 10\nline 10 and a half\n")
    + block("a.txt", "line 18\n", "")
)
FILES = block("new.txt", "", "new\n") + block("a.txt", "line 3\n", "LINE 3\n")
CHAIN = block("a.txt", "line 3\n", "LINE 3\n") + block("a.txt", "LINE 3\n", "Line three\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(LINES.encode())
    return tmp_path


def applied(root: Path, reply: str, policy: Policy | None = None) -> str:
    prepared = prepare(root, reply, ReplyOptions(policy) if policy is not None else DEFAULT_REPLY_OPTIONS)
    with prepared.workspace:
        operation = commit(prepared).operation
    assert operation is not None
    return operation.id


def text(root: Path) -> str:
    return (root / "a.txt").read_bytes().decode()


def without(*edits: int) -> str:
    """The text with all of THREE but `edits`."""
    made = LINES
    if 1 not in edits:
        made = made.replace("line 3\n", "LINE 3\n")
    if 2 not in edits:
        made = made.replace("line 10\n", "line 10\nline 10 and a half\n")
    return made if 3 in edits else made.replace("line 18\n", "")


@pytest.mark.parametrize("edits", [e for size in (1, 2, 3) for e in combinations((1, 2, 3), size)])
def test_the_others_stay(root: Path, edits: tuple[int, ...]) -> None:
    name = applied(root, THREE)
    done = undo_edits(root, name, edits, DEFAULT_REPLY_OPTIONS)
    assert text(root) == without(*edits)
    assert (done.operation.undoes, done.operation.edits) == (name, edits)


def test_one_after_the_other_and_back_again(root: Path) -> None:
    applied(root, THREE)
    undo_edits(root, None, [2], DEFAULT_REPLY_OPTIONS)
    undo_edits(root, None, [1], DEFAULT_REPLY_OPTIONS)
    assert text(root) == without(1, 2)
    redo(root)
    assert text(root) == without(2)


def test_undo_passes_over_what_was_taken_back_edit_by_edit(root: Path) -> None:
    first = applied(root, block("a.txt", "line 1\n", "LINE 1\n"))
    applied(root, THREE)
    for edit in (1, 2, 3):
        undo_edits(root, None, [edit], DEFAULT_REPLY_OPTIONS)
    assert undo(root, dry_run=True).operation.id == first
    assert undo(root).operation.undoes == first
    assert text(root) == LINES
    with pytest.raises(JournalError, match="nothing to undo"):
        undo(root)


def test_undos_at_once_take_back_one_operation_each(root: Path) -> None:
    for n in range(1, 7):
        applied(root, block("a.txt", f"line {n}\n", f"LINE {n}\n"))
    taken: list[str | None] = []
    undos = [threading.Thread(target=lambda: taken.append(undo(root).operation.undoes)) for _ in range(6)]
    for one in undos:
        one.start()
    for one in undos:
        one.join()
    assert (len(set(taken)), text(root)) == (6, LINES)


def test_a_file_that_has_nothing_left_to_take_back_is_none_of_the_undo_s(root: Path) -> None:
    applied(root, FILES)
    undo_edits(root, None, [2], DEFAULT_REPLY_OPTIONS)
    mine = (root / "a.txt").read_bytes().replace(b"line 9\n", b"line nine\n")
    (root / "a.txt").write_bytes(mine)
    done = undo(root, None)
    assert (done.operation.paths, [change.path for change in done.changes]) == (("new.txt",), ["new.txt"])
    assert (root / "a.txt").read_bytes() == mine


def test_what_was_changed_since_stays(root: Path) -> None:
    applied(root, THREE)
    (root / "a.txt").write_text(text(root).replace("line 7\n", "mine\n"))
    undo_edits(root, None, [1], DEFAULT_REPLY_OPTIONS)
    assert text(root) == without(1).replace("line 7\n", "mine\n")


def test_a_clash_is_refused_whole(root: Path) -> None:
    applied(root, THREE)
    (root / "a.txt").write_text(now := text(root).replace("LINE 3\n", "mine\n"))
    with pytest.raises(JournalError, match="line 3"):
        undo_edits(root, None, [1, 2], DEFAULT_REPLY_OPTIONS)
    assert text(root) == now


def test_a_file_that_the_edit_made_is_removed(root: Path) -> None:
    applied(root, FILES)
    undo_edits(root, None, [1], DEFAULT_REPLY_OPTIONS)
    assert not (root / "new.txt").exists()
    assert text(root) == without(2, 3)


def test_a_file_that_the_edit_made_and_that_was_changed_is_not_removed(root: Path) -> None:
    applied(root, FILES)
    (root / "new.txt").write_text("mine\n")
    with pytest.raises(JournalError, match=r"new\.txt"):
        undo_edits(root, None, [1], DEFAULT_REPLY_OPTIONS)
    assert (root / "new.txt").read_text() == "mine\n"


DELETING = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n"
MOVING = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-line 3\n+LINE 3\n*** End Patch\n"


@pytest.mark.parametrize("reply", [DELETING, MOVING])
@pytest.mark.parametrize("data", [b"mine \xff\xfe\0", b"caf\xe9\n", b"mine\n"])
def test_a_file_that_stands_where_the_edit_removed_one_is_not_overwritten(root: Path, reply: str, data: bytes) -> None:
    applied(root, reply + block("new.txt", "", "new\n"))
    (root / "a.txt").write_bytes(data)
    for act in (lambda: undo_edits(root, None, [1], DEFAULT_REPLY_OPTIONS), lambda: undo(root)):
        with pytest.raises(JournalError, match=r"a\.txt. was edited since"):
            act()
    assert (root / "a.txt").read_bytes() == data


def test_why_a_file_cannot_be_looked_at_is_said(root: Path) -> None:
    (root / "dir").mkdir()
    (root / "dir/c.txt").write_text("1\n")
    applied(root, block("dir/c.txt", "1\n", "2\n"))
    (root / "dir/c.txt").unlink()
    (root / "dir").rmdir()
    (root / "dir").symlink_to(root.parent)
    with pytest.raises(DovetailError, match="leaves the root"):
        undo_edits(root, None, [1], DEFAULT_REPLY_OPTIONS)


def test_an_empty_id_names_no_operation(root: Path) -> None:
    applied(root, THREE)
    for act in (lambda: undo(root, ""), lambda: undo_edits(root, "", [1], DEFAULT_REPLY_OPTIONS)):
        with pytest.raises(JournalError, match="no operation"):
            act()
    assert text(root) == without()


def test_an_edit_that_another_stands_on_is_not_taken_from_under_it(root: Path) -> None:
    applied(root, CHAIN)
    with pytest.raises(JournalError) as caught:
        undo_edits(root, None, [1], DEFAULT_REPLY_OPTIONS)
    assert "Edit 2 depends on" in caught.value.message
    assert "--edit 2" in (caught.value.hint or "")
    undo_edits(root, None, [1, 2], DEFAULT_REPLY_OPTIONS)
    assert text(root) == LINES


OTHER_WORDS = Markers(search_words=("FIND",), replace_words=("PUT",), fences=(("%%%", "%%%"),))
TERMS = {
    "other markers": (ReplyOptions(markers=OTHER_WORDS), lambda reply: reply.replace("SEARCH", "FIND").replace("REPLACE", "PUT").replace("```", "%%%")),
    "the first of several": (ReplyOptions(Policy(occurrence=Occurrence.FIRST)), lambda reply: reply.replace("line 10\n", "same\n")),
    "fewer tiers": (ReplyOptions(Policy(tiers=(Tier.EXACT,))), lambda reply: reply),
}  # fmt: skip


@pytest.mark.parametrize(("then", "said"), TERMS.values(), ids=TERMS.keys())
@pytest.mark.parametrize("now", [DEFAULT_REPLY_OPTIONS, ReplyOptions(Policy(tiers=(Tier.FUZZY,)))])
def test_it_is_planned_as_it_was_whatever_the_settings_are_by_now(
    root: Path, then: ReplyOptions, now: ReplyOptions, said: Callable[[str], str]
) -> None:
    copies = then.policy.occurrence is Occurrence.FIRST
    before = LINES.replace("line 10\n", "same\n") + "same\n" if copies else LINES
    (root / "a.txt").write_text(before)
    prepared = prepare(root, said(THREE), then)
    with prepared.workspace:
        assert commit(prepared).operation is not None
    for edit in (2, 1, 3):
        undo_edits(root, None, [edit], now)
    assert text(root) == before


def test_it_is_taken_back_once(root: Path) -> None:
    applied(root, THREE)
    undo_edits(root, None, [1], DEFAULT_REPLY_OPTIONS)
    with pytest.raises(JournalError, match="nothing left"):
        undo_edits(root, None, [1], DEFAULT_REPLY_OPTIONS)


def test_a_number_that_was_not_applied_is_said(root: Path) -> None:
    policy = Policy(on_failure=OnFailure.BLOCK)
    applied(root, THREE + block("a.txt", "nowhere at all\n", "x\n"), policy)
    for number in (4, 5):
        with pytest.raises(JournalError, match=f"no edit {number}"):
            undo_edits(root, None, [number], DEFAULT_REPLY_OPTIONS)
    assert text(root) == without()


def test_asking_first_writes_nothing(root: Path) -> None:
    applied(root, THREE)
    would = undo_edits(root, None, [1], DEFAULT_REPLY_OPTIONS, dry_run=True)
    assert [change.after for change in would.changes] == [without(1)]
    assert text(root) == without()
    assert len(log(root).operations) == 1


def test_asking_first_about_a_whole_undo_tells_what_it_would_do(root: Path) -> None:
    applied(root, FILES)
    (root / "a.txt").write_text(text(root).replace("line 7\n", "mine\n"))
    would = undo(root, dry_run=True)
    assert {change.path: change.after for change in would.changes} == {
        "a.txt": LINES.replace("line 7\n", "mine\n"),
        "new.txt": None,
    }
    undo(root)
    assert text(root) == LINES.replace("line 7\n", "mine\n")


def _patch(*sections: str) -> str:
    return "*** Begin Patch\n" + "".join(sections) + "*** End Patch\n"


ON_THE_WAY = {
    "moved": MOVING + "*** Begin Patch\n*** Update File: b.txt\n*** Move to: c.txt\n*** End Patch\n",
    "made": block("b.txt", "", "new\n")
    + "*** Begin Patch\n*** Update File: b.txt\n*** Move to: c.txt\n*** End Patch\n",
}


@pytest.mark.parametrize("reply", ON_THE_WAY.values(), ids=ON_THE_WAY)
def test_a_file_is_not_lost_at_a_path_that_it_only_passed(root: Path, reply: str) -> None:
    """The operation keeps no version of such a path; what would stand there is taken back whole or not at all."""
    operation = applied(root, reply)
    there = {path.name: path.read_bytes() for path in root.glob("*.txt")}
    with pytest.raises(JournalError, match=r"a file would stay at `b\.txt`"):
        undo_edits(root, operation, [2], DEFAULT_REPLY_OPTIONS)
    assert {path.name: path.read_bytes() for path in root.glob("*.txt")} == there
    undo(root, operation)
    assert {path.name: path.read_bytes() for path in root.glob("*.txt")} == {"a.txt": LINES.encode()}


RENAMED = _patch("*** Update File: a.txt\n*** Move to: b.txt\n@@\n line 2\n-line 3\n+LINE 3\n line 4\n")
SINCE: dict[str, tuple[str, Callable[[Path], object]]] = {
    "nothing": (THREE, lambda root: None),
    "a rename": (RENAMED, lambda root: None),
    "another line": (THREE, lambda root: (root / "a.txt").write_text("first\n" + text(root))),
    "the same line": (THREE, lambda root: (root / "a.txt").write_text(text(root).replace("LINE 3\n", "mine\n"))),
    "a mark of byte order": (THREE, lambda root: (root / "a.txt").write_bytes(b"\xef\xbb\xbf" + text(root).encode())),
    "bytes that are no text": (THREE, lambda root: (root / "a.txt").write_bytes(b"\0\xff")),
    "the file is gone": (FILES, lambda root: (root / "a.txt").unlink()),
    "the file is read-only": (THREE, lambda root: (root / "a.txt").chmod(0o444)),
    "the file is back already": (FILES, lambda root: (root / "a.txt").write_text(LINES)),
}


def _answer(act: Callable[[], UndoResult]) -> object:
    try:
        return act().changes
    except DovetailError as error:
        return str(error), error.hint


@pytest.mark.parametrize("edits", [(), (1,)], ids=["whole", "one edit"])
@pytest.mark.parametrize("name", SINCE)
def test_asking_first_is_answered_as_the_act_is(root: Path, name: str, edits: tuple[int, ...]) -> None:
    def take_back(*, dry_run: bool = False) -> UndoResult:
        if edits:
            return undo_edits(root, None, edits, DEFAULT_REPLY_OPTIONS, dry_run=dry_run)
        return undo(root, dry_run=dry_run)

    reply, change = SINCE[name]
    applied(root, reply)
    change(root)
    files = {path.name: path.read_bytes() for path in root.iterdir() if path.is_file()}
    would = _answer(lambda: take_back(dry_run=True))
    assert {path.name: path.read_bytes() for path in root.iterdir() if path.is_file()} == files
    assert _answer(take_back) == would
    would_again = _answer(lambda: redo(root, dry_run=True))
    assert _answer(lambda: redo(root)) == would_again


def patch(*sections: str) -> str:
    return "\n".join(["*** Begin Patch", *sections, "*** End Patch\n"])


MOVES = {
    "over another": ["*** Delete File: b", "*** Update File: a\n*** Move to: b"],
    "over another, and edited": ["*** Delete File: b", "*** Update File: a\n*** Move to: b\n@@\n-one\n+ONE"],
    "into each other's place": [
        f"*** Update File: {old}\n*** Move to: {new}" for old, new in (("a", "c"), ("b", "a"), ("c", "b"))
    ],
}


@pytest.mark.parametrize("name", MOVES)
@pytest.mark.parametrize("other", [b"one\n", b"two\n"], ids=["equal", "different"])
def test_a_file_that_another_took_the_name_of_is_itself_again(tmp_path: Path, name: str, other: bytes) -> None:
    def standing() -> dict[str, tuple[bytes, int]]:
        files = [path for path in tmp_path.iterdir() if path.is_file()]
        return {path.name: (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) for path in files}

    for path, data, mode in (("a", codecs.BOM_UTF8 + b"one\n", 0o755), ("b", other, 0o640)):
        (tmp_path / path).write_bytes(data)
        (tmp_path / path).chmod(mode)
    before = standing()
    applied(tmp_path, patch(*MOVES[name]))
    after = standing()
    undo_edits(tmp_path, None, range(1, len(MOVES[name]) + 1), DEFAULT_REPLY_OPTIONS)
    assert standing() == before
    redo(tmp_path)
    assert standing() == after


def test_a_file_comes_back_in_its_encoding_with_an_edit_that_stands(root: Path) -> None:
    (root / "a.txt").write_bytes("one\n".encode("utf-16"))
    applied(root, patch("*** Update File: a.txt\n@@\n-one\n+ONE", "*** Delete File: a.txt"))
    undo_edits(root, None, [2], DEFAULT_REPLY_OPTIONS)
    assert (root / "a.txt").read_bytes() == "ONE\n".encode("utf-16")


@settings(max_examples=12, deadline=None)
@given(
    chosen=st.sets(st.integers(1, 20), min_size=2, max_size=6),
    end=st.sampled_from(["\n", "\r\n"]),
    closed=st.booleans(),
    data=st.data(),
)
def test_taking_edits_back_one_by_one_comes_to_the_first_bytes(
    tmp_path_factory: pytest.TempPathFactory, chosen: set[int], end: str, closed: bool, data: st.DataObject
) -> None:
    root = tmp_path_factory.mktemp("root")
    before = (LINES if closed else LINES.rstrip("\n")).replace("\n", end).encode()
    (root / "a.txt").write_bytes(before)
    applied(root, "".join(block("a.txt", f"line {n}\n", f"changed {n}\n") for n in sorted(chosen)))
    for number in data.draw(st.permutations(range(1, len(chosen) + 1))):
        undo_edits(root, None, [number], DEFAULT_REPLY_OPTIONS)
    assert (root / "a.txt").read_bytes() == before


def test_an_edit_is_not_taken_back_twice_even_where_another_made_it_again(root: Path) -> None:
    name = applied(root, FILES)
    undo_edits(root, name, [1], DEFAULT_REPLY_OPTIONS)
    (root / "new.txt").write_text("new\n")
    with pytest.raises(JournalError, match="nothing left of edit 1"):
        undo_edits(root, name, [1], DEFAULT_REPLY_OPTIONS)
    done = undo_edits(root, name, [1, 2], DEFAULT_REPLY_OPTIONS)
    assert (done.edits, done.operation.edits) == ((2,), (2,))
    assert (text(root), (root / "new.txt").read_text()) == (LINES, "new\n")
    redo(root)
    (root / "new.txt").unlink()
    redo(root)
    undo_edits(root, name, [1], DEFAULT_REPLY_OPTIONS)
    assert not (root / "new.txt").exists()


ABC = "a\nb\nc\n"
CLOSE: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "neighbours": (ABC, [("a\n", "A\n"), ("b\n", "B\n"), ("c\n", "C\n")]),
    "two insertions at one point": (ABC, [("a\n", "a\n1\n"), ("a\n", "a\n2\n")]),
    "one on the other": (ABC, [("a\n", "A\n"), ("A\n", "AA\n")]),
    "one in the other's lines": (ABC, [("a\n", "A\nz = 1\n"), ("z = 1\n", "z = 2\n")]),
    "all that there is": ("a\n", [("a\n", "A\n"), ("A\n", "AA\n")]),
}


def _close(root: Path, name: str) -> str:
    before, edits = CLOSE[name]
    (root / "a.txt").write_text(before)
    applied(root, "".join(block("a.txt", search, put) for search, put in edits))
    return before


@pytest.mark.parametrize("name", CLOSE)
def test_what_is_left_behind_single_edits_is_taken_back_whole_and_brought_again(root: Path, name: str) -> None:
    before = _close(root, name)
    seen = [text(root)]
    for number in range(len(CLOSE[name][1]), 1, -1):
        undo_edits(root, None, [number], DEFAULT_REPLY_OPTIONS)
        seen.append(text(root))
    assert undo(root, dry_run=True).changes[0].after == before
    undo(root)
    assert text(root) == before
    for earlier in reversed(seen):
        redo(root)
        assert text(root) == earlier
    undo(root)
    assert text(root) == before


@pytest.mark.parametrize("name", CLOSE)
def test_single_edits_go_one_after_the_other_from_the_last(root: Path, name: str) -> None:
    before = _close(root, name)
    numbers = range(len(CLOSE[name][1]), 0, -1)
    for number in numbers:
        undo_edits(root, None, [number], DEFAULT_REPLY_OPTIONS)
    assert text(root) == before
    for _ in numbers:
        redo(root)
    undo_edits(root, None, [2], DEFAULT_REPLY_OPTIONS)
    assert undo_edits(root, None, list(numbers), DEFAULT_REPLY_OPTIONS).edits == tuple(n for n in numbers if n != 2)
    assert text(root) == before


def test_what_was_changed_between_single_edits_stays_and_the_rest_is_taken_back(root: Path) -> None:
    applied(root, THREE)
    (root / "a.txt").write_text(text(root).replace("line 7\n", "mine\n"))
    undo_edits(root, None, [2], DEFAULT_REPLY_OPTIONS)
    (root / "a.txt").write_text("first\n" + text(root))
    undo(root)
    assert text(root) == "first\n" + LINES.replace("line 7\n", "mine\n")


def test_lines_that_somebody_changed_are_still_refused_behind_a_single_edit(root: Path) -> None:
    _close(root, "neighbours")
    undo_edits(root, None, [2], DEFAULT_REPLY_OPTIONS)
    (root / "a.txt").write_text("mine\nb\nC\n")
    with pytest.raises(JournalError, match="line 1"):
        undo(root)
    assert text(root) == "mine\nb\nC\n"


def test_an_edit_that_was_brought_again_and_taken_back_by_that_name_counts_as_taken_back(root: Path) -> None:
    _close(root, "neighbours")
    undo_edits(root, None, [2], DEFAULT_REPLY_OPTIONS)
    undo(root, redo(root).operation.id)
    assert text(root) == "A\nb\nC\n"
    with pytest.raises(JournalError, match="nothing left of edit 2"):
        undo_edits(root, None, [2], DEFAULT_REPLY_OPTIONS)
    undo(root)
    assert text(root) == ABC


@settings(max_examples=20, deadline=None)
@given(acts=st.lists(st.integers(0, 4), max_size=7))
def test_undo_behind_any_single_undos_and_redos_comes_to_the_first_bytes(
    tmp_path_factory: pytest.TempPathFactory, acts: list[int]
) -> None:
    root = tmp_path_factory.mktemp("root")
    before = "a\r\nb\r\nc"
    (root / "a.txt").write_bytes(before.encode())
    name = applied(root, "".join(block("a.txt", f"{x}\n", f"{x.upper()}\n{x}{x}\n") for x in "abc"))
    for act in acts:
        try:
            if act in (0, 4):
                redo(root) if act == 0 else undo(root, name)
            else:
                undo_edits(root, name, [act], DEFAULT_REPLY_OPTIONS)
        except JournalError as error:
            assert "since" not in error.message
    if log(root).operations[-1].state is OperationState.DONE:
        undo(root, name)
    assert (root / "a.txt").read_bytes().decode() == before


def test_an_edit_is_taken_back_beside_one_that_was_accepted_against_a_guard(root: Path) -> None:
    reply = block("a.txt", "line 3\n", "line\\nthree\n") + block("a.txt", "line 9\n", "LINE 9\n")
    applied(root, reply, Policy(accept=["written-line-ends"], min_confidence="high", new_errors="refuse"))
    undo_edits(root, None, (2,), DEFAULT_REPLY_OPTIONS)
    assert text(root) == LINES.replace("line 3\n", "line\\nthree\n")


def test_a_listing_below_a_sentence_is_taken_back(root: Path) -> None:
    listing = f"Here is the updated `a.txt`:\n\n```\n{LINES.replace('line 3', 'LINE 3')}```\n"
    operation = applied(root, listing)
    assert text(root) == LINES.replace("line 3\n", "LINE 3\n")
    undo_edits(root, operation, [1], DEFAULT_REPLY_OPTIONS)
    assert text(root) == LINES
