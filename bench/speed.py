"""Times the engine, as ratios within one run against tools that do the same.

    uv run --group bench python bench/speed.py [--only land,others,miss,scan,parse,read,start,batch,curve]

Prints a Markdown table per question. A rival counts only where its result is the right one, and only if it refuses a
block that is nowhere; one that takes longer than two seconds is left out. Figures are medians of processor seconds,
for whole processes of nine runs. Every text is made here. Our own time is that of texts which the process
sees for the first time, each another one; `again` is the time of a text that it has just seen. Rivals remember nothing.
Without `--only` it takes less than two minutes, and leaves `curve` out. `others` says of each tool how often it was
right, refused, and wrong.
Exit status: 1 where a target is missed, which its line says; else 0.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from pathlib import Path
from random import Random

from clock import TooSlowError, limit, median, median_of_new, once, side_by_side
from code_samples import code
from dovetail.formats import parse
from dovetail.model.blocks import Block, Kind, Parsed
from dovetail.model.results import Plan
from dovetail.session.batch.cases import answer_line
from speed_cases import Reply, Single, block_text, changed, function_block, nested, reply, singles
from speed_engine import planned
from speed_rivals import Land, aider_reply, one_by_one, rivals
from speed_tables import Line, Table, milliseconds
from speed_whole import parsing, reading, starting

PATIENCE = 2.0
SIZES = (1_000, 10_000, 100_000)
MISS_LIMIT = 0.150
SCAN_LIMIT = 3.0
CASE_LIMIT = 0.001
NUMBERS = count()


def after(done: Plan, files: dict[str, str]) -> dict[str, str | None]:
    """Every file once the plan is carried out."""
    return {**files, **{change.path: change.after for change in done.changes}}


def ours_alone(case: Single) -> Callable[[], Plan]:
    """The call that plans one block."""
    parsed = Parsed((Block("diff", Kind.EDIT, "file.py", case.search, case.replace),))
    files = {"file.py": case.text}
    return lambda: planned(parsed, files)


def ours_on_new(case: Single) -> Callable[[], Callable[[], Plan]]:
    """What makes such a call ready, each on a text of its own."""
    return lambda: ours_alone(replace(case, text=f"{case.text}# {next(NUMBERS)}\n"))


def reply_on_new(case: Reply) -> Callable[[], Callable[[], Plan]]:
    """What makes a call ready that parses and plans a reply, each on texts of its own."""

    def ready() -> Callable[[], Plan]:
        files = {path: f"{text}# {next(NUMBERS)}\n" for path, text in case.files.items()}
        return lambda: planned(parse(case.text), files)

    return ready


def timed_rival(call: Callable[[], object], truth: object) -> float | None:
    """Median seconds of a rival, None where its result is not right or it is too slow."""
    try:
        with limit(PATIENCE):
            seconds, result = once(call)
    except TooSlowError:
        return None
    if result != truth:
        return None
    return seconds if seconds > 1 else median(call)


def against(name: str, target: float, ours: float, again: float, theirs: dict[str, float | None]) -> Line:
    """A line that sets our seconds against the fastest rival that is right."""
    own = (name, milliseconds(ours), milliseconds(again))
    right = {rival: seconds for rival, seconds in theirs.items() if seconds is not None}
    if not right:
        return Line((*own, "none is right", "", f"{target:g} ×"))
    best = min(right, key=lambda rival: right[rival])
    ratio = right[best] / ours
    return Line((*own, f"{best} {milliseconds(right[best])}", f"{ratio:.2g} ×", f"{target:g} ×"), ratio >= target)


def landing() -> Table:
    """Landing one block, and a reply of 200, against the fastest rival that gets it right."""
    every = rivals()
    tools = careful(every, SIZES[0])
    lines = [line for size in SIZES for line in single_lines(size, careful(every, size))]
    lines += [reply_line(reply(kind), tools) for kind in ("exact", "shifted", "typo")]
    heads = ("edit", "dovetail, new text", "again", "fastest rival that is right", "ratio", "target")
    return Table("Landing, planned without disk", heads, tuple(lines))


def careful(tools: dict[str, Land], size: int) -> dict[str, Land]:
    """The tools that refuse a block which is nowhere: one that lands it anyway does not look, and is no rival."""
    stranger = singles(size)[-1]
    return {name: land for name, land in tools.items() if timed_landing(land, stranger) is not None}


def single_lines(size: int, tools: dict[str, Land]) -> Iterator[Line]:
    """One block in one file. Only a tool that lands the exact block can know that another is nowhere."""
    finders: set[str] = set()
    for case in (*singles(size), *nested(size)):
        name = f"{case.name}, {size:,} lines"
        theirs = {rival: timed_landing(tools[rival], case) for rival in tools}
        if case.name == "exact":
            finders = {rival for rival, seconds in theirs.items() if seconds is not None}
        if case.truth is None:
            theirs = {rival: seconds for rival, seconds in theirs.items() if rival in finders}
        call = ours_alone(case)
        if after(call(), {"file.py": case.text})["file.py"] == (case.text if case.truth is None else case.truth):
            yield against(name, 3 if size < 10_000 else 10, median_of_new(ours_on_new(case)), median(call), theirs)
        else:
            yield Line((name, "not right", "", "", "", ""), kept=False)


def others() -> Table:
    """What each tool makes of every shape of edit, and its time for an exact one: a time without that says little."""
    cases = [case for size in SIZES[:2] for case in (*singles(size), *nested(size))]
    lines = []
    for name, land in {"dovetail": ours_as_rival, **rivals()}.items():
        verdicts = Counter(verdict(land, case) for case in cases)
        exact = timed_landing(land, cases[0])
        counts = (str(verdicts[word]) for word in ("right", "refused", "wrong", "too slow"))
        lines.append(Line((f"{name} {released(name)}".strip(), *counts, "" if exact is None else milliseconds(exact))))
    heads = ("tool", "right", "refused", "wrong", f"over {PATIENCE:g} s", "exact, 1,000 lines")
    return Table(f"The same {len(cases)} edits by every tool", heads, tuple(lines))


def ours_as_rival(text: str, search: str, replace: str) -> str | None:
    """One block, as the rivals are called."""
    parsed = Parsed((Block("diff", Kind.EDIT, "file.py", search, replace),))
    changes = planned(parsed, {"file.py": text}).changes
    return changes[0].after if changes else None


def verdict(land: Land, case: Single) -> str:
    """`right`: the file is as wanted; a block that is nowhere is refused. `refused`: nothing landed."""
    try:
        with limit(PATIENCE):
            result = land(case.text, case.search, case.replace)
    except TooSlowError:
        return "too slow"
    except Exception:  # of whatever kind a tool refuses with
        result = None
    if result == case.truth:
        return "right"
    return "refused" if result in (None, case.text) else "wrong"


def released(tool: str) -> str:
    """The version of a tool's package; nothing for code of the standard library."""
    package = {"dovetail": "dovetail-edits", "aider": "aider-chat", "dmp": "diff-match-patch"}.get(tool, tool)
    try:
        return version(package.replace("dmp-far", "diff-match-patch"))
    except PackageNotFoundError:
        return ""


