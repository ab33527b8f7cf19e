"""Records a conversation while it happens, and replays it without a model.

Recording wraps the two sides of a conversation, the model and the person; a replay takes their places and answers as
they did. All code between them is the same, so a replay that ends in other bytes is noticed. A transcript is not
trusted: a replay writes only what the edits in it give, and undoes only what this replay wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from dovetail.llm.client import Retry
from dovetail.llm.errors import ModelError
from dovetail.llm.transport import Cancellation
from dovetail.llm.values import Delta, Gathered, Message, Reply, Request, Role, Stop, ToolAnswer, ToolCall, Usage
from dovetail.model.codes import OnFailure
from dovetail.model.errors import DovetailError
from dovetail.model.results import FileChange
from dovetail.session.apply import operations
from dovetail.session.apply.applying import Prepared
from dovetail.session.conversation.chat_files import ChatFiles
from dovetail.session.conversation.chat_record import ChatRecord, Record, digests
from dovetail.session.conversation.chat_state import Options
from dovetail.session.conversation.conversation import Conversation
from dovetail.session.conversation.participants import Approval, Model, Person, Why
from dovetail.session.conversation.rounds import Step
from dovetail.session.conversation.turn_events import USAGE_FIELDS, EditsWritten, TurnEvent, reply_record
from dovetail.session.settings import PLANNING_CHOICES
from dovetail.workspace import Workspace

RECORDED_OPTIONS = (
    "model",
    "editor_model",
    "format",
    "edits_by",
    "architect",
    "shell",
    "max_rounds",
    "map_tokens",
    "file_tokens",
)
"""The fields of `Options` that a transcript records for each turn."""

_ANSWERS = ("reply", "arrived", "added", "places", "listings", "approved")
_CHANGED = "The files, or Dovetail itself, are not what they were when it was made."


class ReplayError(DovetailError):
    """The conversation asks for something that its transcript does not hold."""

    code = "replay"


class RecordedModel:
    """Asks a model, and records each reply. step: why it is asked next; set before each request."""

    step = Step.REQUEST

    def __init__(self, model: Model, record: ChatRecord) -> None:
        self._model = model
        self._record = record

    def stream(
        self,
        request: Request,
        *,
        cancel: Cancellation | None = None,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> Generator[Delta, None, None]:
        """Yield what the model does; record the reply, also if it breaks off."""
        gathered, broken = Gathered(), True
        try:
            for delta in self._model.stream(request, cancel=cancel, on_retry=on_retry):
                gathered.add(delta)
                yield delta
            broken = False
        finally:
            reply = gathered.reply
            fields = {"step": self.step, **reply_record(reply), "calls": list(map(asdict, reply.calls))}
            self._record.write("reply", **fields, broken=broken)


class RecordedPerson(Person):
    """Asks a person, and records each answer. Calls that are no questions are only passed on."""

    def __init__(self, person: Person, record: ChatRecord) -> None:
        super().__init__(person.waiting)
        self._person = person
        self._record = record
        self.repairing, self.writing = person.repairing, person.writing  # type: ignore[method-assign]
        self.decides_commands = person.decides_commands

    def add_files(self, wanted: Sequence[tuple[str, Why]]) -> Iterator[bool]:
        """Ask the person about files; record and yield each answer."""
        for (path, why), answer in zip(wanted, self._person.add_files(wanted), strict=True):
            self._record.write("added", path=path, why=str(why), answer=answer)
            yield answer

    def use_arrived(self) -> bool:
        """Ask the person, and record the answer."""
        use = self._person.use_arrived()
        self._record.write("arrived", use=use)
        return use

    def places(self, prepared: Prepared) -> Mapping[int, int | None]:
        """Ask the person, and record the answer."""
        chosen = self._person.places(prepared)
        self._record.write("places", chosen=[[n, line] for n, line in chosen.items()])
        return chosen

    def listings(self, prepared: Prepared) -> Mapping[int, str]:
        """Ask the person, and record the answer."""
        used = self._person.listings(prepared)
        self._record.write("listings", used=[[line, path] for line, path in used.items()])
        return used

    def approve(self, prepared: Prepared) -> Approval | None:
        """Ask the person, and record the answer."""
        approval = self._person.approve(prepared)
        if approval is None:
            self._record.write("approved", no=True)
        else:
            chosen = None if approval.chosen is None else sorted(approval.chosen)
            answer = {"chosen": chosen, "on_failure": str(approval.on_failure), "partial": approval.partial}
            self._record.write("approved", no=False, **answer)
        return approval


class Replayed(Person):
    """Takes the places of model and person in a turn: answers as they did, from the records, in the same order.

    Answers about outdated plans are left out: in a replay no file changes before it is written, so nothing is asked
    twice. The approval is the one that was given last, or none.
    """

    def __init__(self, records: list[Record]) -> None:
        super().__init__()
        # Keep the records before the first `outdated`, without approvals, and the approval of the last plan.
        outdated = [n for n, record in enumerate(records) if record["kind"] == "outdated"]
        if outdated:
            last = [record for record in records[outdated[-1] :] if record["kind"] == "approved"]
            records = [record for record in records[: outdated[0]] if record["kind"] != "approved"]
            records += last or [{"kind": "approved", "no": True}]
        self._left = [record for record in records if record["kind"] in _ANSWERS]

    def _next(self, kind: str) -> Record:
        if not self._left or self._left[0]["kind"] != kind:
            found = f"a record `{self._left[0]['kind']}`" if self._left else "no further record"
            raise ReplayError(f"The replay needs a record `{kind}`, and the transcript has {found}.", hint=_CHANGED)
        return self._left.pop(0)

    def stream(
        self,
        request: Request,  # noqa: ARG002 - the protocol's
        *,
        cancel: Cancellation | None = None,  # noqa: ARG002 - the protocol's
        on_retry: Callable[[Retry], None] | None = None,  # noqa: ARG002 - the protocol's
    ) -> Generator[Delta, None, None]:
        """Yield the next reply, in one piece and then its calls. Raises `ModelError` after one that broke off."""
        record = self._next("reply")
        reply = reply_of(record)
        yield Delta(text=reply.words, reasoning=reply.reasoning, usage=reply.usage, stop=reply.stop, model=reply.model)
        for call in reply.calls:
            yield Delta(text=call.line, call=call)
        if record.get("broken"):
            raise ModelError(
                "The reply did not come whole when this was recorded.", hint=_CHANGED, code="broken-stream"
            )

    @property
    def decides_commands(self) -> bool:  # type: ignore[override]
        """Whether the person was asked about the commands of a reply without edits."""
        return any(record["kind"] == "approved" for record in self._left)

    def add_file(self, path: str, why: Why) -> bool:  # noqa: ARG002 - the protocol's
        """Return the recorded answer. Raises `ReplayError` if the next record is another question's."""
        record = self._next("added")
        if record["path"] != path:
            message = f"The replay asks about `{path}`, the transcript about `{record['path']}`."
            raise ReplayError(message, hint=_CHANGED)
        return bool(record["answer"])

    def use_arrived(self) -> bool:
        """Return the recorded answer; False if nobody was asked."""
        asked = bool(self._left) and self._left[0]["kind"] == "arrived"
        return asked and bool(self._next("arrived")["use"])

    def places(self, prepared: Prepared) -> Mapping[int, int | None]:
        """Return the recorded places. Raises `ReplayError` if one is for an edit that needs none."""
        chosen = dict(self._next("places")["chosen"])
        unknown = sorted(set(chosen) - {result.n for result in prepared.ambiguous})
        if unknown:
            message = f"The replay does not ask about edit {unknown[0]}, for which the transcript has a place."
            raise ReplayError(message, hint=_CHANGED)
        return chosen

    def listings(self, prepared: Prepared) -> Mapping[int, str]:
        """Return the recorded uses of listings; {} if nobody was asked. Raises `ReplayError` if one is missing."""
        if not self._left or self._left[0]["kind"] != "listings":
            return {}
        used = dict(self._next("listings")["used"])
        unknown = sorted(set(used.items()) - {(known.line, known.path) for known in prepared.usable_listings})
        if unknown:
            line, path = unknown[0]
            raise ReplayError(f"The replay has no listing in line {line} to use as `{path}`.", hint=_CHANGED)
        return used

    def approve(self, prepared: Prepared) -> Approval | None:
        """Return the recorded approval; None if the plan was declined."""
        record = self._next("approved")
        if record["no"]:
            return None
        chosen = None if record["chosen"] is None else frozenset(record["chosen"])
        unknown = sorted((chosen or frozenset()) - {result.n for result in prepared.plan.results})
        if unknown:
            raise ReplayError(f"The replay has no edit {unknown[0]}, which the transcript has chosen.", hint=_CHANGED)
        return Approval(chosen, OnFailure(record["on_failure"]), record.get("partial", True))


