"""Blocks and a snapshot in, a plan out.

Owns the walk through a reply, block by block, and what each kind of block does to the imagined files. Edits of a
file wait until something other than an edit needs that file, or the reply ends; then they are landed together.
Reads no file and decides nothing about places; `sequence` does that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from dovetail.model.blocks import Block, Kind, Parsed
from dovetail.model.codes import Code, OnFailure, Severity, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.language import NO_SYNTAX, Language
from dovetail.model.policy import DEFAULT_POLICY, Policy
from dovetail.model.results import BlockResult, Plan
from dovetail.model.snapshot import Snapshot
from dovetail.plan.batch import filled, land_waiting
from dovetail.plan.failures import to_skip, withhold_all
from dovetail.plan.locator import Locator, Request
from dovetail.plan.paths import is_absolute, leaves, tidy
from dovetail.plan.report import failed, skipped
from dovetail.plan.resolve import Resolved, Unresolved, holders, quotes, resolve
from dovetail.plan.shelf import Sheet, Shelf, Task
from dovetail.plan.syntax_check import with_syntax_warnings
from dovetail.plan.whole import Appended, Rejected, Unchanged, Written, created, put, replaced


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
    `locator`, made for the same policy, keeps what it knows of the files for who plans again and again.
    """
    parsed = blocks if isinstance(blocks, Parsed) else Parsed(tuple(blocks))
    locator = locator or Locator(policy, language)
    known = numbers if numbers is not None else range(1, len(parsed.blocks) + 1)
    run = _Run(dict(zip(known, parsed.blocks, strict=True)), snapshot, policy, locator, {})
    results = run.results()
    if policy.on_failure is OnFailure.FILE:
        run, results = _skipping(run, results)
    changes = run.shelf.changes()
    withheld = withhold_all(results) if policy.on_failure is OnFailure.ALL else None
    if withheld is not None:
        results, changes = withheld, ()
    return Plan(
        with_syntax_warnings(results, changes, language),
        changes,
        parsed.shell_suggestions,
        parsed.database_actions,
        parsed.diagnostics,
    )


def _skipping(run: _Run, results: tuple[BlockResult, ...]) -> tuple[_Run, tuple[BlockResult, ...]]:
    """Plan again without the later edits of each file that has a failed one, until nothing more is left out."""
    skip: dict[int, int] = {}
    while (more := to_skip(results, skip)) != skip:
        skip = more
        run = _Run(run.blocks, run.shelf.snapshot, run.policy, run.locator, skip)
        results = run.results()
    return run, results


