"""A conversation's transcript while it is written: what stands when it cannot be, and what is kept nevertheless."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from loop_parts import GOOD, KIOSK, Scene, Somebody, scene

from dovetail.model.errors import DovetailError
from dovetail.session import history
from dovetail.session.conversation import Options
from dovetail.session.kept_chat import Ends, KeptChat
from dovetail.session.steps import Event, Written

DEARER = KIOSK.replace("PRICE = 4", "PRICE = 5")


@contextmanager
def kept(root: Path, person: Somebody, *script: str) -> Iterator[tuple[KeptChat, Scene]]:
    with scene(root, *script, person=person) as at:
        chat = KeptChat.begin(at.conversation.workspace, Ends(at.conversation.model, person), Options("tiny"))
        chat.add("kiosk.py")
        yield chat, at


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
        told: list[Event] = []
        with pytest.raises((OSError, DovetailError)):
            told.extend(chat.ask("Dearer."))
        assert at.read("kiosk.py") == DEARER
    assert isinstance(told[-1], Written)
    assert told[-1].committed.operation == history.log(tmp_path).operations[0]
