"""What a model is told of edits that were taken back, or brought again, by anybody: what it believes is what stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from loop_parts import GOOD, KIOSK, MENDED, Somebody, answer, block, client_of, lay
from provider_server import Answer, ProviderServer, serving

from dovetail.llm.errors import ModelError
from dovetail.model.codes import OnFailure
from dovetail.session.apply import operations
from dovetail.session.apply.undo_edits import undo_edits
from dovetail.session.conversation.chat_state import Options
from dovetail.session.conversation.conversation import FEWER, MORE, NOT_APPLIED, UNDONE
from dovetail.session.conversation.participants import Approval
from dovetail.session.conversation.saved_chat import Participants, SavedChat, resume_chat
from dovetail.session.settings import DEFAULT_REPLY_OPTIONS
from dovetail.workspace import Workspace

BROKEN = Answer([b'{"error": {"message": "No."}}'], status=400, headers={"Content-Type": "application/json"})
SAILS = block("ferry.txt", "leaves at eight\n", "leaves at seven\n")


@contextmanager
def talking(root: Path, *answers: str | Answer) -> Iterator[tuple[SavedChat, Somebody, ProviderServer]]:
    """A conversation that is kept, about two files."""
    lay(root)
    said = [one if isinstance(one, Answer) else answer(one) for one in answers]
    with serving(*said) as server, Workspace.open(root) as workspace:
        person = Somebody()
        chat = SavedChat.begin(workspace, Participants(client_of(server), person), Options("tiny", map_tokens=0))
        chat.add("kiosk.py")
        chat.add("ferry.txt")
        yield chat, person, server
        chat.close()


def asked(chat: SavedChat, request: str) -> str:
    """What the history holds of a request that was answered."""
    list(chat.ask(request))
    return chat.conversation.history[-2].content


def test_an_undo_elsewhere_is_told_once(tmp_path: Path) -> None:
    with talking(tmp_path, GOOD, "Fine.", "Fine.", "Fine.", "Fine.") as (chat, _, _):
        asked(chat, "Dearer.")
        operations.undo(tmp_path)
        assert asked(chat, "One.") == f"{UNDONE}\n\nOne."
        assert asked(chat, "Two.") == "Two."
        operations.redo(tmp_path)
        assert asked(chat, "Three.") == f"{MORE}\n\nThree."
        assert asked(chat, "Four.") == "Four."


def test_what_was_done_and_reversed_in_between_is_not_told(tmp_path: Path) -> None:
    with talking(tmp_path, GOOD, "Fine.") as (chat, _, _):
        asked(chat, "Dearer.")
        operations.undo(tmp_path)
        operations.redo(tmp_path)
        assert asked(chat, "One.") == "One."


def test_an_undo_of_earlier_edits_is_told_as_that(tmp_path: Path) -> None:
    with talking(tmp_path, GOOD, SAILS, "Fine.", MENDED, "Fine.") as (chat, person, _):
        asked(chat, "Dearer.")
        asked(chat, "Earlier.")
        operations.undo(tmp_path, chat.operations[0])
        assert asked(chat, "One.") == f"{FEWER}\n\nOne."
        person.approves = None
        asked(chat, "Kinder.")
        operations.undo(tmp_path, chat.operations[1])
        assert asked(chat, "Two.") == f"{NOT_APPLIED}\n\n{FEWER}\n\nTwo."


def test_what_was_left_out_is_told(tmp_path: Path) -> None:
    with talking(tmp_path, GOOD + SAILS, "Fine.", GOOD + GOOD, "Fine.") as (chat, person, _):
        person.approves = Approval(frozenset({2}), OnFailure.BLOCK)
        asked(chat, "Dearer, earlier.")
        assert asked(chat, "One.") == "Of your last edits I applied edit 2 and left out edit 1.\n\nOne."
        person.approves = Approval(None, OnFailure.BLOCK)
        asked(chat, "Again.")
        assert asked(chat, "Two.") == "Two.", "the same edit twice is one"


def test_an_edit_that_was_taken_back_by_itself_is_told(tmp_path: Path) -> None:
    with talking(tmp_path, GOOD + SAILS, "Fine.", "Fine.") as (chat, _, _):
        asked(chat, "Dearer, earlier.")
        undo_edits(tmp_path, chat.operations[0], [1], DEFAULT_REPLY_OPTIONS)
        assert asked(chat, "One.") == f"{FEWER}\n\nOne."
        undo_edits(tmp_path, chat.operations[0], [2], DEFAULT_REPLY_OPTIONS)
        assert asked(chat, "Two.") == f"{UNDONE}\n\nTwo."


def test_a_request_that_nobody_answered_told_nothing(tmp_path: Path) -> None:
    with talking(tmp_path, GOOD, BROKEN, BROKEN, "Fine.") as (chat, _, server):
        asked(chat, "Dearer.")
        operations.undo(tmp_path)
        with pytest.raises(ModelError):
            list(chat.ask("One."))
        operations.redo(tmp_path)
        with pytest.raises(ModelError):
            list(chat.ask("Two."))
        assert asked(chat, "Three.") == "Three."
        sent = [str(seen.body["messages"]) for seen in server.seen]
        assert [UNDONE in text for text in sent] == [False, True, False, False]


@pytest.mark.parametrize("told", [False, True])
def test_who_goes_on_later_is_told_of_what_happened_meanwhile(tmp_path: Path, *, told: bool) -> None:
    with talking(tmp_path, GOOD, "Fine.") as (chat, _, _):
        asked(chat, "Dearer.")
        operations.undo(tmp_path)
        if told:
            asked(chat, "One.")
    with serving(answer("Fine.")) as server, Workspace.open(tmp_path) as workspace:
        ends = Participants(client_of(server), Somebody())
        chat = SavedChat.resume(workspace, ends, Options("tiny", map_tokens=0), resume_chat(tmp_path))
        assert asked(chat, "Two.") == ("Two." if told else f"{UNDONE}\n\nTwo.")
        chat.close()
    assert (tmp_path / "kiosk.py").read_text() == KIOSK


def test_what_the_journal_has_forgotten_is_not_taken_for_taken_back(tmp_path: Path) -> None:
    with talking(tmp_path, GOOD, "Fine.") as (chat, _, _):
        asked(chat, "Dearer.")
        for file in (tmp_path / ".dovetail").glob("*"):
            if file.name != "chats" and file.is_dir():
                file.rename(tmp_path / f"away-{file.name}")
        assert asked(chat, "One.") == "One."
