"""The client against a real server on loopback: both protocols, every framing, every way to fail."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st
from provider_server import (
    JSON,
    Act,
    Answer,
    ProviderServer,
    anthropic_events,
    event,
    openai_chunk,
    openai_events,
    serving,
    split,
)

from dovetail.llm import client as client_module
from dovetail.llm import errors
from dovetail.llm.client import Client, Retries, Retry, Timing
from dovetail.llm.settings import Addresses
from dovetail.llm.transport import Cancellation, Timeouts
from dovetail.llm.values import Message, Reply, Request, Role, Stop, Usage

HELLO = (Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "Say hello."))
ASK = Request("tiny", HELLO)
ASK_ANTHROPIC = Request("anthropic/claude-tiny", HELLO)
QUICK = Timeouts(connect=2, first_byte=0.3, stall=0.3, tail=0.1)
ONCE = Retries(limit=0)
SILENT_SOON = Timeouts(connect=60, first_byte=60, stall=1.2, tail=0.1)
PATIENT = Timeouts(connect=60, first_byte=60, stall=60, tail=0.2)
FIGURES = {"prompt_tokens": 12, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 8}}


@dataclass
class Slept:
    """A clock that moves only when somebody sleeps, and dice that always fall the same way."""

    moment: float = 0.0
    waits: list[float] = field(default_factory=list)

    def timing(self, dice: float = 0.5) -> Timing:
        return Timing(lambda: self.moment, lambda: 1_000_000_000.0 + self.moment, self._wait, lambda: dice)

    def _wait(self, cancel: Cancellation, seconds: float) -> bool:
        self.waits.append(seconds)
        self.moment += seconds
        return cancel.cancelled


def settings(url: str, key: str = "sk-secret-1") -> Addresses:
    return Addresses.of(
        {
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_KEY": key,
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": key,
        }
    )


def client(server: ProviderServer, retries: Retries = ONCE, timeouts: Timeouts = PATIENT, **more: object) -> Client:
    return Client(settings(server.url), retries=retries, timeouts=timeouts, **more)


# --- what is asked and answered


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_openai_answer_is_the_same_however_it_is_cut(framing: str, size: int) -> None:
    stream = b"".join(openai_events("Hel", "lo, ", "wörld ☃\n", usage=FIGURES))
    with serving(Answer(split(stream, size), framing=framing)) as server:
        deltas = list(client(server).stream(ASK))
    assert [d.text for d in deltas if d.text] == ["Hel", "lo, ", "wörld ☃\n"]
    usage = Usage(input=12, output=4, cached=8)
    assert Reply.of(deltas) == Reply("Hello, wörld ☃\n", usage, Stop.COMPLETE, "tiny-1")


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_anthropic_answer_is_the_same_however_it_is_cut(size: int) -> None:
    stream = b"".join(anthropic_events("Hel", "lo ☃", thinking="They greet."))
    with serving(Answer(split(stream, size))) as server:
        reply = client(server).ask(ASK_ANTHROPIC)
    usage = Usage(input=28, output=7, cached=20, written=3)
    assert reply == Reply("Hello ☃", usage, Stop.COMPLETE, "claude-tiny", reasoning="They greet.")


def test_openai_request_names_model_messages_and_key() -> None:
    request = Request("org/tiny", HELLO, max_tokens=50, temperature=0.2, stop=("END",), extra={"seed": 7})
    with serving(Answer(openai_events("ok"))) as server:
        client(server).ask(request)
    seen = server.seen[0]
    assert (seen.method, seen.path) == ("POST", "/v1/chat/completions")
    assert seen.headers["authorization"] == "Bearer sk-secret-1"
    assert seen.headers["host"] == f"127.0.0.1:{server.port}"
    assert seen.body == {
        "model": "org/tiny",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say hello."}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 50,
        "temperature": 0.2,
        "stop": ["END"],
        "seed": 7,
    }


def test_a_header_of_the_settings_is_sent_in_place_of_the_usual_one_however_it_is_spelled() -> None:
    own = {"AUTHORIZATION": "Basic abc", "accept": "*/*", "HOST": "models.example", "X-Team": "a"}
    with serving(Answer(openai_events("ok"))) as server:
        config = {"openai": {"base_url": server.url, "key": "sk-secret-1", "headers": own}}
        Client(Addresses.of({}, config), retries=ONCE).ask(ASK)
    seen = server.seen[0].headers
    assert {name: seen[name.lower()] for name in own} == own


def test_anthropic_request_sets_system_apart_joins_turns_and_marks_what_is_stable() -> None:
    messages = (
        Message(Role.SYSTEM, "Be brief.", stable=True),
        Message(Role.USER, "One."),
        Message(Role.USER, ""),
        Message(Role.USER, "Two.", stable=True),
        Message(Role.ASSISTANT, "Three."),
        Message(Role.USER, "Four."),
    )
    with serving(Answer(anthropic_events("ok"))) as server:
        client(server).ask(Request("anthropic/claude-tiny", messages, stop=("END",), extra={"temperature": None}))
    seen = server.seen[0]
    mark = {"cache_control": {"type": "ephemeral"}}
    assert seen.path == "/v1/messages"
    assert (seen.headers["x-api-key"], seen.headers["anthropic-version"]) == ("sk-secret-1", "2023-06-01")
    assert "authorization" not in seen.headers
    assert seen.body["system"] == [{"type": "text", "text": "Be brief."} | mark]
    assert seen.body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."} | mark]},
        {"role": "assistant", "content": [{"type": "text", "text": "Three."}]},
        {"role": "user", "content": [{"type": "text", "text": "Four."}]},
    ]
    assert (seen.body["model"], seen.body["stop_sequences"]) == ("claude-tiny", ["END"])
    assert isinstance(seen.body["max_tokens"], int)


def test_anthropic_is_sent_no_turn_of_blanks() -> None:
    turns = (Message(Role.USER, "Hi."), Message(Role.ASSISTANT, " \n"), Message(Role.USER, "Well?"))
    with serving(Answer(anthropic_events("x"))) as server:
        client(server).ask(Request("anthropic/claude-tiny", turns))
    (turn,) = server.seen[0].body["messages"]
    assert [part["text"] for part in turn["content"]] == ["Hi.", "Well?"]


def test_a_local_model_is_asked_without_a_key() -> None:
    with serving(Answer(openai_events("ok")), Answer(anthropic_events("ok"))) as server:
        asked = Client(settings(server.url, key=""), timeouts=PATIENT)
        assert (asked.ask(ASK).text, asked.ask(ASK_ANTHROPIC).text) == ("ok", "ok")
    assert not any({"authorization", "x-api-key"} & set(seen.headers) for seen in server.seen)


@pytest.mark.parametrize(
    ("said", "stop", "early"),
    [
        ("stop", Stop.COMPLETE, False),
        ("STOP", Stop.COMPLETE, False),
        ("tool_calls", Stop.TOOL, False),
        ("length", Stop.LENGTH, True),
        ("content_filter", Stop.FILTERED, True),
        ("insufficient_system_resource", Stop.OTHER, True),
        (None, Stop.OTHER, True),
    ],
)
def test_a_reply_says_why_it_ended(said: str | None, stop: Stop, early: bool) -> None:
    with serving(Answer(openai_events("x", stop=said))) as server:
        reply = client(server).ask(ASK)
    assert (reply.stop, reply.ended_early, reply.notice is None) == (stop, early, stop is Stop.COMPLETE)
    assert (reply.notice is None) == (reply.next_act is None)


def test_anthropic_names_the_length_limit_in_its_own_way() -> None:
    with serving(Answer(anthropic_events("x", stop="max_tokens"))) as server:
        assert client(server).ask(ASK_ANTHROPIC).stop is Stop.LENGTH


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning_content": "hm", "content": None},
        {"reasoning": "hm"},
    ],
)
def test_reasoning_is_kept_apart_from_the_text(delta: dict[str, object]) -> None:
    chunks = [event(openai_chunk(delta)), *openai_events("answer")]
    with serving(Answer(chunks)) as server:
        reply = client(server).ask(ASK)
    assert (reply.text, reply.reasoning) == ("answer", "hm")


WHOLE_OPENAI = {
    "model": "tiny-1",
    "choices": [{"message": {"role": "assistant", "content": "all"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1},
}
WHOLE_ANTHROPIC = {
    "type": "message",
    "model": "claude-tiny",
    "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "all"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 3, "output_tokens": 1},
}


@pytest.mark.parametrize(("request_", "answer"), [(ASK, WHOLE_OPENAI), (ASK_ANTHROPIC, WHOLE_ANTHROPIC)])
def test_a_server_that_does_not_stream_is_understood(request_: Request, answer: dict[str, object]) -> None:
    with serving(Answer([json.dumps(answer).encode()], headers=JSON, framing="length")) as server:
        reply = client(server).ask(request_)
    assert (reply.text, reply.stop, reply.usage) == ("all", Stop.COMPLETE, Usage(input=3, output=1))


@pytest.mark.parametrize("reason", [None, "", 7])
@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (ASK, {"choices": [{"message": {"content": "all"}}]}),
        (ASK_ANTHROPIC, {"content": [{"type": "text", "text": "all"}]}),
    ],
)
def test_a_whole_answer_that_does_not_say_why_it_ended_is_a_reply(
    request_: Request, answer: dict[str, object], reason: object
) -> None:
    """As a stream is whose end alone is said: the text is all there, and may have been cut."""
    for choice in answer.get("choices", [answer]):
        choice["finish_reason" if request_ is ASK else "stop_reason"] = reason
    with serving(Answer([json.dumps(answer).encode()], headers=JSON)) as server:
        reply = client(server).ask(request_)
    assert (reply.text, reply.stop, reply.ended_early) == ("all", Stop.OTHER, True)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer([json.dumps(WHOLE_OPENAI).encode()], headers={}), id="whole, without a type"),
        pytest.param(Answer([b"\n \n", b"{", json.dumps(WHOLE_OPENAI).encode()[1:]]), id="whole, as a stream"),
        pytest.param(Answer(openai_events("all"), headers=JSON), id="a stream, as JSON"),
        pytest.param(
            Answer([b": hi\n\n", *openai_events("all")], headers=JSON), id="a stream that begins with a comment"
        ),
        pytest.param(Answer(split(b"".join(openai_events("all")), 1), headers=JSON), id="in drops"),
    ],
)
def test_how_an_answer_comes_is_seen_from_how_it_begins(answer: Answer) -> None:
    with serving(answer) as server:
        assert client(server).ask(ASK).text == "all"


@pytest.mark.parametrize(
    "halves", [["\ud83d", "\ude00"], ["a\ud83d", "\ude00b\ud83d", "\ude00"], ["x\ud83d"], ["\ude00"]]
)
def test_a_character_that_was_cut_in_two_is_joined(halves: list[str]) -> None:
    chunks = [f"data: {json.dumps(openai_chunk({'content': half}))}\n\n".encode() for half in halves]
    with serving(Answer([*chunks, *openai_events()[1:]])) as server:
        text = client(server).ask(ASK).text
    assert text.encode("utf-16", "surrogatepass") == "".join(halves).encode("utf-16", "surrogatepass")
    assert ("\ud83d" in text) == (halves == ["x\ud83d"])


def chunk_of(index: object, text: str = "", stop: str | None = None, reasoning: str = "") -> dict[str, object]:
    """A choice as a stream and a whole answer have it, with an index that may be any."""
    said = {"content": text, "reasoning": reasoning}
    return {"index": index, "delta": said, "message": said, "finish_reason": stop}


OTHER = chunk_of(1, "ZZ", "length", "hm")


@pytest.mark.parametrize("index", [0, None])
@pytest.mark.parametrize(
    "together",
    [
        pytest.param(lambda own: [[OTHER], [own], [OTHER]], id="in events of their own"),
        pytest.param(lambda own: [[OTHER, own]], id="before it"),
        pytest.param(lambda own: [[own, OTHER]], id="behind it"),
    ],
)
def test_only_the_choice_that_was_asked_for_is_read(
    index: object, together: Callable[[dict[str, object]], list[list[dict[str, object]]]]
) -> None:
    own = [chunk_of(index, "al"), chunk_of(index, "l"), chunk_of(index, stop="stop")]
    events = [event({"choices": choices}) for chunk in own for choices in together(chunk)]
    with serving(Answer([*events, b"data: [DONE]\n\n"])) as server:
        reply = client(server).ask(ASK)
    assert (reply.text, reply.stop, reply.reasoning) == ("all", Stop.COMPLETE, "")


def test_another_choice_that_ends_first_does_not_end_the_reply() -> None:
    begun = [event({"choices": [chunk]}) for chunk in (chunk_of(0, "al"), OTHER)]
    end = event({"choices": [chunk_of(0, "l", "stop")]})
    with serving(Answer([*begun, 0.3, end])) as server:
        assert client(server, timeouts=Timeouts(tail=0.1)).ask(ASK).text == "all"


def test_of_a_whole_answer_the_choice_that_was_asked_for_is_read() -> None:
    answer = {"choices": [OTHER, chunk_of(0, "all", "stop")]}
    with serving(Answer([json.dumps(answer).encode()], headers=JSON)) as server:
        reply = client(server).ask(ASK)
    assert (reply.text, reply.stop) == ("all", Stop.COMPLETE)


EARLY = (b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n", b"HTTP/1.1 102 Processing\r\n\r\n",
         b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 199 Soon\r\nContent-Length: 9\r\n\r\n")  # fmt: skip
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize("size", [1, 100_000])
@pytest.mark.parametrize("early", [EARLY[:1], EARLY])
def test_heads_that_come_before_the_answer_are_passed_over(early: tuple[bytes, ...], size: int) -> None:
    stream = b"".join([*early, HEAD, *openai_events("x")])
    with serving(Answer(split(stream, size), framing="raw")) as server:
        assert client(server, Retries(limit=3), timing=Slept().timing()).ask(ASK).text == "x"
    assert len(server.seen) == 1


def test_heads_before_the_answer_share_its_deadline() -> None:
    with (
        serving(Answer([*[EARLY[0], 0.1] * 100], framing="raw")) as server,
        pytest.raises(errors.TimedOutError, match="sent nothing"),
    ):
        client(server, timeouts=QUICK).ask(ASK)


@pytest.mark.parametrize("head", [b"101 Switching Protocols\r\nUpgrade: x", b"204 No Content", b"205 Reset Content"])
def test_a_status_without_a_reply_is_no_answer_and_not_asked_again(head: bytes) -> None:
    answer = Answer([b"HTTP/1.1 ", head, b"\r\nConnection: close\r\n\r\n"], framing="raw")
    with serving(answer) as server, pytest.raises(errors.MalformedAnswerError) as raised:
        client(server, Retries(limit=3), timing=Slept().timing()).ask(ASK)
    assert f"status {head[:3].decode()}" in raised.value.message
    assert not raised.value.transient
    assert len(server.seen) == 1


@pytest.mark.parametrize("empty", [b"data:\n\n", b"data: \n\n", b"data: null\n\n", b"event: ping\ndata: null\n\n"])
def test_an_event_without_data_keeps_a_stream_alive_and_says_nothing(empty: bytes) -> None:
    for asked, events in ((ASK, openai_events("x", "y")), (ASK_ANTHROPIC, anthropic_events("x", "y"))):
        with serving(Answer([piece for event_ in events for piece in (empty, event_)])) as server:
            reply = client(server).ask(asked)
        assert (reply.text, reply.stop) == ("xy", Stop.COMPLETE)


@pytest.mark.parametrize("data", [b"", b"null"])
def test_an_event_whose_name_alone_says_error_is_one(data: bytes) -> None:
    with serving(Answer([b"event: error\ndata: " + data + b"\n\n"])) as server, pytest.raises(errors.ProviderError):
        client(server).ask(ASK)


def test_comments_crlf_and_events_of_several_lines_are_read() -> None:
    chunk = json.dumps(openai_chunk({"content": "x"}), indent=1)
    lines = "".join(f"data: {line}\r\n" for line in chunk.splitlines())
    stream = f": keep alive\r\n\r\n{lines}\r\n".encode() + b"".join(openai_events())
    with serving(Answer(split(stream, 3))) as server:
        assert client(server).ask(ASK).text == "x"


@pytest.mark.parametrize(
    "stream",
    [
        pytest.param(openai_events("x")[:-1], id="no end mark"),
        pytest.param([*openai_events("x")[:-1], b"data: [DONE]"], id="end mark without a blank line"),
        pytest.param([*openai_events("x")[:-1], Act.CLOSE], id="closed after the stop reason"),
        pytest.param([*openai_events("x")[:-1], b"data: {usage\n\n"], id="no JSON after the stop reason"),
        pytest.param([*openai_events("x")[:-1], 30.0], id="silent after the stop reason"),
        pytest.param([*openai_events("x"), 30.0], id="silent after the end mark"),
    ],
)
def test_a_reply_is_whole_once_the_model_said_why_it_stopped(stream: list[bytes]) -> None:
    with serving(Answer(stream)) as server:
        assert client(server).ask(ASK) == Reply("x", None, Stop.COMPLETE, "tiny-1")
        assert server.wait_until_closed()  # while it has more to be silent about


# --- what goes wrong


def openai_error(message: str = "It said so.", **more: object) -> bytes:
    return json.dumps({"error": {"message": message, **more}}).encode()


REFUSALS = [
    (400, openai_error("Bad field."), errors.BadRequestError, False),
    (400, openai_error("x", code="context_length_exceeded"), errors.ContextTooLongError, False),
    (400, openai_error("the request exceeds the available context size"), errors.ContextTooLongError, False),
    (400, b'{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}',
     errors.ContextTooLongError, False),
    (400, openai_error("input length and `max_tokens` exceed context limit: 7 + 2 > 8, decrease either and try again"),
     errors.ContextTooLongError, False),
    (400, openai_error("This model's maximum prompt length is 8 but the request contains 9 tokens."),
     errors.ContextTooLongError, False),
    (401, openai_error("Incorrect key."), errors.KeyRejectedError, False),
    (402, b"", errors.OutOfCreditError, False),
    (403, b"<html>no</html>", errors.KeyRejectedError, False),
    (404, openai_error("x", code="model_not_found"), errors.NoSuchModelError, False),
    (404, b'{"error":{"type":"not_found_error","message":"model: tiny"}}', errors.NoSuchModelError, False),
    (404, b"nothing here", errors.NoSuchModelError, False),
    (405, b"", errors.NoSuchModelError, False),
    (400, b"[" + openai_error("x", code="context_length_exceeded") + b"]", errors.ContextTooLongError, False),
    (408, b"", errors.TimedOutError, True),
    (409, b"", errors.BadRequestError, True),
    (413, b"", errors.ContextTooLongError, False),
    (418, b"", errors.BadRequestError, False),
    (422, b'{"detail":"no such field"}', errors.BadRequestError, False),
    (425, b"", errors.BadRequestError, True),
    (429, openai_error("Slow down."), errors.RateLimitedError, True),
    (429, openai_error("Request too large for tiny on tokens per min (TPM): Limit 8, Requested 9.",
                       type="tokens", code="rate_limit_exceeded"), errors.ContextTooLongError, False),
    (429, openai_error("x", code="insufficient_quota"), errors.OutOfCreditError, False),
    (500, b"", errors.ProviderError, True),
    (501, b"", errors.ProviderError, False),
    (502, b"<html>bad gateway</html>", errors.ProviderError, True),
    (503, b'{"message":"loading"}', errors.ProviderError, True),
    (504, b"", errors.TimedOutError, True),
    (529, b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', errors.ProviderError, True),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "kind", "again"), REFUSALS)
def test_each_status_is_the_error_it_means_and_asked_again_only_where_that_helps(
    status: int, body: bytes, kind: type[errors.ModelError], again: bool
) -> None:
    slept = Slept()
    with serving(Answer([body] if body else [], status, JSON, "length"), Answer(openai_events("ok"))) as server:
        asked = client(server, Retries(limit=1), timing=slept.timing())
        if again:
            assert asked.ask(ASK).text == "ok"
        else:
            with pytest.raises(kind) as raised:
                asked.ask(ASK)
            assert raised.value.status == status
            assert raised.value.hint
            assert "sk-secret-1" not in f"{raised.value.message} {raised.value.hint}"
    assert len(server.seen) == (2 if again else 1)
    assert len(slept.waits) == (1 if again else 0)
    if again:
        with serving(Answer([body] if body else [], status, JSON, "length")) as server, pytest.raises(kind):
            client(server).ask(ASK)


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        (
            openai_error("Invalid URL (POST /chat/completions)", type="invalid_request_error"),
            "Check the base URL's path.",
        ),
        (b'{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}', "Check the base URL's path."),
        (b"404 page not found", "Check the base URL's path."),
        (openai_error("It is gone.", code="model_not_found"), "Check the model's name: --model NAME"),
        (b'{"error":{"type":"not_found_error","message":"model: tiny"}}', "Check the model's name: --model NAME"),
    ],
)
def test_what_is_not_found_is_the_address_unless_the_answer_speaks_of_the_model(body: bytes, hint: str) -> None:
    with serving(Answer([body], 404, JSON, "length")) as server, pytest.raises(errors.NoSuchModelError) as raised:
        client(server).ask(ASK)
    assert raised.value.hint == hint


def test_an_address_that_lacks_the_usual_end_is_led_to_it() -> None:
    with serving(Answer([b"404 page not found"], 404, JSON, "length")) as server:
        bare = Client(Addresses.of({"OPENAI_BASE_URL": server.url}), timeouts=PATIENT)
        with pytest.raises(errors.NoSuchModelError) as raised:
            bare.ask(ASK)
    assert str(raised.value.hint).endswith("many end in /v1")


def test_a_length_that_a_model_does_not_take_is_led_to_its_option() -> None:
    """Anthropic wants a number with each request, so one is sent that nobody chose."""
    said = b'{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 8192 > 4096, the maximum"}}'
    with serving(Answer([said], 400, JSON, "length")) as server, pytest.raises(errors.BadRequestError) as raised:
        client(server).ask(ASK_ANTHROPIC)
    assert "`max-tokens`" in str(raised.value.hint)


def test_text_of_a_provider_is_shown_short_and_on_one_line() -> None:
    noise = openai_error("\x1b[31mred\x07\n" + "long " * 200)
    with serving(Answer([noise], 400, JSON)) as server, pytest.raises(errors.BadRequestError) as raised:
        client(server).ask(ASK)
    assert "\x1b" not in raised.value.message
    assert "\n" not in raised.value.message
    assert len(raised.value.message) < 400


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer([openai_error("Incorrect key: sk-secret-1.")], 401, JSON), id="an error"),
        pytest.param(Answer([b"Bearer sk-secret-1 ?"], 400, JSON), id="an error that is no JSON"),
        pytest.param(Answer([event({"error": "no: sk-secret-1"})]), id="an event"),
        pytest.param(Answer([b"data: sk-secret-1\n\n"]), id="an event that is no JSON"),
        pytest.param(
            Answer([], 302, {"Location": "https://other.example/?key=sk-secret-1"}, "length"), id="a redirect"
        ),
        pytest.param(Answer([b"x"], headers={"Content-Type": "text/html; sk-secret-1"}), id="a header"),
    ],
)
def test_a_key_that_a_provider_sends_back_is_not_shown(answer: Answer) -> None:
    with serving(answer) as server, pytest.raises(errors.ModelError) as raised:
        client(server).ask(ASK)
    assert "…" in raised.value.message
    assert "secret" not in f"{raised.value.message} {raised.value.hint}"


def test_an_error_without_a_status_is_given_none() -> None:
    with (
        serving(Answer([b'{"error": "Unexpected endpoint."}'], headers=JSON)) as server,
        pytest.raises(errors.ProviderError) as raised,
    ):
        client(server).ask(ASK)
    assert raised.value.status is None
    assert "answered with an error: Unexpected endpoint." in raised.value.message
    assert "base URL" in (raised.value.hint or "")


def test_a_long_wait_that_a_provider_asks_for_is_told() -> None:
    with (
        serving(Answer([], 429, {"Retry-After": "3600"}, "length")) as server,
        pytest.raises(errors.RateLimitedError) as raised,
    ):
        client(server).ask(ASK)
    assert raised.value.hint == "Wait 3,600 s, then ask again."


def test_an_error_that_is_packed_is_not_quoted() -> None:
    with (
        serving(Answer([b"\x1f\x8b packed"], 400, {"Content-Encoding": "gzip"})) as server,
        pytest.raises(errors.BadRequestError) as raised,
    ):
        client(server).ask(ASK)
    assert "packed" not in raised.value.message


def test_back_off_doubles_with_full_jitter_up_to_its_cap() -> None:
    slept = Slept()
    told: list[Retry] = []
    rules = Retries(limit=6, base=1.0, cap=8.0)
    with serving(Answer([], 503, JSON, "length")) as server, pytest.raises(errors.ProviderError):
        list(client(server, rules, timing=slept.timing(0.5)).stream(ASK, on_retry=told.append))
    assert slept.waits == [0.5, 1.0, 2.0, 4.0, 4.0, 4.0]
    assert [(r.n, r.limit, r.seconds) for r in told] == [(n + 1, 6, s) for n, s in enumerate(slept.waits)]
    assert len(server.seen) == 7


@pytest.mark.parametrize(
    ("headers", "waits"),
    [
        ({"Retry-After": "7"}, [7.0]),
        ({"Retry-After": "0"}, [0.25]),
        ({"retry-after-ms": "1500"}, [1.5]),
        ({"Retry-After": "Sun, 09 Sep 2001 01:46:52 GMT"}, [12.0]),
        ({"Retry-After": "soon"}, [0.25]),
        ({"Retry-After": "61"}, []),
        ({"Retry-After": "nan"}, [0.25]),
        ({"x-should-retry": "false"}, []),
    ],
)
def test_a_provider_s_own_wish_to_wait_is_kept(headers: dict[str, str], waits: list[float]) -> None:
    slept = Slept()
    with serving(Answer([], 429, {**JSON, **headers}, "length"), Answer(openai_events("ok"))) as server:
        asked = client(server, Retries(limit=1), timing=slept.timing())
        if waits:
            assert asked.ask(ASK).text == "ok"
        else:
            with pytest.raises(errors.RateLimitedError):
                asked.ask(ASK)
    assert slept.waits == waits


@pytest.mark.parametrize("date", ["Sunday, 09-Sep-01 01:46:52 GMT", "Sun Sep  9 01:46:52 2001"])
def test_a_date_in_an_old_form_is_of_no_other_zone(monkeypatch: pytest.MonkeyPatch, date: str) -> None:
    """Servers may still say these two (RFC 9110, 5.6.7)."""
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        test_a_provider_s_own_wish_to_wait_is_kept({"Retry-After": date}, [12.0])
    finally:
        monkeypatch.undo()
        time.tzset()


def test_no_attempt_begins_after_the_time_for_all_of_them() -> None:
    slept = Slept()
    rules = Retries(limit=100, base=10, cap=10, within=25)
    with serving(Answer([], 503, JSON, "length")) as server, pytest.raises(errors.ProviderError):
        client(server, rules, timing=slept.timing(0.99)).ask(ASK)
    assert sum(slept.waits) <= 25
    assert len(server.seen) == 3


@pytest.mark.parametrize(
    ("steps", "kind"),
    [
        pytest.param([Act.DROP], errors.ModelError, id="reset at once"),
        pytest.param([Act.CLOSE], errors.BrokenStreamError, id="closed at once"),
        pytest.param([b": hello\n\n", Act.CLOSE], errors.BrokenStreamError, id="closed after a comment"),
        pytest.param([openai_events()[0], Act.DROP], errors.ModelError, id="reset before any text"),
        pytest.param([event({"error": {"message": "x", "type": "server_error"}})], errors.ProviderError, id="error"),
        pytest.param([event({"error": {"message": "x", "code": 502}})], errors.ProviderError, id="error with a number"),
        pytest.param([event({"error": {"message": "x", "code": 7}})], errors.ProviderError, id="error with no status"),
        pytest.param([event({"error": "x"})], errors.ProviderError, id="error that is a text"),
        pytest.param([event({"message": "x"}, "error")], errors.ProviderError, id="error by the event's name"),
        pytest.param([], errors.BrokenStreamError, id="no event at all"),
    ],
)
def test_what_breaks_before_the_first_text_is_asked_again(steps: list[bytes], kind: type[errors.ModelError]) -> None:
    with serving(Answer(steps), Answer(openai_events("ok"))) as server:
        assert client(server, Retries(limit=1), timing=Slept().timing()).ask(ASK).text == "ok"
    assert len(server.seen) == 2
    with serving(Answer(steps)) as server, pytest.raises(kind):
        client(server).ask(ASK)


BROKEN = Answer([*openai_events("Hel", "lo")[:3], Act.DROP])


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param([Act.DROP], id="reset"),
        pytest.param([Act.CLOSE], id="closed"),
        pytest.param([b'data: {"choices": [{"del', Act.CLOSE], id="cut in an event"),
        pytest.param([event({"type": "error", "error": {"type": "overloaded_error", "message": "x"}})], id="error"),
        pytest.param([30.0], id="stalled"),
    ],
)
def test_what_breaks_after_text_was_shown_is_never_asked_again(rest: list[bytes]) -> None:
    shown: list[str] = []
    with serving(Answer([*openai_events("Hel", "lo")[:3], *rest]), Answer(openai_events("ok"))) as server:
        with pytest.raises(errors.ModelError) as raised:
            asked = client(server, Retries(limit=3), SILENT_SOON, timing=Slept().timing())
            shown.extend(delta.text for delta in asked.stream(ASK))
        assert server.wait_until_closed()
    assert "".join(shown) == "Hello"
    assert raised.value.transient
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("stream", "place"),
    [
        pytest.param([*openai_events("x")[:2], b"data: {oops}\n\n"], "Event 3 (line 5 of the stream)", id="no JSON"),
        pytest.param(
            [b"data: [1, 2]\n\n"], "Event 1 (line 1 of the stream) is not a JSON object: [1, 2]", id="no object"
        ),
        pytest.param([b": c\n\ndata: {\n\n"], "Event 1 (line 3 of the stream)", id="cut off"),
        pytest.param([b'data: {"a": "\xff"}\n\n'], "Line 1 of the stream is not UTF-8", id="no UTF-8"),
        pytest.param([b"data: " + b"[" * 100_000 + b"\n\n"], "Event 1", id="nested to death"),
    ],
)
def test_a_malformed_event_is_named_with_its_place(stream: list[bytes], place: str) -> None:
    with serving(Answer(stream)) as server, pytest.raises(errors.MalformedAnswerError) as raised:
        client(server, Retries(limit=3)).ask(ASK)
    assert place in raised.value.message
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer([b"<html>hi</html>"], headers={"Content-Type": "text/html"}), id="a page"),
        pytest.param(Answer([b"hi"], headers=JSON), id="no JSON"),
        pytest.param(Answer([b"Ollama is running"], headers={"Content-Type": "text/plain"}), id="a sentence"),
        pytest.param(Answer([b'{"hello": 1}'], headers=JSON), id="no reply"),
        pytest.param(Answer([b'{"choices": [{"message": {"content": ""}}]}'], headers=JSON), id="no text"),
        pytest.param(Answer([b"x"], headers={"Content-Encoding": "gzip"}), id="packed"),
        pytest.param(Answer([b"SSH-2.0-OpenSSH\r\n"], framing="raw"), id="no HTTP"),
    ],
)
def test_what_is_no_model_s_answer_is_said_so(answer: Answer) -> None:
    with serving(answer) as server, pytest.raises(errors.MalformedAnswerError) as raised:
        client(server).ask(ASK)
    assert raised.value.hint


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_says_where_it_leads(status: int) -> None:
    headers = {"Location": "https://elsewhere.example/v1"}
    with serving(Answer([], status, headers, "length")) as server, pytest.raises(errors.ConfigurationError) as raised:
        client(server, Retries(limit=3)).ask(ASK)
    assert raised.value.code == "redirected"
    assert "https://elsewhere.example/v1" in raised.value.message
    assert len(server.seen) == 1


@settings_of_hypothesis(max_examples=60, deadline=None)
@given(st.sampled_from([ASK, ASK_ANTHROPIC]), st.data())
def test_a_damaged_stream_ends_in_a_reply_or_in_an_error_of_the_tree(request_: Request, data: st.DataObject) -> None:
    events = openai_events("Hel", "lo", usage=FIGURES) if request_ is ASK else anthropic_events("Hel", "lo")
    stream = bytearray(b"".join(events))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(stream) - 1))
        stream[at : at + data.draw(st.integers(0, 30))] = data.draw(st.binary(max_size=4))
    size = data.draw(st.sampled_from([1, 13, 10_000]))
    with serving(Answer(split(bytes(stream), size), framing="close")) as server:
        try:
            assert isinstance(client(server).ask(request_), Reply)
        except errors.ModelError as error:
            assert error.hint


# --- time


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer([30.0], framing="raw"), id="no head"),
        pytest.param(Answer([b"HTTP/1.1 200 OK\r\n", *[b"X", 0.05] * 100], framing="raw"), id="a head in drops"),
        pytest.param(Answer([30.0]), id="a head and no body"),
    ],
)
def test_the_first_byte_has_a_deadline(answer: Answer) -> None:
    with serving(answer) as server, pytest.raises(errors.TimedOutError) as raised:
        client(server, timeouts=QUICK).ask(ASK)
    assert "sent nothing for 0.3 s" in raised.value.message


def test_a_slow_stream_that_never_stalls_is_read_to_its_end() -> None:
    stream = [step for piece in openai_events(*"abcdef") for step in (piece, 0.2)]  # longer than a stall may be
    with serving(Answer(stream)) as server:
        assert client(server, timeouts=SILENT_SOON).ask(ASK).text == "abcdef"


def test_a_stall_between_pieces_is_noticed() -> None:
    with serving(Answer([*openai_events("x")[:2], 30.0])) as server, pytest.raises(errors.TimedOutError) as raised:
        client(server, timeouts=QUICK).ask(ASK)
    assert "fell silent for 0.3 s" in raised.value.message


# --- stopping


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([30.0], id="before the first byte"),
        pytest.param([*openai_events("x")[:2], 30.0], id="in mid-stream"),
    ],
)
def test_another_thread_stops_a_request_and_the_connection_closes(steps: list[bytes]) -> None:
    stop = Cancellation()
    with serving(Answer(steps)) as server:
        timer = threading.Timer(0.1, stop.cancel)
        timer.start()
        with pytest.raises(errors.CancelledError):  # and not for silence
            list(client(server, Retries(limit=3)).stream(ASK, cancel=stop))
        assert server.wait_until_closed()
        timer.join()
    assert len(server.seen) == 1


def test_a_request_that_was_cancelled_before_is_never_sent() -> None:
    stop = Cancellation()
    stop.cancel()
    with serving(Answer(openai_events("x"))) as server, pytest.raises(errors.CancelledError):
        list(client(server).stream(ASK, cancel=stop))
    assert server.seen == []


def test_a_wait_between_attempts_can_be_stopped() -> None:
    stop = Cancellation()
    with serving(Answer([], 503, JSON, "length")) as server, pytest.raises(errors.CancelledError):
        list(client(server, Retries(limit=9, base=1000, cap=1000, within=9999)).stream(
            ASK, cancel=stop, on_retry=lambda _: stop.cancel()
        ))  # fmt: skip
    assert len(server.seen) == 1


def test_a_reader_that_leaves_closes_the_connection() -> None:
    with serving(Answer([*openai_events("x")[:2], 30.0])) as server:
        deltas = client(server).stream(ASK)
        assert next(d.text for d in deltas if d.text) == "x"
        deltas.close()
        assert server.wait_until_closed()


def test_ctrl_c_while_waiting_closes_the_connection(interrupting: None) -> None:
    with serving(Answer([*openai_events("x")[:2], 30.0])) as server:
        with pytest.raises(KeyboardInterrupt):
            client(server).ask(ASK)
        assert server.wait_until_closed()


@pytest.fixture
def interrupting() -> Iterator[None]:
    """Press Ctrl-C after a tenth of a second."""
    timer = threading.Timer(0.1, signal.pthread_kill, [threading.get_ident(), signal.SIGINT])
    timer.start()
    yield
    timer.join()


@pytest.mark.parametrize("done", [False, True])
def test_a_stream_has_a_limit(done: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "LARGEST_ANSWER", 4_000)
    stream = openai_events("Hello", stop="stop" if done else None)[: None if done else -1]
    with serving(Answer([*stream[:-1], *([b": more and more\n\n"] * 1_000)])) as server:
        if done:  # the reply is whole; what follows it is not waited for
            assert client(server).ask(ASK).text == "Hello"
        else:
            with pytest.raises(errors.MalformedAnswerError, match="longer than 4,000 bytes"):
                client(server).ask(ASK)