def reply_of(record: Record) -> Reply:
    """Return the reply of a record of the kind `reply`."""
    usage = record.get("usage")
    figures = None if usage is None else Usage(**{name: int(usage.get(name, 0)) for name in USAGE_FIELDS.split()})
    model, reasoning = record.get("model", ""), record.get("reasoning", "")
    return Reply(record["text"], figures, Stop(record["stop"]), model, reasoning, _calls_of(record))


def history_record(messages: Sequence[Message]) -> Record:
    """Return messages of the history as JSON: (role, text) of each, and calls and answers by the message's index."""
    tools = [
        [n, {"calls": list(map(asdict, message.calls)), "answers": list(map(asdict, message.answers))}]
        for n, message in enumerate(messages)
        if message.calls or message.answers
    ]
    return {"messages": [[str(m.role), m.content] for m in messages], **({"tools": tools} if tools else {})}


def history_of(record: Record) -> list[Message]:
    """Return the messages of a record, as `history_record` wrote it."""
    tools: dict[int, Record] = dict(record.get("tools", ()))
    messages: list[Message] = []
    for n, (role, text) in enumerate(record["messages"]):
        more = tools.get(n, {"calls": (), "answers": ()})
        answers = tuple(ToolAnswer(answer["id"], answer["text"], answer["ok"]) for answer in more["answers"])
        messages.append(Message(Role(role), text, calls=_calls_of(more), answers=answers))
    return messages


