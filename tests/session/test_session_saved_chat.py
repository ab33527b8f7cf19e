"""A conversation's transcript while it is written: what stands when it cannot be, and what is kept nevertheless."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from loop_parts import GOOD, KIOSK, MENDED, Scene, Somebody, lay, scene

from dovetail.model.codes import OnFailure
from dovetail.model.errors import LockedError, WorkspaceError
from dovetail.session.apply import operations
from dovetail.session.conversation.chat_files import ChatFiles
from dovetail.session.conversation.chat_record import begin, read
from dovetail.session.conversation.chat_state import Options
from dovetail.session.conversation.conversation import UNDONE
from dovetail.session.conversation.participants import Approval
from dovetail.session.conversation.recording import Replay, replay
from dovetail.session.conversation.saved_chat import Participants, SavedChat, read_back, resume_chat
from dovetail.session.conversation.turn_events import EditsWritten, Outdated, PlanReady, TurnEvent

DEARER = KIOSK.replace("PRICE = 4", "PRICE = 5")


@contextmanager
def kept(root: Path, person: Somebody, *script: str) -> Iterator[tuple[SavedChat, Scene]]:
    with scene(root, *script, person=person) as at:
        chat = SavedChat.begin(at.conversation.workspace, Participants(at.conversation.model, person), Options("tiny"))
        chat.add("kiosk.py")
        with closing(chat):
            yield chat, at


def played(root: Path, file: Path) -> Replay:
    """What a replay comes to."""
    events = replay(root, read(file), Options("replay"))
    while True:
        try:
            next(events)
        except StopIteration as ended:
            done: Replay = ended.value
            return done


@dataclass
class Blocking(Somebody):
    """Puts a file in the place of the transcripts' folder, just before the edits are written."""

    folder: Path | None = None

    def writing(self) -> AbstractContextManager[object]:
        assert self.folder is not None
        shutil.rmtree(self.folder)
        self.folder.write_text("in the way\n")
        return super().writing()


def test_what_was_written_is_told_where_it_cannot_be_noted(tmp_path: Path) -> None:
    with kept(tmp_path, Blocking(folder=tmp_path / ".dovetail" / "chats"), GOOD) as (chat, at):
        told: list[TurnEvent] = []
        with pytest.raises(WorkspaceError):
            told.extend(chat.ask("Dearer."))
        assert at.read("kiosk.py") == DEARER
    assert isinstance(told[-1], EditsWritten)
    assert told[-1].committed.operation == operations.log(tmp_path).operations[0]


def test_a_turn_whose_files_changed_before_they_were_written_is_replayed(tmp_path: Path) -> None:
    one, two = tmp_path / "one", lay(tmp_path / "two")
    person = Somebody(approves=Approval(frozenset({1, 2}), OnFailure.BLOCK))
    with kept(one, person, GOOD + MENDED) as (chat, at):
        for event in chat.ask("Dearer."):
            if isinstance(event, PlanReady) and len(person.shown) == 0:
                (one / "kiosk.py").write_text(KIOSK + "# mine\n")
            if isinstance(event, Outdated):
                person.approves = Approval(frozenset({2}), OnFailure.BLOCK)
        assert at.read("kiosk.py") == KIOSK.replace("Hello", "Good day") + "# mine\n"
        kinds = [record["kind"] for record in read(chat.record.file)]
        done = played(two, chat.record.file)
    assert kinds[-7:] == ["approved", "outdated", "approved", "written", "heard", "held", "end"]
    assert (two / "kiosk.py").read_text() == KIOSK.replace("Hello", "Good day")
    assert done.differences == ("`kiosk.py` came out differently.",)  # it lacks what was saved in between


def test_a_turn_that_was_left_after_its_files_changed_is_replayed_as_left(tmp_path: Path) -> None:
    one, two = tmp_path / "one", lay(tmp_path / "two")
    with kept(one, Somebody(), GOOD) as (chat, at):
        for event in chat.ask("Dearer."):
            if isinstance(event, PlanReady):
                (one / "kiosk.py").write_text("other\n")
        assert at.read("kiosk.py") == "other\n"
        done = played(two, chat.record.file)
    assert (done.turns, done.differences, (two / "kiosk.py").read_text()) == (1, (), KIOSK)


def test_an_undo_and_a_redo_are_played_again_and_a_redo_of_another_undo_is_not(tmp_path: Path) -> None:
    one, two = tmp_path / "one", lay(tmp_path / "two")
    with kept(one, Somebody(), GOOD) as (chat, at):
        list(chat.ask("Dearer."))
        written = chat.operations[0]
        chat.note_undo("undo", written, operations.undo(one))
        again = operations.redo(one)
        chat.note_undo("redo", written, again)
        chat.note_undo("redo", written, again)
        assert at.read("kiosk.py") == DEARER
        done = played(two, chat.record.file)
    assert done.differences == (
        f"Operation {written} was done again then; this replay did not take it back, and did nothing.",
    )
    assert (two / "kiosk.py").read_text() == DEARER


