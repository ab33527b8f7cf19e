"""Who wrote each line, by the logs of agents: edits, moves, commands that are followed and that are not, sub-agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_agent_sessions import claude, command, folder, lines, write

from dovetail.agents.written import LoggedWriter, why_logged
from dovetail.cli import main
from dovetail.errors import UsageError


def logged(tmp_path: Path, *records: list[dict[str, object]], name: str = "log.jsonl") -> Path:
    path = tmp_path / name
    path.write_text(lines(*(record for part in records for record in part)))
    return path


def writers(root: Path, path: str, *logs: Path, base: str | None = None) -> list[tuple[int, int, str | None]]:
    """Of each run of lines the call."""
    found = why_logged(root, logs, path, base=base).written
    return [(w.start, w.end, w.writer.row.call_id if isinstance(w.writer, LoggedWriter) else None) for w in found]


def edit(n: int, path: str, before: str, old: str, new: str) -> list[dict[str, object]]:
    fields = {"file_path": f"/home/somebody/ferry/{path}", "old_string": old, "new_string": new}
    return claude(n, "Edit", fields, {"filePath": fields["file_path"], "originalFile": before, "structuredPatch": []})


def test_each_line_is_of_the_call_that_brought_it(tmp_path: Path) -> None:
    log = logged(tmp_path, write(1, "a", None, "1\n2\n3\n"), edit(2, "a", "1\n2\n3\n", "2\n", "two\n"))
    root = folder(tmp_path, {"a": "1\ntwo\n3\nmine\n"})
    assert writers(root, "a", log) == [(1, 1, "t1"), (2, 2, "t2"), (3, 3, "t1"), (4, 4, None)]
    (gone,) = why_logged(root, [log], "a").removed
    assert (gone.behind, gone.text) == (1, "2")
    assert isinstance(gone.removed_by, LoggedWriter)
    assert gone.removed_by.row.call_id == "t2"


def test_a_command_that_is_followed_wrote_its_lines(tmp_path: Path) -> None:
    log = logged(tmp_path, write(1, "a", None, "1\n2\n"), command(2, "sed -i s/2/two/ a"), command(3, "mv a b"))
    root = folder(tmp_path, {"b": "1\ntwo\n"})
    (tmp_path / "before").mkdir()
    assert writers(root, "b", log, base="../before") == [(1, 1, "t1"), (2, 2, "t2")]
    answer = why_logged(root, [log], "a", base="../before")
    assert isinstance(answer.removed_by, LoggedWriter)
    assert answer.removed_by.row.call_id == "t3"


def test_what_one_command_alone_may_have_changed_is_its_own(tmp_path: Path) -> None:
    known = write(1, "a", None, "1\n2\n")
    root = folder(tmp_path, {"a": "1\ntwo\n"})
    assert writers(root, "a", logged(tmp_path, known, command(2, "python3 tidy.py"))) == [(1, 1, "t1"), (2, 2, "t2")]
    both = (command(2, "python3 tidy.py"), command(3, "make mend"))
    assert writers(root, "a", logged(tmp_path, known, *both)) == [(1, 1, "t1"), (2, 2, None)]
    named = (command(2, "python3 tidy.py a"), command(3, "make mend"))
    assert writers(root, "a", logged(tmp_path, known, *named)) == [(1, 1, "t1"), (2, 2, "t2")]


def test_logs_are_taken_in_the_order_of_time(tmp_path: Path) -> None:
    first = logged(tmp_path, write(1, "a", None, "1\n2\n"), name="first.jsonl")
    second = logged(tmp_path, write(5, "a", "1\n2\n", "1\ntwo\n"), name="second.jsonl")
    root = folder(tmp_path, {"a": "1\ntwo\n"})
    assert writers(root, "a", second, first) == [(1, 1, "t1"), (2, 2, "t5")]


def test_a_file_that_no_log_tells_of_is_refused(tmp_path: Path) -> None:
    log = logged(tmp_path, write(1, "a", None, "1\n"))
    with pytest.raises(UsageError, match="nothing of `b`"):
        why_logged(folder(tmp_path, {"b": "1\n"}), [log], "b")


def test_the_command_names_call_and_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = logged(tmp_path, write(1, "a", None, "1\n2\n"), edit(2, "a", "1\n2\n", "2\n", "two\n"))
    root = folder(tmp_path, {"a": "1\ntwo\n"})
    assert main(["why", "a", "--log", str(log), "--removed", "-C", str(root)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].split() == ["1", "Write", "t1", "of", "claude-code", "(log.jsonl,", "row", "1)", "1"]
    assert told[1].startswith("  after 1  removed by Edit t2 of claude-code (log.jsonl, row 2)  2")
    assert main(["why", "a:2", "--log", str(log), "--json", "-C", str(root)]) == 0
    (line,) = json.loads(capsys.readouterr().out)["lines"]
    assert (line["logged"]["call"], line["operation"], line["committed"]) == ("t2", None, None)
