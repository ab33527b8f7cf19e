"""Laws of deciding on a turn: in whatever order and in whatever parts, the same bytes; taken back, the earlier ones."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_parts import block

from dovetail.session.apply import operations
from dovetail.session.settings import DEFAULT_SETTINGS
from dovetail.web import decisions, journal
from dovetail.web.page_session import PageSession
from dovetail.web.requests import RequestError
from dovetail.web.server import ServeOptions, make_session
from dovetail.web.turns import EditState, TurnState

LINES = [f"line {n} of the file\n" for n in range(12)]
EDITS = [0, 3, 4, 7, 11]
REPLY = "".join(block("a.txt", LINES[n], f"changed {n}\nand more\n") for n in EDITS) + block("b/new.txt", "", "new\n")
ALL = range(1, len(EDITS) + 2)


def session_over(root: Path) -> PageSession:
    return make_session(ServeOptions(root), DEFAULT_SETTINGS, {})


def bytes_of(root: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(root)): file.read_bytes()
        for file in sorted(root.rglob("*"))
        if file.is_file() and ".dovetail" not in file.parts
    }


def wanted(end: str) -> bytes:
    texts = [f"changed {n}\nand more\n" if n in EDITS else line for n, line in enumerate(LINES)]
    return "".join(texts).replace("\n", end).encode()


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(list(ALL)), cuts=st.sets(st.integers(1, 5)), end=st.sampled_from(["\n", "\r\n"]))
def test_parts_in_any_order_are_the_whole_and_go_back_the_same_way(order: list[int], cuts: set[int], end: str) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "a.txt").write_bytes("".join(LINES).replace("\n", end).encode())
        before = bytes_of(root)
        session = session_over(root)
        turn = decisions.paste(session, REPLY, "auto")
        parts = [order[start:stop] for start, stop in zip([0, *sorted(cuts)], [*sorted(cuts), len(order)], strict=True)]
        stations = []
        for part in parts:
            stations.append(bytes_of(root))
            assert decisions.apply(session, turn, turn.version, part, None)["edits"] == sorted(part)
        assert turn.state is TurnState.DONE
        assert bytes_of(root) == {"a.txt": wanted(end), "b/new.txt": b"new\n"}
        for station in reversed(stations):
            journal.undo(session, None, (), dry_run=False)
            assert bytes_of(root) == station
        assert bytes_of(root) == before
        assert {edit.state for edit in turn.edits.values()} == {EditState.FITS}


@settings(max_examples=15, deadline=None)
@given(taken=st.sets(st.sampled_from(list(ALL)), min_size=1))
def test_edits_that_were_taken_back_can_be_applied_again(taken: set[int]) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "a.txt").write_text("".join(LINES))
        session = session_over(root)
        turn = decisions.paste(session, REPLY, "auto")
        decisions.apply(session, turn, turn.version, None, None)
        after = bytes_of(root)
        journal.undo(session, None, sorted(taken), dry_run=False)
        assert {n for n, edit in turn.edits.items() if edit.state is EditState.FITS} == taken
        decisions.apply(session, turn, turn.version, None, None)
        assert bytes_of(root) == after


MALFORMED = "a.txt\n```\n<<<<<<< SEARCH\nline 3 of the file\n"


@pytest.mark.parametrize(
    ("reply", "path", "search", "replacement", "after"),
    [
        (MALFORMED, "a.txt", LINES[3], "mended\n", "mended\n"),
        (block(None, "nothing like it\n", "x\n"), "a.txt", LINES[3], "mended\n", "mended\n"),
        (block("a.txt", LINES[2], "x\n"), "a.txt", LINES[3], "mended", "mended\n"),
        (block("a.txt", LINES[3], "x\n"), "a.txt", LINES[3], "", ""),
        (block("gone.txt", LINES[3], "x\n"), "a.txt", LINES[3].rstrip(), "<<<<<<< SEARCH\n", "<<<<<<< SEARCH\n"),
    ],
)
def test_an_edit_changed_by_hand_lands_and_is_taken_back_alone(
    tmp_path: Path, reply: str, path: str, search: str, replacement: str, after: str
) -> None:
    root = tmp_path / "r"
    root.mkdir()
    (root / "a.txt").write_text("".join(LINES))
    before = bytes_of(root)
    session = session_over(root)
    turn = decisions.paste(session, reply + "\n", "auto")
    told = decisions.change(session, turn, 1, (path, search, replacement))
    assert told["edit"]["state"] == "fits", told["edit"]["result"]
    decisions.apply(session, turn, turn.version, None, None)
    assert (root / "a.txt").read_text() == "".join(LINES).replace(LINES[3], after)
    written = turn.edits[1].written
    assert written is not None
    journal.undo(session, written[0], [written[1]], dry_run=False)
    assert bytes_of(root) == before


def test_an_edit_that_was_applied_cannot_be_changed_any_more(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(LINES))
    session = session_over(tmp_path)
    turn = decisions.paste(session, REPLY, "auto")
    decisions.apply(session, turn, turn.version, [1], None)
    with pytest.raises(RequestError, match="written already"):
        decisions.change(session, turn, 1, ("a.txt", "x\n", "y\n"))


def test_old_turns_are_forgotten_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("".join(LINES))
    monkeypatch.setattr("dovetail.web.page_session.MOST_EDITS", 2 * len(ALL))
    session = session_over(tmp_path)
    for _ in range(4):
        decisions.paste(session, REPLY, "auto")
    assert list(session.turns) == ["t2", "t3", "t4"]
    assert [event.data for event in session.log.after(0) or () if event.name == "forgotten"] == ['{"turns":["t1"]}']


def test_of_many_turns_those_still_to_be_decided_on_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("".join(LINES))
    monkeypatch.setattr("dovetail.web.page_session.MOST_TURNS", 2)
    session = session_over(tmp_path)
    for _ in range(2):
        decisions.paste(session, REPLY, "auto")
    decisions.decline(session, session.turns["t2"])
    for _ in range(2):
        decisions.paste(session, REPLY, "auto")
    assert list(session.turns) == ["t1", "t3", "t4"]


def test_a_write_plans_the_other_turns_of_its_files_again(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(LINES))
    (tmp_path / "c.txt").write_text("other\n")
    session = session_over(tmp_path)
    first, second = (decisions.paste(session, REPLY, "auto") for _ in range(2))
    other = decisions.paste(session, block("c.txt", "other\n", "else\n"), "auto")
    decisions.apply(session, first, first.version, None, None)
    assert {edit.state for edit in second.edits.values()} == {EditState.STANDS_ALREADY}
    assert (second.state, second.version, other.version) == (TurnState.DONE, 2, 1)


def test_an_undo_from_a_terminal_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(LINES))
    session = session_over(tmp_path)
    turn = decisions.paste(session, REPLY, "auto")
    decisions.apply(session, turn, turn.version, None, None)
    operations.undo(tmp_path)
    decisions.look_again(session, turn)
    assert {edit.state for edit in turn.edits.values()} == {EditState.FITS}
    operations.redo(tmp_path)
    decisions.look_again(session, turn)
    assert {edit.state for edit in turn.edits.values()} == {EditState.WRITTEN}
