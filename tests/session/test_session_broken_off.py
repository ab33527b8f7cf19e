"""A turn that breaks off at any moment: what is written, what the history and the transcript keep, what is told next."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from loop_parts import GOOD, KIOSK, MENDED, MISQUOTED, Scene, Somebody, block, lay, run, scene
from provider_server import Act, Answer, openai_events

from dovetail.llm.errors import ModelError
from dovetail.model.codes import OnFailure
from dovetail.session.apply.applying import Prepared
from dovetail.session.conversation.chat_record import ChatRecord, begin, listed, read
from dovetail.session.conversation.chat_state import Options
from dovetail.session.conversation.conversation import NOT_APPLIED, TurnOutcome
from dovetail.session.conversation.participants import Approval, StoppedError, Why
from dovetail.session.conversation.recording import ReplayError, replay
from dovetail.session.conversation.saved_chat import Participants, SavedChat, read_back
from dovetail.session.conversation.turn_events import Answered, BrokeOff, EditsWritten, End, Piece, Sent, TurnEvent


@dataclass
class Leaving(Somebody):
    """Presses Ctrl-C at the question, or while the files are written."""

    when: str = "asked"

    def approve(self, prepared: Prepared) -> Approval | None:
        if self.when == "asked":
            raise KeyboardInterrupt
        return super().approve(prepared)

    def writing(self) -> AbstractContextManager[object]:
        return self._interrupted() if self.when == "writing" else super().writing()

    @contextmanager
    def _interrupted(self) -> Iterator[None]:
        yield
        raise KeyboardInterrupt


@contextmanager
def kept(root: Path, person: Somebody, *script: Answer | str) -> Iterator[tuple[SavedChat, Scene]]:
    with scene(root, *script, person=person) as at:
        chat = SavedChat.begin(at.conversation.workspace, Participants(at.conversation.model, person), Options("tiny"))
        chat.add("kiosk.py")
        yield chat, at


def test_an_interruption_while_writing_comes_after_it_was_told(tmp_path: Path) -> None:
    with kept(tmp_path / "one", Leaving(when="writing"), GOOD) as (chat, at):
        events = chat.ask("Dearer.")
        told: list[TurnEvent] = []
        with pytest.raises(KeyboardInterrupt):
            told.extend(events)  # which keeps what came before
        assert at.read("kiosk.py") == KIOSK.replace("PRICE = 4", "PRICE = 5")
        assert [type(event) for event in told][-1] is EditsWritten
        assert chat.conversation.notes == []
        file = chat.record.file
    assert "written" in [record["kind"] for record in read(file)]
    events_again = replay(lay(tmp_path / "two"), read(file), Options("replay"))
    with pytest.raises(StopIteration) as ended:
        while True:
            next(events_again)
    assert (ended.value.value.turns, ended.value.value.differences) == (1, ())


def test_edits_that_were_left_at_the_question_are_told_of_next(tmp_path: Path) -> None:
    person = Leaving()
    with kept(tmp_path, person, GOOD, "Fine.") as (chat, at):
        with pytest.raises(KeyboardInterrupt):
            list(chat.ask("Dearer."))
        assert at.read("kiosk.py") == KIOSK
        assert read_back(ChatRecord(tmp_path, listed(tmp_path)[-1])).notes == (NOT_APPLIED,)
        list(chat.ask("And now?"))
        assert at.sent(1)[-1]["content"].startswith(f"{NOT_APPLIED}\n\nAnd now?")
        assert read_back(ChatRecord(tmp_path, listed(tmp_path)[-1])).notes == ()


def test_edits_that_all_failed_are_told_of_next(tmp_path: Path) -> None:
    with scene(tmp_path, MISQUOTED, "Fine.", max_rounds=0) as at:
        at.ask("Kinder.")
        at.ask("And now?")
        assert at.sent(1)[-1]["content"].startswith(f"{NOT_APPLIED}\n\nAnd now?")


def test_a_turn_left_before_its_second_reply_remembers_the_first_once(tmp_path: Path) -> None:
    with scene(tmp_path, GOOD + MISQUOTED, MENDED) as at:
        events = at.conversation.ask("Dearer.")
        sent = 0
        for event in events:
            sent += isinstance(event, Sent)
            if sent == 2:
                break
        events.close()
        assert [message.content for message in at.conversation.history] == ["Dearer.", GOOD + MISQUOTED]
        assert at.read("kiosk.py") == KIOSK


class Stopping(Somebody):
    """Presses Ctrl-C while the model repairs; that ends the request alone."""

    @contextmanager
    def repairing(self) -> Iterator[None]:
        try:
            yield
        except KeyboardInterrupt:
            raise StoppedError from None


def test_a_repair_that_is_stopped_keeps_the_edits_that_came_before(tmp_path: Path) -> None:
    with kept(tmp_path / "one", Stopping(), GOOD + MISQUOTED, "Here it is.\n\n" + MENDED, "Fine.") as (chat, at):
        events = chat.ask("Dearer.")
        event, told, answers = next(events), [], 0
        with pytest.raises(StopIteration) as ended:
            while True:
                told.append(event)
                answers += isinstance(event, Answered)
                repairing = answers == 1 and isinstance(event, Piece)
                event = events.throw(KeyboardInterrupt()) if repairing else next(events)
        assert at.read("kiosk.py") == KIOSK.replace("PRICE = 4", "PRICE = 5")
        outcome: TurnOutcome = ended.value.value
        assert outcome.stopped is not None
        assert (outcome.stopped.end, len(outcome.stopped.failures)) == (End.STOPPED, 1)
        history = [message.content for message in chat.conversation.history]
        assert history[1] == GOOD + MISQUOTED
        assert "Here it is.".startswith(history[3])
        assert chat.conversation.notes == ["Of your last edits I applied edit 1 and left out edit 2."]
        file = chat.record.file
    events_again = replay(lay(tmp_path / "two"), read(file), Options("replay"))
    with pytest.raises(StopIteration) as ended:
        while True:
            next(events_again)
    assert (ended.value.value.turns, ended.value.value.differences) == (1, ())


def test_nobody_who_asks_is_there_to_keep_a_stopped_repair(tmp_path: Path) -> None:
    with kept(tmp_path, Somebody(), GOOD + MISQUOTED, MENDED) as (chat, at):
        events, answers = chat.ask("Dearer."), 0
        with pytest.raises(KeyboardInterrupt):  # the one that is thrown
            for event in events:
                answers += isinstance(event, Answered)
                if answers == 1 and isinstance(event, Piece):
                    events.throw(KeyboardInterrupt())
        assert at.read("kiosk.py") == KIOSK
        assert chat.conversation.notes == [NOT_APPLIED]


def test_a_repair_stays_within_the_budget(tmp_path: Path) -> None:
    with scene(tmp_path, GOOD + MISQUOTED, MENDED) as at:
        _, events = run(at.conversation.ask("Dearer."))
        first, second = (event.tokens for event in events if isinstance(event, Sent))
    with scene(tmp_path, GOOD + MISQUOTED, MENDED, budget=(first + second) // 2) as at:
        (tmp_path / "kiosk.py").write_text(KIOSK)
        outcome = at.ask("Dearer.")
        assert len(at.server.seen) == 1
        assert at.read("kiosk.py") == KIOSK.replace("PRICE = 4", "PRICE = 5")
    assert outcome.stopped is not None
    assert outcome.stopped.end is End.MODEL
    assert "budget" in outcome.stopped.detail


def test_a_conversation_that_was_cut_off_anywhere_is_gone_on_with(tmp_path: Path) -> None:
    kept_in = begin(tmp_path)
    kept_in.write("heard", messages=[["user", "Dearer."]])
    start = kept_in.file.stat().st_size
    kept_in.write("heard", messages=[["user", "Teurer für Möwen \N{BIRD}."]])
    data = kept_in.file.read_bytes()
    for cut in range(start, len(data) + 1):
        kept_in.file.write_bytes(data[:cut])
        before = read_back(ChatRecord(tmp_path, listed(tmp_path)[-1])).history
        ChatRecord(tmp_path, kept_in.id).write("undo", operation="x", files={})
        assert read(kept_in.file)[-1]["kind"] == "undo"
        assert read_back(ChatRecord(tmp_path, listed(tmp_path)[-1])).history == before
        assert len(before) == (2 if cut >= len(data) - 1 else 1)


def cut_behind(file: Path, kind: str) -> None:
    """Let a transcript end as a crash behind its last record of a kind would."""
    lines = file.read_text().splitlines(keepends=True)
    last = max(n for n, line in enumerate(lines) if line.startswith(f'{{"kind":"{kind}"'))
    file.write_text("".join(lines[: last + 1]))


@pytest.mark.parametrize(("kind", "notes"), [("reply", (NOT_APPLIED,)), ("approved", (NOT_APPLIED,)), ("written", ())])
def test_a_reply_outlives_a_crash_behind_it(tmp_path: Path, kind: str, notes: tuple[str, ...]) -> None:
    with kept(tmp_path, Somebody(approves=None), GOOD, GOOD) as (chat, at):
        list(chat.ask("Dearer."))
        at.person.approves = Approval(None, OnFailure.BLOCK)
        list(chat.ask("Do it."))
        cut_behind(chat.record.file, kind)
        before = read_back(ChatRecord(tmp_path, listed(tmp_path)[-1]))
        said = [message.content for message in before.history]
        assert said == ["Dearer.", GOOD, f"{NOT_APPLIED}\n\nDo it.", GOOD]
        assert (before.notes, len(before.warnings)) == (notes, 1)
        assert ("none of its edits" in before.warnings[0]) == (kind != "written")
        ChatRecord(tmp_path, chat.record.id).write("held", editable=[], read_only=[])  # later records are behind it
        assert read_back(ChatRecord(tmp_path, listed(tmp_path)[-1])).notes == notes


def test_a_crash_before_a_reply_leaves_the_history_as_it_was(tmp_path: Path) -> None:
    with kept(tmp_path, Somebody(), "Fine.") as (chat, _):
        list(chat.ask("Hello."))
        before = read_back(ChatRecord(tmp_path, listed(tmp_path)[-1]))
        cut_behind(chat.record.file, "turn")
        after = read_back(ChatRecord(tmp_path, listed(tmp_path)[-1]))
    assert (before.warnings, len(before.history)) == ((), 2)
    assert (len(after.warnings), after.history) == (1, ())


def test_a_reply_without_its_turn_is_passed_over(tmp_path: Path) -> None:
    begin(tmp_path).write("reply", text=GOOD, stop="complete")
    assert (
        read_back(ChatRecord(tmp_path, listed(tmp_path)[-1])).history,
        read_back(ChatRecord(tmp_path, listed(tmp_path)[-1])).warnings,
    ) == ((), ())


def test_a_replay_that_takes_another_course_is_not_taken_for_a_model_that_fails(tmp_path: Path) -> None:
    with kept(tmp_path / "one", Somebody(), GOOD + MISQUOTED, MENDED) as (chat, _):
        list(chat.ask("Dearer."))
        lines = chat.record.file.read_text().splitlines(keepends=True)
    replies = [n for n, line in enumerate(lines) if '"kind":"reply"' in line]
    (tmp_path / "talk.jsonl").write_text("".join(line for n, line in enumerate(lines) if n != replies[-1]))
    with pytest.raises(ReplayError):
        list(replay(lay(tmp_path / "two"), read(tmp_path / "talk.jsonl"), Options("replay")))
    assert (tmp_path / "two" / "kiosk.py").read_text() == KIOSK


def test_a_replay_that_lacks_an_edit_that_was_chosen_takes_another_course(tmp_path: Path) -> None:
    with kept(tmp_path / "one", Somebody(approves=Approval(frozenset({1}), OnFailure.BLOCK)), GOOD) as (chat, _):
        list(chat.ask("Dearer."))
        recorded = chat.record.file.read_text()
    (tmp_path / "talk.jsonl").write_text(recorded.replace('"chosen":[1]', '"chosen":[1,7]'))
    with pytest.raises(ReplayError, match="no edit 7"):
        list(replay(lay(tmp_path / "two"), read(tmp_path / "talk.jsonl"), Options("replay")))
    assert (tmp_path / "two" / "kiosk.py").read_text() == KIOSK


class Using(Somebody):
    """Takes what had arrived."""

    def use_arrived(self) -> bool:
        return True


def broken(*texts: str) -> Answer:
    return Answer([*openai_events(*texts, stop=None)[:-1], Act.DROP])


def test_what_arrived_whole_of_a_broken_reply_is_gone_on_with_and_replayed(tmp_path: Path) -> None:
    half = MENDED[: len(MENDED) // 2]
    with kept(tmp_path / "one", Using(), broken(GOOD, half), "Here it is.\n\n" + MENDED) as (chat, at):
        outcome, events = run(chat.ask("Dearer and kinder."))
        assert [len(event.cut) for event in events if isinstance(event, Answered)] == [1, 0]
        assert [message.content for message in chat.conversation.history][1] == GOOD + half
        assert "cut short before this edit was complete" in at.sent(1)[-1]["content"]
        changed = at.read("kiosk.py")
        file = chat.record.file
    assert outcome.written
    assert ("PRICE = 5" in changed, "Good day, " in changed) == (True, True)
    again, _ = run(replay(lay(tmp_path / "two"), read(file), Options("replay")))
    assert (again.turns, again.differences) == (1, ())
    assert (tmp_path / "two" / "kiosk.py").read_text() == changed


@pytest.mark.parametrize(
    ("person", "came"), [(Using(), (GOOD[: len(GOOD) // 2],)), (Using(), ()), (Somebody(), (GOOD, "On."))]
)
def test_a_broken_reply_ends_the_turn_where_nothing_arrived_whole_or_nobody_takes_it(
    tmp_path: Path, person: Somebody, came: tuple[str, ...]
) -> None:
    with kept(tmp_path, person, broken(*came)) as (chat, at):
        told: list[TurnEvent] = []
        with pytest.raises(ModelError):
            told.extend(chat.ask("Dearer."))
        last = told[-1]
        assert isinstance(last, BrokeOff)
        assert last.rounds.replies == ()
        assert last.begun is not None
        assert last.begun.text == "".join(came)
        assert last.begun.has_whole_edits == (GOOD in came)
        assert at.read("kiosk.py") == KIOSK


class Failing(Somebody):
    """The disk fails while the person is asked."""

    def add_file(self, path: str, why: Why) -> bool:
        raise OSError(f"{path} cannot be read, {why}")


def test_whole_replies_are_told_whatever_ends_the_turn(tmp_path: Path) -> None:
    other = block("ferry.txt", "leaves at eight\n", "leaves at ten\n")
    with kept(tmp_path, Failing(), GOOD + other) as (chat, _):
        told: list[TurnEvent] = []
        with pytest.raises(OSError, match="ferry"):
            told.extend(chat.ask("Later."))
        last = told[-1]
        assert isinstance(last, BrokeOff)
        assert [reply.text for reply in last.rounds.replies] == [GOOD + other]
        assert last.begun is None
