"""From what a chat holds to the messages that a model gets. Pure.

The order is: system text, worked examples and the note that they are over, read-only files, the repository map, the
files in the chat, history, and the request with the reminder. The fence is longer than any in what is shown. To fit a
budget, the map is left out first, then history from its oldest message; the result says what was left out. The
messages never count more than the budget, and a reply or a file is never read as a template.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from dovetail.llm import prompts
from dovetail.llm.errors import ContextTooLongError
from dovetail.llm.prompts import Wording
from dovetail.llm.prompts.texts import CodeFence, fence_around, fill, sections
from dovetail.llm.values import Message, Role

ARCHITECT = "architect"
TOOLS = "tools"
TURN_OVERHEAD = 4
"""Tokens that a message costs besides its text, at most, with the providers that state it."""


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file as the model will see it.

    text: the whole file, or with `excerpt` set parts of it, with marks for the gaps.
    language: the word behind the fence. version: a short hash of the bytes; a stale reply is recognised by it.
    """

    path: str
    text: str
    language: str = ""
    version: str = ""
    excerpt: bool = False


@dataclass(frozen=True, slots=True)
class Chat:
    """What the conversation holds. `history` begins with a user's message; `map` is the map's text, or empty."""

    request: str
    files: tuple[ShownFile, ...] = ()
    read_only: tuple[ShownFile, ...] = ()
    map: str = ""
    history: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """The most tokens that all messages may count, and how a text is counted."""

    tokens: int
    count: Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Assembled:
    """The messages, their tokens if there was a budget, and one sentence for each thing that was left out."""

    messages: tuple[Message, ...]
    tokens: int | None = None
    cut: tuple[str, ...] = ()


def assemble(chat: Chat, wording: Wording, budget: TokenBudget | None = None) -> Assembled:
    """Return the messages of a request, with a fence that fits the files.

    wording: names a format; or ``architect`` for a plan in prose, or ``tools`` for edits by calls of tools, which have
    neither examples nor a reminder.
    Raises `ContextTooLongError` (``over-budget``) if the files, the request and the prompt exceed the budget.
    """
    fence = fence_around([*(file.text for file in (*chat.files, *chat.read_only)), chat.map])
    wording = replace(wording, fence=fence)
    if wording.format == ARCHITECT:
        opening, request = [Message(Role.SYSTEM, prompts.architect(), stable=True)], chat.request
    elif wording.format == TOOLS:
        opening, request = [Message(Role.SYSTEM, prompts.with_tools(wording), stable=True)], chat.request
    else:
        opening = [Message(Role.SYSTEM, wording.system, stable=True), *wording.examples, *_exchange("examples over")]
        request = f"{chat.request.rstrip()}\n\n{wording.reminder}"
    if chat.read_only:
        opening += _exchange("read only", *(show(file, fence) for file in chat.read_only))
    outline = _exchange("map", fence.around(chat.map)) if chat.map else []
    files = _exchange("files", *(show(f, fence) for f in chat.files)) if chat.files else _exchange("no files")
    ending = [Message(Role.USER, request)]
    if budget is None:
        return Assembled((*opening, *outline, *files, *chat.history, *ending))

    def cost(messages: Sequence[Message]) -> int:
        return sum(budget.count(message.as_text.content) + TURN_OVERHEAD for message in messages)

    fixed, of_map = cost([*opening, *files, *ending]), cost(outline)
    of_history = [cost([message]) for message in chat.history]
    if fixed > budget.tokens:
        of_files = sum(budget.count(message.content) for message in files)
        raise ContextTooLongError(
            f"The files, the request and the prompt are {fixed:,} tokens; the budget is {budget.tokens:,}.",
            hint=f"The files in the chat are {of_files:,} of them: take some out, or show excerpts.",
            code="over-budget",
        )
    total = fixed + of_map + sum(of_history)
    cut: list[str] = []
    if outline and total > budget.tokens:
        outline, total = [], total - of_map
        cut.append(f"The repository map was left out ({of_map:,} tokens).")
    dropped = _messages_to_drop(chat.history, of_history, total - budget.tokens)
    if dropped:
        lost = sum(of_history[:dropped])
        total -= lost
        cut.append(f"The oldest {dropped} of {len(chat.history)} turns of the history were left out ({lost:,} tokens).")
    return Assembled((*opening, *outline, *files, *chat.history[dropped:], *ending), total, tuple(cut))


def _messages_to_drop(history: Sequence[Message], costs: Sequence[int], excess: int) -> int:
    """Return how many of the oldest messages to drop to free `excess` tokens; the first that stays is a request."""
    if excess <= 0:
        return 0
    enough = next((n for n, freed in enumerate(accumulate(costs), start=1) if freed >= excess), len(history))
    # Never between a call and its answer: providers refuse an answer to a call that they were not shown.
    requests = (n for n in range(enough, len(history)) if history[n].role is Role.USER and not history[n].answers)
    return next(requests, len(history))


def files_message(files: Sequence[ShownFile], *, read_only: bool = False) -> Message:
    """Return the message that shows files to a model, for callers that assemble nothing else."""
    fence = fence_around([file.text for file in files])
    return _exchange("read only" if read_only else "files", *(show(file, fence) for file in files))[0]


def map_message(outline: str) -> Message:
    """Return the message that shows the repository map, for callers that assemble nothing else."""
    return _exchange("map", fence_around([outline]).around(outline))[0]


def show(file: ShownFile, fence: CodeFence) -> str:
    """Return a file as a message shows it: its path on a line, its text between fences."""
    info = f"{file.language or 'text'} version={file.version}" if file.version else file.language
    text = f"{file.path}\n{fence.around(file.text, info)}"
    return f"{text}\n{fill(sections('chat')['excerpt'], {'path': file.path})}" if file.excerpt else text


def _exchange(name: str, *parts: str) -> list[Message]:
    """Return a section of `chat.md` with what it shows, as the user's message, and the model's answer to it."""
    text = "\n\n".join([sections("chat")[name], *parts])
    return [Message(Role.USER, text), Message(Role.ASSISTANT, sections("chat")[f"{name} answer"], stable=True)]
