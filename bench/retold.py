"""Replays cases with their replies told in other ways that mean the same: none may come out WRONG.

    python bench/retold.py CASES.jsonl [--only TEXT] [--show 5] [--max-wrong 0]

Cases are those of `replay.py`, with replies of search/replace blocks; only those that the engine gets right as they
are take part. What is refused is counted, what is WRONG fails the run (exit status 1 above `--max-wrong`).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from case_files import read_lines
from engine import answers
from retellings import RETELLINGS, Told
from verdicts import Verdict, judge, truths_of

Case = dict[str, Any]
COLUMNS = (Verdict.RIGHT, Verdict.PART, Verdict.REFUSED, Verdict.WRONG, Verdict.MISSING)


def judged(cases: Sequence[Case], jobs: int | None) -> dict[str, Verdict]:
    """What becomes of each case."""
    return {case["id"]: judge(case, answer) for case, answer in zip(cases, answers(cases, jobs), strict=True)}


def taken_apart(cases: Sequence[Case]) -> list[tuple[Case, Told]]:
    """The cases whose replies hold blocks that can be told otherwise."""
    found = []
    for case in cases:
        names = {*case["files"], *(path for truth in truths_of(case) for path in truth)}
        told = Told.of(case["reply"], names)
        if told is not None:
            found.append((case, told))
    return found


def show(kind: str, verdicts: Mapping[str, Verdict], limit: int) -> None:
    """List the cases that came out WRONG."""
    for case_id in [case_id for case_id, verdict in verdicts.items() if verdict is Verdict.WRONG][:limit]:
        print(f"WRONG    {case_id}  {kind}")


def main(argv: Sequence[str] | None = None) -> int:
    """Replay each retelling, print the table, and say whether more came out WRONG than may."""
    parser = argparse.ArgumentParser(description="Replay cases with their replies told in other ways.")
    parser.add_argument("cases", type=Path, help="JSON Lines of cases")
    parser.add_argument("--only", default="", metavar="TEXT", help="only retellings whose name holds TEXT")
    parser.add_argument("--show", type=int, default=5, metavar="N", help="list up to N cases that came out WRONG")
    parser.add_argument("--jobs", type=int, help="processes (all cores)")
    parser.add_argument("--max-wrong", type=int, default=0, metavar="N", help="fail where more are WRONG")
    options = parser.parse_args(argv)
    cases = list(read_lines(options.cases))
    before = judged(cases, options.jobs)
    told = taken_apart([case for case in cases if before[case["id"]] is Verdict.RIGHT])
    print(f"{'retelling':28}" + "".join(f"{column:>10}" for column in ("cases", *COLUMNS)))
    total: Counter[Verdict] = Counter()
    for kind, retelling in RETELLINGS.items():
        if options.only not in kind:
            continue
        retold = [{**case, "reply": reply} for case, parts in told if (reply := retelling(parts)) is not None]
        verdicts = judged(retold, options.jobs)
        counts = Counter(verdicts.values())
        total += counts
        print(f"{kind:28}" + "".join(f"{n:10}" for n in (counts.total(), *(counts[c] for c in COLUMNS))), flush=True)
        show(kind, verdicts, options.show)
    print(f"{'ALL':28}" + "".join(f"{n:10}" for n in (total.total(), *(total[c] for c in COLUMNS))))
    return 1 if total[Verdict.WRONG] + total[Verdict.MISSING] > options.max_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