class _Run:
    """One walk through the blocks. `skip` maps the numbers of blocks to leave out to the failed block that decides."""

    def __init__(
        self,
        blocks: Mapping[int, Block],
        snapshot: Snapshot,
        policy: Policy,
        locator: Locator,
        skip: Mapping[int, int],
    ) -> None:
        self.blocks = blocks
        self.policy = policy
        self.locator = locator
        self.shelf = Shelf(snapshot)
        self._skip = skip
        self._results: dict[int, BlockResult] = {}
        self._warnings: dict[int, tuple[Diagnostic, ...]] = {}

    def results(self) -> tuple[BlockResult, ...]:
        """Walk once, and give the result of each block."""
        for n, block in self.blocks.items():
            result = self._take(n, block)
            if result is not None:
                self._results[n] = result
        for sheet in self.shelf.waiting():
            self._land(sheet)
        return tuple(self._finished(n) for n in sorted(self._results))

    def _finished(self, n: int) -> BlockResult:
        result = self._results[n]
        return replace(result, warnings=(*self._warnings.get(n, ()), *result.warnings))

    def _take(self, n: int, block: Block) -> BlockResult | None:
        """The block's result, or None where its edit waits for its file's others."""
        if block.draft:
            return skipped(n, block, block.path, Code.DRAFT, "The block stands in a draft, not in the answer.")
        if block.malformed is not None:
            return self._malformed(n, block, block.malformed)
        found = resolve(block, self.shelf, self.locator)
        if not self._selected(found.path):
            return skipped(n, block, found.path, Code.NOT_SELECTED, "Its file was not asked for.")
        match found:
            case Unresolved(code=code, reason=reason, hint=hint, path=path):
                return failed(n, block, path, code, reason, hint)
            case Resolved(path=path, warnings=warnings):
                self._warnings[n] = warnings
                if n in self._skip:
                    reason = f"Block {self._skip[n]}, an earlier edit of this file, failed."
                    return skipped(n, block, path, Code.OTHER_FAILED, reason, "Repair that block first.")
                return self._unusable(n, block, path) or _KINDS[block.kind](self, n, block, self.shelf.at(path))

    def _malformed(self, n: int, block: Block, why: Diagnostic) -> BlockResult:
        path = tidy(block.path, self.shelf.tree.paths) if block.path is not None else None
        if not self._selected(path):
            return skipped(n, block, path, Code.NOT_SELECTED, "Its file was not asked for.")
        line = why.line if why.line is not None else block.line
        return failed(n, block, path, Code.MALFORMED, f"Line {line} of the reply: {why.message}", why.hint)

    def _selected(self, path: str | None) -> bool:
        """Whether the policy asks for a path: it, or a folder above it, is named."""
        if self.policy.only is None:
            return True
        return path is not None and any(
            path == only or path.startswith(f"{only}/") for only in map(tidy, self.policy.only)
        )

    def _unusable(self, n: int, block: Block, path: str) -> BlockResult | None:
        """The result of a block whose file cannot be edited at all."""
        sheet = self.shelf.at(path)
        file = sheet.file
        if file is not None and file.problem is not None:
            reason = file.detail or f"`{path}` cannot be edited."
            return failed(n, block, path, file.problem, reason, _PROBLEM_HINTS.get(file.problem))
        if sheet.text is None and path in self.shelf.tree.paths:
            reason = f"`{path}` exists, but its text was not read."
            return failed(n, block, path, Code.FILE_MISSING, reason, "Add the file to those that are read.")
        return None

    def _land(self, sheet: Sheet) -> None:
        """Land the edits that wait for a file, and move it if they say so."""
        tasks, sheet.waiting = sheet.waiting, []
        if not tasks:
            return
        results, text = land_waiting(sheet, tasks, self.locator)
        if len(tasks) == 1 and results[0].code is Code.NO_MATCH and sheet.text is not None:
            results, text = filled(results[0], sheet.text)
        for result in results:
            self._results[result.n] = self._explained(result)
        if text != sheet.text:
            if sheet.file is not None:
                self.shelf.write(sheet, text)
            else:
                sheet.text = text
        moving = [r for r in results if r.block.destination is not None and r.status is not Status.FAILED]
        if moving and sheet.destination is not None:
            self.shelf.move(sheet, sheet.destination)
            self._results.update((r.n, replace(self._results[r.n], status=Status.APPLIED)) for r in moving)

    def _explained(self, result: BlockResult) -> BlockResult:
        """A miss, with the other file that has its search text, where exactly one does."""
        if result.code is not Code.NO_MATCH or result.path is None or not quotes(result.block):
            return result
        others = [path for path in holders(result.block, self.shelf, self.locator) if path != result.path]
        if len(others) != 1:
            return result
        message = f"The search text stands in `{others[0]}`."
        said = Diagnostic(Code.FOUND_ELSEWHERE, message, Severity.NOTE, others[0])
        return replace(result, hint=f"{message} If that is the file, name it.", warnings=(*result.warnings, said))

    def edit(self, n: int, block: Block, sheet: Sheet) -> BlockResult | None:
        """Replace a piece of a file's text; with an empty search, make the file or add to it."""
        if block.destination is not None and (refusal := self._moving(n, block, sheet)) is not None:
            return refusal
        if quotes(block) or (sheet.text is not None and any(r.search.strip() for r in block.readings)):
            sheet.waiting.append(Task(n, block, Request.of(n, block, self.policy)))
            return None
        if sheet.text is None and (refusal := self._not_creatable(n, block, sheet.path)) is not None:
            return refusal
        document = self.locator.document(sheet.text) if sheet.text is not None else None
        new = next(reading.replace for reading in block.readings if not reading.search.strip())
        outcome = put(sheet.path, document, new, block.format)
        if isinstance(outcome, Appended):
            request = replace(Request.of(n, block, self.policy), given=outcome.match)
            self._warnings[n] = (*self._warnings.get(n, ()), *outcome.warnings)
            sheet.waiting.append(Task(n, block, request))
            return None
        return self._settle(n, block, sheet, outcome)

    def _moving(self, n: int, block: Block, sheet: Sheet) -> BlockResult | None:
        """Note where an edited file is to move; the result where it cannot."""
        target = tidy(block.destination or "", self.shelf.tree.paths)
        if target in (sheet.path, sheet.destination):
            return None
        refusal = self._not_creatable(n, block, target, besides=sheet.path)
        if refusal is not None:
            return refusal
        if sheet.destination is not None or self.shelf.awaits(target):
            reason = f"Another block moves `{sheet.path}` elsewhere, or another file to `{target}`."
            return failed(n, block, sheet.path, Code.FILE_EXISTS, reason, "Move each file once.")
        sheet.destination = target
        return None

    def rewrite(self, n: int, block: Block, sheet: Sheet) -> BlockResult | None:
        """Replace a file's whole text."""
        if block.destination is not None and (refusal := self._moving(n, block, sheet)) is not None:
            return refusal
        self._land(sheet)
        if sheet.text is None and (refusal := self._not_creatable(n, block, sheet.path)) is not None:
            return refusal
        result = self._settle(n, block, sheet, replaced(sheet.path, sheet.text, block.replace))
        if sheet.destination is not None and result.status is not Status.FAILED:
            self.shelf.move(sheet, sheet.destination)
            return replace(result, status=Status.APPLIED)
        return result

    def create(self, n: int, block: Block, sheet: Sheet) -> BlockResult | None:
        """Make a file that must not be there with other text."""
        self._land(sheet)
        if sheet.text is None and (refusal := self._not_creatable(n, block, sheet.path)) is not None:
            return refusal
        return self._settle(n, block, sheet, created(sheet.path, sheet.text, block.replace))

    def delete(self, n: int, block: Block, sheet: Sheet) -> BlockResult | None:
        """Remove a file."""
        self._land(sheet)
        if sheet.text is None:
            return failed(
                n, block, sheet.path, Code.FILE_MISSING, f"`{sheet.path}` does not exist.", "Was it already deleted?"
            )
        lines = sheet.text.count("\n")
        self.shelf.write(sheet, None)
        return BlockResult(n, block, sheet.path, Status.APPLIED, start=1, end=max(1, lines))

    def rename(self, n: int, block: Block, sheet: Sheet) -> BlockResult | None:
        """Move a file to a path where nothing is."""
        self._land(sheet)
        target = tidy(block.destination or "", self.shelf.tree.paths)
        if sheet.text is None:
            if target in self.shelf.tree.paths:
                reason = f"`{sheet.path}` is gone and `{target}` is there."
                return BlockResult(n, block, sheet.path, Status.ALREADY_APPLIED, reason=reason)
            return failed(
                n, block, sheet.path, Code.FILE_MISSING, f"`{sheet.path}` does not exist.", "Name a file that exists."
            )
        if target == sheet.path:
            return BlockResult(
                n, block, sheet.path, Status.ALREADY_APPLIED, Code.NOTHING_TO_CHANGE, "Both names are the same."
            )
        if (refusal := self._not_creatable(n, block, target, besides=sheet.path)) is not None:
            return refusal
        source = sheet.path
        self.shelf.move(sheet, target)
        return BlockResult(n, block, source, Status.APPLIED)

    def _settle(
        self, n: int, block: Block, sheet: Sheet, outcome: Written | Unchanged | Rejected | Appended
    ) -> BlockResult:
        """Write a whole text, or say why not."""
        match outcome:
            case Written(after=after, warnings=warnings, tier=tier):
                before = sheet.text
                self.shelf.write(sheet, after)
                result = BlockResult(n, block, sheet.path, Status.APPLIED, tier=tier, warnings=warnings)
                was = len(before.splitlines()) if before is not None else 0
                return replace(result, start=1, end=was, new_start=1, new_end=len(after.splitlines()))
            case Rejected(code=code, reason=reason, hint=hint):
                return failed(n, block, sheet.path, code, reason, hint)
            case _:
                return BlockResult(n, block, sheet.path, Status.ALREADY_APPLIED)

    def _not_creatable(self, n: int, block: Block, path: str, besides: str = "") -> BlockResult | None:
        """The result of a block that would make a file where none can be."""
        tree = self.shelf.tree
        refused = self.shelf.snapshot.refused.get(path)
        root_hint = "Name the file by its path from the root."
        if refused is not None:
            return failed(n, block, path, Code.OUTSIDE_ROOT, refused, "Name a file inside the root.")
        if leaves(path) or is_absolute(path):
            return failed(n, block, path, Code.OUTSIDE_ROOT, f"`{path}` leaves the root.", root_hint)
        if path in tree.paths:
            return failed(
                n, block, path, Code.FILE_EXISTS, f"`{path}` already exists.", "Take another name, or delete it first."
            )
        if path in tree.folders:
            return failed(n, block, path, Code.FILE_EXISTS, f"`{path}` is a folder.", "Name a file in it.")
        twin = tree.folded.get(path.casefold())
        if twin is not None and twin != besides:
            reason = f"`{twin}` exists, and `{path}` differs from it only in upper and lower case."
            return failed(n, block, path, Code.FILE_EXISTS, reason, f"If that is the file, name it `{twin}`")
        above = next((folder for folder in _folders(path) if folder in tree.paths and folder != besides), None)
        if above is not None:
            return failed(
                n, block, path, Code.FILE_EXISTS, f"`{above}` is a file, not a folder.", "Take another folder."
            )
        return None


def _folders(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:i]) for i in range(1, len(parts))]


_KINDS: dict[Kind, Callable[[_Run, int, Block, Sheet], BlockResult | None]] = {
    Kind.EDIT: _Run.edit,
    Kind.REWRITE: _Run.rewrite,
    Kind.CREATE: _Run.create,
    Kind.DELETE: _Run.delete,
    Kind.RENAME: _Run.rename,
}

_PROBLEM_HINTS: dict[Code, str] = {
    Code.BINARY: "Leave binary files to other tools.",
    Code.ENCODING: "Convert the file to UTF-8 first.",
    Code.READ_ONLY: "Make the file editable first.",
    Code.NOT_IN_CHAT: "Add the file to the conversation.",
    Code.OUTSIDE_ROOT: "Name a file inside the root.",
}
