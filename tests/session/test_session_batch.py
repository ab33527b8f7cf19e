"""The batch as a function: nothing of one case reaches another, and a case that ends its process ends no other."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from dovetail.model.errors import DovetailError
from dovetail.session.batch import cases as batch


def line(name: object, text: str = "old\n") -> str:
    reply = "a.txt\n```\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n```\n"
    return json.dumps({"id": name, "files": {"a.txt": text}, "reply": reply})


def test_answering_a_case_twice_gives_the_same_but_for_the_clock() -> None:
    first, second = (json.loads(batch.answer_line(line(1))) for _ in range(2))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_an_answer_holds_what_is_asked_for() -> None:
    case = {**json.loads(line(1)), "truth": {"a.txt": "new\n"}}
    answer = json.loads(batch.answer_line(json.dumps(case), ("score", "diff", "digests")))
    assert sorted(answer) == ["diff", "digests", "files_modified", "id", "score", "seconds"]
    assert (answer["score"]["value"], answer["score"]["verdict"]) == (1.0, "right")
    assert answer["diff"] == "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n"
    assert answer["digests"] == {"a.txt": sha256(b"new\n").hexdigest()}
    assert json.loads(next(batch.answer_lines([json.dumps(case)], 2, ("digests",))))["digests"] == answer["digests"]
    wrong = json.loads(batch.answer_line(json.dumps({**case, "truth": 3}), ("score",)))
    assert wrong == {"id": 1, "error": "`truth` is of the type int."}


@pytest.mark.parametrize("key", ["completion", "messages"])
def test_a_reply_may_be_a_completion(key: str) -> None:
    case = json.loads(line(1))
    reply = case.pop("reply")
    for value in (reply, [{"role": "user", "content": "?"}, {"role": "assistant", "content": reply}]):
        assert json.loads(batch.answer_line(json.dumps({**case, key: value})))["files"] == {"a.txt": "new\n"}
    answer = json.loads(batch.answer_line(json.dumps({**case, key: 3})))
    assert answer["error"] == f"`{key}` must be a text or a list of messages."


@pytest.mark.parametrize("root", ["/home/x/app", "/home/x/app/", "C:\\x\\app"])
def test_absolute_paths_under_the_root_are_paths_from_there(root: str) -> None:
    def reply(name: str, path: str, **fields: str) -> str:
        return json.dumps({"name": name, "arguments": {"file_path": f"{root.rstrip('/')}{path}", **fields}})

    calls = [
        reply("edit", "/src/a.txt", old_string="old", new_string="new"),
        reply("write_file", "/src/b.txt", content="all\n"),
        reply("write_file", "/new/c.txt", content="c\n"),
        reply("delete_file", "/d.txt"),
    ]
    files = {"src/a.txt": "old\n", "src/b.txt": "some\n", "d.txt": "d\n"}
    case = {"id": 1, "root": root, "files": files, "reply": "\n".join(calls)}
    answer = json.loads(batch.answer_line(json.dumps(case)))
    assert answer["files"] == {"src/a.txt": "new\n", "src/b.txt": "all\n", "new/c.txt": "c\n", "d.txt": None}
    assert [result.get("warnings", []) for result in answer["results"]] == [[]] * 4
    outside = {**case, "root": "/home/x/ap"}
    proven = json.loads(batch.answer_line(json.dumps(outside)))  # the edit quotes its file, so its folder is known
    assert all(warning["code"] == "path-guessed" for result in proven["results"] for warning in result["warnings"])
    unproven = json.loads(batch.answer_line(json.dumps({**outside, "reply": calls[2]})))
    assert unproven["files"] == {}


@pytest.mark.parametrize(
    ("number", "said"),
    [
        ("1e999", "The line holds a number that is too large: 1e999"),
        ("-1e999", "The line holds a number that is too large: -1e999"),
        (f"{'9' * 400}.0", f"The line holds a number that is too large: {'9' * 40}"),
        ("NaN", "The line is not JSON: NaN is no number."),
        ("Infinity", "The line is not JSON: Infinity is no number."),
        ("-Infinity", "The line is not JSON: -Infinity is no number."),
    ],
)
@pytest.mark.parametrize("where", ['{"id": %s, "files": {}, "reply": ""}', '{"id": 1, "further": [{"key": %s}]}', "%s"])
def test_a_number_that_json_cannot_say_is_refused(where: str, number: str, said: str) -> None:
    assert json.loads(batch.answer_line(where % number)) == {"id": None, "error": said}


@pytest.mark.parametrize("name", ["1e308", "-0.5", "5e-324", "12345678901234567890", "null", '{"a": [true, "NaN"]}'])
def test_an_id_comes_back_as_it_is(name: str) -> None:
    answered = batch.answer_line(f'{{"id": {name}, "files": {{}}, "reply": ""}}')
    assert answered.startswith(f'{{"id": {json.dumps(json.loads(name))}, "files"')


def test_memory_holds_a_bounded_number_of_lines() -> None:
    taken = 0

    def lines() -> Iterator[str]:
        nonlocal taken
        for n in range(10_000):
            taken = n
            yield line(n)

    answers = batch.answer_lines(lines(), jobs=2)
    next(answers)
    assert taken < 3 * 2 * batch.CHUNK * 4
    answers.close()  # type: ignore[attr-defined]


@pytest.fixture
def deadly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Python processes that start from now on end at a case of this name; gives the file that counts how many did."""
    ended = tmp_path / "ended"
    (tmp_path / "sitecustomize.py").write_text(DEADLY.format(ended=str(ended)))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return ended


