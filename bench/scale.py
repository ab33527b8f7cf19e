"""Times `dovetail batch` on many cases: one process, the pool of processes, Ray; and compares the answers row by row.

    uv run --group ray python bench/scale.py CASES.jsonl [--cases 50000] [--jobs 2] [--engines one,local,ray]

CASES are cases of `dovetail batch`; they are repeated until there are as many as asked for. Wall time is what a user
waits, and depends on what else the machine does; processor time hardly does. `overhead` is the processor time of a
case beyond that of one process. Memory is the most that the command itself and any one of the other processes held.
Exit status: 1 where two engines answer a row differently; else 0.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice, zip_longest
from pathlib import Path

ENGINES = {"one": ["--jobs", "1"], "local": [], "ray": ["--engine", "ray"]}
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Run:
    """What a run took: seconds, and bytes at most."""

    wall: float
    processor: float
    command: int
    largest: int


def family(first: int) -> Iterator[tuple[int, float, int]]:
    """A process and all that it started: number, processor seconds, and the most memory it has held."""
    parents: dict[int, int] = {}
    found: dict[int, tuple[float, int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            memory = next(line for line in (folder / "status").read_text().splitlines() if line.startswith("VmHWM"))
        except (OSError, StopIteration):  # it has ended
            continue
        parents[int(folder.name)] = int(fields[1])
        found[int(folder.name)] = (int(fields[11]) + int(fields[12])) / TICKS, int(memory.split()[1]) * 1024
    for number, (seconds, memory) in found.items():
        ancestor = number
        while ancestor not in (first, 0):
            ancestor = parents.get(ancestor, 0)
        if ancestor == first:
            yield number, seconds, memory


def run(words: list[str]) -> Run:
    """Run `dovetail batch`, and watch its processes until it ends."""
    began = time.perf_counter()
    seconds: dict[int, float] = {}
    memory: dict[int, int] = {}
    with subprocess.Popen([sys.executable, "-m", "dovetail", "batch", *words]) as process:
        while process.poll() is None:
            for number, used, most in family(process.pid):
                seconds[number] = used
                memory[number] = max(most, memory.get(number, 0))
            time.sleep(0.1)
    if process.returncode:
        sys.exit(process.returncode)
    command = memory.pop(process.pid, 0)
    return Run(time.perf_counter() - began, sum(seconds.values()), command, max(memory.values(), default=0))


def rows(path: Path) -> Iterator[dict[str, object]]:
    """The answers of a file, or of the parts in a folder, but for the clock."""
    for file in sorted(path.glob("part-*")) if path.is_dir() else [path]:
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                yield {**json.loads(line), "seconds": 0}


def main() -> int:
    """Run every engine, print one table, and compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("source", metavar="CASES", type=Path)
    parser.add_argument("--cases", type=int, default=50_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--engines", default=",".join(ENGINES))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dovetail-scale-") as scratch:
        folder = Path(scratch)
        cases = folder / "cases.jsonl"
        lines = args.source.read_bytes().splitlines(keepends=True)
        with cases.open("wb") as file:
            file.writelines(islice(cycle(lines), args.cases))
        size = cases.stat().st_size
        each_size = size / args.cases / 1000
        print(f"{args.cases:,} cases of {each_size:.0f} kB, {args.jobs} jobs, load {os.getloadavg()[0]:.1f}\n")
        print("| engine | wall s | cases/s | processor ms/case | overhead ms/case | command MB | largest other MB |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        outs: list[Path] = []
        alone: float | None = None
        for engine in args.engines.split(","):
            out = folder / engine
            jobs = [] if engine == "one" else ["--jobs", str(args.jobs)]
            took = run(["--in", str(cases), "--out", str(out), *ENGINES[engine], *jobs])
            each = took.processor / args.cases * 1000
            alone = each if engine == "one" else alone
            overhead = f"{each - alone:.3f}" if alone is not None else ""
            print(
                f"| {engine} | {took.wall:.1f} | {args.cases / took.wall:.0f} | {each:.3f} | {overhead} "
                f"| {took.command / 1e6:.0f} | {took.largest / 1e6:.0f} |",
                flush=True,
            )
            outs.append(out)
        different = 0
        for other in outs[1:]:
            different += sum(one != two for one, two in zip_longest(rows(outs[0]), rows(other)))
    print(f"\nrows that differ: {different}")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
