"""Writes a conversation down while it happens, and plays it again without a model.

Recording wraps the two ends of a conversation, the model and the person; replaying takes their places and answers as
they did. Everything between them is the same code, so a replay that ends in other bytes is found out.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any

from dovetail.llm.errors import ModelError
from dovetail.llm.values import Delta, Gathered, Reply, Stop, Usage
from dovetail.model.codes import OnFailure
from dovetail.model.errors import DovetailError
from dovetail.session.chats.transcript import Record, Transcript
from dovetail.session.loop.person import Approval, Nobody, Person

if TYPE_CHECKING:
    from dovetail.llm.cancellation import Cancellation
    from dovetail.llm.client import Retry
    from dovetail.llm.values import Request
    from dovetail.session.applying.apply import Prepared
    from dovetail.session.loop.conversation import Model
    from dovetail.session.loop.steps import Why

_ANSWERS = ("reply", "arrived", "added", "places", "approved")
_USAGE = ("input", "output", "cached", "written", "reasoning")
_OTHER = "The files, or Dovetail itself, are not what they were when it was made."


class ReplayError(DovetailError):
    """The conversation asks for something that its transcript does not hold."""

    code = "replay"


class RecordedModel:
    """Asks a model, and writes down each reply."""

    def __init__(self, model: Model, transcript: Transcript) -> None:
        self._model = model
        self._transcript = transcript

    def stream(
        self,
        request: Request,
        *,
        cancel: Cancellation | None = None,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> Generator[Delta, None, None]:
        """As the model's own."""
        gathered, broken = Gathered(), True
        try:
            for delta in self._model.stream(request, cancel=cancel, on_retry=on_retry):
                gathered.add(delta)
                yield delta
            broken = False
        finally:
            self._transcript.write("reply", **reply_record(gathered.reply), broken=broken)


class RecordedPerson:
    """Asks a person, and writes down each answer; what is no question goes to the person alone."""

    def __init__(self, person: Person, transcript: Transcript) -> None:
        self._person = person
        self._transcript = transcript
        self.waiting, self.repairing, self.writing = person.waiting, person.repairing, person.writing

    def add_file(self, path: str, why: Why) -> bool:
        """As the person says."""
        answer = self._person.add_file(path, why)
        self._transcript.write("added", path=path, why=str(why), answer=answer)
        return answer

    def use_arrived(self) -> bool:
        """As the person says."""
        use = self._person.use_arrived()
        self._transcript.write("arrived", use=use)
        return use

    def places(self, prepared: Prepared) -> Mapping[int, int]:
        """As the person says."""
        chosen = self._person.places(prepared)
        self._transcript.write("places", chosen=[[n, line] for n, line in chosen.items()])
        return chosen

    def approve(self, prepared: Prepared) -> Approval | None:
        """As the person says."""
        approval = self._person.approve(prepared)
        if approval is None:
            self._transcript.write("approved", no=True)
        else:
            chosen = None if approval.chosen is None else sorted(approval.chosen)
            self._transcript.write("approved", no=False, chosen=chosen, on_failure=str(approval.on_failure))
        return approval


class Replayed(Nobody):
    """Both ends of a turn, from its records: answers as the model and the person did, in the same order.

    It never waits, and a request that was stopped has its record: a reply that broke off.
    """

    def __init__(self, records: list[Record]) -> None:
        self._left = [r for r in _in_force(records) if r["kind"] in _ANSWERS]

    def _next(self, kind: str) -> Record:
        if not self._left or self._left[0]["kind"] != kind:
            held = f"a record `{self._left[0]['kind']}`" if self._left else "no further record"
            raise ReplayError(
                f"The replay needs a record `{kind}`, and the transcript has {held}.",
                hint=_OTHER,
            )
        return self._left.pop(0)

    def stream(
        self,
        request: Request,  # noqa: ARG002 - the protocol's
        *,
        cancel: Cancellation | None = None,  # noqa: ARG002 - the protocol's
        on_retry: Callable[[Retry], None] | None = None,  # noqa: ARG002 - the protocol's
    ) -> Generator[Delta, None, None]:
        """The next reply, in one piece; one that broke off breaks off there."""
        record = self._next("reply")
        reply = reply_of(record)
        yield Delta(text=reply.text, reasoning=reply.reasoning, usage=reply.usage, stop=reply.stop, model=reply.model)
        if record.get("broken"):
            raise ModelError("The reply did not come whole when this was recorded.", hint=_OTHER, code="broken-stream")

    def add_file(self, path: str, why: Why) -> bool:  # noqa: ARG002 - the protocol's
        """As it was answered."""
        record = self._next("added")
        if record["path"] != path:
            raise ReplayError(f"The replay asks about `{path}`, the transcript about `{record['path']}`.", hint=_OTHER)
        return bool(record["answer"])

    def use_arrived(self) -> bool:
        """As it was answered; no where nobody was asked."""
        asked = bool(self._left) and self._left[0]["kind"] == "arrived"
        return asked and bool(self._next("arrived")["use"])

    def places(self, prepared: Prepared) -> Mapping[int, int]:
        """As they were chosen."""
        chosen = dict(self._next("places")["chosen"])
        unknown = sorted(set(chosen) - {result.n for result in prepared.ambiguous})
        if unknown:
            raise ReplayError(
                f"The replay does not ask about edit {unknown[0]}, for which the transcript has a place.", hint=_OTHER
            )
        return chosen

    def approve(self, prepared: Prepared) -> Approval | None:
        """As it was answered."""
        record = self._next("approved")
        if record["no"]:
            return None
        chosen = None if record["chosen"] is None else frozenset(record["chosen"])
        unknown = sorted((chosen or frozenset()) - {result.n for result in prepared.plan.results})
        if unknown:
            raise ReplayError(f"The replay has no edit {unknown[0]}, which the transcript has chosen.", hint=_OTHER)
        return Approval(chosen, OnFailure(record["on_failure"]))


def _in_force(records: list[Record]) -> list[Record]:
    """The records without what was said about plans that were outdated: here no file changes before it is written.

    What was asked to plan anew is not asked again; the approval is the one that was given last, or none.
    """
    turned = [n for n, record in enumerate(records) if record["kind"] == "outdated"]
    if not turned:
        return records
    before = [record for record in records[: turned[0]] if record["kind"] != "approved"]
    last = [record for record in records[turned[-1] :] if record["kind"] == "approved"]
    return before + (last or [{"kind": "approved", "no": True}])


def reply_record(reply: Reply) -> dict[str, Any]:
    """A reply's fields as JSON."""
    usage = None if reply.usage is None else {name: getattr(reply.usage, name) for name in _USAGE}
    return {
        "text": reply.text,
        "stop": str(reply.stop),
        "usage": usage,
        "model": reply.model,
        "reasoning": reply.reasoning,
    }


def reply_of(record: Record) -> Reply:
    """The reply that a record holds."""
    usage = record.get("usage")
    figures = None if usage is None else Usage(**{name: int(usage.get(name, 0)) for name in _USAGE})
    return Reply(record["text"], figures, Stop(record["stop"]), record.get("model", ""), record.get("reasoning", ""))
