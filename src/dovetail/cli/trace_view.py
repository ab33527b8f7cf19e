"""What ``--verbose`` adds: for each edit the paths named, the file chosen, the readings kept, the tiers tried."""

from __future__ import annotations

from dovetail.cli import words
from dovetail.cli.screen import Screen, Style, Styled
from dovetail.model.codes import MISSED, Code, Status, Tier
from dovetail.model.results import BlockResult
from dovetail.plan.edits.locator import tiers_for
from dovetail.session.applying.apply import Prepared


def draw_trace(screen: Screen, prepared: Prepared) -> None:
    """Write how each edit was resolved, in the reply's order."""
    for result in prepared.plan.results:
        block = result.block
        others = f"; also considered: {', '.join(block.path_candidates)}" if block.path_candidates else ""
        screen.line(Styled(f"edit {result.n}", Style.TITLE), f"  {block.format} {block.kind}, reply line {block.line}")
        screen.line("  path named     ", (block.path or "(none)") + others)
        gone = "  (not there)" if result.code is Code.FILE_MISSING else ""
        screen.line("  file chosen    ", (result.path or "(none)") + gone)
        screen.line("  readings kept  ", str(len(block.readings)))
        screen.line("  tiers tried    ", words.listed([str(tier) for tier in _tried(prepared, result)]) or "none")
    screen.line()


def _tried(prepared: Prepared, result: BlockResult) -> list[Tier]:
    """The tiers that were asked: all that the policy allows, up to the one that answered."""
    allowed = list(tiers_for(result.block, prepared.policy))
    if result.tier in allowed:
        return allowed[: allowed.index(result.tier) + 1]
    looked_for = result.status is Status.FAILED and result.code in (*MISSED, Code.AMBIGUOUS, Code.STALE)
    return allowed if looked_for else []
