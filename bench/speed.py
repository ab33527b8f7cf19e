"""Times the engine, as ratios within one run against tools that do the same.

    uv run --group bench python bench/speed.py [--only land,miss,scan,parse,start,curve]

Prints a Markdown table per question. A rival counts only where its result is the right one, and only if it refuses a
block that is nowhere; one that takes longer than ten seconds is left out. Figures are medians of processor seconds,
for whole processes the least of seven runs; every text is made here, the same each time.
Exit status: 1 where a target is missed, which its line says; else 0.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from clock import TooSlowError, limit, median, once
from dovetail.formats import Stream, parse
from dovetail.model.blocks import Block, Kind, Parsed
from dovetail.model.language import Language
from dovetail.model.policy import DEFAULT_POLICY
from dovetail.model.results import Plan
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan
from speed_cases import Reply, Single, reply, singles
from speed_rivals import Land, aider_reply, one_by_one, rivals

PATIENCE = 10.0
SIZES = (1_000, 10_000, 100_000)
MEGABYTE = 1_000_000
MISS_LIMIT = 0.150
SCAN_LIMIT = 3.0
PARSE_FLOOR = 20.0
VERSION_LIMIT, APPLY_LIMIT = 4.0, 12.0


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table; `kept` says whether the target was, where there is one."""

    cells: tuple[str, ...]
    kept: bool | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The answer to one question."""

    title: str
    heads: tuple[str, ...]
    lines: tuple[Line, ...]

    def print(self) -> None:
        """Print it as Markdown."""
        print(f"\n### {self.title}\n")
        print("| " + " | ".join((*self.heads, "kept")) + " |")
        print("|" + " --- |" * (len(self.heads) + 1))
        for line in self.lines:
            kept = {None: "", True: "yes", False: "**no**"}[line.kept]
            print("| " + " | ".join((*line.cells, kept)) + " |")


@cache
def language() -> Language:
    """The languages, loaded once."""
    from dovetail.syntax import default_language

    return default_language()


def planned(parsed: Parsed, files: dict[str, str]) -> Plan:
    """Plan in memory, from nothing but texts."""
    return plan(parsed, Snapshot.of(files), DEFAULT_POLICY, language())


def after(done: Plan, files: dict[str, str]) -> dict[str, str | None]:
    """Every file once the plan is carried out."""
    return {**files, **{change.path: change.after for change in done.changes}}


def milliseconds(seconds: float) -> str:
    """Seconds in a cell."""
    return f"{seconds * 1e3:.2f} ms"


def ours_alone(case: Single) -> Callable[[], Plan]:
    """The call that plans one block."""
    parsed = Parsed((Block("diff", Kind.EDIT, "file.py", case.search, case.replace),))
    files = {"file.py": case.text}
    return lambda: planned(parsed, files)


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


def against(name: str, target: float, ours: float, theirs: dict[str, float | None]) -> Line:
    """A line that sets our seconds against the fastest rival that is right."""
    right = {rival: seconds for rival, seconds in theirs.items() if seconds is not None}
    if not right:
        return Line((name, milliseconds(ours), "none is right", "", f"{target:g} ×"))
    best = min(right, key=lambda rival: right[rival])
    ratio = right[best] / ours
    cells = (name, milliseconds(ours), f"{best} {milliseconds(right[best])}", f"{ratio:.1f} ×", f"{target:g} ×")
    return Line(cells, ratio >= target)


def landing() -> Table:
    """Landing one block, and a reply of 200, against the fastest rival that gets it right."""
    every = rivals()
    tools = careful(every, SIZES[0])
    lines = [line for size in SIZES for line in single_lines(size, careful(every, size))]
    lines += [reply_line(reply(kind), tools) for kind in ("exact", "shifted", "typo")]
    heads = ("edit", "dovetail", "fastest rival that is right", "ratio", "target")
    return Table("Landing, planned without disk", heads, tuple(lines))


def careful(tools: dict[str, Land], size: int) -> dict[str, Land]:
    """The tools that refuse a block which is nowhere: one that lands it anyway does not look, and is no rival."""
    stranger = singles(size)[-1]
    return {name: land for name, land in tools.items() if timed_landing(land, stranger) is not None}


def single_lines(size: int, tools: dict[str, Land]) -> Iterator[Line]:
    """One block in one file. Only a tool that lands the exact block can know that another is nowhere."""
    finders: set[str] = set()
    for case in singles(size):
        name = f"{case.name}, {size:,} lines"
        theirs = {rival: timed_landing(tools[rival], case) for rival in tools}
        if case.name == "exact":
            finders = {rival for rival, seconds in theirs.items() if seconds is not None}
        if case.truth is None:
            theirs = {rival: seconds for rival, seconds in theirs.items() if rival in finders}
        call = ours_alone(case)
        if after(call(), {"file.py": case.text})["file.py"] == (case.text if case.truth is None else case.truth):
            yield against(name, 3 if size < 10_000 else 10, median(call), theirs)
        else:
            yield Line((name, "not right", "", "", ""), kept=False)


def timed_landing(land: Land, case: Single) -> float | None:
    """Median seconds of a rival on one block."""
    return timed_rival(lambda: land(case.text, case.search, case.replace), case.truth)


def reply_line(case: Reply, tools: dict[str, Land]) -> Line:
    """A whole reply: ours parses and plans; rivals that cannot parse are handed the blocks."""

    def call() -> Plan:
        return planned(parse(case.text), case.files)

    if after(call(), case.files) != case.truth:
        return Line((case.name, "not right", "", "", ""), kept=False)
    theirs = {
        rival: timed_rival(lambda land=land: one_by_one(land, case.blocks, case.files), case.truth)  # type: ignore[misc]
        for rival, land in tools.items()
    }
    theirs["aider"] = timed_rival(lambda: aider_reply(case.text, case.files), case.truth)
    return against(case.name, 10, median(call), theirs)


def miss() -> Table:
    """The worst case: a block that is nowhere, every tier asked and the diagnosis made."""
    lines = []
    for size in SIZES:
        seconds = median(ours_alone(singles(size)[-1]))
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

        ours, floor = median(ours_alone(case)), median(least)
        ratio = ours / floor
        kept = ratio <= SCAN_LIMIT if size == SIZES[-1] else None
        lines.append(Line((f"{size:,} lines", milliseconds(ours), milliseconds(floor), f"{ratio:.1f} ×"), kept))
    heads = ("file", "dovetail", "`str.count` and the result", "ratio")
    return Table("An exact hit against one scan of the text (at most 3 × at 100,000 lines)", heads, tuple(lines))


def pieces(text: str, size: int) -> Iterator[str]:
    """A text in pieces of one size."""
    return (text[start : start + size] for start in range(0, len(text), size))


def fed(text: str, size: int) -> int:
    """Feed a text in pieces; how many blocks came of it."""
    parser = Stream()
    for piece in pieces(text, size):
        parser.feed(piece)
    parser.close()
    return len(parser.parsed.blocks)


def parsing() -> Table:
    """Megabytes a second, by the size of the pieces, and that single characters cost the same each."""
    text = reply("exact").text
    big = text * (4 * MEGABYTE // len(text))
    lines = []
    for name, sample, size in (
        ("whole", big, len(big)),
        ("64 KB pieces", big, 65_536),
        ("1 KB pieces", big, 1_024),
        ("single characters, 0.25 MB", big[: MEGABYTE // 4], 1),
        ("single characters, 0.5 MB", big[: MEGABYTE // 2], 1),
        ("single characters, 1 MB", big[:MEGABYTE], 1),
    ):
        seconds = median(lambda sample=sample, size=size: fed(sample, size))  # type: ignore[misc]
        speed = len(sample) / seconds / MEGABYTE
        lines.append(
            Line((name, f"{speed:.1f} MB/s", milliseconds(seconds)), speed >= PARSE_FLOOR if size > 1 else None)
        )
    return Table("Parsing (at least 20 MB/s in pieces of 1 KB or more)", ("pieces", "speed", "time"), tuple(lines))


def command_seconds(words: Sequence[str], folder: Path, before: Callable[[], None] = lambda: None) -> float:
    """Seconds of a process, the least of seven runs; `before` runs ahead of each and is not timed.

    Bytecode is cached, as it is wherever Dovetail is installed, in a folder of this benchmark's own.
    """

    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(folder.with_name(folder.name + ".pyc"))

    def run() -> None:
        done = subprocess.run(words, cwd=folder, check=False, capture_output=True, stdin=subprocess.DEVNULL, env=env)
        if done.returncode:
            raise SystemExit(f"{' '.join(words)} failed:\n{done.stderr.decode()}{done.stdout.decode()}")

    seconds = []
    for _ in range(7):
        before()
        seconds.append(once(run, time.perf_counter)[0])
    return min(seconds)


def starting() -> Table:
    """Whole processes against `python -c pass`; the engine's own share of an apply, and the disk's."""
    command = str(Path(sys.executable).with_name("dovetail"))
    case = reply("exact", blocks=4, files=2, lines=60)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "project"
        folder.mkdir()

        def fresh() -> None:
            shutil.rmtree(folder / "src", ignore_errors=True)
            shutil.rmtree(folder / ".dovetail", ignore_errors=True)
            for path, text in case.files.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, encoding="utf-8")
            (folder / "reply.md").write_text(case.text, encoding="utf-8")

        fresh()
        base = command_seconds([sys.executable, "-c", "pass"], folder)
        version = command_seconds([command, "--version"], folder)
        dry = command_seconds([command, "apply", "reply.md", "--dry-run"], folder)
        applied = command_seconds([command, "apply", "reply.md", "--yes"], folder, fresh)
    engine = median(lambda: planned(parse(case.text), case.files))
    lines = (
        Line(("`python -c pass`", milliseconds(base), "1.0 ×", "")),
        Line(
            ("`dovetail --version`", milliseconds(version), f"{version / base:.1f} ×", "4 ×"),
            version <= VERSION_LIMIT * base,
        ),
        Line(
            ("`dovetail apply --yes`", milliseconds(applied), f"{applied / base:.1f} ×", "12 ×"),
            applied <= APPLY_LIMIT * base,
        ),
        Line(("`dovetail apply --dry-run`", milliseconds(dry), f"{dry / base:.1f} ×", "")),
        Line(("of it the engine", milliseconds(engine), "", "")),
        Line(("writing, journal and flush (the difference of the two)", milliseconds(max(0.0, applied - dry)), "", "")),
    )
    return Table("Starting, and a small reply", ("process", "time", "ratio", "target"), lines)


def curve() -> Table:
    """Cost by the length of the file, and by the length of the reply; the last column is what stays the same."""
    lines = []
    for size in (2_000, 8_000, 32_000, 128_000):
        for case in singles(size):
            seconds = median(ours_alone(case))
            cells = (f"{case.name}, {size:,} lines", milliseconds(seconds), f"{seconds / size * 1e9:.0f} ns a line")
            lines.append(Line(cells))
    for blocks in (50, 100, 200, 400, 800):
        stated = reply("exact", blocks=blocks, files=blocks // 10)
        seconds = median(lambda stated=stated: planned(parse(stated.text), stated.files))  # type: ignore[misc]
        cells = (
            f"{blocks} blocks over {blocks // 10} files",
            milliseconds(seconds),
            f"{seconds / blocks * 1e6:.0f} µs a block",
        )
        lines.append(Line(cells))
    return Table("Cost by length", ("edit", "time", "share"), tuple(lines))


QUESTIONS: dict[str, Callable[[], Table]] = {
    "land": landing,
    "miss": miss,
    "scan": scan,
    "parse": parsing,
    "start": starting,
    "curve": curve,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Answer the questions that were asked."""
    parser = argparse.ArgumentParser(description="Time the engine against other tools.")
    parser.add_argument("--only", default=",".join(QUESTIONS), help="questions, joined by commas")
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
