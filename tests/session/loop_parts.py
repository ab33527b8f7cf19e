"""A conversation with real parts: a server on loopback that answers as scripted, a root on disk, a person by rules."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from provider_server import Answer, ProviderServer, openai_events, serving, split

from dovetail.llm.client import Client
from dovetail.llm.settings import Addresses
from dovetail.model.codes import OnFailure
from dovetail.session.apply.applying import Prepared
from dovetail.session.conversation.chat_files import ChatFiles
from dovetail.session.conversation.chat_state import Options
from dovetail.session.conversation.conversation import Conversation, TurnOutcome
from dovetail.session.conversation.participants import Approval, Person, Why
from dovetail.session.conversation.turn_events import Piece, TurnEvent
from dovetail.workspace import Workspace

KIOSK = '''\
"""Sells ferry tickets."""

PRICE = 4


def total(count):
    price = count * PRICE
    return price


def greet(name):
    words = "Hello, " + name
    return words
'''

FERRY = "leaves at eight\nreturns at nine\n"


def block(path: str | None, search: str, replace: str) -> str:
    """One edit in the format `diff`."""
    named = f"{path}\n" if path is not None else ""
    return f"{named}```python\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n```\n"


GOOD = block("kiosk.py", "PRICE = 4\n", "PRICE = 5\n")
MISQUOTED = block(
    "kiosk.py",
    'def greet(who):\n    words = "Hello, " + who\n    return words\n',
    'def greet(who):\n    words = "Good day, " + who\n    return words\n',
)
MENDED = block("kiosk.py", '    words = "Hello, " + name\n', '    words = "Good day, " + name\n')


def answer(text: str, *, size: int = 5, piece: int = 64, stop: str | None = "stop", usage: bool = True) -> Answer:
    """A reply in events of `size` characters, sent in pieces of `piece` bytes."""
    figures = {"prompt_tokens": 900, "completion_tokens": 50} if usage else None
    parts = [text[i : i + size] for i in range(0, len(text), size)]
    return Answer(split(b"".join(openai_events(*parts, stop=stop, usage=figures)), piece))


@dataclass
class Somebody(Person):
    """Answers by rules, and remembers what was asked."""

    adds: Sequence[str] = ()
    approves: Approval | None = field(default_factory=lambda: Approval(None, OnFailure.BLOCK))
    chosen: Mapping[int, int] = field(default_factory=dict)
    uses: bool = False
    asked: list[tuple[str, Why]] = field(default_factory=list)
    shown: list[Prepared] = field(default_factory=list)

    def add_file(self, path: str, why: Why) -> bool:
        self.asked.append((path, why))
        return path in self.adds

    def places(self, prepared: Prepared) -> Mapping[int, int | None]:
        return self.chosen

    def listings(self, prepared: Prepared) -> Mapping[int, str]:
        return {listing.line: listing.path for listing in prepared.usable_listings} if self.uses else {}

    def approve(self, prepared: Prepared) -> Approval | None:
        self.shown.append(prepared)
        return self.approves


@dataclass
class Later(Somebody):
    """Chooses no place before the plan is there."""

    def places(self, prepared: Prepared) -> Mapping[int, int | None]:
        return {result.n: None for result in prepared.ambiguous}


@dataclass
class Scene:
    """A server, a root, a conversation."""

    server: ProviderServer
    root: Path
    conversation: Conversation
    person: Somebody
    events: list[TurnEvent] = field(default_factory=list)

    def ask(self, request: str = "Change it.") -> TurnOutcome:
        """One turn to its end."""
        outcome, events = run(self.conversation.ask(request))
        self.events += events
        return outcome

    def of(self, kind: type) -> list[Any]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def sent(self, n: int) -> list[dict[str, str]]:
        """The messages of request `n`, from 0."""
        messages = self.server.seen[n].body["messages"]
        assert isinstance(messages, list)
        return messages

    def read(self, path: str) -> str:
        return (self.root / path).read_text()


End = TypeVar("End")


def run(events: Generator[TurnEvent, None, End]) -> tuple[End, list[TurnEvent]]:
    """Run a turn to its end."""
    seen: list[TurnEvent] = []
    try:
        while True:
            seen.append(next(events))
    except StopIteration as ended:
        return ended.value, seen


def text_of(events: Sequence[TurnEvent]) -> str:
    """All text that was streamed."""
    return "".join(event.text for event in events if isinstance(event, Piece))


def lay(root: Path, files: Mapping[str, str] | None = None) -> Path:
    """Put the files of most tests into a folder."""
    for path, text in (files or {"kiosk.py": KIOSK, "ferry.txt": FERRY}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def client_of(server: ProviderServer) -> Client:
    return Client(Addresses.of({"OPENAI_BASE_URL": f"{server.url}/v1", "ANTHROPIC_BASE_URL": server.url}))


def _options(stated: Mapping[str, Any]) -> Options:
    return Options(**{"model": "tiny", **stated})


@contextmanager
def scene(
    root: Path,
    *answers: Answer | str,
    person: Somebody | None = None,
    held: ChatFiles = ChatFiles(("kiosk.py",)),  # noqa: B008  # a frozen value
    **options: object,
) -> Iterator[Scene]:
    """A conversation that is answered as scripted."""
    script = [answer(said) if isinstance(said, str) else said for said in answers]
    asked = person or Somebody()
    stated = {"map_tokens": 0, **options}
    with serving(*script) as server, Workspace.open(lay(root)) as workspace:
        conversation = Conversation(workspace, client_of(server), asked, _options(stated), files=held)
        yield Scene(server, root, conversation, asked)
