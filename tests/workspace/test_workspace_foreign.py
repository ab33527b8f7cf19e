"""What is completed, and taken back, is this user's own: proved by a key that lies outside of every root."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import pytest
from workspace_acts import commit_texts, contents, git, modes, own_line

from dovetail.model.codes import Code
from dovetail.model.errors import JournalError, WorkspaceError
from dovetail.workspace import Outcome, Workspace
from dovetail.workspace.journal.lines import write_line
from dovetail.workspace.journal.user_key import find_key, make_key
from dovetail.workspace.names import TEMP_PREFIX

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a child is killed with a signal")
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def interrupted(root: Path, at: str = "replace") -> None:
    """A root with an operation that is done, and one whose process died before the first act of a kind."""
    with Workspace.open(root) as ws:
        commit_texts(ws, {"a": "1\n"})
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return

    def kill(step: str) -> None:
        if step == at:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        with Workspace.open(root, step=kill) as ws:
            commit_texts(ws, {"a": "2\n", "n": "n\n"})
    finally:
        os._exit(1)


def rewritten(root: Path, old: str, new: str) -> None:
    """Change a word in the log, and prove each line as this user's process would."""
    log = root / ".dovetail/log"
    records = [json.loads(line[9:].replace(old.encode(), new.encode())) for line in log.read_bytes().splitlines()]
    for record in records:
        del record["proof"]
    log.write_bytes(b"".join(own_line(root, record) for record in records))


def journal(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (root / ".dovetail").iterdir() if path.is_file()}