DEADLY = """
import os
from dovetail.session.batch import cases as batch
from dovetail.model.errors import DovetailError

answer = batch.answer

def deadly(case):
    if case.id == "deadly":
        with open({ended!r}, "a") as ended:
            ended.write("x")
        os._exit(9)
    return answer(case)

batch.answer = deadly
"""


def test_a_case_that_ends_its_process_is_answered_so(deadly: Path) -> None:
    names = ["one", "deadly", "two", *range(20), "deadly"]
    results = [json.loads(answered) for answered in batch.answer_lines([line(name) for name in names], jobs=2)]
    assert [r["id"] for r in results] == names
    assert [r for r in results if "error" in r] == [
        {"id": "deadly", "error": "The process that answered it ended."}
    ] * 2
    assert deadly.read_text() == "x" * 4  # each was tried again


def _workers() -> set[int]:
    """Batch processes of this one; other tests may have left some of a pool that lives as long as this process."""
    words = ["ps", "-ww", "--ppid", str(os.getpid()), "-o", "pid=,args="]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return {int(row.split()[0]) for row in listed.splitlines() if "serve(" in row}


def test_a_case_whose_process_is_ended_by_somebody_else_is_answered_by_the_next() -> None:
    others = _workers()
    worker = batch.Worker()
    answers = worker.answers(f"{line(n)}\n".encode() for n in range(500))
    seen = [json.loads(next(answers))]
    (process,) = _workers() - others
    os.kill(process, signal.SIGKILL)
    seen.extend(map(json.loads, answers))
    assert [r["id"] for r in seen] == [*range(500)]
    assert not any("error" in r for r in seen)
    worker.close()
    assert _workers() == others


def test_answers_that_nobody_takes_leave_no_process_behind() -> None:
    others = _workers()
    answers = batch.answer_lines((line(n) for n in range(10_000)), jobs=2)
    next(answers)
    answers.close()  # type: ignore[attr-defined]
    assert _workers() == others


def test_a_process_ends_with_the_one_that_started_it() -> None:
    code = """
import os, signal
from dovetail.session.batch import cases as batch
from dovetail.model.errors import DovetailError
answers = batch.answer_lines(('{"id": 1, "files": {}, "reply": ""}' for _ in range(100_000)), jobs=2)
next(answers)
os.kill(os.getpid(), signal.SIGKILL)
"""
    killed = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=False, timeout=180)
    assert killed.returncode == -signal.SIGKILL  # and the end of its output was reached: no child holds it open


