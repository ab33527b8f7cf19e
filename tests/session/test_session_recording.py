"""Transcripts that somebody changed: whatever a record holds, it is read, or refused with a next step."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from loop_parts import GOOD, Later, Somebody, answer, block, client_of, lay, run, scene
from provider_server import Answer, openai_events, serving

from dovetail.model.errors import DovetailError, UsageError
from dovetail.session.apply import operations
from dovetail.session.apply.applying import Prepared
from dovetail.session.conversation.chat_record import ChatRecord, Record, read
from dovetail.session.conversation.chat_state import Options
from dovetail.session.conversation.participants import Model, Person
from dovetail.session.conversation.recording import RECORDED_OPTIONS, replay
from dovetail.session.conversation.saved_chat import Participants, SavedChat, read_back, resume_chat
from dovetail.workspace import Workspace

FILES = {"kiosk.py": "PRICE = 4\n", "ferry.txt": "x\na\nx\nb\n"}
MISSING = object()
ODD: tuple[Any, ...] = (
    None, 5, -1, 0, 10**30, 1e99, "zz", "", "\ud800", "../x", "\x00", True, {}, {"a": 1}, {"a": None},
    [], [1], ["a"], [[1]], [[1, 1]], [["a", "b"]], [["user", "a"]], [[99, 99]],
)  # fmt: skip

Place = tuple[str | int, ...]


@dataclass
class Choosing(Somebody):
    """Takes the first of the places."""

    def places(self, prepared: Prepared) -> Mapping[int, int]:
        return {result.n: result.places[0] for result in prepared.ambiguous}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """A conversation in which everything is asked and taken back."""
    root, person = tmp_path_factory.mktemp("talk"), Choosing(adds=["ferry.txt"])
    with scene(root, GOOD + block("ferry.txt", "x\n", "y\n"), person=person) as at:
        lay(root, FILES)
        chat = SavedChat.begin(at.conversation.workspace, Participants(at.conversation.model, person), Options("tiny"))
        chat.add("kiosk.py")
        list(chat.ask("Dearer."))
        chat.note_undo("undo", chat.operations[0], operations.undo(root, chat.operations[0]))
        chat.note_undo("redo", chat.operations[0], operations.redo(root))
        kept = read(chat.record.file)
    assert {"turn", "reply", "added", "places", "approved", "written", "heard", "undo", "redo"} < {
        r["kind"] for r in kept
    }
    return kept


def places_in(value: object, so_far: Place = ()) -> Iterator[Place]:
    """Where a value, or anything in it, stands."""
    inner: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    for name, held in inner:
        yield (*so_far, name)
        yield from places_in(held, (*so_far, name))


def changed(records: list[Record], n: int, place: Place, value: object) -> list[Record]:
    """The records with another value at one place, or without it."""
    made = copy.deepcopy(records)
    at: Any = made[n]
    for name in place[:-1]:
        at = at[name]
    if value is MISSING:
        del at[place[-1]]
    else:
        at[place[-1]] = value
    return made


def written(root: Path, records: list[Record]) -> Path:
    """A root whose only transcript holds these records."""
    shutil.rmtree(root, ignore_errors=True)
    file = lay(root, FILES) / ".dovetail" / "chats" / "20260101-000000-abcd.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def gone_on_with(root: Path, file: Path, model: Model) -> None:
    """Resume the conversation, and ask."""
    before = read_back(ChatRecord(root, file.stem))
    asked: dict[str, Any] = {name: before.options[name] for name in RECORDED_OPTIONS if name in before.options}
    with Workspace.open(root) as workspace:
        options = replace(Options("tiny"), **{**asked, "map_tokens": 0})
        chat = SavedChat.resume(workspace, Participants(model, Person()), options, before)
        list(chat.ask("And now?"))
        chat.in_force()


def replayed(root: Path, file: Path, _: Model) -> None:
    list(replay(root, read(file), Options("replay")))


@pytest.mark.parametrize("use", [gone_on_with, replayed])
def test_any_change_of_any_record_is_read_or_refused(
    tmp_path: Path, records: list[Record], use: Callable[[Path, Path, Model], None]
) -> None:
    """Each place is left out, and has every fourth of the odd values, which neighbouring places share among them."""
    refused = tried = 0
    with serving(answer("Fine.")) as server:
        model = client_of(server)
        for n, record in {record["kind"]: (n, record) for n, record in enumerate(records)}.values():
            for place in places_in(record):
                tried += 1
                for value in (MISSING, *ODD[tried % 4 :: 4]):
                    file = written(tmp_path / "root", changed(records, n, place, value))
                    try:
                        use(tmp_path / "root", file, model)
                    except DovetailError as error:
                        refused += 1
                        assert error.hint is not None, error.message
    assert refused > 80


def test_a_place_that_was_left_open_is_left_open_again(tmp_path: Path) -> None:
    then, again = tmp_path / "then", tmp_path / "again"
    then.mkdir()
    with scene(then, GOOD + block("ferry.txt", "x\n", "y\n"), person=Later(adds=["ferry.txt"])) as at:
        lay(then, FILES)
        chat = SavedChat.begin(
            at.conversation.workspace, Participants(at.conversation.model, at.person), Options("tiny")
        )
        chat.add("kiosk.py")
        list(chat.ask("Dearer."))
        kept = read(chat.record.file)
        assert [record["chosen"] for record in kept if record["kind"] == "places"] == [[[2, None]]]
        assert len(at.server.seen) == 1
    lay(again, FILES)
    played, _ = run(replay(again, kept, Options("replay")))
    assert (played.differences, (again / "ferry.txt").read_text()) == ((), FILES["ferry.txt"])


@pytest.mark.parametrize(
    "options",
    [
        Options("", format=""),
        Options("tiny", editor_model="  "),
        Options("tiny", map_tokens=10**30, file_tokens=10**30, max_rounds=10**30),
    ],
)
def test_whatever_a_conversation_is_asked_with_is_read_again(tmp_path: Path, options: Options) -> None:
    with scene(tmp_path, "Fine.") as at:
        chat = SavedChat.begin(
            at.conversation.workspace, Participants(at.conversation.model, Person()), Options("tiny")
        )
        chat.ask_with(options)
        chat.close()
    before = resume_chat(tmp_path)
    before.record.close()
    assert before.options == {name: getattr(options, name) for name in RECORDED_OPTIONS}


@pytest.mark.parametrize("figure", [5_000_000_000, 10**15, 10**16, 10**4299])
def test_whatever_a_provider_counts_is_read_again(tmp_path: Path, figure: int) -> None:
    usage = {"prompt_tokens": figure, "completion_tokens": 7}
    lay(tmp_path, FILES)
    with (
        serving(Answer(openai_events("Fine.", usage=usage))) as server,
        Workspace.open(tmp_path) as workspace,
        closing(
            SavedChat.begin(workspace, Participants(client_of(server), Person()), Options("tiny", map_tokens=0))
        ) as chat,
    ):
        for _ in range(2):
            list(chat.ask("Fine?"))
        total, kept = chat.conversation.ledger.total, chat.record
        assert f"{total.input:,} {total.output}".endswith(" 14")
        assert [record["usage"]["output"] for record in read(kept.file) if record["kind"] == "reply"] == [7, 7]


@pytest.mark.parametrize(
    "line",
    [
        '{"kind":"heard","messages":[["robot","hi"]],"notes":[]}',
        '{"kind":"heard","messages":[],"notes":null}',
        '{"kind":"held","editable":[1],"read_only":[]}',
        '{"kind":"options","options":{"model":"m","map_tokens":"x"}}',
        '{"kind":"approved","chosen":null,"on_failure":"all"}',
        '{"kind":"reply","text":"a","stop":"zz"}',
        "[" * 100_000 + "]" * 100_000,
    ],
)
def test_a_record_of_another_form_is_refused_with_its_line(tmp_path: Path, records: list[Record], line: str) -> None:
    file = written(tmp_path, records)
    with file.open("a") as kept:
        kept.write(line + "\n")
    with pytest.raises(UsageError) as refused:
        resume_chat(tmp_path)
    assert not file.with_suffix(".lock").exists()
    assert refused.value.message.startswith(f"Line {len(records) + 1} of {file}")
    assert refused.value.hint
