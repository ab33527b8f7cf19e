"""The MCP server, asked by the SDK's own client: over standard input and output, and over HTTP."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
import uvicorn
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from dovetail.llm.tool_definitions import BASIC
from dovetail.mcp.server import Handlers, http_config, server_of
from dovetail.session.apply import operations
from dovetail.tools import TOOLS

APP = "def first():\n    return 1\n\n\ndef second():\n    return 1\n"
TOKEN = "a-token-of-the-tests"  # noqa: S105
LEGACY, MODERN = "legacy", "auto"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(APP)
    return tmp_path


@asynccontextmanager
async def client(root: Path, *words: str, **options: Any) -> AsyncIterator[Client]:  # noqa: ANN401 - as `Client` takes them
    """The SDK's client, which starts the server itself."""
    command = [sys.executable, "-m", "dovetail", "mcp", *words]
    parameters = StdioServerParameters(command=command[0], args=command[1:], cwd=root, env=dict(os.environ))
    async with Client(stdio_client(parameters), **options) as connected:
        yield connected


@asynccontextmanager
async def in_process(root: Path, **options: Any) -> AsyncIterator[Client]:  # noqa: ANN401 - as `Client` takes them
    """The SDK's client of the same server without a process, where starting it is not the point."""
    async with Client(server_of(Handlers(root, root, root)), **options) as connected:
        yield connected


def text_of(result: types.CallToolResult) -> str:
    assert isinstance(result.content[0], types.TextContent)
    return result.content[0].text


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
def test_every_tool_is_listed_and_called(root: Path, mode: str) -> None:
    """A client of either protocol lists the tools with their hints and calls each of them."""
    (root / "old.txt").write_text("old\n")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("read_file", {"path": "app.py"}),
        ("edit_file", {"path": "app.py", "old_string": "def first", "new_string": "def one"}),
        ("write_file", {"path": "new.txt", "content": "new\n"}),
        ("insert_lines", {"path": "app.py", "insert_line": "2", "insert_text": "# between\n"}),
        ("apply_patch", {"patch": "*** Begin Patch\n*** Delete File: old.txt\n*** End Patch\n"}),
        ("apply_edits", {"text": "more.txt\n```\n<<<<<<< SEARCH\n=======\nmore\n>>>>>>> REPLACE\n```\n"}),
        ("preview", {"tool": "write_file", "arguments": {"path": "x.txt", "content": "x\n"}}),
        ("undo", {}),
        ("redo", {}),
        ("history", {}),
    ]

    async def run() -> None:
        async with client(root, "--all-tools", mode=mode) as connected:
            tools = {tool.name: tool for tool in (await connected.list_tools()).tools}
            assert list(tools) == [tool.name for tool in TOOLS] == [name for name, _ in calls]
            hints = tools["read_file"].annotations
            assert hints is not None and hints.read_only_hint is True
            for name, arguments in calls:
                result = await connected.call_tool(name, arguments)
                assert not result.is_error, (name, text_of(result))
                assert text_of(result) and result.structured_content is None

    anyio.run(run)
    assert (root / "app.py").read_text() == APP.replace("def first", "def one").replace("1\n\n", "1\n# between\n\n", 1)
    assert not (root / "old.txt").exists()
    assert (root / "more.txt").read_text() == "more\n"
    assert not (root / "x.txt").exists()


def test_few_tools_are_offered_unless_asked_for_all(root: Path) -> None:
    """What is not offered is not carried out either."""

    async def run() -> tuple[list[str], types.CallToolResult]:
        async with client(root) as connected:
            names = [tool.name for tool in (await connected.list_tools()).tools]
            return names, await connected.call_tool("history", {})

    names, refused = anyio.run(run)
    assert names == list(BASIC)
    assert refused.is_error and "is not offered" in text_of(refused)


