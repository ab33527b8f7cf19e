"""Does a message that is obeyed work? Answers each failed edit as its message says, to the letter, and plans that.

    python bench/obeyed.py CASES.jsonl [CASES.jsonl …] [--show 20] [--least 97]

CASES have one of the shapes that `case_files` reads. Each result that failed, or was not read, gets the answer that its
message asks for: the corrected edit if the message holds one; else the file that it names; else the lines of the file
that it quotes, with the edit's new text; else one edit of two, one line more, the lines without what is too much. Where
only the case's truth knows the right words, the answer is the change to it, as the message wants it written. An edit of
which neither says what to send is open: it is a person's to decide, and is counted apart.

The answer is planned on the files with the reply's other edits, and must land. Exit status 1 where fewer than `--least`
per cent do.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from case_files import Case, read_cases
from dovetail.formats import parse, render
from dovetail.model.blocks import Block, Kind, Parsed
from dovetail.model.codes import Code, OnFailure, Status
from dovetail.model.errors import RenderError
from dovetail.model.results import BlockResult, Plan
from dovetail.model.text import closed, split_lines
from dovetail.session.apply.applying import USERS_OWN
from dovetail.session.apply.correction import failure_of, retry_message
from dovetail.session.apply.library import plan_for
from dovetail.session.batch.cases import Case as Batched
from dovetail.session.batch.cases import CaseError, read_case
from dovetail.text.diff import diff
from verdicts import truths_of

_NAMED = re.compile(r"`([^`\n]+)`")
_DONE = (Status.FITS, Status.STANDS_ALREADY)
_AROUND = 3  # lines of the file that an edit towards the truth quotes
Files = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of one failed edit; `landed` is None where nothing says what to send."""

    case: str
    result: BlockResult
    answer: str = ""
    landed: bool | None = None
    after: Plan | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What a message says to send. `towards` is a change to the truth, on the files with the other edits."""

    text: str
    towards: bool = False


def planned(case: Batched, parsed: Parsed, files: Files, seen: Files | None = None) -> Plan:
    """The plan of a reply whose edits do not hold each other back."""
    policy = replace(case.policy, on_failure=OnFailure.BLOCK)
    return plan_for(parsed, files, policy, seen, root=case.root, folder=case.folder)


def after(files: Files, plan: Plan) -> dict[str, str]:
    """The files with what a plan writes."""
    now: dict[str, str | None] = {**files, **{change.path: change.after for change in plan.changes}}
    return {path: text for path, text in now.items() if text is not None}


def answers(case: Batched, truths: Sequence[Files]) -> Iterator[Answered]:
    """Each failed edit of a case, obeyed."""
    parsed = parse(case.reply, format=case.format).relative_to(case.root)
    plan = planned(case, parsed, case.files, case.seen)
    blocks = [result.block for result in plan.results if result.code is not Code.UNREAD]
    now = after(case.files, plan)
    for result in (*plan.failed, *plan.unread):
        if result.code in USERS_OWN:
            continue
        rival, path = result.rival or _other(result), result.path or ""
        others = [block for n, block in enumerate(blocks, 1) if n not in (result.n, rival)]
        truth = next((t for t in truths if path in t and t[path] != now.get(path)), None)
        found = None
        for told in obedient(result, case.files, now, truth):
            sent = parse(told.text).relative_to(case.root)
            joint = replace(sent, blocks=(*([] if told.towards else others), *sent.blocks))
            done = planned(case, joint, now if told.towards else case.files, None if told.towards else case.seen)
            first = len(joint.blocks) - len(sent.blocks)
            landed = bool(sent.blocks) and all(r.status in _DONE for r in done.results[first:])
            if found is None or landed:
                found = Answered(str(case.id), result, told.text, landed, done)
            if landed:
                break
        yield found or Answered(str(case.id), result)


def _other(result: BlockResult) -> int | None:
    """The other one of two edits of which one is to be sent."""
    one = re.search(r"Send one of edits (\d+) and (\d+)", result.hint or "")
    return next((int(n) for n in one.groups() if int(n) != result.n), None) if one else None


def obedient(result: BlockResult, files: Files, now: Files, truth: Files | None) -> Iterator[Told]:
    """The answers that a message asks for, the most literal first. Where it offers several, any may land."""
    block, hint, text = result.block, result.hint or "", files.get(result.path or "")
    if "leave the edit out" in hint:
        return
    failure = failure_of(result, text)
    if failure.corrected is not None:
        yield Told(failure.corrected)
        return  # the message asks for this very edit
    if (code := result.code) in (Code.FILE_MISSING, Code.NO_PATH, Code.NO_MATCH, Code.OUTSIDE_ROOT):
        named = [name for name in _NAMED.findall(hint) if name in files]
        if named:
            yield from _sent(replace(block, path=named[0], malformed=None))
            return
    if result.places and text is not None:
        yield from _with_neighbour(result, text)
        return
    near = result.nearest
    if result.rival is not None or _other(result) is not None:
        yield from _sent(replace(block, path=result.path, malformed=None))
    elif near is not None and near.is_alike and code is not Code.MALFORMED:
        yield from _sent(_edit(result, near.corrected, block.replace))
    elif code is Code.FILE_MISSING and block.replace.strip():
        yield from _sent(replace(block, kind=Kind.CREATE, search="", readings=(), parts=None, malformed=None))
    elif code is Code.FILE_EXISTS:
        whole = replace(block, kind=Kind.REWRITE, path=result.path, search="", readings=(), parts=None)
        yield from _sent(replace(whole, format="whole", malformed=None))
    elif code is Code.WRITTEN_LINE_ENDS:
        yield from _sent(_edit(result, block.search, block.replace.replace("\\n", "\n")))
    elif code is Code.REPEATED_LINES:
        quoted, new = (result.reason or "").rpartition(": ")[2].strip(), split_lines(block.replace)
        first, _, last = quoted.strip("`").partition("` to `")
        starts = (n for n, line in enumerate(new) if line.strip() == first)
        ends = [n for n, line in enumerate(new) if line.strip() == (last or first)]
        for start, end in ((start, end + 1) for start in starts for end in ends if end >= start):
            yield from _sent(_edit(result, block.search, closed("\n".join([*new[:start], *new[end:]]))))
    elif truth is not None and result.path is not None:
        for towards in _towards(result, now.get(result.path), truth[result.path]):
            yield Told(towards, towards=True)


def _edit(result: BlockResult, search: str, replacement: str) -> Block:
    kind = Kind.EDIT if search else result.block.kind
    block = replace(result.block, kind=kind, path=result.path, readings=(), parts=None, malformed=None)
    return replace(block, search=search, replace=replacement, target=None, destination=None)


def _sent(block: Block) -> Iterator[Told]:
    return map(Told, _written(block))


def _written(block: Block) -> Iterator[str]:
    """A block in its own format, or else in one that can say it."""
    for name in dict.fromkeys((block.format, "diff", "tool-call", "whole")):
        try:
            yield render([block], name)
        except RenderError:
            continue
        return


def _with_neighbour(result: BlockResult, text: str) -> Iterator[Told]:
    """The edit with the line that its message names beside it: for each of its places the one that it has alone, or,
    where it names none, lines above and below until no other place has them."""
    block, lines = result.block, split_lines(text)
    height = max(1, len(split_lines(block.search)))
    named = {int(a): int(b) for a, b in re.findall(r"or line (\d+) it is line (\d+)", result.hint or "")}
    for place in result.places:
        first, end = place - 1, place - 1 + height
        at = named.get(place)
        if at is not None:
            first, end = min(first, at - 1), max(end, at)
        while at is None and _count(lines, first, end) > 1 and (first > 0 or end < len(lines)):
            first, end = max(0, first - 1), min(len(lines), end + 1)
        above, below = lines[first : place - 1], lines[place - 1 + height : end]
        search, new = ([*above, *split_lines(part), *below] for part in (block.search, block.replace))
        yield from _sent(_edit(result, closed("\n".join(search)), closed("\n".join(new))))


def _count(lines: Sequence[str], first: int, end: int) -> int:
    run = [line.strip() for line in lines[first:end]]
    stripped = [line.strip() for line in lines]
    return sum(stripped[n : n + len(run)] == run for n in range(len(lines) - len(run) + 1))


def _towards(result: BlockResult, text: str | None, truth: str) -> Iterator[str]:
    """The change to the truth: as edits that quote lines of the file, then as the whole file."""
    if text is not None and text.strip():
        lines, wanted = split_lines(text), split_lines(truth)
        blocks = []
        for hunk in diff(lines, wanted):
            above, below = max(0, hunk.a1 - _AROUND), min(len(lines), hunk.a2 + _AROUND)
            while _count(lines, above, below) > 1 and (above > 0 or below < len(lines)):
                above, below = max(0, above - 1), min(len(lines), below + 1)
            search = [*lines[above : hunk.a1], *lines[hunk.a1 : hunk.a2], *lines[hunk.a2 : below]]
            new = [*lines[above : hunk.a1], *wanted[hunk.b1 : hunk.b2], *lines[hunk.a2 : below]]
            edit = replace(_edit(result, closed("\n".join(search)), closed("\n".join(new))), format="diff")
            blocks += list(_written(edit))
        yield "\n".join(blocks)
    whole = replace(_edit(result, "", truth), kind=Kind.REWRITE, format="whole")
    yield from _written(whole)


def main() -> int:
    """Print for each code how many obeyed messages land."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path, nargs="+")
    parser.add_argument("--show", type=int, default=0, help="print so many messages that do not work, with the answer")
    parser.add_argument("--least", type=float, default=0, help="per cent of the answers that must land")
    asked = parser.parse_args()
    counts: dict[str, Counter[bool | None]] = defaultdict(Counter)
    failed: list[Answered] = []
    for stated in (case for path in asked.cases for case in read_cases(path)):
        for done in _of_case(stated):
            counts[str(done.result.code)][done.landed] += 1
            failed += [done] if done.landed is False else []
    print(f"{'code':22}{'edits':>7}{'land':>7}{'fail':>7}{'open':>7}")
    for code, row in sorted(counts.items(), key=lambda item: -item[1].total()):
        print(f"{code:22}{row.total():7}{row[True]:7}{row[False]:7}{row[None]:7}")
    landed, missed = (sum(row[which] for row in counts.values()) for which in (True, False))
    share = 100 * landed / max(1, landed + missed)
    print(f"obeyed {landed + missed}, of which {landed} land: {share:.1f} %")
    for done in failed[: asked.show]:
        print(f"\n=== {done.case} edit {done.result.n}\n{retry_message([done.result])}\n--- answered\n{done.answer}")
        for result in done.after.results if done.after is not None else ():
            print(f"--- {result.status} {result.code} {result.path}: {result.reason}")
    return int(share < asked.least)


def _of_case(stated: Case) -> Iterator[Answered]:
    try:
        case = read_case(stated)
    except CaseError:
        return
    truths = [] if stated.get("open") else [truth for truth in truths_of(stated) if truth != stated["files"]]
    yield from answers(case, truths)


if __name__ == "__main__":
    raise SystemExit(main())
