"""A model that calls a tool although none was offered: its call is read as an edit, streamed and whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from loop_parts import KIOSK, MENDED, Somebody, scene
from provider_server import JSON, Act, Answer, Part, anthropic_calls, openai_calls, split

from dovetail.llm.errors import BrokenStreamError
from dovetail.model.codes import Code, Status
from dovetail.session.conversation.turn_events import Answered, Located, Noted

EDIT = ("edit_file", json.dumps({"path": "kiosk.py", "old_string": "PRICE = 4", "new_string": "PRICE = 5 # ☃"}))
DEARER = KIOSK.replace("PRICE = 4", "PRICE = 5 # ☃")
OTHER = ("str_replace", '{"file_path": "kiosk.py", "old_str": "return words", "new_str": "return words + \\"!\\""}')
STREAMS = [
    pytest.param("tiny", openai_calls, id="openai"),
    pytest.param("anthropic/tiny", anthropic_calls, id="anthropic"),
]

Stream = Callable[..., list[bytes]]


@pytest.mark.parametrize(("model", "stream"), STREAMS)
@pytest.mark.parametrize("size", [1, 5, 10_000])
def test_a_call_is_an_edit_however_it_is_cut(tmp_path: Path, model: str, stream: Stream, size: int) -> None:
    data = b"".join(stream("I raise the price.", EDIT, OTHER, size=size))
    with scene(tmp_path, Answer(split(data, 7)), model=model) as at:
        outcome = at.ask()
        assert at.read("kiosk.py") == DEARER.replace("return words", 'return words + "!"')
    assert [event.result.status for event in at.of(Located)] == [Status.FITS] * 2
    assert not at.of(Noted)
    assert outcome.replies[0].text.startswith('I raise the price.\n{"name": "edit_file", ')
    assert [call.name for call in outcome.replies[0].calls] == ["edit_file", "str_replace"]
    assert outcome.replies[0].words == "I raise the price.\n"


@pytest.mark.parametrize(("model", "stream"), STREAMS)
def test_a_call_is_located_while_the_next_one_arrives(tmp_path: Path, model: str, stream: Stream) -> None:
    with scene(tmp_path, Answer([*stream(EDIT, OTHER, stop=None), 60.0]), model=model) as at:
        events = at.conversation.ask("Change it.")
        while not isinstance(next(events), Located):
            pass
        assert at.server.open == 1
        events.close()
        assert at.read("kiosk.py") == KIOSK


@pytest.mark.parametrize(
    "message",
    [
        {"tool_calls": [{"id": "c", "type": "function", "function": {"name": EDIT[0], "arguments": EDIT[1]}}]},
        {"tool_calls": [{"function": {"name": EDIT[0], "arguments": json.loads(EDIT[1])}}]},
        {"function_call": {"name": EDIT[0], "arguments": EDIT[1]}},
    ],
)
def test_whole_answers_of_openai_and_its_imitators(tmp_path: Path, message: dict[str, object]) -> None:
    body = {"choices": [{"index": 0, "message": {"content": None, **message}, "finish_reason": "tool_calls"}]}
    with scene(tmp_path, Answer([json.dumps(body).encode()], headers=JSON)) as at:
        assert at.ask().written
        assert at.read("kiosk.py") == DEARER


def test_a_whole_answer_of_anthropic(tmp_path: Path) -> None:
    blocks = [
        {"type": "text", "text": "Dearer."},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "price"}},
        {"type": "tool_use", "id": "c", "name": EDIT[0], "input": json.loads(EDIT[1])},
    ]
    body = {"type": "message", "content": blocks, "stop_reason": "tool_use"}
    with scene(tmp_path, Answer([json.dumps(body).encode()], headers=JSON), model="anthropic/tiny") as at:
        assert at.ask().written
        assert at.read("kiosk.py") == DEARER


def test_calls_that_a_server_does_not_number_are_told_apart_by_their_ids(tmp_path: Path) -> None:
    def chunk(number: str, part: tuple[str, str]) -> dict[str, object]:
        call = {"index": 0, "id": number, "function": {"name": part[0], "arguments": part[1]}}
        return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}

    chunks = [chunk("a", EDIT), chunk("b", OTHER), {"choices": [{"delta": {}, "finish_reason": "stop"}]}]
    data = b"".join(b"data: %s\n\n" % json.dumps(one).encode() for one in chunks)
    with scene(tmp_path, Answer([data])) as at:
        assert at.ask().written
        assert at.read("kiosk.py") == DEARER.replace("return words", 'return words + "!"')


@pytest.mark.parametrize(("model", "stream"), STREAMS)
@pytest.mark.parametrize(
    "cut", [("edit_file", EDIT[1][:-20]), ("apply_patch", '{"patch": "*** Begin Patch\\n*** Upda')]
)
def test_a_call_that_the_limit_cuts_is_no_edit(tmp_path: Path, model: str, stream: Stream, cut: Part) -> None:
    limit = "length" if stream is openai_calls else "max_tokens"
    with scene(tmp_path, Answer(stream(OTHER, cut, stop=limit)), model=model, max_rounds=0) as at:
        outcome = at.ask()
        assert at.read("kiosk.py") == KIOSK.replace("return words", 'return words + "!"')
    assert outcome.prepared is not None
    assert [r.code for r in outcome.prepared.plan.results] == [None, Code.MALFORMED]
    assert outcome.prepared.plan.results[1].reason == "The reply was cut short before this edit was complete."
    assert at.of(Answered)[0].cut == (2,)


@pytest.mark.parametrize(("model", "stream"), STREAMS)
def test_a_stream_that_breaks_inside_arguments(tmp_path: Path, model: str, stream: Stream) -> None:
    class Going(Somebody):
        def use_arrived(self) -> bool:
            return True

    broken = Answer([*stream(OTHER, ("edit_file", EDIT[1][:-20]), stop=None), 0.05, Act.DROP])
    with scene(tmp_path, broken, model=model, max_rounds=0) as at, pytest.raises(BrokenStreamError):
        at.ask()
    assert (tmp_path / "kiosk.py").read_text() == KIOSK
    with scene(tmp_path, broken, model=model, max_rounds=0, person=Going()) as at:
        outcome = at.ask()
        assert at.read("kiosk.py") == KIOSK.replace("return words", 'return words + "!"')
    assert [r.code for r in outcome.prepared.plan.results] == [None, Code.MALFORMED]


def test_arguments_that_are_no_json_are_sent_back(tmp_path: Path) -> None:
    with scene(tmp_path, Answer(openai_calls(("edit_file", "{'path': kiosk.py}"))), MENDED) as at:
        outcome = at.ask()
        assert "The arguments of the call `edit_file` are no JSON." in at.sent(1)[-1]["content"]
    assert outcome.written


def test_a_call_that_edits_nothing_is_named(tmp_path: Path) -> None:
    with scene(tmp_path, Answer(openai_calls(("read_file", '{"path": "ferry.txt"}')))) as at:
        outcome = at.ask()
    assert not outcome.written
    assert [note.text for note in at.of(Noted)] == ["The model asked for a tool instead of writing its edits."]
