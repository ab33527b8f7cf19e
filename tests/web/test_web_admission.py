"""Who may ask the server, and what every answer carries. Each row is a request that a browser or a program could make."""

from __future__ import annotations

import json
import re
import socket
import time

import pytest
from loop_parts import block
from page_server import Page, page_over

from dovetail.web.admission import Admission
from dovetail.web.app import PageFiles

STATE = "/api/state"
JSON = {"Content-Type": "application/json"}
BODY = json.dumps({"kind": "paste", "reply": "hello"}).encode()


def cookie(page: Page) -> str:
    answered = page.raw("GET", f"/?token={page.admission.token}", None, {})
    assert answered.status == 200
    assert f'content="0; url=/#key={page.admission.key}"'.encode() in answered.body
    assert page.admission.token.encode() not in answered.body
    stated = answered.headers["set-cookie"]
    assert page.admission.key not in stated
    assert {"HttpOnly", "Path=/", "SameSite=strict"} <= {part.strip() for part in stated.split(";")}
    assert page.admission.token not in stated
    return stated.partition(";")[0]


def test_the_address_is_exchanged_for_a_cookie_that_opens_the_page(page: Page) -> None:
    shown = page.raw("GET", "/", None, {"Cookie": cookie(page)})
    assert shown.status == 200
    nonce = re.search(rb'content="([\w-]{20,})"', shown.body)
    assert nonce is not None
    assert f"'nonce-{nonce[1].decode()}'" in shown.headers["content-security-policy"]
    assert b"__CSP_NONCE__" not in shown.body
    assert page.raw("GET", "/", None, {"Cookie": cookie(page)}).body != shown.body


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Basic {token}"}, 401),
        ({"Cookie": "dovetail-{port}=wrong"}, 401),
        ({"Cookie": "dovetail-{port}={token}"}, 401),
        ({"Cookie": "{cookie}", "Dovetail-Key": "{key}"}, 200),
        ({"Cookie": 'prefs={{"a": 1}}; {cookie}', "Dovetail-Key": "{key}"}, 200),  # of another port
        ({"Cookie": 'a b; "x;y"; {cookie}; c', "Dovetail-Key": "{key}"}, 200),
        ({"Cookie": "prefs={cookie}", "Dovetail-Key": "{key}"}, 401),
        ({"Cookie": "{cookie}", "Dovetail-Key": "wrong"}, 401),
        ({"Cookie": "{cookie}"}, 401),  # a server on another port of this machine gets it, too
        ({"Dovetail-Key": "{key}"}, 401),
        ({"Cookie": "broken;;;==\x01"}, 401),
        ({"Authorization": "Bearer {token}"}, 200),
        ({"Authorization": "Bearer {token}", "Host": "localhost:{port}"}, 200),
        ({"Authorization": "Bearer {token}", "Host": "[::1]:{port}"}, 200),
        ({"Authorization": "Bearer {token}", "Host": "127.0.0.1:1"}, 421),
        ({"Authorization": "Bearer {token}", "Host": "127.0.0.1"}, 421),
        ({"Authorization": "Bearer {token}", "Host": "evil.example:{port}"}, 421),
        ({"Authorization": "Bearer {token}", "Host": "127.0.0.1.evil.example:{port}"}, 421),
        ({"Authorization": "Bearer {token}", "Host": "10.0.0.7:{port}"}, 421),
        ({"Authorization": "Bearer {token}", "Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Authorization": "Bearer {token}", "Origin": "http://127.0.0.1:1"}, 403),
        ({"Authorization": "Bearer {token}", "Origin": "https://127.0.0.1:{port}"}, 403),
        ({"Authorization": "Bearer {token}", "Origin": "http://localhost:{port}"}, 403),
        ({"Authorization": "Bearer {token}", "Origin": "null"}, 403),
        ({"Authorization": "Bearer {token}", "Origin": "http://evil.example"}, 403),
        ({"Authorization": "Bearer {token}", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Authorization": "Bearer {token}", "Sec-Fetch-Site": "same-site"}, 403),
        ({"Authorization": "Bearer {token}", "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({"Authorization": "Bearer {token}", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200),
        ({"Authorization": "Bearer {token}", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Authorization": "Bearer {token}", "Sec-Fetch-Site": "none"}, 200),
    ],
)
def test_reading(page: Page, headers: dict[str, str], status: int) -> None:
    admission = page.admission
    known = {"token": admission.token, "port": page.port, "key": admission.key, "cookie": cookie(page)}
    filled = {k: v.format(**known) for k, v in headers.items()}
    answered = page.raw("GET", STATE, None, filled)
    assert answered.status == status
    if status != 200:
        assert set(answered.json["error"]) == {"code", "message", "hint"}
        assert page.admission.token.encode() not in answered.body


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Cookie": "{cookie}", "Dovetail-Key": "{key}", "Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Cookie": "{cookie}", "Origin": "http://127.0.0.1:{port}"}, 401),
        ({"Cookie": "{cookie}", "Dovetail-Key": "{key}"}, 403),
        ({"Cookie": "{cookie}", "Origin": "http://evil.example"}, 403),
        ({"Cookie": "{cookie}", "Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:{port}"}, 401),
        ({"Authorization": "Bearer {token}"}, 200),
        ({"Authorization": "Bearer {token}", "Content-Type": "text/plain"}, 415),
        ({"Authorization": "Bearer {token}", "Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Cookie": "{cookie}", "Origin": "http://127.0.0.1:{port}", "Host": "evil.example:{port}"}, 421),
    ],
)
def test_writing(page: Page, headers: dict[str, str], status: int) -> None:
    known = {"token": page.admission.token, "port": page.port, "key": page.admission.key, "cookie": cookie(page)}
    filled = {k: v.format(**known) for k, v in headers.items()}
    assert page.raw("POST", "/api/turns", BODY, {**JSON, **filled}).status == status
    assert len(page.state()["turns"]) == (status == 200)


@pytest.mark.parametrize("token", ["", "wrong", "%00", "a" * 5_000])
def test_a_wrong_token_opens_nothing(page: Page, token: str) -> None:
    answered = page.raw("GET", f"/?token={token}", None, {})
    assert answered.status == 401
    assert "set-cookie" not in answered.headers
    assert b"dovetail serve" in answered.body


@pytest.mark.parametrize("path", ["/", STATE, "/assets/a-1.js", "/api/nothing", "/mark.svg"])
def test_every_answer_carries_the_headers(page: Page, path: str) -> None:
    for headers in ({}, page.headers):
        got = page.raw("GET", path, None, headers).headers
        policy = dict(part.strip().partition(" ")[::2] for part in got["content-security-policy"].split(";"))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert policy["script-src"] == "'self'"
        assert "unsafe" not in got["content-security-policy"]
        assert got["x-content-type-options"] == "nosniff"
        assert got["referrer-policy"] == "no-referrer"
        assert got["cross-origin-opener-policy"] == "same-origin"
        assert "access-control-allow-origin" not in got
        assert "server" not in got


def test_what_has_a_hash_in_its_name_is_kept_and_nothing_else(page: Page) -> None:
    kept = {
        path: page.raw("GET", path, None, page.headers).headers["cache-control"]
        for path in ("/assets/a-1.js", "/mark.svg", "/", STATE)
    }
    assert "immutable" in kept["/assets/a-1.js"]
    assert (kept["/mark.svg"], kept["/"], kept[STATE]) == ("no-cache", "no-store", "no-store")


@pytest.mark.parametrize(
    "path",
    [
        "/../kiosk.py",
        "/%2e%2e/kiosk.py",
        "/assets/../../server.py",
        "/assets/%2e%2e%2fdesk.py",
        "//etc/passwd",
        "/index.html",
        "/.stamp",
    ],
)
def test_only_built_files_are_served(page: Page, path: str) -> None:
    answered = page.raw("GET", path, None, page.headers)
    assert (answered.status, answered.json["error"]["code"]) == (404, "not-found")


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/api/turns", b"", 400),
        ("POST", "/api/turns", b"{", 400),
        ("POST", "/api/turns", b"[]", 400),
        ("POST", "/api/turns", b"null", 400),
        ("POST", "/api/turns", b"[" * 100_000, 400),
        ("POST", "/api/turns", b'{"a":' * 50 + b"1" + b"}" * 50, 400),
        ("POST", "/api/turns", b'{"kind": "dance"}', 400),
        ("POST", "/api/turns", b'{"kind": "paste"}', 400),
        ("POST", "/api/turns", b'{"kind": "paste", "reply": 4}', 400),
        ("POST", "/api/turns", b'{"kind": "paste", "reply": "x", "more": 1}', 400),
        ("POST", "/api/turns", b'{"kind": "paste", "reply": "x", "format": "nonsense"}', 422),
        ("POST", "/api/turns", b'{"kind": "ask", "request": "  "}', 400),
        ("POST", "/api/turns/t9/apply", b'{"plan": 1}', 404),
        ("POST", "/api/turns/t9/apply", b'{"plan": 1, "more": 1}', 400),
        ("POST", "/api/undo", b'{"dry_run": 1}', 400),
        ("POST", "/api/undo", b'{"edits": [1.5]}', 400),
        ("POST", "/api/questions/q9", b'{"answer": true}', 404),
        ("POST", "/api/settings", b'{"max_rounds": -1}', 400),
        ("POST", "/api/settings", b'{"key": "secret"}', 400),
        ("POST", "/api/settings", b'{"format": "nonsense"}', 400),
        ("POST", "/api/held", b'{"add": "a.txt"}', 400),
        ("POST", "/api/held", b'{"add": ["nothing.txt"]}', 422),
        ("POST", "/api/state", b"{}", 405),
        ("DELETE", "/api/turns", b"{}", 405),
        ("GET", "/api/log?limit=x", None, 400),
        ("GET", "/api/events?after=x", None, 400),
        ("GET", "/api/file", None, 400),
        ("GET", "/api/prompt?format=nonsense", None, 422),
    ],
)
def test_what_is_not_understood_is_refused_in_one_shape(
    page: Page, method: str, path: str, body: bytes | None, status: int
) -> None:
    answered = page.raw(method, path, body, page.headers)
    assert answered.status == status
    assert set(answered.json["error"]) == {"code", "message", "hint"}
    assert page.state()["turns"] == []


