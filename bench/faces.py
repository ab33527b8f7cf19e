"""Does one reply mean the same in every face? Gives it to each of them, and compares the files that they leave.

    python bench/faces.py CASES.jsonl [--show 20] [--every 1]

CASES have one of the shapes that `case_files` reads. The faces are `apply` and `ask` (the commands), `chat` (a
conversation and the person at its terminal), the acts of the page's server, `batch`, and the tool `apply_edits` of MCP.
`ask` and `chat` ask a model on loopback that answers with the reply. Whoever is asked agrees to all that fits, and
declines what else is asked. In `chat` and on the page an edit that fails holds back no other; the rest write all or
nothing. Each is compared with the plan of the library under the same rule. Exit status 1 where any face differs.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import patch

from case_files import Case, read_cases
from dovetail.cli import main as command
from dovetail.cli.questions import TerminalPerson
from dovetail.cli.screen import Screen
from dovetail.cli.terminal import Terminal
from dovetail.llm.client import Client
from dovetail.llm.settings import Addresses
from dovetail.model.codes import OnFailure
from dovetail.model.errors import DovetailError
from dovetail.model.policy import Policy
from dovetail.session.apply.library import make_plan
from dovetail.session.batch import cases as batch
from dovetail.session.conversation.chat_state import Options
from dovetail.session.conversation.saved_chat import Participants, SavedChat
from dovetail.session.settings import DEFAULT_SETTINGS
from dovetail.tools.toolbox import Toolbox
from dovetail.web.routes import POSTS
from dovetail.web.server import ServeOptions, make_session
from dovetail.workspace import Workspace

Files = Mapping[str, str]
STRICT, LENIENT = Policy(), Policy(on_failure=OnFailure.BLOCK, partial=True)
_SILENT = io.StringIO


class Provider(ThreadingHTTPServer):
    """Answers every request with `reply`, streamed."""

    reply = ""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead a client here."""
        return {"OPENAI_BASE_URL": f"http://127.0.0.1:{self.server_port}/v1", "OPENAI_API_KEY": "none"}


class _Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        """Send the reply in pieces."""
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        reply = self.server.reply
        pieces = [reply[at : at + 40] for at in range(0, len(reply), 40)]
        for piece in pieces:
            self._event({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, event: Mapping[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Agreeing(Terminal):
    """Takes all that fits, and the default of every other question."""

    def __init__(self) -> None:
        super().__init__(_SILENT(), _SILENT())

    def ask(self, question: str, choices: Mapping[str, str], default: str) -> str:  # noqa: ARG002
        """Answer at once."""
        return "a" if "a" in choices else default

    def forget(self) -> None:
        """Nothing was typed."""


@contextmanager
def laid(files: Files) -> Iterator[Path]:
    """A folder with the files."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())
        yield root


def left(root: Path) -> dict[str, str]:
    """The files of a folder, Dovetail's own aside."""
    found = (path for path in root.rglob("*") if path.is_file() and ".dovetail" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in found}


def planned(reply: str, files: Files, policy: Policy) -> dict[str, str]:
    """The files as the library leaves them."""
    changes = {change.path: change.after for change in make_plan(reply, files, policy).changes}
    return {path: text for path, text in {**files, **changes}.items() if text is not None}


def by_apply(root: Path, reply: str, _: Provider) -> None:
    """`dovetail apply`."""
    file = root.parent / f"{root.name}.reply"
    file.write_bytes(reply.encode())
    command(["apply", str(file), "-C", str(root), "--root", ".", "--yes"])
    file.unlink()


def by_ask(root: Path, _: str, provider: Provider) -> None:
    """`dovetail ask`, whose model answers with the reply."""
    names = sorted(left(root))
    words = ["ask", "-C", str(root), "--root", ".", "--model", "m", "--no-map", "--max-rounds", "0", "--yes"]
    with patch.dict(os.environ, provider.environment):
        command([*words, "--", "Do it.", *names])


def by_chat(root: Path, _: str, provider: Provider) -> None:
    """A conversation with the terminal's person."""
    person = TerminalPerson(Screen(_SILENT(), colour=False), Agreeing(), lambda: None, OnFailure.BLOCK)
    client = Client(Addresses.of(provider.environment))
    options = Options("m", max_rounds=0, map_tokens=0)
    with Workspace.open(root) as workspace:
        chat = SavedChat.begin(workspace, Participants(client, person), options)
        try:
            chat.add(*sorted(left(root)))
            for _event in chat.ask("Do it."):
                pass
        finally:
            chat.close()


def by_page(root: Path, reply: str, _: Provider) -> None:
    """The acts of the page's server: paste, and apply all that is ready."""
    session = make_session(ServeOptions(root), DEFAULT_SETTINGS, {})
    with session.lock:
        act, _fields = POSTS["/api/turns"]
        turn = (act(session, {}, {"kind": "paste", "reply": reply}) or {})["turn"]
        version = session.planned_turn(turn).version
        with suppress(DovetailError):  # nothing fits
            POSTS["/api/turns/{turn}/apply"][0](session, {"turn": turn}, {"plan": version})
    session.close()


def by_mcp(root: Path, reply: str, _: Provider) -> None:
    """The tool that takes a reply."""
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": "apply_edits", "arguments": json.dumps({"text": reply})},
    }
    Toolbox(root, allow_runs=True).answer(call)


FACES: dict[str, tuple[Callable[[Path, str, Provider], None], Policy]] = {
    "apply": (by_apply, STRICT),
    "ask": (by_ask, STRICT),
    "chat": (by_chat, LENIENT),
    "page": (by_page, LENIENT),
    "mcp": (by_mcp, STRICT),
}


def by_batch(reply: str, files: Files) -> dict[str, str]:
    """One line of `dovetail batch`."""
    answer = batch.answer(batch.read_case({"id": 1, "files": files, "reply": reply, "policy": {"commands": "list"}}))
    after = {**files, **answer["files"]}
    return {path: text for path, text in after.items() if text is not None}


def differing(case: Case, provider: Provider) -> Iterator[tuple[str, list[str]]]:
    """The faces that leave other files than the library, and which."""
    files, reply = case["files"], case["reply"]
    provider.reply = reply
    wanted = {policy.on_failure: planned(reply, files, policy) for policy in (STRICT, LENIENT)}
    found: dict[str, dict[str, str]] = {"batch": by_batch(reply, files)}
    for name, (face, _) in FACES.items():
        with laid(files) as root, redirect_stdout(_SILENT()), redirect_stderr(_SILENT()):
            face(root, reply, provider)
            found[name] = left(root)
    for name, after in found.items():
        policy = FACES[name][1] if name in FACES else STRICT
        right = wanted[policy.on_failure]
        paths = sorted(path for path in {*after, *right} if after.get(path) != right.get(path))
        if paths:
            yield name, paths


def main() -> int:
    """Print how many replies each face takes otherwise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--show", type=int, default=20, help="name so many replies that a face takes otherwise")
    parser.add_argument("--every", type=int, default=1, help="try every so many-th case")
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    shown = tried = 0
    provider = Provider()
    for case in list(read_cases(asked.cases))[:: asked.every]:
        tried += 1
        for face, paths in differing(case, provider):
            counts[face] += 1
            shown += 1
            if shown <= asked.show:
                print(f"{case['id']}  {face}: {', '.join(paths)}", flush=True)
    print(f"{tried} replies; " + ", ".join(f"{name} {counts[name]}" for name in ("batch", *FACES)) + " differ")
    return int(bool(counts))


if __name__ == "__main__":
    raise SystemExit(main())