def test_paths_count_from_the_folder_in_which_the_server_was_started(root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (root / "sub").mkdir()

    async def run() -> str:
        async with client(root / "sub") as connected:
            await connected.call_tool("write_file", {"path": "app.py", "content": "x = 1\n"})
            return text_of(await connected.call_tool("read_file", {"path": "../app.py", "last_line": 1}))

    assert anyio.run(run).startswith("1|def first")
    assert (root / "sub/app.py").read_text() == "x = 1\n"


def test_the_engine_is_loaded_with_the_first_call() -> None:
    code = "import sys, dovetail.cli.mcp as m; print(m._missing, 'dovetail.match' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["None", "False"]


def test_a_failed_edit_is_a_retry_message(root: Path) -> None:
    """Not a bare error: the model is shown what the file has."""

    async def run() -> str:
        async with in_process(root) as connected:
            search = {"path": "app.py", "old_string": "def second():\n    return 9\n", "new_string": "\n"}
            result = await connected.call_tool("edit_file", search)
            assert result.is_error
            return text_of(result)

    assert "    return 1" in anyio.run(run)
    assert (root / "app.py").read_text() == APP


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
@pytest.mark.parametrize(("line", "wanted"), [("6", APP[:-2] + "5\n"), (None, APP)])
def test_an_ambiguous_edit_is_asked_about(root: Path, mode: str, line: str | None, wanted: str) -> None:
    """Where the client can ask its user, the place that is chosen is taken; declined, the edit fails."""
    asked: list[str] = []

    async def ask(_: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        if line is None:
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content={"line": line})

    async def run() -> bool:
        async with client(root, mode=mode, elicitation_callback=ask) as connected:
            edit = {"path": "app.py", "old_string": "    return 1\n", "new_string": "    return 5\n"}
            return bool((await connected.call_tool("edit_file", edit)).is_error)

    assert anyio.run(run) is (line is None)
    assert (root / "app.py").read_text() == wanted
    assert len(asked) == 1 and "several places" in asked[0]


@pytest.mark.parametrize("mode", [LEGACY, MODERN])
@pytest.mark.parametrize("allowed", [True, False])
def test_a_file_that_other_programs_run_is_asked_about(root: Path, mode: str, allowed: bool) -> None:
    asked: list[str] = []

    async def ask(_: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"allow": allowed})

    async def run() -> bool:
        async with in_process(root, mode=mode, elicitation_callback=ask) as connected:
            return bool((await connected.call_tool("write_file", {"path": ".envrc", "content": "x\n"})).is_error)

    assert anyio.run(run) is not allowed
    assert (root / ".envrc").exists() is allowed
    assert len(asked) == 1 and "`.envrc` is run by direnv" in asked[0]


def test_without_elicitation_the_places_are_told(root: Path) -> None:
    """A client that cannot ask gets the lines."""

    async def run() -> types.CallToolResult:
        async with in_process(root) as connected:
            return await connected.call_tool(
                "edit_file", {"path": "app.py", "old_string": "return 1", "new_string": "2"}
            )

    result = anyio.run(run)
    assert result.is_error and "line 2 in `first` and line 6 in `second`" in text_of(result)


def test_roots_of_the_client_are_honoured(tmp_path: Path, root: Path) -> None:
    """Without --root the client's roots are the project; nothing outside of them is written."""
    project, other = tmp_path / "a project", tmp_path / "other"
    project.mkdir()
    other.mkdir()

    async def roots(_: object) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=folder.as_uri()) for folder in (project, other)])  # type: ignore[arg-type]

    async def run() -> list[bool]:
        async with client(tmp_path, mode=LEGACY, list_roots_callback=roots) as connected:
            paths = ("in.txt", str(other / "in.txt"), str(tmp_path / "out.txt"), "../out.txt")
            results = [await connected.call_tool("write_file", {"path": path, "content": "x\n"}) for path in paths]
            patch = f"*** Begin Patch\n*** Add File: {other / 'patched.txt'}\n+x\n*** End Patch"
            results += [await connected.call_tool("apply_patch", {"patch": patch})]
            results += [await connected.call_tool("undo", {}), await connected.call_tool("undo", {})]
            return [bool(result.is_error) for result in results]

    assert anyio.run(run) == [False, False, True, True, False, False, False]
    assert (project / "in.txt").exists() and not (other / "in.txt").exists()
    assert not (other / "patched.txt").exists()  # what is undone is the last that was changed, in whichever root
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize(
    ("name", "meta", "agent", "session"),
    [
        ("claude-code", {"claudecode/toolUseId": "toolu_1"}, "claude", None),
        ("codex-mcp-client", {"callId": "toolu_1", "sessionId": "s-1"}, "codex", "s-1"),
        ("another", {}, "another", None),
    ],
)
@pytest.mark.parametrize("mode", [LEGACY, MODERN])
def test_the_journal_says_which_clients_call_it_was(
    root: Path, mode: str, name: str, meta: dict[str, Any], agent: str, session: str | None
) -> None:
    async def run() -> None:
        info = types.Implementation(name=name, version="1")
        async with in_process(root, mode=mode, client_info=info) as connected:
            edit = {"path": "app.py", "old_string": "def first", "new_string": "def one"}
            assert not (await connected.call_tool("edit_file", edit, meta=meta)).is_error

    anyio.run(run)
    (operation,) = operations.log(root).operations
    assert operation.origin is not None
    assert (operation.origin.agent, operation.origin.tool) == (agent, "edit_file")
    assert operation.origin.calls == (("toolu_1",) if meta else ())
    assert operation.origin.session == session or (session is None and operation.origin.session)