def _calls_of(record: Record) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(call["id"], call["name"], call["arguments"]) for call in record.get("calls", ()))


def files_of(record: Record) -> ChatFiles:
    """Return the conversation's files from a record."""
    return ChatFiles(tuple(record["editable"]), tuple(record["read_only"]))


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of a replay: turns played, turns skipped, and a sentence for each file that came out differently."""

    turns: int
    skipped: int
    differences: tuple[str, ...]


def replay(root: Path, records: list[Record], options: Options) -> Generator[TurnEvent, None, Replay]:
    """Replay a transcript under a root whose files are as they were when it began, and write to them.

    No model is asked. Turns that broke off are skipped. Raises `ReplayError` if the conversation takes another course
    than its transcript.
    """
    groups: list[list[Record]] = []  # the records of each turn, and each undo and redo
    for record in records:
        if record["kind"] in ("turn", "undo", "redo"):
            groups.append([record])
        elif groups and groups[-1][0]["kind"] == "turn":
            groups[-1].append(record)
    turns, skipped = 0, 0
    differences: list[str] = []
    with Workspace.open(root, encoding=options.reply.encoding) as workspace:
        run = _ReplayRun(workspace, options)
        for group in groups:
            if group[0]["kind"] != "turn":
                differences += run.undo_or_redo(group[0])
            elif any(record["kind"] in ("end", "written") for record in group):
                differences += yield from run.turn(group)
                turns += 1
            else:
                skipped += 1
    return Replay(turns, skipped, tuple(differences))


class _ReplayRun:
    """One replay. _operations: the operations written so far, by the ids that the transcript has for them."""

    def __init__(self, workspace: Workspace, options: Options) -> None:
        self._workspace = workspace
        self._options = options
        self._operations: dict[str, str] = {}
        self._undone: str | None = None

    def turn(self, records: list[Record]) -> Generator[TurnEvent, None, list[str]]:
        """Replay a turn; return a sentence for each file that came out differently."""
        first, ends = records[0], Replayed(records)
        chosen: Record = {name: value for name, value in first["options"].items() if name in RECORDED_OPTIONS}
        choices = {name: first["policy"][name] for name in PLANNING_CHOICES if name in first["policy"]}
        policy = replace(self._options.reply.policy, **choices)
        reply = replace(self._options.reply, policy=policy)
        options = replace(self._options, **{**chosen, "map_tokens": 0, "reply": reply})  # nobody sees a map
        chat = Conversation(self._workspace, ends, ends, options, files=files_of(first))
        then: Record = next((r for r in records if r["kind"] == "written"), {"files": {}, "operation": ""})
        changes: Sequence[FileChange] = ()
        for event in chat.ask(first["request"]):
            if isinstance(event, EditsWritten):
                changes, operation = event.committed.plan.changes, event.committed.operation
                self._undone = None
                if operation is not None:
                    self._operations[then["operation"]] = operation.id
            yield event
        return _differing(then["files"], changes)

    def undo_or_redo(self, record: Record) -> list[str]:
        """Undo an operation of this replay, or redo its last undo; return a sentence for each difference."""
        name, root, again = record["operation"], self._workspace.root, record["kind"] == "redo"
        # A redo brings back the newest undo, so only one that this replay made may be brought back.
        if again and name != self._undone:
            return [f"Operation {name} was done again then; this replay did not take it back, and did nothing."]
        if name not in self._operations:
            return [f"Operation {name} was undone then; this replay did not write it, and took nothing back."]
        self._undone = None if again else name
        done = operations.redo(root) if again else operations.undo(root, self._operations[name])
        return _differing(record["files"], done.changes)


def _differing(recorded: dict[str, str | None], changes: Sequence[FileChange]) -> list[str]:
    now = digests(changes)
    paths = sorted({*recorded, *now})
    return [f"`{path}` came out differently." for path in paths if recorded.get(path, "") != now.get(path, "")]
