"""Questions at a real terminal: every answer, every place where Ctrl-C may come."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_shell import at_terminal

BEFORE = {"one.py": "a = 1\nb = 2\nc = 3\n", "two.py": "x = 1\n", "twice.py": "# first\nn = 0\n# second\nn = 0\n"}


def block(path: str, search: str, replace: str) -> str:
    return f"{path}\n```\n<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n```\n\n"


TWO = block("one.py", "a = 1", "a = 10") + block("two.py", "x = 1", "x = 10")
ONE_FAILS = TWO + block("two.py", "not there at all = 1", "y = 2")
DEPENDENT = block("one.py", "a = 1", "a = 10") + block("one.py", "a = 10", "a = 100")
AMBIGUOUS = block("twice.py", "n = 0", "n = 1")

ALL = "[a]ll, [n]one, [e]dit by edit"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in BEFORE.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def texts(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text() for name in BEFORE}


def reply(folder: Path, text: str) -> str:
    (folder / "reply.md").write_text(text)
    return "reply.md"


@pytest.mark.parametrize(
    ("answer", "status", "written"),
    [("a", 0, True), ("all", 0, True), ("y", 0, True), ("n", 1, False), ("none", 1, False), ("", 1, False)],
)
def test_all_or_none(folder: Path, answer: str, status: int, written: bool) -> None:
    with at_terminal(folder, "apply", reply(folder, TWO)) as person:
        shown = person.wait_for("(Enter: none) ")
        assert f"Apply these 2 edits in 2 files? {ALL}" in shown
        assert "+a = 10" in shown
        person.type(answer)
        assert person.leave() == status
    assert (texts(folder) != BEFORE) is written
    assert ("Wrote 2 files" if written else "Nothing was written.") in person.seen


def test_an_answer_that_is_none_is_asked_again(folder: Path) -> None:
    with at_terminal(folder, "apply", reply(folder, TWO)) as person:
        person.wait_for("(Enter: none) ")
        person.type("perhaps")
        assert "Type a (all), n (none), e (edit by edit)" in person.wait_for("(Enter: none) ")
        person.type("n")
        assert person.leave() == 1


@pytest.mark.parametrize(
    ("answers", "status", "changed"),
    [
        (["y", "n"], 0, {"one.py"}),
        (["n", "y"], 0, {"two.py"}),
        (["n", "n"], 1, set()),
        (["a"], 0, {"one.py", "two.py"}),
        (["y", "d"], 0, {"one.py"}),
        (["d"], 1, set()),
    ],
)
def test_edit_by_edit(folder: Path, answers: list[str], status: int, changed: set[str]) -> None:
    with at_terminal(folder, "apply", reply(folder, TWO)) as person:
        person.wait_for("(Enter: none) ")
        person.type("e")
        for answer in answers:
            person.wait_for("(Enter: no) ")
            person.type(answer)
        assert person.leave() == status
    assert {name for name, text in texts(folder).items() if text != BEFORE[name]} == changed


def test_edit_by_edit_each_is_shown_alone(folder: Path) -> None:
    near = "".join(block("one.py", f"{name} = {n}", f"{name} = {n}0") for n, name in enumerate("abc", 1))
    with at_terminal(folder, "apply", reply(folder, near)) as person:
        person.wait_for("(Enter: none) ")
        person.type("e")
        for n, name in enumerate("abc", 1):
            shown = person.wait_for("(Enter: no) ")
            changed = [line.strip() for line in shown.splitlines() if line.strip().startswith(("+", "-"))]
            assert changed == [f"-{name} = {n}", f"+{name} = {n}0"]
            assert f"@@ -{n} +{n} @@" in shown
            person.type("n")
        assert person.leave() == 1


def test_edit_by_edit_a_rename_shows_what_it_changes(folder: Path) -> None:
    moves = "*** Begin Patch\n*** Update File: one.py\n*** Move to: moved.py\n{}*** End Patch\n"
    for lines, changed in (("", []), ("@@\n-b = 2\n+b = 20\n", ["-b = 2", "+b = 20"])):
        with at_terminal(folder, "apply", reply(folder, moves.format(lines))) as person:
            assert "Apply this edit in 1 file?" in person.wait_for("(Enter: none) ")
            person.type("e")
            shown = person.wait_for("(Enter: no) ")
            assert [line.strip() for line in shown.splitlines() if line.strip().startswith(("+", "-"))] == changed
            person.type("n")
            assert person.leave() == 1


def test_edit_by_edit_a_new_file_is_said_to_be_one(folder: Path) -> None:
    with at_terminal(folder, "apply", reply(folder, block("new.py", "", "n = 1") + TWO)) as person:
        person.wait_for("(Enter: none) ")
        person.type("e")
        assert "  1  fits  new.py:1  creates the file\n" in person.wait_for("Apply edit 1?")


def test_an_edit_that_stood_on_one_left_out_is_shown_again(folder: Path) -> None:
    with at_terminal(folder, "apply", reply(folder, DEPENDENT)) as person:
        person.wait_for("(Enter: none) ")
        person.type("e")
        person.wait_for("Apply edit 1?")
        person.type("n")
        person.wait_for("Apply edit 2?")
        person.type("y")
        assert person.leave() == 1
    assert "Without the edits that you left out:" in person.seen
    assert texts(folder) == BEFORE


def test_what_another_edit_kept_from_landing_is_not_written_in_its_place(folder: Path) -> None:
    rival = block("one.py", "a = 1\nb = 2", "a = 11\nb = 22")
    with at_terminal(folder, "apply", reply(folder, TWO + rival)) as person:
        person.wait_for("(Enter: none) ")
        person.type("e")
        for answer in ("n", "y"):
            person.wait_for("(Enter: no) ")
            person.type(answer)
        assert person.leave() == 1
    assert texts(folder) == BEFORE | {"two.py": "x = 10\n"}


def test_a_failed_edit_leaves_the_choice_about_the_others(folder: Path) -> None:
    with at_terminal(folder, "apply", reply(folder, ONE_FAILS)) as person:
        shown = person.wait_for("(Enter: none) ")
        assert "failed no-match" in shown
        assert "1 edit failed. Apply the other 2 in 2 files?" in shown
        person.type("a")
        assert person.leave() == 1
    assert texts(folder)["one.py"] == "a = 10\nb = 2\nc = 3\n"


def test_a_stated_policy_is_not_asked_about(folder: Path) -> None:
    with at_terminal(folder, "apply", reply(folder, ONE_FAILS), "--on-failure", "all") as person:
        assert person.leave() == 1
    assert "a failed edit holds back the others" in person.seen
    assert texts(folder) == BEFORE


@pytest.mark.parametrize(
    ("answer", "after"),
    [("1", "# first\nn = 1\n# second\nn = 0\n"), ("2", "# first\nn = 0\n# second\nn = 1\n")],
)
def test_an_ambiguous_edit_asks_which_place(folder: Path, answer: str, after: str) -> None:
    with at_terminal(folder, "apply", reply(folder, AMBIGUOUS)) as person:
        shown = person.wait_for("(Enter: skip) ")
        assert "1  failed ambiguous  twice.py" in shown
        assert "Quote a neighbouring line" not in shown
        assert "[1] twice.py:2" in shown
        assert "[2] twice.py:4" in shown
        assert "> n = 0" in shown
        person.type(answer)
        person.wait_for("(Enter: none) ")
        person.type("a")
        assert person.leave() == 0
    assert texts(folder)["twice.py"] == after


def test_places_are_shown_with_a_line_that_tells_them_apart(folder: Path) -> None:
    (folder / "twice.py").write_text("# first\n\nn = 0\n# second\n\nn = 0\n")
    with at_terminal(folder, "apply", reply(folder, AMBIGUOUS)) as person:
        shown = person.wait_for("(Enter: skip) ")
        assert "twice.py:3\n          1   # first\n          2   \n          3 > n = 0\n" in shown
        assert "twice.py:6\n          4   # second\n          5   \n          6 > n = 0\n" in shown
        person.type("s")
        assert person.leave() == 1


def test_places_are_named_by_the_definitions_around_them(folder: Path) -> None:
    (folder / "pump.py").write_text(
        "class Pump:\n    def fill(self):\n        n = 0\n\n    def drain(self):\n        n = 0\n"
    )
    named = block("pump.py", "        n = 0", "        n = 1")
    with at_terminal(folder, "apply", reply(folder, named)) as person:
        shown = person.wait_for("(Enter: skip) ")
        assert "The search text stands at line 3 in `Pump.fill` and line 6 in `Pump.drain`." in shown
        assert "[2] pump.py:6  in Pump.drain" in shown
        person.type("2")
        person.wait_for("(Enter: none) ")
        person.type("a")
        assert person.leave() == 0
    assert (folder / "pump.py").read_text().endswith("        n = 1\n")


def test_a_place_may_be_left_open(folder: Path) -> None:
    with at_terminal(folder, "apply", reply(folder, AMBIGUOUS)) as person:
        person.wait_for("(Enter: skip) ")
        person.type("s")
        assert person.leave() == 1
    assert texts(folder) == BEFORE


@pytest.mark.parametrize("press", ["interrupt", "hang_up"])
@pytest.mark.parametrize(
    ("text", "way"),
    [
        (TWO, ["(Enter: none) "]),
        (TWO, ["(Enter: none) ", "e", "Apply edit 1?"]),
        (TWO, ["(Enter: none) ", "e", "Apply edit 1?", "y", "Apply edit 2?"]),
        (AMBIGUOUS, ["(Enter: skip) "]),
        (AMBIGUOUS, ["(Enter: skip) ", "1", "(Enter: none) "]),
    ],
)
def test_leaving_at_any_question_writes_nothing(folder: Path, text: str, way: list[str], press: str) -> None:
    with at_terminal(folder, "apply", reply(folder, text)) as person:
        for at, step in enumerate(way):
            if at % 2 == 0:
                person.wait_for(step)
            else:
                person.type(step)
        getattr(person, press)()
        assert person.leave() == 130
    assert "Nothing was written." in person.seen
    assert "Traceback" not in person.seen
    assert texts(folder) == BEFORE


def test_with_the_reply_on_standard_input_the_terminal_is_asked(folder: Path) -> None:
    with at_terminal(folder, "apply", stdin=TWO) as person:
        person.wait_for("(Enter: none) ")
        person.type("a")
        assert person.leave() == 0
    assert texts(folder)["two.py"] == "x = 10\n"


def test_leaving_with_the_reply_on_standard_input(folder: Path) -> None:
    with at_terminal(folder, "apply", "-", stdin=TWO) as person:
        person.wait_for("(Enter: none) ")
        person.interrupt()
        assert person.leave() == 130
    assert texts(folder) == BEFORE


@pytest.mark.parametrize("words", [["-", "--yes"], ["--yes"]])
def test_a_reply_may_be_pasted_at_the_terminal(folder: Path, words: list[str]) -> None:
    with at_terminal(folder, "apply", *words) as person:
        person.wait_for("Paste the reply, then press Ctrl-D on a line of its own.")
        for line in TWO.splitlines():
            person.type(line)
        person.hang_up()
        assert person.leave() == 0
    assert texts(folder)["two.py"] == "x = 10\n"


def test_the_command_alone_begins_a_paste_and_asks(folder: Path) -> None:
    with at_terminal(folder, "apply") as person:
        person.wait_for("press Ctrl-D")
        for line in TWO.splitlines():
            person.type(line)
        person.hang_up()
        person.wait_for("(Enter: none) ")
        person.type("a")
        assert person.leave() == 0
    assert texts(folder)["two.py"] == "x = 10\n"


def test_a_paste_that_is_left_changes_nothing(folder: Path) -> None:
    with at_terminal(folder, "apply", "--yes") as person:
        person.wait_for("press Ctrl-D")
        person.type(TWO.splitlines()[0])
        person.interrupt()
        assert person.leave() == 130
    assert texts(folder) == BEFORE


def test_json_asks_nothing(folder: Path) -> None:
    with at_terminal(folder, "apply", reply(folder, TWO), "--json") as person:
        assert person.leave() == 2
    assert texts(folder) == BEFORE


def test_undo_asks_nothing(folder: Path) -> None:
    with at_terminal(folder, "apply", reply(folder, TWO), "--yes") as person:
        assert person.leave() == 0
    with at_terminal(folder, "undo") as person:
        assert person.leave() == 0
    assert texts(folder) == BEFORE


def test_colour_is_shown_at_a_terminal_that_has_it(folder: Path) -> None:
    name = reply(folder, TWO)
    with at_terminal(folder, "apply", name, "--dry-run", extra={"NO_COLOR": ""}) as person:
        assert person.leave() == 0
    assert "\x1b[32mfits exact high\x1b[0m" in person.seen
    with at_terminal(folder, "apply", name, "--dry-run") as person:
        assert person.leave() == 0
    assert "\x1b" not in person.seen


def test_one_of_two_options_is_chosen(folder: Path) -> None:
    block = "one.py\n```\n<<<<<<< SEARCH\na = 1\n=======\na = {}\n>>>>>>> REPLACE\n```\n"
    text = f"Either\n\n{block.format(10)}\nor\n\n{block.format(20)}"
    with at_terminal(folder, "apply", reply(folder, text)) as person:
        shown = person.wait_for("(Enter: skip) ")
        assert "a = 10" in shown
        assert "a = 20" in shown
        person.type("2")
        person.wait_for("(Enter: none) ")
        person.type("a")
        assert person.leave() == 0
    assert (folder / "one.py").read_text() == "a = 20\nb = 2\nc = 3\n"


@pytest.mark.parametrize("options", [[], ["--on-failure", "all"]])
def test_what_was_read_is_written_if_somebody_agrees(folder: Path, options: list[str]) -> None:
    unread = "Then run:\n\n```sh\nsed -i s/a/b/ one.py\n```\n"
    with at_terminal(folder, "apply", reply(folder, TWO + unread), *options) as person:
        shown = person.wait_for("(Enter: none) ")
        assert f"Part of the reply is not read. Apply the 2 edits in 2 files? {ALL}" in shown
        person.type("a")
        assert person.leave() == 1
    assert "Wrote 2 files" in person.seen
    assert (folder / "one.py").read_text() == "a = 10\nb = 2\nc = 3\n"


UNREAD = "Never write `one.py` like this:\n\n```python\na = 1\nb = 20\nc = 3\n```\n"
USE = "Use this as `one.py`? [y]es, [n]o (Enter: no) "


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 1), ("", 1)])
def test_a_listing_that_is_not_read_is_asked_about(folder: Path, answer: str, status: int) -> None:
    with at_terminal(folder, "apply", reply(folder, UNREAD)) as person:
        shown = person.wait_for(USE)
        assert "+b = 20" in shown
        person.type(answer)
        assert person.leave() == status
        assert person.seen.count("+b = 20") == 1, "it is shown and asked about once"
    assert ((folder / "one.py").read_text() == "a = 1\nb = 20\nc = 3\n") is (status == 0)


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_listing_beside_edits_is_asked_about_first(folder: Path, answer: str) -> None:
    with at_terminal(folder, "apply", reply(folder, block("two.py", "x = 1", "x = 10") + UNREAD)) as person:
        person.wait_for(USE)
        person.type(answer)
        person.wait_for("(Enter: none) ")
        person.type("a")
        assert person.leave() == 0
    assert (folder / "two.py").read_text() == "x = 10\n"
    assert ("b = 20" in (folder / "one.py").read_text()) is (answer == "y")


def test_a_listing_without_a_place_is_not_asked_about(folder: Path) -> None:
    lost = "In `one.py`:\n\n```python\nimport os\na = 1\n```\n"
    with at_terminal(folder, "apply", reply(folder, lost)) as person:
        assert person.leave() == 1
        assert "Use this" not in person.seen


@pytest.mark.parametrize("answer", ["y", ""])
def test_a_command_has_a_question_of_its_own_and_is_not_run(folder: Path, answer: str) -> None:
    command = "```bash\nsed -i 's/= 1/= 9/' one.py && rm two.py\n```\n"
    with at_terminal(folder, "apply", reply(folder, command)) as person:
        said = person.wait_for("(Enter: no)")
        assert "Dovetail runs no command. Write what they would change, in 2 files?" in said
        person.type(answer)
        assert person.leave() == (0 if answer else 1)
    assert ("= 9" in (folder / "one.py").read_text(), not (folder / "two.py").exists()) == (bool(answer),) * 2
