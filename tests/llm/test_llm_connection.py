"""Real connections on loopback: TLS that is verified, proxies that pass on, hosts that are not there."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from provider_server import Answer, openai_events, serving

from dovetail.llm import errors
from dovetail.llm.client import Client, Retries
from dovetail.llm.settings import Addresses
from dovetail.llm.transport import Cancellation, Timeouts
from dovetail.llm.values import Message, Request, Role

ASK = Request("tiny", (Message(Role.USER, "Say hello."),))
OK = Answer(openai_events("ok"))
TIMES = Timeouts(connect=5, first_byte=5, stall=5)


def client(url: str, tls: ssl.SSLContext | None = None, **environ: str) -> Client:
    settings = Addresses.of({"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "sk-secret-1", **environ})
    return Client(settings, retries=Retries(limit=0), timeouts=TIMES, tls=tls)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of this hour for ``localhost`` and ``models.example``, with its key."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("the program openssl, which makes a certificate for this test, is not installed")
    made = tmp_path_factory.mktemp("tls") / "both.pem"
    names = "subjectAltName=DNS:localhost,DNS:models.example"
    command = (
        f"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=test -addext {names}"
    )
    subprocess.run([program, *command.split(), "-keyout", made, "-out", made.with_suffix(".crt")], check=True,
                   capture_output=True)  # fmt: skip
    made.write_text(made.read_text() + made.with_suffix(".crt").read_text())
    return made


def speaking(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def trusting(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(certificate))


# --- TLS


def test_tls_works_where_the_certificate_is_trusted(certificate: Path) -> None:
    with serving(OK, tls=speaking(certificate)) as server:
        assert client(f"https://localhost:{server.port}", trusting(certificate)).ask(ASK).text == "ok"


def test_a_certificate_nobody_vouches_for_is_refused_by_default(certificate: Path) -> None:
    with serving(OK, tls=speaking(certificate)) as server, pytest.raises(errors.UnreachableError) as raised:
        client(f"https://localhost:{server.port}").ask(ASK)
    assert raised.value.code == "certificate"
    assert not raised.value.transient
    assert server.seen == []


def test_a_certificate_for_another_name_is_refused(certificate: Path) -> None:
    with serving(OK, tls=speaking(certificate)) as server, pytest.raises(errors.UnreachableError) as raised:
        client(f"https://127.0.0.1:{server.port}", trusting(certificate)).ask(ASK)
    assert raised.value.code == "certificate"
    assert server.seen == []


def test_https_asked_of_a_server_without_tls_says_so() -> None:
    with serving(OK) as server, pytest.raises(errors.UnreachableError, match="does not speak TLS"):
        client(f"https://localhost:{server.port}").ask(ASK)


def test_http_asked_of_a_server_with_tls_ends_in_an_error(certificate: Path) -> None:
    with serving(OK, tls=speaking(certificate)) as server, pytest.raises(errors.ModelError):
        client(f"http://localhost:{server.port}").ask(ASK)


def test_a_tls_stream_can_be_stopped_from_another_thread(certificate: Path) -> None:
    stop = Cancellation()
    with serving(Answer([*openai_events("x")[:2], 30.0]), tls=speaking(certificate)) as server:
        timer = threading.Timer(0.1, stop.cancel)
        timer.start()
        with pytest.raises(errors.CancelledError):  # and not for silence
            list(client(f"https://localhost:{server.port}", trusting(certificate)).stream(ASK, cancel=stop))
        timer.join()


# --- proxies


class Tunnel:
    """A proxy that passes bytes on to one port, whatever host is asked for."""

    def __init__(self, port: int, answer: bytes) -> None:
        self.port = port
        self.answer = answer
        self.asked: list[str] = []
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://u:w@127.0.0.1:{self.listening.getsockname()[1]}"

    def serve(self) -> None:
        near, _ = self.listening.accept()
        with near:
            head = b""
            while b"\r\n\r\n" not in head:
                head += near.recv(1000)
            self.asked.append(head.decode())
            near.sendall(self.answer)
            if b" 200 " not in self.answer:
                return
            with socket.create_connection(("127.0.0.1", self.port)) as far:
                back = threading.Thread(target=pump, args=(far, near), daemon=True)
                back.start()
                pump(near, far)
                back.join()


def pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while piece := source.recv(65_536):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        return


@contextmanager
def tunnel(port: int, answer: bytes = b"HTTP/1.1 200 OK\r\n\r\n") -> Iterator[Tunnel]:
    made = Tunnel(port, answer)
    thread = threading.Thread(target=made.serve, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.listening.close()
        thread.join(5)


def test_http_goes_to_the_proxy_with_the_whole_address() -> None:
    with serving(OK) as proxy:
        reply = client("http://models.example", http_proxy=proxy.url.replace("//", "//u:w@")).ask(ASK)
    assert reply.text == "ok"
    assert proxy.seen[0].path == "http://models.example/v1/chat/completions"
    assert proxy.seen[0].headers["host"] == "models.example"
    assert proxy.seen[0].headers["proxy-authorization"] == "Basic dTp3"


def test_a_proxy_may_say_something_before_it_answers(certificate: Path) -> None:
    answer = b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"
    with serving(OK, tls=speaking(certificate)) as server, tunnel(server.port, answer) as proxy:
        assert client("https://models.example", trusting(certificate), https_proxy=proxy.url).ask(ASK).text == "ok"


def test_https_goes_through_the_proxy_and_the_proxy_sees_no_key(certificate: Path) -> None:
    with serving(OK, tls=speaking(certificate)) as server, tunnel(server.port) as proxy:
        asked = client("https://models.example", trusting(certificate), https_proxy=proxy.url)
        assert asked.ask(ASK).text == "ok"
    assert proxy.asked[0].startswith("CONNECT models.example:443 HTTP/1.1\r\n")
    assert "Proxy-Authorization: Basic dTp3\r\n" in proxy.asked[0]
    assert "secret" not in proxy.asked[0]
    assert server.seen[0].headers["authorization"] == "Bearer sk-secret-1"
    assert "proxy-authorization" not in server.seen[0].headers


@pytest.mark.parametrize(
    ("answer", "transient"),
    [
        (b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n", False),
        (b"HTTP/1.1 502 Bad\r\nContent-Length: 0\r\n\r\n", True),
    ],
)
def test_a_proxy_that_refuses_is_named(answer: bytes, transient: bool) -> None:
    with tunnel(1, answer) as proxy, pytest.raises(errors.UnreachableError) as raised:
        client("https://models.example", https_proxy=proxy.url).ask(ASK)
    assert (raised.value.code, raised.value.transient) == ("proxy-refused", transient)
    assert "u:w" not in raised.value.message


def test_a_proxy_that_wants_to_know_who_asks_for_http_is_named_too() -> None:
    with serving(Answer([], 407, {}, "length")) as proxy, pytest.raises(errors.UnreachableError) as raised:
        client("http://models.example", http_proxy=proxy.url).ask(ASK)
    assert raised.value.code == "proxy-refused"
    assert "HTTP_PROXY" in (raised.value.hint or "")


# --- hosts


def test_a_port_where_nobody_listens_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(errors.UnreachableError) as raised:
        client(f"http://127.0.0.1:{port}").ask(ASK)
    assert raised.value.transient
    assert "local model" in str(raised.value.hint)


@pytest.mark.parametrize("host", ["models.invalid", "a..b", "a" * 70 + ".example"])
def test_a_host_that_does_not_exist_is_unreachable(host: str) -> None:
    with pytest.raises(errors.UnreachableError, match=f"no host {host}"):
        client(f"http://{host}").ask(ASK)


def test_a_connection_that_is_not_accepted_times_out() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        place = full.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for sock in waiting:
            sock.setblocking(False)
            sock.connect_ex(place)
        settings = Addresses.of({"OPENAI_BASE_URL": f"http://127.0.0.1:{place[1]}"})
        times = Timeouts(connect=0.2, first_byte=0.2)
        with pytest.raises(errors.TimedOutError) as raised:
            Client(settings, retries=Retries(limit=0), timeouts=times).ask(ASK)
        for sock in waiting:
            sock.close()
    assert "No connection" in raised.value.message


# --- a server that does not read to the end


@pytest.mark.parametrize("lingers", [False, True])
@pytest.mark.parametrize(
    ("status", "kind"),
    [(413, errors.ContextTooLongError), (401, errors.KeyRejectedError), (200, errors.UnreachableError)],
)
def test_a_refusal_that_comes_before_all_is_sent_is_read(
    status: int, kind: type[errors.ModelError], lingers: bool
) -> None:
    head = (
        f"HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\nContent-Length: 30\r\nConnection: close\r\n\r\n"
    )
    long = Request("tiny", (Message(Role.USER, "x" * 30_000_000),))
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            sock, _ = listening.accept()
            with sock:
                sock.recv(2_000)
                sock.sendall(head.encode() + b'{"error": {"message": "Not so"')
                if lingers:
                    time.sleep(0.3)

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(kind):
            client(f"http://127.0.0.1:{listening.getsockname()[1]}").ask(long)
        thread.join()
