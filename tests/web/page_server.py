"""The real server on loopback over a real folder, and a client that asks it as a browser's page would."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import uvicorn

from dovetail.session.settings import DEFAULT_SETTINGS, Settings
from dovetail.web.admission import Admission
from dovetail.web.app import PageFiles, make_app
from dovetail.web.page_session import PageSession
from dovetail.web.server import CONFIG, ServeOptions, admission_for, listening_socket, make_session

Json = dict[str, Any]
PATIENCE = 120.0
T = TypeVar("T")

INDEX = b'<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__"><script type="module" src="/assets/a-1.js"></script>'
BUILT = PageFiles({"index.html": INDEX, "assets/a-1.js": b"export {};\n", "mark.svg": b"<svg/>"})


@dataclass
class Answered:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        value = json.loads(self.body)
        assert isinstance(value, dict)
        return value


@dataclass
class Page:
    """One server, asked with its token unless `headers` say otherwise."""

    port: int
    admission: Admission
    session: PageSession
    root: Path
    token: str = field(default="", repr=False)

    def raw(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answered:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return Answered(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())

    def ask(self, method: str, path: str, body: Json | None = None, status: int = 200) -> Json:
        data = json.dumps(body).encode() if body is not None else None
        answered = self.raw(method, path, data, self.headers)
        assert answered.status == status, (method, path, answered.status, answered.body[:500])
        return answered.json

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.admission.token}", "Content-Type": "application/json"}

    def get(self, path: str, status: int = 200) -> Json:
        return self.ask("GET", path, status=status)

    def post(self, address: str, body: Json | None = None, status: int = 200, **fields: object) -> Json:
        return self.ask("POST", address, {**(body or {}), **fields}, status)

    def state(self) -> Json:
        return self.get("/api/state")

    def turn(self, wanted: str = "t1") -> Json:
        return next(turn for turn in self.state()["turns"] if turn["id"] == wanted)

    def paste(self, reply: str) -> Json:
        return self.turn(self.post("/api/turns", kind="paste", reply=reply)["turn"])

    def apply(self, turn: str = "t1", status: int = 200, **chosen: object) -> Json:
        version = self.turn(turn)["plan"]["version"]
        return self.post(f"/api/turns/{turn}/apply", {"plan": version, **chosen}, status)

    def states(self, turn: str = "t1") -> list[str]:
        return [edit["state"] for edit in self.turn(turn)["edits"]]

    def error(self, method: str, path: str, body: Json | None, status: int) -> str:
        return str(self.ask(method, path, body, status)["error"]["code"])

    def text(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def ends(self, turn: str = "t1") -> Json:
        """The turn, once the model is done with it."""
        return self.until(lambda: self.turn(turn) if self.state()["running"] is None else None)

    def until(self, found: Callable[[], T | None]) -> T:
        """What a function finds, within the patience of these tests."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            value = found()
            if value:
                return value
            time.sleep(0.01)
        raise AssertionError("nothing came")

    @contextmanager
    def listening(self, after: int | str | None = None, last: int | None = None) -> Iterator[Events]:
        """Listen to the events; `last` is what a browser says when it comes back."""
        headers = dict(self.headers) | ({"Last-Event-ID": str(last)} if last is not None else {})
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request("GET", "/api/events" + (f"?after={after}" if after is not None else ""), headers=headers)
            yield Events(connection.getresponse())


@dataclass(frozen=True)
class Heard:
    number: int
    name: str
    data: Json


class Events:
    """Reads server-sent events, one by one."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.response = response
        assert response.status == 200, response.read()

    def next(self) -> Heard | None:
        """The next event; None at the end of the stream."""
        fields: dict[str, str] = {}
        while line := self.response.readline():
            text = line.decode("utf-8").rstrip("\n")
            if not text and "event" in fields:
                return Heard(int(fields["id"]), fields["event"], json.loads(fields["data"]))
            name, _, value = text.partition(": ")
            fields[name] = value
        return None

    def until(self, name: str) -> list[Heard]:
        """Every event up to the first of a name."""
        heard: list[Heard] = []
        while not heard or heard[-1].name != name:
            event = self.next()
            assert event is not None, f"no {name}, but {[h.name for h in heard]}"
            heard.append(event)
        return heard


class QuietServer(uvicorn.Server):
    """Leaves signals to the test runner."""

    def install_signal_handlers(self) -> None:
        """None."""


@contextmanager
def page_over(
    root: Path,
    *,
    provider: str | None = None,
    model: str = "tiny-1",
    settings: Settings = DEFAULT_SETTINGS,
    host: str = "127.0.0.1",
    wanted_port: int = 0,
    files: PageFiles = BUILT,
) -> Iterator[Page]:
    """Serve a folder for as long as the context lasts; `provider` is the address of a scripted model."""
    environ = {"OPENAI_BASE_URL": f"{provider}/v1", "OPENAI_API_KEY": "k"} if provider is not None else {}
    session = make_session(ServeOptions(root, model=model if provider is not None else None), settings, environ)
    listening = listening_socket("127.0.0.1", wanted_port)
    port = int(listening.getsockname()[1])
    admission = admission_for(host, port)
    server = QuietServer(uvicorn.Config(make_app(session, admission, files), **CONFIG))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield Page(port, admission, session, root)
    finally:
        session.close()
        server.should_exit = True
        thread.join(PATIENCE)
        listening.close()
    assert not thread.is_alive()