@pytest.mark.parametrize("stated", ["99999999999", "-1", "x"])
def test_a_body_that_is_too_large_is_not_read(page: Page, stated: str) -> None:
    head = (
        f"POST /api/turns HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {page.admission.token}\r\nContent-Length: {stated}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", page.port), timeout=120) as connection:
        connection.sendall(head.encode())
        status = connection.recv(100).split(b" ")[1]
    assert status in (b"413", b"400")
    assert page.state()["turns"] == []


def test_a_page_that_is_closed_while_it_posts_is_no_defect(page: Page, caplog: pytest.LogCaptureFixture) -> None:
    head = "".join(f"{name}: {value}\r\n" for name, value in {**page.headers, "Content-Length": "100"}.items())
    with socket.create_connection(("127.0.0.1", page.port)) as left:
        left.sendall(f"POST /api/turns HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n{head}\r\n{{".encode())
        time.sleep(0.1)
    assert page.state()["turns"] == []
    time.sleep(0.1)
    assert [record.message for record in caplog.records] == []


def test_a_reply_that_is_too_long_is_refused(page: Page) -> None:
    assert page.error("POST", "/api/turns", {"kind": "paste", "reply": "x" * 8_000_001}, 413) == "too-large"


def test_beyond_loopback_names_are_checked_and_addresses_are_let_in(page: Page) -> None:
    open_to_all = Admission(8000, ("127.0.0.1", "box"), any_address=True)
    for host, fine in {
        "10.0.0.7:8000": True,
        "[fe80::1]:8000": True,
        "box:8000": True,
        "BOX:8000": True,
        "evil.example:8000": False,
        "10.0.0.7.evil.example:8000": False,
        "10.0.0.7:80": False,
        "": False,
        "[": False,
    }.items():
        refused = open_to_all.refusal("GET", {"host": host})
        assert (refused is None) is fine, host


