"""Makes a plan from blocks and a snapshot.

Walks through a reply block by block, sets the order of the blocks, and decides what a failed block means for the rest:
`all` applies nothing, `file` skips the later edits of the failed block's file, `block` goes on. Reads no file.

What takes a file away goes before what makes another in its place, wherever the reply has it: a name cannot be a
file's and a folder's at once, so the other order could only fail. All else is taken in the reply's order.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from dovetail.guards.run_names import run_of
from dovetail.model.blocks import Block, Kind, Parsed, quotes
from dovetail.model.codes import Code, OnFailure, Severity, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.language import NO_SYNTAX, Language
from dovetail.model.policy import DEFAULT_POLICY, Policy
from dovetail.model.results import BlockResult, FileChange, Plan
from dovetail.model.snapshot import Snapshot, folders_above, one_above
from dovetail.model.work import STEPS_PER_REPLY, TooMuchWorkError, limited
from dovetail.place.choose import Resolved, Unresolved, imported_paths, misplaced, resolve, root_of
from dovetail.place.named import with_files
from dovetail.place.tree import tidy
from dovetail.plan.actions import ACTIONS, PlanRun
from dovetail.plan.judge import Shortened, judge
from dovetail.plan.locator import Locator
from dovetail.plan.overlay import Overlay, objection_to, objection_to_second_name, takes_name
from dovetail.plan.report import with_nearest
from dovetail.plan.request import EditRequest, Rejected, too_large
from dovetail.plan.unread import unread_results
from dovetail.plan.versions import corrected, offered

_PART_LINKS = "To part the two, copy the file first and rename the copy."
_READ_IT = "Read what it would run before you write it."
_ASKS_THE_USER = (Code.NOT_IN_CHAT, Code.READ_ONLY)
_DONE = (Status.FITS, Status.STANDS_ALREADY)


@limited(STEPS_PER_REPLY)
def plan(
    blocks: Parsed | Sequence[Block],
    snapshot: Snapshot,
    policy: Policy = DEFAULT_POLICY,
    language: Language = NO_SYNTAX,
    *,
    numbers: Sequence[int] | None = None,
    steps: Sequence[int] = (),
    locator: Locator | None = None,
) -> Plan:
    """Work out what a reply does to the files of `snapshot`: per block a result, per file its text before and after.

    Nothing is read or written, and the same arguments give the same plan. Results stand in the reply's order and are
    numbered from 1, or by `numbers` (rising, one for each block and then for each unread part) where only some of a
    reply's blocks take part. What a reply does wrong is a result, never an exception. To plan with fewer blocks, or
    another policy, call it again.
    `steps` are numbers, rising, of blocks at which the model had seen the files with all edits before: from there on
    edits are located in those. (The steps of `model.work`, which count work, are others.)
    `locator` is that of an earlier call with the same policy, which still has its documents and answers.
    """
    parsed = blocks if isinstance(blocks, Parsed) else Parsed(tuple(blocks))
    if locator is None or locator.policy != policy:
        locator = Locator(policy, language)
    count = len(parsed.blocks)
    all_numbers = numbers if numbers is not None else range(1, count + len(parsed.unread) + 1)
    ascii_only = {path for path, file in snapshot.files.items() if file.ascii_only}
    numbered = with_files(dict(zip(all_numbers[:count], parsed.blocks, strict=True)), snapshot.paths)
    refused: dict[int, Rejected] = {}
    sent: dict[int, Block] = {}  # blocks that were shortened, as the reply has them
    shortened: dict[int, Shortened] = {}
    # Each round plans the whole reply anew, as one edit that fails or shrinks may change where the others land. The
    # loop ends: a block loses its path once, is shortened once, and is then refused.
    while True:
        walk = _Walk(numbered, snapshot, locator, {}, refused, steps)
        results = walk.results()
        # before the guards, which must judge edits in the files that are meant
        if without_path := misplaced(results, walk.run.overlay.tree):
            numbered |= without_path
            continue
        if policy.on_failure is OnFailure.FILE:
            walk, results = _skipping(walk, results)
        changes = walk.run.overlay.changes()
        results, more, shorter = judge(results, changes, language, policy, ascii_only)
        refused |= more | {n: one.refusal for n, one in shorter.items() if n in shortened}
        fresh = {n: one for n, one in shorter.items() if n not in shortened}
        if not more and not shorter:
            break
        sent |= {n: numbered[n] for n in fresh}
        shortened |= fresh
        numbered |= {n: one.block for n, one in fresh.items()}
    results = tuple(_as_sent(r, sent[r.n], shortened[r.n]) if r.n in shortened else r for r in results)
    # a result without a code landed, and needs no nearest text
    results = tuple(r if r.code is None else with_nearest(r, walk.text_at(r.n, r.path or ""), locator) for r in results)
    # Listings that are not applied get results of their own, compared with the files as the reply leaves them.
    if shown := {**walk.quoted, **dict(zip(all_numbers[count:], parsed.unread, strict=True))}:
        of_shown = [result for result in unread_results(shown, walk.run.overlay) if walk.selected(result.path)]
        results = tuple(sorted((*results, *of_shown), key=lambda result: result.n))
    withheld = _withhold_all(results, partial=policy.partial) if policy.on_failure is OnFailure.ALL else None
    if withheld is not None:
        results, changes = withheld, ()
    # a block with a result is not reported again as a finding about the reply
    reported = {result.block.malformed for result in results if result.code is Code.UNREAD}
    return Plan(
        results,
        changes,
        parsed.shell_suggestions,
        parsed.database_actions,
        (*(said for said in parsed.diagnostics if said not in reported), *_wider_effects(changes, snapshot)),
    )


def _as_sent(result: BlockResult, block: Block, shortened: Shortened) -> BlockResult:
    """Return the result of an edit planned without some of its lines: with the block as the reply has it, and with
    the warning, unless it is refused."""
    warnings = result.warnings if result.code is shortened.refusal.code else (*result.warnings, shortened.warning)
    return replace(result, block=block, warnings=warnings)


def _wider_effects(changes: Iterable[FileChange], snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Return notes on changes that affect more than their file: a program that runs it, or a name elsewhere."""
    for change in changes:
        if change.path in snapshot.shared:
            message = f"`{change.path}` has a name outside of the folder, a hard link, so its text changes there, too."
            yield Diagnostic(Code.OUTSIDE_ROOT, message, Severity.WARNING, path=change.path, hint=_PART_LINKS)
        if (run := run_of(change.path, change.before, change.after)) is not None:
            message = f"`{change.path}` is run by {run.program}."
            yield Diagnostic(Code.RUN_BY_OTHERS, message, Severity.NOTE, path=change.path, hint=_READ_IT)