def timed_landing(land: Land, case: Single) -> float | None:
    """Median seconds of a rival on one block."""
    return timed_rival(lambda: land(case.text, case.search, case.replace), case.truth)


def reply_line(case: Reply, tools: dict[str, Land]) -> Line:
    """A whole reply: ours parses and plans; rivals that cannot parse are handed the blocks."""

    def call() -> Plan:
        return planned(parse(case.text), case.files)

    if after(call(), case.files) != case.truth:
        return Line((case.name, "not right", "", "", "", ""), kept=False)
    theirs = {
        rival: timed_rival(lambda land=land: one_by_one(land, case.blocks, case.files), case.truth)  # type: ignore[misc]
        for rival, land in tools.items()
    }
    theirs["aider"] = timed_rival(lambda: aider_reply(case.text, case.files), case.truth)
    return against(case.name, 10, median_of_new(reply_on_new(case)), median(call), theirs)


def miss() -> Table:
    """The worst case: a block that is nowhere, every tier asked and the diagnosis made."""
    lines = []
    for size in SIZES:
        seconds = median_of_new(ours_on_new(singles(size)[-1]))
        kept = seconds <= MISS_LIMIT if size == SIZES[-1] else None
        lines.append(Line((f"{size:,} lines", milliseconds(seconds)), kept))
    return Table(
        "A miss, every tier and the diagnosis included (at most 150 ms at 100,000 lines)",
        ("file", "dovetail"),
        tuple(lines),
    )


