"""Our client and our prompts in front of a real model: what it answers is its own, how it arrives is ours."""

from __future__ import annotations

import sys
from contextlib import closing

import pytest

from dovetail.llm.assemble import Chat, ShownFile, assemble
from dovetail.llm.client import Client
from dovetail.llm.errors import CancelledError, ContextTooLongError
from dovetail.llm.prompts import Wording
from dovetail.llm.settings import Addresses
from dovetail.llm.transport import Cancellation
from dovetail.llm.values import Gathered, Message, Request, Role, Stop

pytestmark = pytest.mark.model


@pytest.fixture
def client(model_url: str) -> Client:
    return Client(Addresses.of({"OPENAI_BASE_URL": model_url}))


def ask(text: str, **more: object) -> Request:
    return Request("smollm2", (Message(Role.USER, text),), temperature=0, **more)


def test_an_answer_streams_in_many_pieces_with_its_figures(client: Client) -> None:
    gathered, pieces = Gathered(), 0
    with closing(client.stream(ask("Write one sentence about water.", max_tokens=60))) as deltas:
        for delta in deltas:
            gathered.add(delta)
            pieces += bool(delta.text)
    reply = gathered.reply
    sys.stdout.write(f"\n{pieces} pieces: {reply.text!r}\n")
    assert pieces > 5
    assert reply.text.strip()
    assert reply.stop in (Stop.COMPLETE, Stop.LENGTH)
    assert reply.usage is not None
    assert reply.usage.output >= pieces
    assert reply.usage.input > 5


def test_a_limit_is_said(client: Client) -> None:
    reply = client.ask(ask("Count from one to one hundred in words.", max_tokens=5))
    assert reply.truncated
    assert reply.notice is not None


def test_a_whole_conversation_as_assembled_is_taken_and_answered(client: Client) -> None:
    chat = Chat("Make x two.", files=(ShownFile("a.py", "x = 1\n", "python"),))
    made = assemble(chat, Wording("diff", shell=False))
    reply = client.ask(Request("smollm2", made.messages, max_tokens=120, temperature=0))
    sys.stdout.write(f"\n{reply.usage}: {reply.text}\n")
    assert reply.text.strip()


def test_a_request_that_is_too_long_is_named_as_such(client: Client) -> None:
    with pytest.raises(ContextTooLongError):
        client.ask(ask("word " * 20_000, max_tokens=5))


def test_stopping_a_real_stream_frees_the_model_for_the_next_request(client: Client) -> None:
    stop = Cancellation()
    with pytest.raises(CancelledError):
        for delta in client.stream(ask("Tell a long story.", max_tokens=2000), cancel=stop):
            if delta.text:
                stop.cancel()
    assert client.ask(ask("Say yes.", max_tokens=3)).text
