"""A choice about an edit costs what its file costs, and comes to what planning everything would come to."""

from __future__ import annotations

from pathlib import Path

import pytest
from loop_parts import block
from page_server import Page, page_over

from dovetail.plan import locator
from dovetail.session.conversation.turn_edits import plan_turn
from dovetail.web import planning


def reply(root: Path, files: int, edits: int) -> str:
    blocks = []
    for n in range(files):
        (root / f"f{n:02}.txt").write_text("".join(f"line {k} of {n}\n" for k in range(40)))
    for n in range(edits):
        of, line = n % files, 3 + 7 * (n // files)
        blocks.append(block(f"f{of:02}.txt", f"line {line} of {of}\n", f"line {line} by {n}\n"))
    return "".join(blocks)


def test_a_choice_locates_the_edits_of_its_file_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    locate = locator.locate

    def counted(*arguments: object, **named: object) -> object:
        asked.append(1)
        return locate(*arguments, **named)  # type: ignore[arg-type]

    with page_over(root) as page:
        page.paste(reply(root, 20, 100))
        monkeypatch.setattr(locator, "locate", counted)
        page.post("/api/turns/t1/skip", edits=[7])
        assert 0 < len(asked) <= 8, "of a hundred edits five are of its file"


MIXED = [
    block("ferry.txt", "leaves at eight\n", "leaves at seven\n"),
    block("ferry.txt", "leaves at seven\n", "leaves at six\n"),
    block("kiosk.py", "PRICE = 4\n", "PRICE = 5\n"),
    block("ferry.txt", "nowhere\n", "x\n"),
    block("twice.txt", "start\n", "begin\n"),
    block("new.txt", "", "one\n"),
]


@pytest.mark.parametrize("extra", ["", "ferry.py\n```\n<<<<<<< SEARCH\nno\n=======\nyes\n>>>>>>> REPLACE\n```\n"])
def test_choices_come_to_the_plan_of_all(root: Path, extra: str) -> None:
    (root / "twice.txt").write_text("start\nstart\n")
    with page_over(root) as page:
        page.paste("".join(MIXED) + extra)
        acts = [("skip", {"edits": [1]}), ("place", {"edit": 5, "line": 2}), ("skip", {"edits": [3, 6]})]
        acts += [("skip", {"edits": [1, 6], "skip": False}), ("place", {"edit": 5, "line": None})]
        for act, body in acts:
            page.post(f"/api/turns/t1/{act}", body)
            same_as_all(page)
        page.apply(edits=[3] if "fits" in page.states()[2] else [1])
        page.post("/api/turns/t1/skip", edits=[2])
        same_as_all(page)


def same_as_all(page: Page) -> None:
    turn = page.session.turns["t1"]
    assert turn.choices is not None and turn.prepared is not None
    with page.session.open() as workspace:
        whole = plan_turn(turn.choices, workspace, page.session.options, None)
    assert planning.planned is not None
    assert turn.prepared.plan.changes == whole.plan.changes
    for one, other in zip(turn.prepared.plan.results, whole.plan.results, strict=True):
        assert (one.n, one.status, one.code, one.path, one.start, one.new_start) == (
            other.n,
            other.status,
            other.code,
            other.path,
            other.start,
            other.new_start,
        )
