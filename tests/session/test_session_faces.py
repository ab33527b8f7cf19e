"""One reply comes to one plan, whoever reads it: in memory, from a folder, or as a reply of a conversation or a page."""

from __future__ import annotations

from pathlib import Path

import pytest

import dovetail
from dovetail.model.codes import OnFailure
from dovetail.model.policy import Policy
from dovetail.model.results import Plan
from dovetail.session.apply.applying import prepare
from dovetail.session.conversation.chat_state import Options
from dovetail.session.conversation.rounds import Round, Rounds, Step
from dovetail.session.conversation.turn_edits import Choices, plan_turn
from dovetail.session.conversation.turn_messages import LiveReply
from dovetail.session.settings import DEFAULT_REPLY_OPTIONS, ReplyOptions
from dovetail.workspace import Workspace

CASES = Path(__file__).parents[1] / "cases" / "plan"
NAMES = sorted(
    path.name
    for path in CASES.iterdir()
    if path.is_dir() and path.name.startswith(("listing", "changed-lines", "sketch"))
)
POLICY = Policy(on_failure=OnFailure.BLOCK)


def said(plan: Plan) -> object:
    """What a plan says of each edit, and what it writes."""
    results = [(r.n, r.status, r.code, r.path, r.start, r.new_start) for r in plan.results]
    return results, [(change.path, change.after) for change in plan.changes]


def texts(folder: Path) -> dict[str, str]:
    """The files below a folder."""
    return {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("name", NAMES)
def test_every_face_makes_the_same_plan(name: str, tmp_path: Path) -> None:
    reply, files = (CASES / name / "reply.md").read_text(), texts(CASES / name / "before")
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    wanted = said(dovetail.make_plan(reply, files, POLICY))
    assert said(prepare(tmp_path, reply, ReplyOptions(POLICY)).plan) == wanted
    with Workspace.open(tmp_path) as workspace:
        snapshot = workspace.snapshot(sorted(files))
        live = LiveReply(snapshot, DEFAULT_REPLY_OPTIONS, lambda _: snapshot)
        for at in range(0, len(reply), 7):
            list(live.feed(reply[at : at + 7]))
        list(live.close())
        turn = Choices(Rounds((Round(Step.REQUEST, reply, live.parsed),)))
        assert said(plan_turn(turn, workspace, Options("m"), None).plan) == wanted
