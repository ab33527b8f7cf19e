"""From what a chat holds to the messages that a model gets. Pure.

The order is: system text, worked examples and the note that they are over, read-only files, the repository's map, the
files in the chat, history, and the request with the reminder. The fence is one longer than any in what is shown. With
a budget, the map goes first, then history from its oldest turn; what went is said in the result. Invariant: the
messages never count more than the budget, and a reply or a file is never taken for a template.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate

from dovetail.llm import prompts
from dovetail.llm.errors import ContextTooLongError
from dovetail.llm.fences import Fence, fence_around
from dovetail.llm.prompts import Wording
from dovetail.llm.prompts.documents import folder, parse
from dovetail.llm.prompts.rendering import fill
from dovetail.llm.values import Message, Role

ARCHITECT = "architect"
TURN_OVERHEAD = 4
"""Tokens that a turn costs besides its text, at most, with the providers that say so."""


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file as the model is to see it.

    text: what is shown; with `excerpt` set, only parts of it, gaps marked by whoever cut it.
    language: the name behind the fence. version: a short name of the bytes, by which a stale reply can be told.
    """

    path: str
    text: str
    language: str = ""
    version: str = ""
    excerpt: bool = False


@dataclass(frozen=True, slots=True)
class Chat:
    """What the conversation holds. `history` begins with a user's turn; `map` is the outline's text, or empty."""

    request: str
    files: tuple[ShownFile, ...] = ()
    read_only: tuple[ShownFile, ...] = ()
    map: str = ""
    history: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Budget:
    """The most tokens that all messages may count, and how a text is counted."""

    tokens: int
    count: Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Assembled:
    """The messages; their tokens where there was a budget; one sentence for each thing that was left out."""

    messages: tuple[Message, ...]
    tokens: int | None = None
    cut: tuple[str, ...] = field(default=())


def assemble(chat: Chat, wording: Wording, budget: Budget | None = None) -> Assembled:
    """Make the messages, with a fence that fits the files.

    `wording` names a format, or ``architect`` for a plan in prose, which goes without examples and reminder. Raises
    `ContextTooLongError` (``over-budget``) where nothing more can be left out.
    """
    shown = [file.text for file in (*chat.files, *chat.read_only)]
    fence = fence_around([*shown, chat.map])
    wording = replace(wording, fence=fence)
    opening = _opening(wording) + _files("read only", chat.read_only, fence)
    outline = _turns("map", [fence.around(chat.map)]) if chat.map else ()
    files = _files("files", chat.files, fence) if chat.files else _turns("no files", [])
    request = (Message(Role.USER, _request(chat.request, wording)),)
    if budget is None:
        return Assembled((*opening, *outline, *files, *chat.history, *request))
    return _within(budget, opening, outline, files, chat.history, request)


def _within(
    budget: Budget,
    opening: tuple[Message, ...],
    outline: tuple[Message, ...],
    files: tuple[Message, ...],
    history: tuple[Message, ...],
    request: tuple[Message, ...],
) -> Assembled:
    def cost(messages: Sequence[Message]) -> int:
        return sum(budget.count(message.content) + TURN_OVERHEAD for message in messages)

    fixed, of_map = cost([*opening, *files, *request]), cost(outline)
    of_turns = [cost([message]) for message in history]
    if fixed > budget.tokens:
        raise ContextTooLongError(
            f"The files, the request and the prompt are {fixed:,} tokens; the budget is {budget.tokens:,}.",
            hint=_largest(files, budget),
            code="over-budget",
        )
    total = fixed + of_map + sum(of_turns)
    cut: list[str] = []
    if outline and total > budget.tokens:
        outline, total = (), total - of_map
        cut.append(f"The repository's map was left out ({of_map:,} tokens).")
    dropped = _turns_to_drop(history, of_turns, total - budget.tokens)
    if dropped:
        lost = sum(of_turns[:dropped])
        total -= lost
        cut.append(f"The oldest {dropped} of {len(history)} turns of the history were left out ({lost:,} tokens).")
    return Assembled((*opening, *outline, *files, *history[dropped:], *request), total, tuple(cut))


def _turns_to_drop(history: Sequence[Message], costs: Sequence[int], excess: int) -> int:
    """How many of the oldest turns make room, so that a user's turn comes first among those that stay."""
    if excess <= 0:
        return 0
    freed = accumulate(costs)
    enough = next((n for n, room in enumerate(freed, start=1) if room >= excess), len(history))
    return next((n for n in range(enough, len(history)) if history[n].role is Role.USER), len(history))


def _largest(files: Sequence[Message], budget: Budget) -> str:
    shown = sum(budget.count(message.content) for message in files)
    return f"The files in the chat are {shown:,} of them: take some out, or show excerpts."


def _opening(wording: Wording) -> tuple[Message, ...]:
    if wording.format == ARCHITECT:
        return (Message(Role.SYSTEM, prompts.architect(), stable=True),)
    return (Message(Role.SYSTEM, wording.system, stable=True), *wording.examples, *_turns("examples over", []))


def _request(request: str, wording: Wording) -> str:
    return request if wording.format == ARCHITECT else f"{request.rstrip()}\n\n{wording.reminder}"


def _files(place: str, files: Sequence[ShownFile], fence: Fence) -> tuple[Message, ...]:
    return _turns(place, [show(file, fence) for file in files]) if files else ()


def files_message(files: Sequence[ShownFile], *, read_only: bool = False) -> Message:
    """The one turn that shows files to a model, for who assembles nothing else."""
    fence = fence_around([file.text for file in files])
    return _turns("read only" if read_only else "files", [show(file, fence) for file in files])[0]


def map_message(outline: str) -> Message:
    """The one turn that shows the repository's map, likewise."""
    return _turns("map", [fence_around([outline]).around(outline)])[0]


def show(file: ShownFile, fence: Fence) -> str:
    """One file as it stands in a message: its path on a line, its text between fences."""
    info = f"{file.language or 'text'} version={file.version}" if file.version else file.language
    text = f"{file.path}\n{fence.around(file.text, info)}"
    return f"{text}\n{fill(_texts()['excerpt'], {'path': file.path})}" if file.excerpt else text


def _turns(place: str, parts: Sequence[str]) -> tuple[Message, ...]:
    """What the user says at a place of the conversation, the parts behind it, and the model's word on it."""
    texts = _texts()
    said = "\n\n".join([texts[place], *parts])
    return Message(Role.USER, said), Message(Role.ASSISTANT, texts[f"{place} answer"], stable=True)


@cache
def _texts() -> Mapping[str, str]:
    return parse(folder("chat.md").read_text(encoding="utf-8")).sections
