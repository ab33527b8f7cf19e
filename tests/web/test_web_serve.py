"""The server as a process: its address, its end, and the command that starts it."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from dovetail.model.errors import UsageError
from dovetail.web import build
from dovetail.web.server import is_loopback, listening_socket

SERVE = """
import sys
from pathlib import Path
from dovetail.session.settings import DEFAULT_SETTINGS
from dovetail.web.app import PageFiles
from dovetail.web.server import ServeOptions, serve

page = PageFiles({"index.html": b"<p>the page"})
serve(ServeOptions(Path(sys.argv[1])), DEFAULT_SETTINGS, {}, page, lambda begun: print(begun.address, flush=True))
print("ended well")
"""
ENVIRONMENT = {**os.environ, "OPENAI_API_KEY": "", "NO_COLOR": "1"}


@contextmanager
def process(*command: str, **environ: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running server and the address that it printed."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**ENVIRONMENT, **environ}
    ) as running:
        assert running.stdout is not None
        try:
            yield running, running.stdout.readline().strip()
        finally:
            running.kill()


def get(address: str, path: str, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
    parts = urlsplit(address)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)) as connection:
        connection.request("GET", path, headers=headers)
        answered = connection.getresponse()
        return answered.status, answered.read(), {k.lower(): v for k, v in answered.getheaders()}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_server_ends_at_once_though_tabs_listen(root: Path, number: signal.Signals) -> None:
    with process(sys.executable, "-c", SERVE, str(root)) as (running, address):
        parts = urlsplit(address)
        status, body, headers = get(address, f"/?{parts.query}", {})
        assert status == 200
        key = re.search(rb"#key=([\w-]+)", body)
        assert key is not None
        cookie = {"Cookie": headers["set-cookie"].partition(";")[0]}
        assert get(address, "/", cookie)[1] == b"<p>the page"
        with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)) as tab:
            tab.request("GET", f"/api/events?key={key[1].decode()}", headers=cookie)
            stream = tab.getresponse()
            assert stream.readline() == b"retry: 1000\n"
            running.send_signal(number)
            assert stream.read() == b"\n"
        out, err = running.communicate(timeout=120)
        assert err == ""
        assert (running.returncode, out) == ((0, "ended well\n") if number is signal.SIGINT else (-15, ""))


@pytest.mark.skipif(os.name == "nt", reason="files have no modes there")
def test_the_browser_is_given_a_private_file_and_no_token(root: Path, tmp_path: Path) -> None:
    if not build.is_built():
        pytest.skip("the page is not built")
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}.part && mv {seen}.part {seen}\n')
    browser.chmod(0o700)
    environ = {"BROWSER": str(browser), "DISPLAY": ":0", "TMPDIR": str(tmp_path)}
    command = (sys.executable, "-m", "dovetail", "serve", "--port", "0", "-C", str(root))
    with process(*command, **environ) as (running, address):
        end = time.monotonic() + 120
        while not seen.exists() and time.monotonic() < end:
            time.sleep(0.01)
        argument = seen.read_text().strip()
        assert urlsplit(address).query.removeprefix("token=") not in argument
        file = Path(urlsplit(argument).path)
        assert file.stat().st_mode & 0o777 == 0o600
        assert f"url={address}" in file.read_text()
        running.send_signal(signal.SIGINT)
        running.wait(120)
        assert not file.exists()


def test_a_port_that_is_taken_is_told() -> None:
    with closing(listening_socket("127.0.0.1", 0)) as first:
        port = int(first.getsockname()[1])
        with pytest.raises(UsageError, match="cannot listen on") as caught:
            listening_socket("127.0.0.1", port)
    assert "--port 0" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.0.0.2", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),  # noqa: S104 - nothing is bound
        ("10.0.0.7", False),
    ],
)
def test_what_only_this_machine_reaches(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


@pytest.mark.skipif(not build.is_current(), reason="the page is not built here; run: python -m dovetail.web.build")
def test_the_command_serves_the_built_page(root: Path) -> None:
    command = (sys.executable, "-m", "dovetail", "serve", "--no-browser", "-C", str(root))
    with process(*command) as (running, address):
        parts = urlsplit(address)
        _, _, headers = get(address, f"/?{parts.query}", {})
        status, body, _ = get(address, "/", {"Cookie": headers["set-cookie"].partition(";")[0]})
        assert (status, b"<script" in body, b"__CSP_NONCE__" in body) == (200, True, False)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=120)
        assert running.returncode == 0
        assert str(root) in err
        assert "Pasted replies need none." in err


@pytest.mark.skipif(not build.is_current(), reason="the page is not built here; run: python -m dovetail.web.build")
def test_the_command_says_what_is_wrong(root: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        command = [sys.executable, "-m", "dovetail", "serve", "--no-browser", "-C", str(root)]
        done = subprocess.run(
            [*command, "--port", str(taken.getsockname()[1])],
            capture_output=True,
            text=True,
            env=ENVIRONMENT,
            timeout=120,
        )
    assert done.returncode == 2
    assert "cannot listen on" in done.stderr