def test_a_worker_that_cannot_start_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(DovetailError, match="ended with 1 before the first"):
        list(batch.answer_lines([line(1)], jobs=2))


def test_white_space_inside_a_case_is_no_end_of_it() -> None:
    stated = json.dumps({"id": 1, "files": {"a.txt": "old\n"}, "reply": ""}, indent=2)
    assert [json.loads(answer)["files"] for answer in batch.answer_lines(["\n", stated, " "], jobs=2)] == [{}]


UNSHARED = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o ro tmpfs /dev/shm && exec "$@"', "sh")


def _may_unshare() -> bool:
    try:
        return subprocess.run((*UNSHARED, "true"), capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not _may_unshare(), reason="no namespace of mounts can be made here")
def test_where_processes_can_share_nothing_one_answers() -> None:
    code = (
        "import sys; from dovetail.session.batch import cases; print(*cases.answer_lines(sys.stdin, jobs=2), sep='\\n')"
    )
    stated = "".join(f"{line(n)}\n" for n in range(3))
    done = subprocess.run(
        (*UNSHARED, sys.executable, "-c", code), input=stated, capture_output=True, text=True, check=True
    )
    assert [json.loads(answer)["files"] for answer in done.stdout.splitlines()] == [{"a.txt": "new\n"}] * 3


def test_a_case_may_say_what_the_model_saw() -> None:
    call = {"command": "insert", "path": "a.py", "insert_line": 1, "insert_text": "y = 2\n"}
    case = {"id": 1, "files": {"a.py": "# new\nx = 1\n"}, "reply": json.dumps(call)}

    def answered(case: dict[str, object]) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(batch.answer_line(json.dumps(case)))
        return found

    assert answered(case)["results"][0]["code"] == "unproven-place"
    assert answered(case | {"seen": {"a.py": "x = 1\n"}})["files"] == {"a.py": "# new\nx = 1\ny = 2\n"}
    assert answered(case | {"seen": ["a.py"]})["error"] == "`seen` must map paths to texts."


def test_an_answer_says_all_that_a_person_is_shown() -> None:
    block = "{}\n```\n<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n```\n"
    two = "def one():\n    go()\n\n\ndef two():\n    go()\n"
    edits = (("a.py", "    go()", "    stop()"), ("b.py", "rate = 2", "rate = 3"), ("B.PY", "x = 1", "x = 2"))
    reply = "\n".join(block.format(*edit) for edit in edits)
    case = {"id": 1, "files": {"a.py": two, "b.py": "x = 1\nrate = 5\n"}, "reply": reply}
    answer = json.loads(batch.answer_line(json.dumps({**case, "policy": {"on_failure": "block"}})))
    unclear, missed, guessed = answer["results"]
    assert (unclear["places"], unclear["enclosing"]) == ([2, 6], ["one", "two"])
    assert "`def one():`" in unclear["hint"]
    assert missed["nearest"] == {
        "start": 2,
        "end": 2,
        "similarity": 0.833,
        "difference": "misremembered",
        "line": 2,
        "expected": "rate = 2",
        "found": "rate = 5",
        "corrected": "rate = 5\n",
    }
    assert missed["hint"] == "Copy the search text from the file as it is now."
    (warning,) = guessed["warnings"]
    assert (warning["code"], warning["hint"]) == (
        "path-guessed",
        "If another file is meant, name it by its path from the root.",
    )


def test_an_answer_lists_some_of_many_places_and_says_how_many_there_are() -> None:
    reply = "a.py\n```\n<<<<<<< SEARCH\ngo()\n=======\nstop()\n>>>>>>> REPLACE\n```\n"
    case = {"id": 1, "files": {"a.py": "go()\n" * 50}, "reply": reply}
    (result,) = json.loads(batch.answer_line(json.dumps(case)))["results"]
    assert (result["code"], result["place_count"]) == ("ambiguous", 50)
    assert (result["places"], len(result["enclosing"])) == (list(range(1, 21)), 20)