def _skipping(walk: _Walk, results: tuple[BlockResult, ...]) -> tuple[_Walk, tuple[BlockResult, ...]]:
    """Plan again without the later edits of each file that has a failed one, until nothing more is left out."""
    skip: dict[int, int] = {}
    # An edit left out may be what a later one depends on. Then that one fails too, and its file has more to skip.
    while (more := _blocks_to_skip(results, skip)) != skip:
        skip = more
        walk = _Walk(walk.blocks, walk.run.overlay.snapshot, walk.run.locator, skip, walk.refused, walk.steps)
        results = walk.results()
    return walk, results


class _Walk:
    """One walk through the blocks. `skip` maps the number of each block left out to the failed block that causes it."""

    def __init__(
        self,
        blocks: Mapping[int, Block],
        snapshot: Snapshot,
        locator: Locator,
        skip: Mapping[int, int],
        refused: Mapping[int, Rejected],
        steps: Sequence[int],
    ) -> None:
        self.refused = refused
        self.steps = steps
        self.blocks = blocks
        self.run = PlanRun(Overlay(snapshot, locator), locator, blocks)
        self.run.overlay.root = root_of(blocks.values(), self.run.overlay.tree)
        self._skip = skip
        self._moves = any(block.destination is not None for block in blocks.values())
        meant = {n: block for n, block in blocks.items() if not block.draft and block.malformed is None}
        edits = any(map(quotes, meant.values()))
        self.quoted = {n: block for n, block in meant.items() if block.quoted and edits}
        self._corrected: dict[int, int] = {}
        self._offered: dict[int, Rejected] = {}
        self._imported = imported_paths(blocks.values(), self.run.overlay.tree)
        self._texts: dict[int, Mapping[str, str | None]] = {}

    def results(self) -> tuple[BlockResult, ...]:
        """Walk once, step by step, and return the result of each block."""
        overlay = self.run.overlay
        # One stretch of blocks for each step: steps (3, 7) and nine blocks give 1-2, 3-6 and 7-9. Edits that wait are
        # landed before the next stretch begins, as its blocks were written for the files with those edits.
        for first, end in pairwise((0, *self.steps, max(self.blocks, default=0) + 1)):
            blocks = {n: block for n, block in self.blocks.items() if first <= n < end}
            for file in overlay.waiting() if first else ():
                self.run.land(file)
            self._texts[first] = {change.path: change.after for change in overlay.changes()} if first else {}
            meant = {n: block for n, block in blocks.items() if not block.draft and block.malformed is None}
            if len(meant) > 1:
                self._corrected |= corrected(meant, overlay)
                self._offered |= offered({n: b for n, b in meant.items() if n not in self._corrected}, overlay)
            for n in _in_order(blocks, overlay.tree.paths):
                block = blocks[n]
                try:
                    result = self._take(n, block)
                except TooMuchWorkError:
                    result = EditRequest(n, block, block.path).failed(too_large())
                if result is not None:
                    self.run.results[n] = result
        results: list[BlockResult] = []
        for result in self.run.finished():
            # a failed listing that the reply does not announce as an edit is `unread`, which fails no other edit
            shown = result.block.shown and result.status is Status.FAILED and result.code not in _ASKS_THE_USER
            results.append(replace(result, status=Status.LEFT_OUT, code=Code.UNREAD) if shown else result)
        return tuple(results)

    def text_at(self, n: int, path: str) -> str | None:
        """Return the text of a file in which the edits of block `n` are located; None if there is none."""
        step = self.steps[bisect_right(self.steps, n) - 1] if self.steps and n >= self.steps[0] else 0
        if path in self._texts[step]:
            return self._texts[step][path]
        file = self.run.overlay.snapshot.files.get(path)
        return file.text if file is not None else None

    def _take(self, n: int, block: Block) -> BlockResult | None:
        """Return the block's result, or None if its edit waits for its file's other edits."""
        if block.draft:
            reason = "The block stands in a draft, not in the answer."
            return EditRequest(n, block, block.path).result(Status.LEFT_OUT, Code.DRAFT, reason)
        # `unread_results` makes its result, once all edits of the reply are known
        if n in self.quoted:
            return None
        if (later := self._corrected.get(n)) is not None:
            reason = f"The reply takes it back, and has block {later} in its place."
            return EditRequest(n, block, block.path).result(Status.LEFT_OUT, Code.DRAFT, reason)
        # Which file: a block that cannot be read names none to write, and a file that moves is to be where it goes.
        overlay = self.run.overlay
        found: Resolved | Unresolved
        if (why := block.malformed) is not None:
            path = tidy(block.path, overlay.tree.paths) if block.path is not None else None
            line = why.line if why.line is not None else block.line
            found = Unresolved(Code.MALFORMED, f"Line {line} of the reply: {why.message}", why.hint, path)
        else:
            if self._moves:
                self._land_moves(block)
            imported = self._imported.get(block.path or "") if block.kind is Kind.REWRITE else None
            found = imported or resolve(block, overlay)
        request = EditRequest(n, block, found.path)
        # checked before the path: a block that was not selected does not fail, whatever its path
        if not self.selected(found.path):
            return request.result(Status.LEFT_OUT, Code.NOT_SELECTED, "Its file was not asked for.")
        match found:
            case Unresolved(code=code, reason=reason, hint=hint):
                return request.failed(Rejected(code, reason, hint))
            case Resolved(path=path, warnings=warnings):
                if warnings:
                    self.run.warn(n, warnings)
                if (refusal := self.refused.get(n) or self._offered.get(n)) is not None:
                    return request.failed(refusal)
                return self._act(request, path)

    def _land_moves(self, block: Block) -> None:
        """Finish waiting edits that move a file to or from a path of this block, or out of its way, so that it meets
        what is there.

        A further edit of the moving file joins those that wait.
        """
        overlay = self.run.overlay
        path = tidy(block.path or "", overlay.tree.paths)
        target = tidy(block.destination or "", overlay.tree.paths)
        for file, destination in overlay.moving():
            if file.path != path and any(_meets(file.path, destination, name) for name in (path, target)):
                self.run.land(file)
        # An edit that quotes the moving file waits with its others. Any other block needs that file where it goes to.
        for name in (target,) if quotes(block) else (path, target):
            if name and overlay.at(name).destination is not None:
                self.run.land(overlay.at(name))

    def _act(self, request: EditRequest, path: str) -> BlockResult | None:
        """Apply the block to the file at `path`, unless something forbids it."""
        block, overlay = request.block, self.run.overlay
        if request.n in self._skip:
            reason = f"Edit {self._skip[request.n]}, an earlier one of this file, fails."
            return request.result(Status.LEFT_OUT, Code.OTHER_FAILED, reason, "Correct that edit first.")
        file, aliases = overlay.at(path), overlay.snapshot.aliases
        objection = objection_to(block, file, overlay)
        if objection is None and aliases:
            objection = objection_to_second_name(block, path, overlay)
            # Under a link or a second name the text is written once, under the file's first name. A deletion or a
            # rename is of the name itself, so it keeps `path`.
            first = aliases.get(path, path)
            if objection is None and first != path and not takes_name(block):
                request, file = replace(request, path=first), overlay.at(first)
                objection = objection_to(block, file, overlay)
        result = objection or ACTIONS[block.kind](self.run, request, file)
        if isinstance(result, Rejected):
            return request.failed(result)
        if aliases:
            overlay.name(path, taken=takes_name(block))
        return result

    def selected(self, path: str | None) -> bool:
        """Return whether the policy selects a path: it names no paths, or this one, or a folder above it."""
        only = self.run.locator.policy.only
        if only is None:
            return True
        return path is not None and any(path == name or path.startswith(f"{name}/") for name in map(tidy, only))


