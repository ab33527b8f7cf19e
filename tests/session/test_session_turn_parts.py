"""The parts that a turn is made of: files that are asked for, edits that come again, live places, the ledger."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_parts import GOOD, KIOSK, MENDED, MISQUOTED, block, lay

from dovetail.context import estimate
from dovetail.formats import parse
from dovetail.llm.values import Usage
from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Code, OnFailure, Status
from dovetail.model.diagnostics import Difference, Nearest
from dovetail.model.errors import UsageError
from dovetail.model.language import NO_SYNTAX
from dovetail.model.policy import DEFAULT_POLICY, Policy
from dovetail.model.results import BlockResult
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.plan import plan
from dovetail.session.apply.applying import Prepared
from dovetail.session.apply.correction import corrected_edit, failure_of, merged_reading
from dovetail.session.conversation.chat_files import (
    MAX_REQUESTED,
    ChatFiles,
    check_readable,
    requested_files,
    show_files,
)
from dovetail.session.conversation.repair import same_failures
from dovetail.session.conversation.rounds import Round, Rounds, Step, superseded_by
from dovetail.session.conversation.turn_events import Ledger, Located, Piece, Spent
from dovetail.session.conversation.turn_messages import LiveReply
from dovetail.session.settings import DEFAULT_REPLY_OPTIONS
from dovetail.workspace import Workspace

TREE = frozenset(
    {"kiosk.py", "quay/map.py", "quay/ferry.ts", "old/map.py", "Makefile", ".env", "app/[id]/page.tsx", "run"}
)


@pytest.mark.parametrize(
    ("prose", "found"),
    [
        ("Please add `quay/map.py`.", ("quay/map.py",)),
        ("I need **quay/ferry.ts** and kiosk.py, please.", ("quay/ferry.ts", "kiosk.py")),
        ("Could you show me ferry.ts?", ("quay/ferry.ts",)),  # the end of one path alone
        ("See [ferry.ts](quay/ferry.ts) and [the map](quay/map.py).", ("quay/ferry.ts", "quay/map.py")),
        ("See [map.py](quay/map.py).", ("quay/map.py",)),  # its text is the end of two paths
        ("What is in kiosk.py's and `ferry.ts`'s first lines?", ("kiosk.py", "quay/ferry.ts")),
        (
            "It fails at kiosk.py:12, `quay/map.py:3-8` and quay/ferry.ts#L4-L9.",
            ("kiosk.py", "quay/map.py", "quay/ferry.ts"),
        ),
        (
            "Show me kiosk.py… or `.env:2`—or quay/map.py;quay/ferry.ts",
            ("kiosk.py", ".env", "quay/map.py", "quay/ferry.ts"),
        ),
        ("It listens on kiosk:8000, the `Makefile`'s port.", ("Makefile",)),
        ("Could you show me map.py?", ()),  # of two
        ("Show ./quay/map.py:", ("quay/map.py",)),
        (r"Show quay\map.py", ("quay/map.py",)),
        ("What is in `app/[id]/page.tsx`?", ("app/[id]/page.tsx",)),
        ("I would need (.env).", (".env",)),
        ("Run it with run.", ()),  # a word before it is a name
        ("Add `run` to the chat.", ("run",)),
        ("Add `Makefile`, then `Makefile`.", ("Makefile",)),
        ("```python\nquay/map.py\n```\n", ()),
        ("```\nquay/map.py", ()),
        ("Nothing.", ()),
        ("nowhere.py and quay/nothing.py", ()),
    ],
)
def test_files_that_prose_names(prose: str, found: tuple[str, ...]) -> None:
    assert requested_files(prose, TREE, ()) == found


def test_held_files_are_not_asked_for_and_the_list_is_bounded() -> None:
    assert requested_files("kiosk.py quay/map.py", TREE, ("kiosk.py",)) == ("quay/map.py",)
    many = frozenset(f"part_{n}.py" for n in range(50))
    assert len(requested_files(" ".join(sorted(many)), many, ())) == MAX_REQUESTED


def failing(reply: str) -> tuple[BlockResult, ...]:
    return plan(parse(reply), Snapshot.of({"kiosk.py": KIOSK}), Policy(on_failure=OnFailure.BLOCK)).results


OTHER = block("kiosk.py", "def total(cost):\n    price = cost\n", "def total(cost):\n    price = 2\n")


@pytest.mark.parametrize(
    ("again", "gone"),
    [
        (MENDED, {2: 1}),  # most like it
        (OTHER + MENDED, {1: 1, 2: 2}),
        (OTHER + MENDED + GOOD, {1: 1, 2: 2}),
        ("Never mind.", {}),
        (f"kiosk.py\n```python\n{KIOSK}```\n", {1: 1, 2: 1, 3: 1}),  # whole: its earlier edits are in it
        (
            block("kiosk.py", "    return words\n", '    price = 2\n    words = "Good day, " + who\n'),
            {1: 1, 2: 1},
        ),  # makes both
        (GOOD, {}),  # landed already
        (GOOD + MENDED, {2: 2}),
        (MENDED + block("quay.py", "", "boats = 2\n"), {2: 1}),  # another file
        (block("kiosk.py", '"""Sells ferry tickets."""\n', '"""Sells tickets."""\n'), {}),  # another purpose
        (block("./kiosk.py", "def greet(name):\n", 'def greet(name, loud=False):\n    """Greets."""\n'), {2: 1}),
    ],
)
def test_what_a_reply_takes_the_place_of(again: str, gone: dict[int, int]) -> None:
    results = failing(OTHER + MISQUOTED + GOOD)
    failed = [result for result in results if result.status is Status.FAILED]
    assert [result.n for result in failed] == [1, 2]
    assert superseded_by(results, failed, parse(again)) == gone


def test_replies_are_joined_so_that_their_text_says_the_same() -> None:
    replies = [GOOD + MISQUOTED, "Sorry.\n\n" + MENDED.removesuffix("\n"), OTHER]
    rounds = Rounds()
    for reply in replies:
        rounds = rounds.adding(Round(Step.REPAIR, reply, parse(reply)))
    joined, again = rounds.parsed, parse(rounds.text)
    assert [(b.line, b.path, b.search, b.replace) for b in joined.blocks] == [
        (b.line, b.path, b.search, b.replace) for b in again.blocks
    ]
    assert rounds.offset == 3


def test_cut_and_superseded_blocks_are_settled() -> None:
    parsed = parse(GOOD + MENDED)
    rounds = Rounds().adding(Round(Step.REQUEST, GOOD + MENDED, parsed, cut=(2,)))
    assert {n: (r.status, r.code) for n, r in rounds.decided().items()} == {2: (Status.FAILED, Code.MALFORMED)}
    again = rounds.adding(Round(Step.REPAIR, MENDED, parse(MENDED)), {2: 1})
    settled = again.decided()
    assert {n: r.status for n, r in settled.items()} == {2: Status.LEFT_OUT}
    assert settled[2].reason == "The model sent it again, as edit 3."


def test_a_settled_block_stands_where_the_joined_text_has_it() -> None:
    rounds = Rounds()
    for reply in (MISQUOTED, "Sorry.\n\n" + MISQUOTED, MENDED):
        parsed = parse(reply)
        rounds = rounds.adding(Round(Step.REPAIR, reply, parsed, cut=(1,)), {1: 1} if not rounds.replies else {})
    assert [result.block for result in rounds.decided().values()] == list(rounds.parsed.blocks)


def test_a_block_settled_as_failed_means_for_the_others_what_the_policy_says() -> None:
    parsed = parse(GOOD + MENDED + block("quay/map.py", "LANDINGS = []\n", "LANDINGS = [1]\n"))
    settled = Rounds().adding(Round(Step.REQUEST, "", parsed, cut=(1,))).decided()
    files = Snapshot.of({"kiosk.py": KIOSK, "quay/map.py": "LANDINGS = []\n"})
    for on_failure in OnFailure:
        made = Prepared(None, "", parsed, files, Policy(on_failure=on_failure), decided=settled).plan
        assert [result.n for result in made.results] == [1, 2, 3]
        assert made.results[0] == settled[1]
        held = [result.n for result in made.results if result.code is Code.OTHER_FAILED]
        assert held == {OnFailure.ALL: [2, 3], OnFailure.FILE: [2], OnFailure.BLOCK: []}[on_failure]
        assert all("dit 1" in (r.reason or "") for r in made.results if r.n in held)


def test_failures_are_the_same_by_place_and_words() -> None:
    one, two = failing(MISQUOTED), failing(MISQUOTED.replace("who", "whom"))
    assert same_failures(one, failing("Sorry.\n\n" + MISQUOTED))
    assert not same_failures(one, two)
    assert not same_failures((), ())


TILL = 'def receipt(prices):\n    """Lines of a receipt."""\n    lines = list(prices)\n    check(lines)\n    return lines\n'
SAID = 'def receipt(prices):\n    """Makes it."""\n    lines = []\n    chk(lines)\n    return lines\n'


def missed(search: str, wanted: str, text: str = TILL) -> BlockResult:
    (result,) = plan(parse(block("till.py", search, wanted)), Snapshot.of({"till.py": text})).results
    assert result.nearest is not None
    return result


def test_what_is_carried_over_to_the_nearest_text_is_the_change_alone() -> None:
    reading = merged_reading(missed(SAID, SAID.replace("return lines", "return lines[:80]")))
    assert reading is not None
    assert (reading.search, reading.replace) == (TILL, TILL.replace("return lines", "return lines[:80]"))


def test_a_change_is_carried_over_for_people_where_the_model_is_told_of_none() -> None:
    """They see the text, and say that it is the one that is meant."""
    said = SAID.replace(
        "    chk(lines)\n", "    for price in prices:\n        lines.append(price)\n    log('made it')\n"
    )
    failed = missed(said, said.replace("return lines", "return lines[:80]"))
    reading = merged_reading(failed)
    assert reading is not None
    assert reading.replace == TILL.replace("return lines", "return lines[:80]")
    assert corrected_edit(failed) is None


@pytest.mark.parametrize(
    "wanted",
    [
        SAID.replace("chk(lines)", "chk(lines, 80)"),  # the file says something else there
        SAID.replace("    chk(lines)\n", ""),
        SAID.replace("    chk(lines)\n", "    check(lines)\n"),  # it is there already
    ],
)
def test_a_change_of_lines_that_differ_is_not_carried_over(wanted: str) -> None:
    assert merged_reading(missed(SAID, wanted)) is None


def test_a_model_is_shown_no_edit_that_would_write_the_rest_of_a_paragraph_twice() -> None:
    start = "The kiosk sells tickets for every boat that leaves the harbour in the"
    text = f"# Kiosk\n\n{start}\nmorning, and coffee to those who wait for one of them.\n"
    search = f"{start} morning, and coffee to those who wait.\n"
    result = missed(search, search.replace("coffee", "strong coffee"), text)
    assert corrected_edit(result) is None
    told = failure_of(result, text)
    assert told.lines is not None
    assert told.lines.text == text  # it sees where the paragraph goes on


def test_a_suggested_edit_that_names_a_line_names_that_of_its_place() -> None:
    head = "".join(f"# {n}\n" for n in range(30))
    search = "".join(f" {line}\n" for line in SAID.splitlines()).replace("     return", "-    return")
    reply = f"--- a/till.py\n+++ b/till.py\n@@ -90,5 +90,5 @@\n{search}+    return lines[:80]\n"
    (failed,) = plan(parse(reply), Snapshot.of({"till.py": head + TILL})).results
    fitting = corrected_edit(failed)
    assert fitting is not None
    assert "@@ -31,5 +31,5 @@" in fitting


@pytest.mark.parametrize("known", [True, False])
def test_of_a_long_region_only_the_part_around_the_difference_is_sent(known: bool) -> None:
    text = "".join(f"line {n}\n" for n in range(1, 201))
    region = "".join(f"line {n}\n" for n in range(101, 201))
    edit = Block("diff", Kind.EDIT, "a.txt", "x\n", "y\n")
    nearest = Nearest(101, 200, 0.8, Difference.STALE, 150, "x", "line 150", region)
    failed = BlockResult(1, edit, "a.txt", Status.FAILED, Code.NO_MATCH, "", nearest=nearest)
    lines = failure_of(failed, text if known else None).lines
    assert lines is not None
    assert (lines.start, lines.end) == (144, 156)
    assert lines.text.splitlines() == [f"line {n}" for n in range(144, 157)]


def test_a_model_is_shown_no_edit_that_would_delete_lines_which_it_forgot() -> None:
    forgotten = TILL.replace("    check(lines)\n", "    check(lines)\n    log(lines)\n    seal(lines)\n")
    result = missed(SAID, SAID.replace("    lines = []\n    chk(lines)\n", "    lines = [1]\n"), forgotten)
    assert corrected_edit(result) is None


def test_a_model_is_shown_no_edit_that_would_change_lines_of_another_kind() -> None:
    made_up = SAID.replace("    chk(lines)\n", "    stamp.press(till, hard=True)\n")
    assert corrected_edit(missed(made_up, made_up.replace("hard=True", "hard=False"))) is None


def test_lines_that_a_search_may_have_meant_are_those_with_its_rare_words() -> None:
    search = "what the harbour master says to a name\nwords, words, words\n"
    (failed,) = failing(block("kiosk.py", search, "x\n"))
    assert not failed.nearest.is_alike
    lines = failure_of(failed, KIOSK).lines
    assert lines is not None
    assert "words = " in lines.text
    assert KIOSK.splitlines(keepends=True)[lines.start - 1 : lines.end] == lines.text.splitlines(keepends=True)
    (alien,) = failing(block("kiosk.py", "zzz yyy xxx\n", "x\n"))
    beginning = failure_of(alien, KIOSK).lines
    assert beginning is not None
    assert beginning.start == 1


def test_a_block_that_cannot_be_read_is_shown_what_it_may_be_about() -> None:
    (failed,) = failing("kiosk.py\n```\n<<<<<<< SEARCH\n" + "".join(KIOSK.splitlines(keepends=True)[:4]) + "```\n")
    assert failed.code is Code.MALFORMED
    assert failed.nearest is not None
    assert (failed.nearest.start, failed.nearest.expected, failed.nearest.found) == (1, None, None)


def live() -> LiveReply:
    known = Snapshot.of({"kiosk.py": KIOSK})
    return LiveReply(known, DEFAULT_REPLY_OPTIONS, lambda _: known)


def places(pieces: list[str]) -> list[tuple[int, Status, int | None]]:
    stream = live()
    said = [event for piece in pieces for event in stream.feed(piece)]
    said += stream.close()
    assert "".join(event.text for event in said if isinstance(event, Piece)) == "".join(pieces)
    return [(e.n, e.result.status, e.result.start) for e in said if isinstance(e, Located)]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, len(GOOD + MISQUOTED + MENDED)), max_size=30))
def test_any_split_of_a_reply_gives_the_same_places(cuts: list[int]) -> None:
    reply = GOOD + MISQUOTED + MENDED
    marks = [0, *sorted(cuts), len(reply)]
    pieces = [reply[a:b] for a, b in pairwise(marks)]
    assert places(pieces) == places([reply])


def test_an_edit_that_stands_on_an_earlier_one_is_located() -> None:
    dependent = block("kiosk.py", "PRICE = 5\n", "PRICE = 6\n")
    assert [status for _, status, _ in places([GOOD, dependent])] == [Status.FITS, Status.FITS]


def test_blocks_that_only_the_end_closed_are_known() -> None:
    stream = live()
    list(stream.feed(GOOD + MENDED[:60]))
    list(stream.close())
    assert stream.closed_by_end == (2,)
    whole = live()
    list(whole.feed(GOOD))
    list(whole.close())
    assert whole.closed_by_end == ()


def test_held_files_change_sides_and_leave() -> None:
    held = ChatFiles().adding("a").adding("b", read_only=True).adding("a", read_only=True)
    assert (held.editable, held.read_only) == ((), ("b", "a"))


@pytest.mark.parametrize(("problem", "held_back"), [(None, ["locked", "other"]), (Code.READ_ONLY, ["locked"])])
def test_what_the_conversation_holds_back_is_told_from_what_the_disk_does(
    problem: Code | None, held_back: list[str]
) -> None:
    held = ChatFiles(editable=("free",), read_only=("locked",))
    files = {path: FileText(path, "a\n", problem=problem) for path in ("free", "locked", "other")}
    blocks = parse("".join(block(path, "a\n", "b\n") for path in files)).blocks
    made = plan(blocks, held.guarding(Snapshot(files, frozenset(files))), DEFAULT_POLICY, NO_SYNTAX)
    assert [result.path for result in made.results if held.blocks(result)] == held_back


def test_files_are_shown_with_language_and_version_and_long_ones_in_part(tmp_path: Path) -> None:
    lay(tmp_path)
    (tmp_path / "long.py").write_text("".join(f"def f_{n}():\n    return {n}\n\n" for n in range(3000)))
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\0")
    with Workspace.open(tmp_path) as workspace:
        held = ChatFiles(("kiosk.py", "long.py", "photo.png", "gone.py"))
        shown = show_files(workspace, held, 500)
        assert [(file.path, file.language, file.excerpt) for file in shown.editable] == [
            ("kiosk.py", "python", False),
            ("long.py", "python", True),
        ]
        assert len(shown.editable[0].version) == 8
        assert estimate(shown.editable[1].text, "python") <= 500
        assert shown.texts["long.py"].count("\n") == 9000
        assert len(shown.left_out) == 2
        with pytest.raises(UsageError):
            check_readable(workspace, "photo.png")
        with pytest.raises(UsageError):
            check_readable(workspace, "gone.py")
        with pytest.raises(UsageError):
            check_readable(workspace, ".git/config")


def test_the_ledger_sums_by_step() -> None:
    ledger = Ledger()
    ledger.entries.append(Spent(Step.REQUEST, "m", 100, 10, message=0, again=60))
    ledger.entries.append(Spent(Step.REPAIR, "m", 120, 5, message=20, again=60))
    ledger.entries.append(Spent(Step.WHOLE, "m", 160, 50, message=70, again=60))
    assert (ledger.total.input, ledger.total.output) == (380, 65)
    assert (ledger.total.messages, ledger.total.again, ledger.total.saved) == (90, 120, 30)
    assert list(ledger.by_step()) == [Step.REQUEST, Step.REPAIR, Step.WHOLE]


def test_figures_that_a_provider_leaves_at_nothing_are_estimated() -> None:
    assert [(s.input, s.output) for s in (
        Spent(Step.REQUEST, "m", 100, 10, Usage(input=90, output=9)),
        Spent(Step.REQUEST, "m", 100, 10, Usage(output=9)),
        Spent(Step.REQUEST, "m", 100, 10, Usage()),
        Spent(Step.REQUEST, "m", 100, 0, Usage(input=90)),
    )] == [(90, 9), (100, 9), (100, 10), (90, 0)]  # fmt: skip
