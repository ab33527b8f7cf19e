"""A real HTTP server on loopback that answers as scripted, and speaks both providers' protocols.

Each request takes the next answer of the script; the last one repeats. Bytes are sent as they stand: in pieces, with
pauses, cut off, chunked or not. Requests are kept for the test to look at.
"""

from __future__ import annotations

import http.server
import json
import socket
import ssl
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum


class Act(Enum):
    """What a server may do besides sending and waiting."""

    DROP = "drop"  # reset the connection
    CLOSE = "close"  # close it without the end that the framing promised


Step = bytes | float | Act | threading.Event
EVENT_STREAM = {"Content-Type": "text/event-stream; charset=utf-8"}
JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Answer:
    """One answer. `steps`: bytes are sent, a number waits that many seconds, an event until it is set. `framing`: chunked, length or close.

    With `framing="raw"` the steps are everything, the status line included.
    """

    steps: Sequence[Step] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: dict(EVENT_STREAM))
    framing: str = "chunked"


@dataclass(frozen=True)
class Seen:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, object]


class ProviderServer(http.server.ThreadingHTTPServer):
    """Serves a script; see `serving`."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, script: Sequence[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.script = list(script)
        self.seen: list[Seen] = []
        self.open = 0
        self.stopping = threading.Event()
        self.all_closed = threading.Condition()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def next_answer(self) -> Answer:
        return self.script[min(len(self.seen), len(self.script)) - 1]

    def wait_until_closed(self, seconds: float = 120.0) -> bool:
        """Whether every connection was closed within a time."""
        with self.all_closed:
            return self.all_closed.wait_for(lambda: self.open == 0, seconds)

    def count_open(self, change: int) -> None:
        with self.all_closed:
            self.open += change
            self.all_closed.notify_all()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is what many tests are about."""


class _Conversation(http.server.BaseHTTPRequestHandler):
    server: ProviderServer
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.server.count_open(1)

    def finish(self) -> None:
        try:
            super().finish()
        except OSError:
            pass
        finally:
            self.server.count_open(-1)

    def do_POST(self) -> None:  # the name http.server asks for
        length = int(self.headers.get("Content-Length", "0"))
        headers = {name.lower(): ", ".join(self.headers.get_all(name, ())) for name in self.headers}
        body = json.loads(self.rfile.read(length) or b"{}")
        self.server.seen.append(Seen(self.command, self.path, headers, body))
        self.close_connection = True
        self._answer(self.server.next_answer())

    do_GET = do_POST  # noqa: N815

    def _answer(self, answer: Answer) -> None:
        if answer.framing != "raw":
            self._head(answer)
        for step in answer.steps:
            match step:
                case bytes():
                    self._send(step, answer.framing)
                case Act.DROP:
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.connection.close()
                    return
                case Act.CLOSE:
                    return
                case threading.Event():
                    step.wait(60)
                case seconds:
                    if self._client_left(float(seconds)):
                        return
        if answer.framing == "chunked":
            self.wfile.write(b"0\r\n\r\n")

    def _client_left(self, seconds: float) -> bool:
        """Wait; whether the client hung up, or the server stops, in the meantime."""
        self.connection.settimeout(seconds)
        try:
            return self.connection.recv(1) == b""
        except TimeoutError:
            return self.server.stopping.is_set()
        finally:
            self.connection.settimeout(None)

    def _head(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.framing == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
        elif answer.framing == "length":
            self.send_header("Content-Length", str(sum(len(s) for s in answer.steps if isinstance(s, bytes))))
        self.send_header("Connection", "close")
        self.end_headers()

    def _send(self, piece: bytes, framing: str) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if framing == "chunked" else piece)
        self.wfile.flush()

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  # the name http.server gives it
        """Say nothing."""


@contextmanager
def serving(*script: Answer, tls: ssl.SSLContext | None = None) -> Iterator[ProviderServer]:
    """Run a server for as long as the context lasts."""
    server = ProviderServer(script)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