def _meets(source: str, destination: str, name: str) -> bool:
    """Return whether a move between two paths affects a name, or a path above or below it, in whatever case."""
    source, destination, name = source.casefold(), destination.casefold(), name.casefold()
    return name == destination or one_above(name, source) or one_above(name, destination)


def _in_order(blocks: Mapping[int, Block], existing: Set[str]) -> list[int]:
    """Return the blocks' numbers in the order in which they are applied; `existing` are the files before the reply."""
    # listings are numbered behind all other blocks; they are taken where they stand in the reply
    order = sorted(blocks, key=lambda n: blocks[n].line) if any(b.shown for b in blocks.values()) else list(blocks)
    if not any(map(takes_name, blocks.values())):
        return order
    paths = {n: tidy(block.path or "", existing) for n, block in blocks.items()}
    # the path at which each block may make a file
    new_paths = {n: "" if block.kind is Kind.DELETE else paths[n] for n, block in blocks.items()}
    new_paths |= {n: tidy(b.destination, existing) for n, b in blocks.items() if b.destination is not None}
    taken = {paths[n]: n for n in reversed(order) if takes_name(blocks[n]) and paths[n] in existing}  # by the first
    names = set(new_paths.values())
    folders = {folder for name in names for folder in folders_above(name)}
    for path, n in taken.items():
        # Only what collides is moved: `docs` goes and `docs/a.md` comes, or `docs/a.md` goes and `docs` comes.
        if path not in folders and names.isdisjoint(folders_above(path)):
            continue
        # All blocks of `path`, up to the one that takes it away, go before the first block that needs its place. The
        # sort is stable, so an edit of `path` stays before its deletion.
        until = order.index(n) + 1
        first = next((at for at, m in enumerate(order[:until]) if one_above(new_paths[m], path)), until)
        order[first:until] = sorted(order[first:until], key=lambda m: paths[m] != path)
    return order


