"""Blocks and a snapshot in, a plan out.

Owns the walk through a reply, block by block, and what becomes of it under the policy. Reads no file and decides
nothing about places; `sequence` does that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dovetail.model.blocks import Block, Parsed
from dovetail.model.codes import Code, OnFailure, Status
from dovetail.model.language import NO_SYNTAX, Language
from dovetail.model.paths import one_above
from dovetail.model.policy import DEFAULT_POLICY, Policy
from dovetail.model.results import BlockResult, Plan
from dovetail.model.snapshot import Snapshot
from dovetail.plan.edits.locator import Locator
from dovetail.plan.failures import to_skip, withhold_all
from dovetail.plan.files.paths import tidy
from dovetail.plan.files.resolve import Resolved, Unresolved, resolve
from dovetail.plan.files.shelf import Shelf
from dovetail.plan.files.site import takes_name, two_names, unmovable, untouchable
from dovetail.plan.files.turns import in_turn
from dovetail.plan.judge import judge
from dovetail.plan.kinds import KINDS
from dovetail.plan.outcomes import Rejected
from dovetail.plan.request import Request, quotes
from dovetail.plan.work import Work


def plan(
    blocks: Parsed | Sequence[Block],
    snapshot: Snapshot,
    policy: Policy = DEFAULT_POLICY,
    language: Language = NO_SYNTAX,
    *,
    numbers: Sequence[int] | None = None,
    locator: Locator | None = None,
) -> Plan:
    """Work out what a reply does to the files of `snapshot`: per block a result, per file its text before and after.

    Nothing is read or written, and the same arguments give the same plan. Results stand in the reply's order and are
    numbered from 1, or by `numbers` (rising, one for each block) where only some of a reply's blocks take part. What a
    reply does wrong is a result, never an exception. To plan with fewer blocks, or another policy, call it again.
    `locator` keeps what it knows of the files for who plans again and again with the same policy.
    """
    parsed = blocks if isinstance(blocks, Parsed) else Parsed(tuple(blocks))
    if locator is None or locator.policy != policy:
        locator = Locator(policy, language)
    known = numbers if numbers is not None else range(1, len(parsed.blocks) + 1)
    refused: dict[int, Rejected] = {}
    while True:
        run = _Walk(dict(zip(known, parsed.blocks, strict=True)), snapshot, locator, {}, refused)
        results = run.results()
        if policy.on_failure is OnFailure.FILE:
            run, results = _skipping(run, results)
        results, more = judge(results, run.work.shelf.changes(), language, policy)
        if not more:
            break
        refused |= more
    changes = run.work.shelf.changes()
    withheld = withhold_all(results) if policy.on_failure is OnFailure.ALL else None
    if withheld is not None:
        results, changes = withheld, ()
    return Plan(
        results,
        changes,
        parsed.shell_suggestions,
        parsed.database_actions,
        parsed.diagnostics,
    )


def _skipping(run: _Walk, results: tuple[BlockResult, ...]) -> tuple[_Walk, tuple[BlockResult, ...]]:
    """Plan again without the later edits of each file that has a failed one, until nothing more is left out."""
    skip: dict[int, int] = {}
    while (more := to_skip(results, skip)) != skip:
        skip = more
        run = _Walk(run.blocks, run.work.shelf.snapshot, run.work.locator, skip, run.refused)
        results = run.results()
    return run, results


class _Walk:
    """One walk through the blocks. `skip` maps the numbers of blocks to leave out to the failed block that decides."""

    def __init__(
        self,
        blocks: Mapping[int, Block],
        snapshot: Snapshot,
        locator: Locator,
        skip: Mapping[int, int],
        refused: Mapping[int, Rejected],
    ) -> None:
        self.refused = refused
        self.blocks = blocks
        self.work = Work(Shelf(snapshot, locator), blocks)
        self._skip = skip
        self._moves = any(block.destination is not None for block in blocks.values())

    def results(self) -> tuple[BlockResult, ...]:
        """Walk once, and give the result of each block."""
        for n in in_turn(self.blocks, self.work.shelf.tree.paths):
            result = self._take(n, self.blocks[n])
            if result is not None:
                self.work.results[n] = result
        return self.work.finished()

    def _take(self, n: int, block: Block) -> BlockResult | None:
        """The block's result, or None where its edit waits for its file's others."""
        if block.draft:
            reason = "The block stands in a draft, not in the answer."
            return Request(n, block, block.path).result(Status.SKIPPED, Code.DRAFT, reason)
        found = self._file_of(block)
        request = Request(n, block, found.path)
        if not self._selected(found.path):
            return request.result(Status.SKIPPED, Code.NOT_SELECTED, "Its file was not asked for.")
        match found:
            case Unresolved(code=code, reason=reason, hint=hint):
                return request.failed(Rejected(code, reason, hint))
            case Resolved(path=path, warnings=warnings):
                self.work.warn(n, warnings)
                if n in self.refused:
                    return request.failed(self.refused[n])
                return self._resolved(request, path)

    def _file_of(self, block: Block) -> Resolved | Unresolved:
        why, shelf = block.malformed, self.work.shelf
        if why is not None:
            path = tidy(block.path, shelf.tree.paths) if block.path is not None else None
            line = why.line if why.line is not None else block.line
            return Unresolved(Code.MALFORMED, f"Line {line} of the reply: {why.message}", why.hint, path)
        if self._moves:
            self._land_moves(block)
        return resolve(block, shelf)

    def _land_moves(self, block: Block) -> None:
        """Finish waiting edits that move a file to or from a path of this block, or out of its way, so that it meets
        what is there.

        A further edit of the moving file joins those that wait.
        """
        shelf = self.work.shelf
        path = tidy(block.path or "", shelf.tree.paths)
        target = tidy(block.destination or "", shelf.tree.paths)
        for sheet, destination in shelf.moving():
            if sheet.path != path and any(_meets(sheet.path, destination, name) for name in (path, target)):
                self.work.land(sheet)
        for name in (target,) if quotes(block) else (path, target):
            if name and shelf.at(name).destination is not None:
                self.work.land(shelf.at(name))

    def _resolved(self, request: Request, path: str) -> BlockResult | None:
        block, shelf = request.block, self.work.shelf
        if request.n in self._skip:
            reason = f"Block {self._skip[request.n]}, an earlier edit of this file, failed."
            return request.result(Status.SKIPPED, Code.OTHER_FAILED, reason, "Repair that block first.")
        sheet, taken = shelf.at(path), takes_name(block)
        objection = untouchable(sheet, shelf) or unmovable(sheet, block, shelf) or two_names(path, block, shelf)
        first = shelf.snapshot.aliases.get(path, path)
        if objection is None and not taken and first != path:
            request, sheet = replace(request, path=first), shelf.at(first)
            objection = untouchable(sheet, shelf)
        result = objection or KINDS[block.kind](self.work, request, sheet)
        if isinstance(result, Rejected):
            return request.failed(result)
        shelf.name(path, taken=taken)
        return result

    def _selected(self, path: str | None) -> bool:
        """Whether the policy asks for a path: it, or a folder above it, is named."""
        only = self.work.locator.policy.only
        if only is None:
            return True
        return path is not None and any(path == name or path.startswith(f"{name}/") for name in map(tidy, only))


def _meets(source: str, destination: str, name: str) -> bool:
    """Whether a move from one path to another decides what stands at a name, or above or below it, in whatever case."""
    source, destination, name = source.casefold(), destination.casefold(), name.casefold()
    return name == destination or one_above(name, source) or one_above(name, destination)
