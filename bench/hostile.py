"""Measures what hostile replies cost: time and memory against size, for each shape of `hostile_shapes`.

Each case is read, planned and asked for again in a process of its own, with limits. A shape fails if twice the size
takes more than 2.4 times the time or memory; if it takes more than 10 seconds or 500 MB; or if the message to the model
is longer than 40 KB. A plan that ends as `too-large` has taken what it may, and is held to the seconds alone. Seconds
are the processor's. Figures that fail are taken again, and the least counts.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import dovetail
from dovetail.session.apply.correction import retry_message
from hostile_shapes import SHAPES

DOUBLING = 2.4
MOST_SECONDS = 10.0
MOST_MEGABYTES = 500
MOST_RETRY = 40_000  # characters
FULL = (250_000, 500_000, 1_000_000)
QUICK = (30_000, 60_000)
TRIES = 5
_LEAST_SECONDS = 0.25  # below, a ratio says nothing
_LEAST_MEGABYTES = 100
_ADDRESS_SPACE = 6_000_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """What one case took: seconds of each step, megabytes beside the case itself, characters of the message.

    stopped: whether an edit took too much work. broke: why the case has no figures.
    """

    read: float = 0.0
    plan: float = 0.0
    retry: float = 0.0
    megabytes: float = 0.0
    message: int = 0
    blocks: int = 0
    stopped: bool = False
    broke: str = ""

    @property
    def seconds(self) -> float:
        """All steps together."""
        return self.read + self.plan + self.retry

    def least(self, other: Cost) -> Cost:
        """The cheaper of two measures of one case."""
        return other if self.broke or (not other.broke and other.seconds < self.seconds) else self


def measure(name: str, size: int, seconds: float) -> Cost:
    """Run one case in a process of its own, which is ended after so many seconds of the processor."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(readable)
        _limit(seconds)
        cost = _run(name, size)
        os.write(writable, json.dumps(cost).encode())
        os._exit(0)
    os.close(writable)
    with os.fdopen(readable, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if answer:
        return Cost(**json.loads(answer))
    signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return Cost(broke=f"over {seconds:.0f} s" if signal else f"exit {os.waitstatus_to_exitcode(status)}")


def _warm_up() -> None:
    """Load once what every process would load."""
    files = {"a.py": "".join(f"value_{n} = {n}\n" for n in range(10))}
    reply = "a.py\n<<<<<<< SEARCH\nvalue_3 = 3\nvaleu_4 = 4\n=======\nx = {\n>>>>>>> REPLACE\n"
    retry_message(dovetail.make_plan(reply, files).results, files=files)


def _limit(seconds: float) -> None:
    whole = int(seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1))
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))


def _run(name: str, size: int) -> dict[str, object]:
    case = SHAPES[name](size)
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    held = _status("VmRSS")
    try:
        times = [time.process_time()]
        parsed = dovetail.parse(case.reply)
        times.append(time.process_time())
        plan = dovetail.make_plan(parsed, case.files, seen=case.seen)
        times.append(time.process_time())
        message = retry_message(plan.results, files=case.files) or ""
        times.append(time.process_time())
    except MemoryError:
        return {"broke": f"over {_ADDRESS_SPACE / 1e9:.0f} GB"}
    except Exception as error:
        return {"broke": f"{type(error).__name__}: {error}"[:120]}
    read, planned, asked = (after - before for before, after in pairwise(times))
    megabytes = (_status("VmHWM") - held) / 1e3
    return {
        "read": read, "plan": planned, "retry": asked,
        "megabytes": megabytes, "message": len(message), "blocks": len(plan.results),
        "stopped": any(result.code is dovetail.Code.TOO_LARGE for result in plan.results),
    }  # fmt: skip


def _status(field: str) -> int:
    """Kilobytes of this process, as the kernel counts them."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))


def faults(sizes: Sequence[int], costs: Sequence[Cost]) -> Iterator[str]:
    """What is wrong with the figures of one shape."""
    for size, cost in zip(sizes, costs, strict=True):
        if cost.broke:
            yield f"{size:,}: {cost.broke}"
            continue
        if cost.seconds > MOST_SECONDS:
            yield f"{size:,}: {cost.seconds:.1f} s"
        if cost.megabytes > MOST_MEGABYTES:
            yield f"{size:,}: {cost.megabytes:.0f} MB"
        if cost.message > MOST_RETRY:
            yield f"{size:,}: a message of {cost.message / 1e3:,.0f} KB"
    for (small, less), (large, more) in pairwise(zip(sizes, costs, strict=True)):
        if less.broke or more.broke:
            continue
        growth = DOUBLING ** ((large / small) / 2)
        if not more.stopped and more.seconds > max(_LEAST_SECONDS, growth * less.seconds):
            yield f"{large:,}: {more.seconds / less.seconds:.1f} times the seconds of {small:,}"
        if more.megabytes > max(_LEAST_MEGABYTES, growth * less.megabytes):
            yield f"{large:,}: {more.megabytes / max(less.megabytes, 0.1):.1f} times the memory of {small:,}"


def measured(name: str, sizes: Sequence[int], seconds: float) -> list[Cost]:
    """The figures of one shape, taken again while they fail; larger sizes of what broke are left out."""
    largest: Cost | None = measure(name, sizes[-1], seconds) if len(sizes) > 1 else None
    if largest is not None and largest.stopped:
        return [largest] * len(sizes)  # it has taken what it may, and no smaller one takes more
    costs: list[Cost] = []
    for _ in range(TRIES):
        again: list[Cost] = []
        for size in sizes:
            known, largest = (largest, None) if size == sizes[-1] else (None, largest)
            again.append(known or measure(name, size, seconds))
            if again[-1].broke:
                break
        again += [Cost(broke="not tried")] * (len(sizes) - len(again))
        costs = [a.least(b) for a, b in zip(costs, again, strict=True)] if costs else again
        if any(cost.broke for cost in costs) or not any(faults(sizes, costs)):
            break
    return costs


def main() -> int:
    """Measure the shapes, print a row of each, and return 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help=f"replies of {QUICK[0]:,} and {QUICK[1]:,} characters")
    parser.add_argument("--sizes", help="characters of the reply, separated by commas")
    parser.add_argument("--only", help="a part of the names of the shapes to measure")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds after which a case is ended")
    args = parser.parse_args()
    sizes = tuple(map(int, args.sizes.split(","))) if args.sizes else QUICK if args.quick else FULL
    names = [name for name in SHAPES if args.only is None or args.only in name]
    print(
        f"{'shape':42} "
        + " ".join(f"{size:>9,} s" for size in sizes)
        + "    read    plan   retry      MB  message  blocks"
    )
    bad: dict[str, list[str]] = {}
    for name in names:
        costs = measured(name, sizes, args.limit)
        if found := list(faults(sizes, costs)):
            bad[name] = found
        last = costs[-1]
        shown = " ".join(f"{'-' if cost.broke else f'{cost.seconds:.2f}':>11}" for cost in costs)
        print(
            f"{name:42} {shown}  {last.read:6.2f}  {last.plan:6.2f}  {last.retry:6.2f}  {last.megabytes:6.0f}  "
            f"{last.message / 1e3:5.0f}KB  {last.blocks:6}{' stopped' if last.stopped else ''}"
            f"{'  <- ' + '; '.join(found) if found else ''}",
            flush=True,
        )
    print(f"{len(names) - len(bad)} of {len(names)} shapes are within bounds")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