def _blocks_to_skip(results: Iterable[BlockResult], known: Mapping[int, int]) -> dict[int, int]:
    """Return the blocks to leave out, each with the first failed block before it in its file, added to `known`."""
    skip, failures = dict(known), dict[str | None, int]()
    for result in results:
        if result.status is Status.FAILED and result.path is not None:
            failures.setdefault(result.path, result.n)
        elif result.status in _DONE and result.path in failures:
            skip[result.n] = failures[result.path]
    return skip


def _withhold_all(results: Sequence[BlockResult], *, partial: bool) -> tuple[BlockResult, ...] | None:
    """Return the results with every applied block withheld, because one failed or, unless `partial`, part of the reply
    is unread; None if nothing is to be withheld."""
    failure = next((result.n for result in results if result.status is Status.FAILED), None)
    if failure is not None:
        why = f"Edit {failure} fails, and holds back the others.", "Correct that edit, or write the others without it."
    elif not partial and (unread := next(iter(Plan(tuple(results), ()).missed), None)) is not None:
        reason = f"Part of the reply, in line {unread.block.line}, is not read, and holds back the edits."
        why = reason, "Have that part sent as an edit, or write the edits without it."
    else:
        return None
    reason, hint = why
    withheld = dict[int, BlockResult]()
    for n, result in enumerate(results):
        # blocks that would have changed something, or are made already only because another block makes them
        if result.status is Status.FITS or result.code is Code.DUPLICATE:
            left_out = replace(result, status=Status.LEFT_OUT, code=Code.OTHER_FAILED, reason=reason, hint=hint)
            withheld[n] = replace(left_out, new_start=None, new_end=None, effect=None)
    return tuple(withheld.get(n, result) for n, result in enumerate(results))
