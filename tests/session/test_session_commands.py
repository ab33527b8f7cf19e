"""Commands of a reply: listed, or written as what they would change, where somebody agreed to that."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from loop_parts import KIOSK, Somebody, scene

import dovetail
from dovetail.model.codes import Code
from dovetail.model.policy import READS_CALLS, Policy
from dovetail.rewards import score
from dovetail.session.apply.applying import prepare, with_commands_read
from dovetail.session.apply.undo_edits import undo_edits
from dovetail.session.batch.cases import answer, read_case
from dovetail.session.conversation.chat_record import read
from dovetail.session.conversation.chat_state import Options
from dovetail.session.conversation.recording import replay
from dovetail.session.conversation.saved_chat import Participants, SavedChat
from dovetail.tools import Toolbox

FILES = {"till.py": "price = 3\n", "lib/old.py": "x = 1\n"}


def call(command: str, **more: str) -> str:
    """A call of a shell's tool."""
    return json.dumps({"type": "tool_use", "name": "Bash", "input": {"command": command, **more}})


def folder_with_files(root: Path) -> Path:
    """The files, in a folder."""
    for path, text in FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    return root


def after(reply: str, **case: object) -> object:
    """The files that a case of a batch changes."""
    return answer(read_case({"id": 1, "files": FILES, "reply": reply, **case}))["files"]


def test_a_command_is_not_written_without_consent(tmp_path: Path) -> None:
    root = folder_with_files(tmp_path)
    applied = dovetail.apply(call("rm till.py"), root)
    assert [result.code for result in applied.plan.results] == [Code.UNREAD]
    assert "would change `till.py`" in (applied.plan.results[0].reason or "")
    assert (root / "till.py").exists()


def test_a_command_is_written_with_consent_and_taken_back(tmp_path: Path) -> None:
    root = folder_with_files(tmp_path)
    applied = dovetail.apply(
        call(f"cd {root}/lib && mv old.py new.py && rm ../till.py"), root, Policy(commands="edits")
    )
    assert applied.ok
    assert sorted(path.name for path in root.rglob("*.py")) == ["new.py"]
    dovetail.undo(root)
    assert {path: (root / path).read_text() for path in FILES} == FILES


def test_whoever_can_be_asked_sees_what_a_command_would_change(tmp_path: Path) -> None:
    prepared = prepare(folder_with_files(tmp_path), "Run:\n```bash\nsed -i s/3/4/ till.py\n```\n")
    with prepared.workspace:
        assert prepared.plan.changes == ()
        read = with_commands_read(prepared)
        assert read is not None
        assert [change.after for change in read.plan.changes] == ["price = 4\n"]


def test_no_command_writes_where_no_reply_may(tmp_path: Path) -> None:
    root = folder_with_files(tmp_path)
    (root / ".git" / "hooks").mkdir(parents=True)
    applied = dovetail.apply(call("echo 'rm -rf ~' > .git/hooks/pre-commit"), root, READS_CALLS)
    assert [result.code for result in applied.failed] == [Code.OUTSIDE_ROOT]
    assert list((root / ".git").rglob("*.*")) == []
    outside = dovetail.apply(call("echo 1 > /opt/out.txt; rm till.py"), root, READS_CALLS)
    assert [result.code for result in outside.plan.results] == [Code.UNREAD]
    assert (root / "till.py").exists()


def test_a_batch_reads_a_reply_that_is_a_call() -> None:
    assert after(call("sed -i s/3/4/ till.py")) == {"till.py": "price = 4\n"}
    assert after(call("sed -i s/3/4/ till.py"), policy={"commands": "list"}) == {}
    assert after("```bash\nrm till.py\n```\n") == {}
    assert after("```bash\nrm till.py\n```\n", policy={"commands": "edits"}) == {"till.py": None}