def test_the_token_is_in_no_repr(page: Page) -> None:
    shown = repr(page.admission)
    assert page.admission.token not in shown
    assert page.admission.pass_word not in shown
    assert page.admission.key not in shown


def test_the_stream_of_events_takes_the_key_from_its_address(page: Page) -> None:
    headers = {"Cookie": cookie(page)}
    assert page.raw("HEAD", f"/api/events?key={page.admission.key}", None, headers).status == 200
    assert page.raw("HEAD", "/api/events?key=wrong", None, headers).status == 401
    assert page.raw("HEAD", f"/api/tree?key={page.admission.key}", None, headers).status == 401


def sent(page: Page, *lines: str, body: str = "") -> bytes:
    """What the server answers to a request that is written by hand."""
    head = [f"Host: 127.0.0.1:{page.port}", f"Authorization: Bearer {page.admission.token}", *lines]
    with socket.create_connection(("127.0.0.1", page.port), timeout=120) as connection:
        text = "POST /api/look HTTP/1.1\r\nContent-Type: application/json\r\n" + "\r\n".join(head) + "\r\n\r\n" + body
        connection.sendall(text.encode())
        return connection.recv(10_000)


def test_a_second_header_of_a_name_that_decides_is_refused(page: Page) -> None:
    mine, others = f"Origin: http://127.0.0.1:{page.port}", "Origin: http://evil.example"
    assert sent(page, mine, "Content-Length: 2", body="{}").startswith(b"HTTP/1.1 200")
    assert sent(page, mine, others, "Content-Length: 2", body="{}").startswith(b"HTTP/1.1 400")
    assert sent(page, others, mine, "Content-Length: 2", body="{}").startswith(b"HTTP/1.1 403")