def split(data: bytes, size: int) -> list[bytes]:
    """Pieces of a size, the last one shorter."""
    return [data[i : i + size] for i in range(0, len(data), size)]


def event(data: object, name: str = "") -> bytes:
    """One server-sent event with JSON data."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def openai_events(*texts: str, stop: str | None = "stop", usage: dict[str, object] | None = None) -> list[bytes]:
    """A stream of chat completion chunks, closed by ``[DONE]``."""
    events = [event(openai_chunk({"role": "assistant", "content": ""}))]
    events += [event(openai_chunk({"content": text})) for text in texts]
    if stop is not None:
        events.append(event(openai_chunk({}, stop)))
    if usage is not None:
        events.append(event({"model": "tiny-1", "choices": [], "usage": usage}))
    return [*events, b"data: [DONE]\n\n"]


def openai_chunk(delta: dict[str, object], stop: str | None = None) -> dict[str, object]:
    """One chunk as JSON values."""
    return {
        "id": "c1",
        "object": "chat.completion.chunk",
        "model": "tiny-1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": stop}],
    }


def anthropic_events(*texts: str, stop: str = "end_turn", thinking: str = "") -> list[bytes]:
    """A stream of message events, with a ping and, where asked, a thinking block."""
    usage = {"input_tokens": 5, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 3, "output_tokens": 1}
    events = [
        ("message_start", {"message": {"id": "m1", "model": "claude-tiny", "role": "assistant", "usage": usage}}),
        ("ping", {}),
    ]
    blocks = [("thinking", thinking, [thinking])] if thinking else []
    blocks.append(("text", "", list(texts)))
    for index, (kind, _, parts) in enumerate(blocks):
        events.append(("content_block_start", {"index": index, "content_block": {"type": kind, kind: ""}}))
        events += [
            ("content_block_delta", {"index": index, "delta": {"type": f"{kind}_delta", kind: part}}) for part in parts
        ]
        events.append(("content_block_stop", {"index": index}))
    events.append(("message_delta", {"delta": {"stop_reason": stop}, "usage": {"output_tokens": 7}}))
    events.append(("message_stop", {}))
    return [event({"type": name, **data}, name) for name, data in events]


Part = str | tuple[str, str]
"""Words of a reply, or a call: the tool's name and the JSON of its arguments."""


def openai_calls(*parts: Part, size: int = 4, stop: str | None = "tool_calls") -> list[bytes]:
    """A stream of chunks with calls of tools, their arguments in pieces of `size` characters."""
    events, calls = [event(openai_chunk({"role": "assistant", "content": None}))], 0
    for part in parts:
        if isinstance(part, str):
            events.append(event(openai_chunk({"content": part})))
            continue
        name, arguments = part
        head = {"index": calls, "id": f"call_{calls}", "type": "function", "function": {"name": name, "arguments": ""}}
        pieces = [arguments[i : i + size] for i in range(0, len(arguments), size)]
        deltas = [head, *({"index": calls, "function": {"arguments": piece}} for piece in pieces)]
        events += [event(openai_chunk({"tool_calls": [delta]})) for delta in deltas]
        calls += 1
    if stop is None:
        return events
    return [*events, event(openai_chunk({}, stop)), b"data: [DONE]\n\n"]


def anthropic_calls(*parts: Part, size: int = 4, stop: str | None = "tool_use") -> list[bytes]:
    """The same as message events. Without `stop` the stream breaks off inside its last part."""
    events: list[dict[str, object]] = [{"type": "message_start", "message": {"id": "m1", "model": "claude-tiny"}}]
    for index, part in enumerate(parts):
        if isinstance(part, str):
            block: dict[str, object] = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": part}]
        else:
            block = {"type": "tool_use", "id": f"call_{index}", "name": part[0], "input": {}}
            pieces = [part[1][i : i + size] for i in range(0, len(part[1]), size)]
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        if stop is not None or index < len(parts) - 1:
            events.append({"type": "content_block_stop", "index": index})
    if stop is not None:
        events.append({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 7}})
        events.append({"type": "message_stop"})
    return [event(data, str(data["type"])) for data in events]