def test_a_batch_knows_where_commands_start() -> None:
    assert after(call("rm old.py"), root="/srv/shop", cwd="/srv/shop/lib") == {"lib/old.py": None}
    assert after(call("rm old.py", cwd="lib")) == {"lib/old.py": None}
    script = 'const r = await tools.exec_command({cmd: "rm old.py", workdir: "/srv/shop/lib", yield_time_ms: 1000});'
    assert after(json.dumps({"name": "exec", "input": script}), root="/srv/shop") == {"lib/old.py": None}
    typed = {"commands": [{"keystrokes": "cd lib\n"}, {"keystrokes": "rm old.py\n"}]}
    assert after(json.dumps(typed)) == {"lib/old.py": None}


def test_a_command_in_the_background_is_not_followed() -> None:
    background = json.dumps({"name": "Bash", "input": {"command": "rm till.py", "run_in_background": True}})
    assert after(background) == {}


def test_rewards_read_commands() -> None:
    scored = score(call("rm /srv/shop/till.py"), FILES, {"lib/old.py": "x = 1\n"}, root="/srv/shop")
    assert scored.right


DEARER = "Run:\n```bash\nsed -i 's/= 4/= 5/' kiosk.py && python kiosk.py\n```\n"
AFTER = KIOSK.replace("= 4", "= 5")


class Decides(Somebody):
    """Somebody who can be asked about commands."""

    decides_commands = True


@pytest.mark.parametrize("says", ["yes", "no"])
def test_a_conversation_writes_what_its_commands_would_change_after_a_yes_of_its_own(tmp_path: Path, says: str) -> None:
    person = Decides(adds=["kiosk.py"])
    person.approves = person.approves if says == "yes" else None
    with scene(tmp_path, DEARER, person=person) as at:
        outcome = at.ask()
        assert [prepared.of_commands for prepared in person.shown] == [True]
        assert (outcome.written, outcome.declined) == (says == "yes", says == "no")
        assert at.read("kiosk.py") == (AFTER if says == "yes" else KIOSK)
        if says == "yes":
            undo_edits(
                tmp_path, outcome.committed.operation.id, [1], at.conversation.options.reply
            )  # the reply is read as it was then
            assert at.read("kiosk.py") == KIOSK


def test_a_conversation_with_a_command_is_played_again_to_the_same_bytes(tmp_path: Path) -> None:
    with scene(tmp_path / "one", DEARER, person=Decides(adds=["kiosk.py"])) as at:
        chat = SavedChat.begin(
            at.conversation.workspace, Participants(at.conversation.model, at.person), at.conversation.options
        )
        list(chat.ask("Dearer."))
        chat.record.close()
        assert at.read("kiosk.py") == AFTER
    with scene(tmp_path / "two"):
        list(replay(tmp_path / "two", read(chat.record.file), Options("replay")))
        assert (tmp_path / "two" / "kiosk.py").read_text() == AFTER


def test_nobody_and_whoever_agreed_beforehand_has_commands_listed(tmp_path: Path) -> None:
    with scene(tmp_path, DEARER, person=Somebody(adds=["kiosk.py"])) as at:
        outcome = at.ask()
        assert (at.person.shown, at.read("kiosk.py")) == ([], KIOSK)
        assert ["would change" in (result.reason or "") for result in outcome.unread] == [True]


@pytest.mark.parametrize("commands", ["edits", "calls"])
def test_a_conversation_reads_commands_as_edits_where_that_is_asked_for(tmp_path: Path, commands: str) -> None:
    with scene(tmp_path, DEARER, call("rm ferry.txt"), person=Somebody(adds=["kiosk.py", "ferry.txt"])) as at:
        reply = at.conversation.options.reply
        policy = Policy(commands=commands)  # type: ignore[arg-type]
        at.conversation.options = replace(at.conversation.options, reply=replace(reply, policy=policy))
        at.ask()
        assert at.read("kiosk.py") == (AFTER if commands == "edits" else KIOSK)
        at.ask()
        assert not (tmp_path / "ferry.txt").exists()