def test_a_request_that_gives_its_length_in_two_ways_is_refused(page: Page) -> None:
    chunked = "2\r\n{}\r\n0\r\n\r\n"
    assert sent(page, "Transfer-Encoding: chunked", body=chunked).startswith(b"HTTP/1.1 200")
    answer = sent(page, "Transfer-Encoding: chunked", f"Content-Length: {len(chunked)}", body=chunked)
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"connection: close" in answer.lower()


@pytest.mark.parametrize("began", [b"", b"GET / HTT", b"POST /api/look HTTP/1.1\r\nContent-Length: 9\r\n\r\n{"])
def test_a_connection_that_sends_no_whole_request_is_closed(
    page: Page, began: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dovetail.serving.LONGEST_REQUEST", 0.2)
    with socket.create_connection(("127.0.0.1", page.port), timeout=120) as connection:
        connection.sendall(began)
        while connection.recv(10_000):  # an answer, where there is one, and then the end
            pass


def test_a_stream_of_events_may_last(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dovetail.serving.LONGEST_REQUEST", 0.5)
    with page.listening(after=0) as events:
        time.sleep(0.7)
        monkeypatch.setattr("dovetail.serving.LONGEST_REQUEST", 30.0)  # the next request has time on a busy machine
        page.paste("hello")
        assert events.until("turn")


def test_without_a_built_page_the_server_says_so(page: Page) -> None:
    with page_over(page.root, files=PageFiles({})) as bare:
        answered = bare.raw("GET", "/", None, bare.headers)
        assert (answered.status, answered.json["error"]["code"]) == (503, "no-page")


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> [x](javascript:alert(3)) \u202eevil\u202c \x00\x1b[2J \U0001f600 \ud800 \u2028\u2029 </textarea>"


def test_hostile_text_comes_back_as_the_text_it_is(page: Page) -> None:
    """Nothing is escaped twice, nothing is taken for markup: JSON in, the same characters out."""
    (page.root / "a.txt").write_text("one\n")
    turn = page.paste(f"{HOSTILE}\n\n" + block("a.txt", "one\n", HOSTILE.replace("\x00", "") + "\n"))
    assert turn["rounds"][0]["items"][0]["text"].startswith(HOSTILE)
    assert turn["edits"][0]["replace"] == HOSTILE.replace("\x00", "") + "\n"
    answered = page.raw("GET", STATE, None, page.headers)
    assert answered.headers["content-type"] == "application/json"
    assert answered.body.isascii()


@pytest.mark.parametrize(
    "path",
    ["../../etc/passwd", "/etc/passwd", ".git/config", "docs/../../x", "a\x00b", "C:\\x", ".dovetail/log", "x" * 5_000],
)
def test_hostile_paths_read_nothing(page: Page, path: str) -> None:
    from urllib.parse import quote

    answered = page.raw("GET", f"/api/file?path={quote(path)}", None, page.headers)
    assert answered.status in (403, 404)
    assert page.error("POST", "/api/held", {"add": [path]}, 422) == "usage"
    turn = page.paste(block(path, "", "x\n"))
    assert all(edit["state"] == "failed" for edit in turn["edits"])