def test_what_was_taken_back_is_known_where_it_cannot_be_noted(tmp_path: Path) -> None:
    with kept(tmp_path, Somebody(), GOOD, "Fine.") as (chat, at):
        list(chat.ask("Dearer."))
        person = Blocking(folder=chat.record.file.parent)
        with person.writing():
            done = operations.undo(tmp_path, chat.operations[0])
        assert (at.read("kiosk.py"), done.operation.undoes) == (KIOSK, chat.operations[0])
        with pytest.raises(WorkspaceError):
            chat.note_undo("undo", done.operation.undoes, done)
        assert chat.in_force() == ()
        person.folder.unlink()
        list(chat.ask("And now?"))
        assert [message.content for message in chat.conversation.history][2] == f"{UNDONE}\n\nAnd now?"


def test_a_folder_that_was_removed_is_made_again(tmp_path: Path) -> None:
    with kept(tmp_path, Somebody(), "Fine.", GOOD) as (chat, at):
        list(chat.ask("Hello."))
        shutil.rmtree(tmp_path / ".dovetail")
        chat.add("ferry.txt")
        list(chat.ask("Dearer."))
        assert at.read("kiosk.py") == DEARER
        kinds = [record["kind"] for record in read(chat.record.file)]
    assert kinds == ["chat", "held", "turn", "reply", "approved", "written", "heard", "held", "end"]
    assert chat.record.file.stat().st_mode & 0o077 == 0
    assert [message.content for message in read_back(chat.record).history] == ["Dearer.", GOOD]


def test_a_transcript_that_was_removed_or_emptied_begins_anew(tmp_path: Path) -> None:
    with kept(tmp_path, Somebody()) as (chat, _):
        chat.record.file.unlink()
        chat.add("ferry.txt")
        chat.record.file.write_bytes(b'{"kin')
        chat.drop("ferry.txt")
        assert [record["kind"] for record in read(chat.record.file)] == ["chat", "held"]


def test_what_cannot_be_noted_is_not_changed(tmp_path: Path) -> None:
    with kept(tmp_path, Somebody()) as (chat, _):
        folder, before = chat.record.file.parent, chat.conversation.options
        with Blocking(folder=folder).writing():
            for change in (
                lambda: chat.add("ferry.txt"),
                lambda: chat.drop("kiosk.py"),
                lambda: chat.ask_with(Options("other")),
            ):
                with pytest.raises(WorkspaceError) as refused:
                    change()
                assert str(folder) in refused.value.message
                assert refused.value.hint
        assert chat.conversation.files == ChatFiles(("kiosk.py",))
        assert chat.conversation.options is before


def test_one_session_at_a_time_has_a_conversation_open(tmp_path: Path) -> None:
    lay(tmp_path)
    first, second = begin(tmp_path), begin(tmp_path)
    for kept_in in (first, second):
        kept_in.write("held", editable=[], read_only=[])
    older, newer = sorted((first, second), key=lambda kept_in: kept_in.id)
    older.close()
    before = resume_chat(tmp_path)
    assert before.record.id == older.id
    assert f"Conversation {newer.id} is open in process {os.getpid()}." in before.warnings[0]
    for wanted in (None, newer.id, older.id):
        with pytest.raises(LockedError) as refused:
            resume_chat(tmp_path, wanted)
        assert refused.value.hint
    newer.close()
    before.record.close()
    again = resume_chat(tmp_path)
    assert (again.record.id, again.warnings) == (newer.id, ())
    again.record.close()
    assert {file.suffix for file in newer.file.parent.iterdir()} == {".jsonl"}


def test_a_lock_that_a_crash_left_keeps_nobody_out(tmp_path: Path) -> None:
    kept_in = begin(lay(tmp_path))
    kept_in.write("held", editable=[], read_only=[])
    kept_in.close()
    kept_in.file.with_suffix(".lock").write_text("1")
    resume_chat(tmp_path, kept_in.id).record.close()


def test_a_claim_outlives_its_folder(tmp_path: Path) -> None:
    kept_in = begin(lay(tmp_path))
    shutil.rmtree(tmp_path / ".dovetail")
    kept_in.write("held", editable=[], read_only=[])
    with pytest.raises(LockedError):
        resume_chat(tmp_path)
    kept_in.close()
    resume_chat(tmp_path).record.close()