def test_many_calls_in_a_row_do_not_leak(root: Path) -> None:
    """Dozens of calls later the server has no more files open than at first."""
    (root / "app.py").write_text("n = 0\n")

    def opened() -> int:
        children = subprocess.run(["pgrep", "-P", str(os.getpid())], capture_output=True, text=True).stdout.split()
        return sum(
            len(list(Path(f"/proc/{child}/fd").iterdir())) for child in children if Path(f"/proc/{child}/fd").exists()
        )

    async def run() -> tuple[int, int]:
        async with client(root) as connected:
            counts = []
            for n in range(60):
                edit = {"path": "app.py", "old_string": f"n = {n}\n", "new_string": f"n = {n + 1}\n"}
                assert not (await connected.call_tool("edit_file", edit)).is_error
                if n in (20, 59):
                    counts.append(opened())
            return counts[0], counts[1]

    early, late = anyio.run(run)
    assert late <= early
    assert (root / "app.py").read_text() == "n = 60\n"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where one server answers the requests that it is to refuse."""
    with over_http(tmp_path_factory.mktemp("served")) as address:
        yield address


@contextmanager
def over_http(root: Path) -> Iterator[str]:
    """The server over HTTP; its address."""
    environment = {**os.environ, "DOVETAIL_MCP_TOKEN": TOKEN}
    command = [sys.executable, "-m", "dovetail", "mcp", "--http"]
    with subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:")
            _wait_for(address)
            yield address
        finally:
            process.terminate()
            process.wait()


def _wait_for(address: str) -> None:
    host, port = address.removeprefix("http://").partition("/")[0].split(":")
    for _ in range(600):
        with socket.socket() as tried:
            if tried.connect_ex((host, int(port))) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the server does not answer")


def test_over_http(root: Path) -> None:
    """Streamable HTTP on loopback, with the token."""

    async def run(address: str) -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120) as http,
            Client(streamable_http_client(address, http_client=http)) as connected,
        ):
            edit = {"path": "app.py", "old_string": "def first", "new_string": "def one"}
            assert not (await connected.call_tool("edit_file", edit)).is_error

    with over_http(root) as address:
        anyio.run(run, address)
    assert "def one" in (root / "app.py").read_text()


@pytest.mark.parametrize("began", [b"", b"POST /mcp HTT", b"POST /mcp HTTP/1.1\r\nContent-Length: 9\r\n\r\n{"])
def test_a_connection_that_sends_no_whole_request_is_closed(
    root: Path, began: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dovetail.serving.LONGEST_REQUEST", 0.2)
    config = http_config(Handlers(root, root, root), 0, TOKEN)
    listening = config.bind_socket()
    listening.listen()
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        with socket.create_connection(listening.getsockname(), timeout=120) as connection:
            connection.sendall(began)
            while connection.recv(10_000):  # an answer, where there is one, and then the end
                pass
    finally:
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer another"}, 401),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "http://evil.example"}, 403),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "evil.example"}, 421),
    ],
)
def test_strangers_are_refused_over_http(address: str, headers: dict[str, str], status: int) -> None:
    """Neither without the token, nor from another site's page, nor under another host's name."""
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}'
    kinds = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(address, data=body, headers={**kinds, **headers})  # noqa: S310
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(request, timeout=120)  # noqa: S310
    assert raised.value.code == status
    raised.value.close()