def scan() -> Table:
    """An exact hit against one scan of the text and the building of the result."""
    lines = []
    for size in SIZES:
        case = singles(size)[0]
        start = case.text.index(case.search)

        def least(case: Single = case, start: int = start) -> str:
            case.text.count(case.search)
            return case.text[:start] + case.replace + case.text[start + len(case.search) :]

        ours, floor = side_by_side(ours_alone(case), least)
        ratio = ours / floor
        kept = ratio <= SCAN_LIMIT if size == SIZES[-1] else None
        lines.append(Line((f"{size:,} lines", milliseconds(ours), milliseconds(floor), f"{ratio:.1f} ×"), kept))
    heads = ("file", "dovetail", "`str.count` and the result", "ratio")
    return Table("An exact hit against one scan of the text (at most 3 × at 100,000 lines)", heads, tuple(lines))


def curve() -> Table:
    """Cost by the length of the file, and by the length of the reply; the last column is what stays the same."""
    lines = []
    for size in (2_000, 8_000, 32_000, 128_000):
        for case in singles(size):
            seconds = median_of_new(ours_on_new(case))
            cells = (f"{case.name}, {size:,} lines", milliseconds(seconds), f"{seconds / size * 1e9:.0f} ns a line")
            lines.append(Line(cells))
    for blocks in (50, 100, 200, 400, 800):
        stated = reply("exact", blocks=blocks, files=blocks // 10)
        seconds = median_of_new(reply_on_new(stated))
        cells = (
            f"{blocks} blocks over {blocks // 10} files",
            milliseconds(seconds),
            f"{seconds / blocks * 1e6:.0f} µs a block",
        )
        lines.append(Line(cells))
    return Table("Cost by length", ("edit", "time", "share"), tuple(lines))


def batch() -> Table:
    """One case of many, from its line of JSON to that of the answer."""
    lines = []
    for number in range(100):
        text = code("python", 200, Random(number))  # noqa: S311 - seeded
        block = function_block(text, 0.5)
        stated = block_text("a.py", block, changed(block))
        lines.append(json.dumps({"id": number, "files": {"a.py": text}, "reply": stated}))
    answer_line(lines[0])  # a batch loads its grammar once
    each = once(lambda: list(map(answer_line, lines)))[0] / len(lines)
    row = Line(("exact, 200 lines", milliseconds(each)), each <= CASE_LIMIT)
    return Table("A case of `batch` (at most 1 ms)", ("case", "time"), (row,))


QUESTIONS: dict[str, Callable[[], Table]] = {
    "land": landing,
    "others": others,
    "miss": miss,
    "scan": scan,
    "parse": parsing,
    "read": reading,
    "start": starting,
    "batch": batch,
    "curve": curve,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Answer the questions that were asked."""
    parser = argparse.ArgumentParser(description="Time the engine against other tools.")
    parser.add_argument("--only", default=",".join(list(QUESTIONS)[:-1]), help="questions, joined by commas")
    parser.add_argument("--json", type=Path, help="write the cells here too")
    options = parser.parse_args(argv)
    tables = []
    for name in options.only.split(","):
        tables.append(QUESTIONS[name]())
        tables[-1].print()
    if options.json:
        record = {table.title: [line.cells for line in table.lines] for table in tables}
        options.json.write_text(json.dumps(record, indent=1), encoding="utf-8")
    missed = [line.cells[0] for table in tables for line in table.lines if line.kept is False]
    for name in missed:
        print(f"speed: the target is missed by: {name}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
