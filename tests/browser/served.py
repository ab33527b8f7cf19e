"""The server over a real folder, until the context ends: in a thread of the tests, or `dovetail serve` as a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1] / "web"))  # the server in a thread is the same as there

from page_server import page_over

from dovetail.session.settings import load
from dovetail.web.app import PageFiles
from dovetail.web.conversations import remove_sample
from dovetail.web.watch import Watcher

if TYPE_CHECKING:
    from playwright.sync_api import Page

START = 60.0  # seconds; the page may have to be built


@dataclass(frozen=True)
class Served:
    """A running server. `address` has the token; `root` is the folder it works in."""

    address: str
    root: Path

    @property
    def origin(self) -> str:
        parts = urllib.parse.urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    def read(self, path: str) -> str:
        """A file of the workspace, its line ends as they are."""
        return (self.root / path).read_bytes().decode()


class Serve(Protocol):
    """The fixture `serve`."""

    def __call__(self, *, provider: str | None = None) -> Served: ...


class OpenPage(Protocol):
    """The fixture `open_page`; further options are the browser context's. `strict`: what the page refuses is a fault."""

    def __call__(
        self, served: Served, width: int = 1280, height: int = 860, *, strict: bool = True, **options: object
    ) -> Page: ...


@contextmanager
def serving_folder(root: Path, *, provider: str | None = None, port: int = 0) -> Iterator[Served]:
    """Serve a folder from a thread; `provider` is the address of an OpenAI-compatible server.

    A process of its own costs more than most tests do at the page.
    """
    with mock.patch.dict(os.environ, _environment(root, None), clear=True):
        with page_over(root, provider=provider, settings=load(root), wanted_port=port, files=built_page()) as page:
            watcher = Watcher(page.session)
            watcher.start()
            try:
                yield Served(f"http://127.0.0.1:{page.port}/?token={page.admission.token}", root)
            finally:
                watcher.stop()
        remove_sample(page.session)


@cache
def built_page() -> PageFiles:
    """The page's files as Vite built them, read once."""
    return PageFiles.read()


@contextmanager
def serving_process(root: Path, *, provider: str | None = None) -> Iterator[Served]:
    """`dovetail serve` over a folder. `provider`: see `serving_folder`."""
    command = [sys.executable, "-m", "dovetail", "serve", "--no-browser", "--port", "0", "-C", str(root)]
    if provider is not None:
        command += ["--model", "tiny-1"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=_environment(root, provider), **pipes) as process:
        said: list[bytes] = []
        listening = threading.Thread(target=_gather, args=(process, said), daemon=True)
        listening.start()
        timer = threading.Timer(START, process.kill)
        timer.start()
        try:
            assert process.stdout is not None
            line = process.stdout.readline().decode().strip()
            timer.cancel()
            assert line.startswith("http://"), b"".join(said).decode()
            yield Served(line, root)
        finally:
            timer.cancel()
            _end(process)
            listening.join()


def _end(process: subprocess.Popen[bytes]) -> None:
    """As Ctrl-C does; by force where that takes too long."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _gather(process: subprocess.Popen[bytes], said: list[bytes]) -> None:
    assert process.stderr is not None
    said.extend(process.stderr)


def _environment(root: Path, provider: str | None) -> Mapping[str, str]:
    """No key and no address of the person who runs the tests."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("OPENAI", "ANTHROPIC", "DOVETAIL"))
    }
    kept["XDG_CONFIG_HOME"] = str(root.parent / "config")
    kept["HOME"] = str(root.parent)
    if provider is not None:
        kept |= {"OPENAI_API_KEY": "key-of-a-test", "OPENAI_BASE_URL": f"{provider}/v1"}
    return kept