def test_a_command_that_is_not_understood_is_told_of_and_nothing_is_asked(tmp_path: Path) -> None:
    with scene(
        tmp_path, "```bash\nsed -i s/4/5/ kiosk.py && ./mend.sh\n```\n", person=Decides(adds=["kiosk.py"])
    ) as at:
        assert not at.ask().written
        assert at.person.shown == []


def test_tools_refuse_commands_with_the_reason(tmp_path: Path) -> None:
    root, box = folder_with_files(tmp_path), Toolbox(tmp_path)
    for text in (call("sed -i s/3/4/ till.py"), "```bash\nrm till.py\n```\n", "```bash\n./mend.sh > till.py\n```\n"):
        answered = box.answer({"name": "apply_edits", "arguments": {"text": text}})
        assert "No command is run here, and nothing was written." in str(answered)
    assert {path: (root / path).read_text() for path in FILES} == FILES


def bytes_after(root: Path, command: str) -> dict[str, bytes]:
    """All files and links of the folder, once a command was read as edits."""
    dovetail.apply(call(command), root, Policy(commands="calls"))
    names = (path.relative_to(root).as_posix() for path in sorted(root.rglob("*")) if path.is_file())
    return {name: (root / name).read_bytes() for name in names if not name.startswith((".git/", ".dovetail/"))}


@pytest.mark.parametrize(("command", "wanted"), [
    ("echo A=1 >> .env", {".env": b"KEY=1\nA=1\n"}),
    ("[ -f .env ] || cp .env.example .env", {}),
    ("cd out && sed -i s/x/y/ a.js", {"out/a.js": b"y\n"}),
    ("echo 1 > $D/.env", {}),
    ("printf 'price = 3' > till.py", {"till.py": b"price = 3"}),
    ("printf 'a\\nb' > new.txt", {"new.txt": b"a\nb"}),
    ("sed -i s/hello/bye/ 'my notes.txt'", {"my notes.txt": b"bye\n"}),
    ("sed -i s/price/cost/ bom.py", {"bom.py": b"\xef\xbb\xbfcost = 3\n"}),
    ("sed -i '1i # top' bom.py", {}),
    ("cp bom.py other.py", {}),
    ("sed -i s/caf/CAF/ latin.txt", {}),
    ("cp latin.txt other.txt", {}),
    ("rm latin.txt", {"latin.txt": None}),
    ("rm link.py", {}),
    ("echo 'x = 1' >> link.py", {}),
    ("rm -rf linked && echo 1 > linked/x.py", {}),
])  # fmt: skip
def test_files_are_those_of_the_folder(tmp_path: Path, command: str, wanted: dict[str, bytes | None]) -> None:
    """Ignored ones too; not through links; byte for byte, or not at all."""
    root = folder_with_files(tmp_path)
    (root / ".gitignore").write_text(".env\nout/\n")
    (root / ".git").mkdir()
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (root / "out").mkdir()
    more = {".env": b"KEY=1\n", ".env.example": b"KEY=\n", "out/a.js": b"x\n", "my notes.txt": b"hello\n"}
    more |= {"bom.py": b"\xef\xbb\xbfprice = 3\n", "latin.txt": b"caf\xe9\n"}
    for path, text in more.items():
        (root / path).write_bytes(text)
    (root / "link.py").symlink_to("lib/old.py")
    (root / "linked").symlink_to("lib")
    before = bytes_after(root, "true")
    after = bytes_after(root, command)
    assert {
        path: after.get(path) for path in before.keys() | after.keys() if before.get(path) != after.get(path)
    } == wanted


def test_a_command_that_changes_no_known_file_is_told_of(tmp_path: Path) -> None:
    applied = dovetail.apply(call("rm -rf dist"), folder_with_files(tmp_path), READS_CALLS)
    assert ["change no file that is known" in finding.message for finding in applied.plan.diagnostics] == [True]
