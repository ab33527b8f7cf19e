"""The whole loop in front of a real small model: it writes what it likes, and the loop mends it or stops honestly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dovetail.llm.client import Client
from dovetail.llm.settings import Addresses
from dovetail.session.apply import operations
from dovetail.session.conversation.chat_files import ChatFiles
from dovetail.session.conversation.chat_state import Options
from dovetail.session.conversation.conversation import Conversation
from dovetail.session.conversation.participants import Consent
from dovetail.session.conversation.turn_events import End, Repairing, Sent, Stopped, TurnEvent
from dovetail.workspace import Workspace

pytestmark = pytest.mark.model

SOURCE = "def greet(name):\n    return 'Hello ' + name\n\n\ndef leave(name):\n    return 'Bye ' + name\n"


def converse(root: Path, url: str, format_name: str, request: str) -> tuple[list[TurnEvent], object]:
    events: list[TurnEvent] = []
    with Workspace.open(root) as workspace:
        options = Options(
            "smollm2", format=format_name, map_tokens=0, max_rounds=2, max_tokens=200, temperature=0.0, shell=False
        )
        client = Client(Addresses.of({"OPENAI_BASE_URL": url}))
        conversation = Conversation(workspace, client, Consent(), options, files=ChatFiles(("greet.py",)))
        turn = conversation.ask(request)
        try:
            while True:
                events.append(next(turn))
        except StopIteration as ended:
            return events, ended.value


@pytest.mark.parametrize(
    ("format_name", "request_"),
    [
        ("udiff", "In greet.py, make greet say 'Good day ' instead of 'Hello '."),
        ("diff", "In greet.py, make greet say 'Good day ' instead of 'Hello '."),
    ],
)
def test_what_it_answers_is_mended_or_left(tmp_path: Path, model_url: str, format_name: str, request_: str) -> None:
    file = tmp_path / "greet.py"
    file.write_text(SOURCE)
    events, outcome = converse(tmp_path, model_url, format_name, request_)
    steps = [str(event.step) for event in events if isinstance(event, Sent)]
    stopped = [event for event in events if isinstance(event, Stopped)]
    repairs = [event for event in events if isinstance(event, Repairing)]
    said = [str(event.end) for event in stopped]
    sys.stdout.write(f"\n{format_name}: {request_}\n  steps {steps}, stopped {said}, written {outcome.written}\n")
    for result in outcome.prepared.plan.results if outcome.prepared is not None else ():
        sys.stdout.write(f"  edit {result.n} {result.status} {result.code or result.tier} {result.reason or ''}\n")
    assert len(steps) == len(repairs) + 1  # it asks for nothing here that could be added
    assert len(steps) <= 1 + 2 + 1 + 1  # the request, the rounds, wider, whole
    if outcome.written:
        assert not outcome.prepared.plan.failed
        assert file.read_text() != SOURCE
        operations.undo(tmp_path)
    else:
        assert outcome.prepared is None or outcome.prepared.plan.failed or not outcome.prepared.plan.changes
    if stopped:
        assert stopped[0].end in (End.REPEATED, End.ROUNDS, End.SILENT, End.MODEL, End.YOURS)
    assert file.read_text() == SOURCE
    if outcome.prepared is None:
        pytest.skip("the model wrote no edit this time, so there was nothing to mend")
    assert repairs or outcome.written