def unstaged(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {path: data for path, data in files.items() if not path.startswith(TEMP_PREFIX)}


def outcome(root: Path) -> Outcome | None:
    with Workspace.open(root) as ws:
        return ws.recovery.outcome if ws.recovery is not None else None


@pytest.mark.parametrize("at", ["ready", "replace", "done"])
def test_what_another_key_wrote_is_neither_completed_nor_taken_back(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """One user's journal is another's clone."""
    interrupted(root, at)
    for name in ("XDG_STATE_HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path / "another user's"))
    before, kept = contents(root), journal(root)
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert ws.recovery.outcome is Outcome.REFUSED
        assert "is not known to be yours" in ws.recovery.message
        assert [op.paths for op in ws.log()] == [("a",)]
        assert ws.show(ws.log()[0].id).versions["a"].after == b"1\n"
        assert ws.find_reply("reply") is None
        for act in (ws.undo, ws.redo, ws.prune, ws.would_undo, ws.would_redo):
            with pytest.raises(JournalError) as refused:
                act()
            assert refused.value.code == "journal-foreign"
        assert (contents(root), journal(root)) == (before, kept)
        commit_texts(ws, {"b": "b\n"})
        assert [(found.code, found.path) for found in ws.findings] == [
            (Code.JOURNAL_FOREIGN, ".dovetail/foreign-1"),
        ]
        ws.undo()
    # Some of what the other operation staged may be gone: one of the same second takes its names.
    assert unstaged(before).items() <= contents(root).items() <= before.items()
    assert (root / ".dovetail/foreign-1/log").read_bytes() == kept["log"]
    assert (root / ".dovetail/foreign-1/versions-1").read_bytes() == kept["versions-1"]


def test_lines_without_proof_are_nobodys(root: Path) -> None:
    """As an earlier Dovetail wrote them."""
    interrupted(root)
    log = root / ".dovetail/log"
    own = log.read_bytes()
    rewritten(root, "-", "-")
    assert log.read_bytes() == own
    from zlib import crc32

    lines = []
    for line in own.splitlines():
        body = line[9:].rpartition(b',"proof":')[0] + b"}"
        lines.append(b"%08x %s\n" % (crc32(body), body))
    log.write_bytes(b"".join(lines))
    assert outcome(root) is Outcome.REFUSED
    assert (root / "a").read_text() == "1\n"


def test_one_foreign_line_among_ones_own_is_enough(root: Path) -> None:
    with Workspace.open(root) as ws:
        for n in range(3):
            commit_texts(ws, {"a": f"{n}\n"})
        log = root / ".dovetail/log"
        lines = log.read_bytes().splitlines(keepends=True)
        assert b'"label":"apply"' in lines[4]
        from zlib import crc32

        body = lines[4][9:-1].replace(b'"path":"a"', b'"path":"b"')
        log.write_bytes(b"".join([*lines[:4], b"%08x %s\n" % (crc32(body), body), *lines[5:]]))
        with pytest.raises(JournalError, match="not known to be yours"):
            ws.undo()


def test_what_git_tracks_is_refused_though_it_is_ones_own(root: Path) -> None:
    """Whoever may push could bring an older state of it back."""
    git(root, "init", "-q")
    interrupted(root)
    git(root, "add", "-f", ".dovetail/log")
    before, kept = contents(root), journal(root)
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert "git tracks it" in ws.recovery.message
        snapshot_of = lambda: commit_texts(ws, {"b": "b\n"})  # noqa: E731
        for act in (ws.undo, ws.redo, ws.prune, ws.would_undo, snapshot_of):
            with pytest.raises(JournalError, match="git tracks it"):
                act()
    assert (contents(root), journal(root)) == (before, kept)
    git(root, "rm", "-rq", "--cached", ".dovetail")
    assert outcome(root) is Outcome.COMPLETED


def test_no_bit_beyond_the_permissions_comes_from_a_journal(root: Path) -> None:
    interrupted(root)
    mode = (root / "a").stat().st_mode & 0o777
    for staged in root.glob(".dovetail-*"):
        staged.unlink()
    rewritten(root, f'"n":{mode}', f'"n":{0o6755}')
    assert outcome(root) is Outcome.COMPLETED
    assert modes(root)["n"] == 0o755


def test_a_program_keeps_the_bits_that_it_has_when_it_is_made_whole(root: Path) -> None:
    (root / "a").write_text("0\n")
    (root / "a").chmod(0o2755)
    interrupted(root)
    assert outcome(root) is Outcome.COMPLETED
    assert (contents(root)["a"], modes(root)["a"]) == (b"2\n", 0o2755)


@pytest.mark.parametrize("how", ["moved", "another device number"])
def test_a_project_that_is_moved_is_made_whole_and_taken_back(root: Path, tmp_path: Path, how: str) -> None:
    interrupted(root)
    if how == "moved":
        root = root.rename(tmp_path / "moved")
    else:  # as a machine may give after a start
        rewritten(root, f",{root.stat().st_dev},", ",424242,")
    assert outcome(root) is Outcome.COMPLETED
    with Workspace.open(root) as ws:
        ws.undo()
        ws.undo()
    assert contents(root) == {}


def test_a_copy_is_taken_back_and_not_completed(root: Path, tmp_path: Path) -> None:
    with Workspace.open(root) as ws:
        commit_texts(ws, {"f": "f\n"})
    shutil.copytree(root, tmp_path / "whole")
    with Workspace.open(tmp_path / "whole") as ws:
        ws.undo()
        assert contents(tmp_path / "whole") == {}
        ws.redo()
    interrupted(root)
    shutil.copytree(root, tmp_path / "begun")
    with Workspace.open(tmp_path / "begun") as ws:
        assert ws.recovery is not None
        assert "copied here with an apply that was interrupted elsewhere" in ws.recovery.message
        with pytest.raises(JournalError, match="copied here"):
            ws.undo()
        assert (tmp_path / "begun/a").read_text() == "1\n"
        commit_texts(ws, {"a": "3\n"})
        ws.undo()
    assert (tmp_path / "begun/a").read_text() == "1\n"
    assert outcome(root) is Outcome.COMPLETED


COMMITS = """
import sys
import tempfile
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from dovetail.workspace import Workspace
from workspace_acts import commit_texts
sys.stdin.readline()
with Workspace.open(Path(sys.argv[1])) as ws:
    commit_texts(ws, {"a": "a\\n"})
    print(*[found.code for found in ws.findings])
"""
UNDOES = "import sys\nfrom dovetail.workspace import Workspace\nwith Workspace.open(sys.argv[1]) as ws: ws.undo()"


def run(code: str, root: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process whose user has nothing but these variables."""
    command = [sys.executable, "-c", code, str(root), str(Path(__file__).parent)]
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return subprocess.run(
        command, cwd=root, env={**kept, **variables}, input="\n", capture_output=True, text=True, check=False
    )


def test_processes_that_make_the_key_at_once_make_one(tmp_path: Path) -> None:
    state = tmp_path / "state"
    environment = {**os.environ, "XDG_STATE_HOME": str(state), "TMPDIR": "/dev/null"}
    roots = [tmp_path / f"r{n}" for n in range(6)]
    running = []
    for root in roots:
        root.mkdir()
        command = [sys.executable, "-c", COMMITS, str(root), str(Path(__file__).parent)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        running.append(subprocess.Popen(command, env=environment, text=True, **pipes))  # type: ignore[call-overload]
    for process in running:
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.communicate()[0] for process in running] == ["\n"] * 6
    assert [path.name for path in (state / "dovetail").iterdir()] == ["key"]
    assert [oct(path.stat().st_mode & 0o777) for path in (state / "dovetail", state / "dovetail/key")] == [
        "0o700",
        "0o600",
    ]
    for root in roots:
        done = subprocess.run([sys.executable, "-c", UNDOES, str(root)], env=environment, check=False)
        assert done.returncode == 0
        assert contents(root) == {}


@pytest.mark.parametrize("home", ["/dev/null", ".", "~", "THE ROOT"])
def test_without_a_state_folder_the_key_is_kept_in_a_temporary_one(root: Path, tmp_path: Path, home: str) -> None:
    (tmp_path / "tmp").mkdir()
    variables = {"HOME": home.replace("THE ROOT", str(root)), "TMPDIR": str(tmp_path / "tmp"), "XDG_STATE_HOME": "~"}
    done = run(COMMITS, root, **variables)
    assert (done.stdout, done.stderr) == ("\n", "")
    assert contents(root) == {"a": b"a\n"}
    assert [path.name for path in (tmp_path / "tmp").iterdir()] == [f"dovetail-{os.geteuid()}"]
    assert run(UNDOES, root, **variables).returncode == 0
    assert contents(root) == {}


def test_where_no_key_can_be_kept_that_is_said_and_nothing_is_acted_on_later(root: Path) -> None:
    variables = {"HOME": "/dev/null", "TMPDIR": "/dev/null"}
    assert run(COMMITS, root, **variables).stdout == "journal-unproved\n"
    assert "not known to be yours" in run(UNDOES, root, **variables).stderr
    assert run(COMMITS.replace("a\\n", "b\\n"), root, **variables).stdout == "journal-foreign journal-unproved\n"
    assert contents(root) == {"a": b"b\n"}


def test_the_process_that_applied_takes_back_without_a_kept_key(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    monkeypatch.setenv("TMPDIR", "/dev/null")
    with Workspace.open(root) as ws:
        commit_texts(ws, {"a": "a\n"})
        assert [found.code for found in ws.findings] == [Code.JOURNAL_UNPROVED]
        ws.undo()
    assert contents(root) == {}


def test_a_key_that_comes_with_the_project_is_none(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(root, "init", "-q")
    (root / "sub").mkdir()
    (root / "state/dovetail").mkdir(parents=True, mode=0o700)
    (root / "state/dovetail/key").write_bytes(bytes(32))
    (root / "state/dovetail/key").chmod(0o600)
    monkeypatch.setenv("XDG_STATE_HOME", str(root / "state"))
    monkeypatch.setenv("TMPDIR", "/dev/null")
    for folder in (root, root / "sub"):
        assert find_key(str(folder)).secret != bytes(32)
        assert make_key(str(folder)).secret != bytes(32)


@pytest.mark.parametrize("how", ["link", "open to others", "somebody else's"])
def test_a_key_that_somebody_else_may_have_put_there_is_none(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir(mode=0o700)
    (theirs / "key").write_bytes(bytes(32))
    (theirs / "key").chmod(0o600)
    place = tmp_path / "tmp" / f"dovetail-{os.geteuid()}"
    place.parent.mkdir()
    if how == "link":
        place.symlink_to(theirs)
    else:
        theirs.rename(place)
    if how == "open to others":
        place.chmod(0o777)
    if how == "somebody else's":
        if not IS_ROOT:
            pytest.skip("only root gives folders away")
        os.chown(place, 12345, 12345)
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    assert find_key(str(root)).secret != bytes(32)
    assert not make_key(str(root)).kept


def test_a_key_from_the_temporary_folder_moves_to_the_state_folder(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was applied while there was no state folder can be taken back when there is one."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    with Workspace.open(root) as ws:
        commit_texts(ws, {"a": "a\n"})
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with Workspace.open(root) as ws:
        commit_texts(ws, {"b": "b\n"})
        assert ws.findings == ()
    shutil.rmtree(tmp_path / "tmp")
    with Workspace.open(root) as ws:
        ws.undo()
        ws.undo()
    assert contents(root) == {}


READS = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30,) * 2)
from dovetail.workspace import Workspace
for act in (
    Workspace.log, lambda ws: [ws.show(operation.id) for operation in ws.log()], Workspace.undo, lambda ws: ws.find_reply("reply"),
):
    try:
        with Workspace.open(sys.argv[1]) as ws:
            act(ws)
    except BaseException as error:
        print(type(error).__name__)
    else:
        print("done")
"""


@pytest.mark.parametrize("how", ["a log without end", "a version without end", "a version that unpacks without end"])
def test_a_foreign_journal_takes_no_memory_without_end(root: Path, how: str) -> None:
    with Workspace.open(root) as ws:
        commit_texts(ws, {"a": "1\n"})
    log, versions = root / ".dovetail/log", root / ".dovetail/versions-1"
    size = versions.stat().st_size
    if how == "a log without end":
        os.truncate(log, 20 << 30)
    else:
        bomb = zlib.compress(bytes(1 << 20)) if how == "a version without end" else zlib.compress(bytes(300 << 20), 1)
        with versions.open("ab") as file:
            file.write(bomb)
        record = json.loads(log.read_bytes().splitlines()[1][9:])
        length = 10**15 if how == "a version without end" else len(bomb)
        record["blobs"] = {digest: [size, length] for digest in record["blobs"]}
        log.write_bytes(b"".join([log.read_bytes().splitlines(keepends=True)[0], write_line(record, b"theirs")]))
    before = contents(root)
    done = subprocess.run([sys.executable, "-c", READS, str(root)], capture_output=True, text=True, check=False)
    assert len(done.stdout.splitlines()) == 4, done.stderr
    assert "MemoryError" not in done.stdout
    assert contents(root) == before


@pytest.mark.parametrize("error", [errno.EIO, errno.EMFILE, errno.ENOMEM])
def test_a_key_that_cannot_be_read_for_a_moment_makes_no_journal_foreign(
    root: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    with Workspace.open(root) as ws:
        commit_texts(ws, {"a": "1\n"})
    kept = journal(root)
    opened = os.open

    def refuse(name: str, *args: int, **options: int) -> int:
        if name == "key":
            raise OSError(error, os.strerror(error))
        return opened(name, *args, **options)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refuse)
        for act in (lambda ws: ws.undo(), lambda ws: commit_texts(ws, {"a": "2\n"}), lambda ws: ws.log()):
            with pytest.raises(WorkspaceError, match="system refuses"), Workspace.open(root) as ws:
                act(ws)
        assert journal(root) == kept
    with Workspace.open(root) as ws:
        ws.undo()
    assert contents(root) == {}


@pytest.mark.skipif(not IS_ROOT, reason="only root can work in somebody else's folder")
def test_what_root_does_in_a_users_folder_the_user_can_take_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the user has no key yet, root makes one that is the user's."""
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are closed to other users
        Path(folder).chmod(0o755)
        root = Path(folder) / "root"
        root.mkdir()
        os.chown(root, 54321, 54321)
        monkeypatch.delenv("XDG_STATE_HOME")
        monkeypatch.setenv("TMPDIR", folder)
        with Workspace.open(root) as ws:
            commit_texts(ws, {"a": "a\n"})
        (root / "a").chmod(0o666)
        code = "import fcntl, os\nfrom dovetail.workspace import Workspace\nos.setuid(54321)\n"
        undo = f"with Workspace.open({str(root)!r}) as ws: ws.undo()"
        done = subprocess.run([sys.executable, "-c", code + undo], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert contents(root) == {}


def test_a_journal_is_adopted_as_it_was_shown(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under another home the same journal is foreign, until the user says that it is his."""
    with Workspace.open(root) as ws:
        commit_texts(ws, {"a": "1\n"})
        commit_texts(ws, {"a": "2\n"})
        with pytest.raises(JournalError, match="yours already"):
            ws.would_adopt()
    for name in ("XDG_STATE_HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path / "another home"))
    kept = journal(root)
    with Workspace.open(root) as ws:
        shown = ws.would_adopt()
        assert [one.versions["a"].before for one in shown] == [b"1\n", None]
        with pytest.raises(JournalError, match="changed meanwhile"):
            ws.adopt(shown[1:])
        assert journal(root) == kept
        ws.adopt(shown)
        ws.undo()
    assert contents(root)["a"] == b"1\n"
    with Workspace.open(root) as ws:
        assert [op.paths for op in ws.log()] == [("a",)] * 3


def test_what_git_tracks_or_was_interrupted_is_not_adopted(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(root)
    for name in ("XDG_STATE_HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path / "another home"))
    kept = journal(root)
    with Workspace.open(root) as ws, pytest.raises(JournalError, match="interrupted"):
        ws.would_adopt()
    git(root, "init", "-q")
    git(root, "add", "-f", ".dovetail/log")
    with Workspace.open(root) as ws, pytest.raises(JournalError, match="git tracks it"):
        ws.would_adopt()
    assert journal(root) == kept
