"""Replays cases with a known truth through the engine, and says how often it is right.

    python bench/replay.py CASES.jsonl [--by kind] [--show 20] [--max-wrong 3] [--max-unread 9] [--floor ALL=760]
    python bench/replay.py CASES.jsonl --results RESULTS.jsonl      judge answers that were made elsewhere
    python bench/replay.py CASES.jsonl --command dovetail           answer through `dovetail batch`
    python bench/replay.py CASES.jsonl --diff ID                    one case: truth, ours, and each block's reason

`CASES.jsonl` has one of the shapes that `case_files` reads; any other key of a case can group the table (`--by`).

Exit status: 1 where more is WRONG than `--max-wrong` allows or unread than `--max-unread` does, a `--floor` is missed,
or an answer is missing; else 0.
"""

from __future__ import annotations

import argparse
import difflib
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from case_files import Case, read_cases, read_lines
from verdicts import Verdict, files_after, judge, truths_of

Answers = dict[str, dict[str, Any]]

COLUMNS = (
    Verdict.RIGHT,
    Verdict.PART,
    Verdict.REFUSED,
    Verdict.WRONG,
    Verdict.HELD,
    Verdict.ANSWERED,
    Verdict.MISSING,
)
TO_READ = (Verdict.WRONG, Verdict.MISSING, Verdict.REFUSED, Verdict.PART)


def by_command(command: str, cases: Path, jobs: int | None) -> Answers:
    """Answer cases with `COMMAND batch`."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.jsonl"
        words = [command, "batch", "--in", str(cases), "--out", str(results)]
        subprocess.run([*words, *(["--jobs", str(jobs)] if jobs else [])], check=True)
        return {answer["id"]: answer for answer in read_lines(results)}


def answered(options: argparse.Namespace, cases: Sequence[Case]) -> Answers:
    """Find or make the answers, as the options say."""
    if options.results is not None:
        return {answer["id"]: answer for answer in read_lines(options.results)}
    if options.command is not None:
        return by_command(options.command, options.cases, options.jobs)
    from engine import answers

    return {answer["id"]: answer for answer in answers(cases, options.jobs)}


def table(cases: Sequence[Case], verdicts: Mapping[str, Verdict], by: str) -> dict[str, Counter[Verdict]]:
    """Count verdicts by one key of the cases, and in all."""
    counts: dict[str, Counter[Verdict]] = defaultdict(Counter)
    for case in cases:
        for group in (str(case.get(by, "-")), "ALL"):
            counts[group][verdicts[case["id"]]] += 1
    return counts


def print_table(counts: Mapping[str, Counter[Verdict]], by: str) -> None:
    """Print the counts, the total last."""
    print(f"{by:24}" + "".join(f"{column:>10}" for column in ("cases", *COLUMNS)))
    for group in sorted(counts, key=lambda name: (name == "ALL", name)):
        row = counts[group]
        print(f"{group:24}" + "".join(f"{number:10}" for number in (row.total(), *(row[c] for c in COLUMNS))))


def print_times(answers: Answers) -> None:
    """Print the engine's own seconds."""
    timed = sorted((answer["seconds"], answer["id"]) for answer in answers.values() if "seconds" in answer)
    if timed:
        total, median = sum(seconds for seconds, _ in timed), timed[len(timed) // 2][0]
        worst, case_id = timed[-1]
        print(f"engine: {total:.3f} s in all, median {median * 1e3:.3f} ms, worst {worst * 1e3:.1f} ms ({case_id})")


def print_reasons(answer: Mapping[str, Any] | None) -> None:
    """Print what became of each block, the ones that need reading only."""
    if answer is None:
        print("      no answer")
        return
    if "error" in answer:
        print("      " + str(answer["error"]).strip().replace("\n", "\n      "))
        return
    for result in answer.get("results", ()):
        place = f"{result.get('path')}:{result.get('start')}"
        how = result.get("tier") or result.get("code") or ""
        print(f"      {result['n']:3} {result['status']:16} {how:16} {place}  {result.get('reason') or ''}")


def unread(answers: Answers) -> list[str]:
    """The cases that are stopped since a part of the reply is not read."""
    return [i for i, answer in answers.items() if any(r.get("code") == "unread" for r in answer.get("results", ()))]


def show(verdicts: Mapping[str, Verdict], answers: Answers, limit: int) -> None:
    """List the cases to read, the worst verdict first, each with its blocks' reasons."""
    for verdict in TO_READ:
        for case_id in [case_id for case_id, given in verdicts.items() if given is verdict][:limit]:
            print(f"{verdict:8} {case_id}")
            print_reasons(answers.get(case_id))


def difference(one: str | None, other: str | None, names: tuple[str, str]) -> str:
    """A unified diff of two texts; a carriage return shows, and a last newline as an empty last line."""
    left, right = ((text or "").replace("\r", "␍").split("\n") for text in (one, other))
    labels = [name + " (absent)" * (text is None) for name, text in zip(names, (one, other), strict=True)]
    left_name, right_name = labels
    return "\n".join(difflib.unified_diff(left, right, left_name, right_name, lineterm=""))


def print_case(case: Case, answer: Mapping[str, Any] | None, verdict: Verdict) -> None:
    """Print one case whole: its reply, its blocks' reasons, and truth against ours."""
    print(f"{case['id']}  {case.get('kind', '')}  {verdict}")
    print(case["reply"])
    print_reasons(answer)
    after = files_after(case, answer or {})
    for number, truth in enumerate(truths_of(case), start=1):
        print(f"== truth {number}")
        for path in sorted((set(truth) | set(after)) - set(case.get("ignore", ()))):
            print(f"-- {path}")
            print("   before → truth\n" + difference(case["files"].get(path), truth.get(path), ("before", "truth")))
            print("   truth → ours\n" + difference(truth.get(path), after.get(path), ("truth", "ours")))


def floor(text: str) -> tuple[str, int]:
    """Read ``group=count``."""
    group, _, count = text.rpartition("=")
    return group, int(count)


def missed(counts: Mapping[str, Counter[Verdict]], stopped: int, options: argparse.Namespace) -> list[str]:
    """Say which of the limits that were asked for are not kept; `stopped` are the cases with an unread part."""
    total = counts["ALL"]
    found = []
    if options.max_unread is not None and stopped > options.max_unread:
        found.append(f"{stopped} with an unread part, and at most {options.max_unread} may be.")
    if options.max_wrong is not None and total[Verdict.WRONG] > options.max_wrong:
        found.append(f"{total[Verdict.WRONG]} WRONG, and at most {options.max_wrong} may be.")
    if total[Verdict.MISSING]:
        found.append(f"{total[Verdict.MISSING]} without an answer.")
    for group, least in options.floor:
        right = counts[group][Verdict.RIGHT] if group in counts else 0
        if right < least:
            found.append(f"{group}: {right} right, and at least {least} must be.")
    return found


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Replay cases with a known truth through the engine.")
    parser.add_argument("cases", type=Path, help="JSON Lines of cases")
    parser.add_argument("--results", type=Path, help="judge these answers, and run nothing")
    parser.add_argument("--command", help="answer through COMMAND batch, and not in this process")
    parser.add_argument("--out", type=Path, help="write the answers here")
    parser.add_argument("--by", default="kind", help="the key of a case that groups the table")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="list up to N cases of each bad verdict")
    parser.add_argument("--diff", metavar="ID", help="show one case: truth against ours")
    parser.add_argument("--jobs", type=int, help="processes (all cores)")
    parser.add_argument("--max-wrong", type=int, metavar="N", help="fail where more are WRONG")
    parser.add_argument("--max-unread", type=int, metavar="N", help="fail where more have a part that is not read")
    parser.add_argument(
        "--floor", type=floor, action="append", default=[], metavar="GROUP=N", help="fail below N right"
    )
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Replay, print, and say whether the limits are kept."""
    options = arguments(argv)
    cases = [case for case in read_cases(options.cases) if options.diff in (None, case["id"])]
    if not cases:
        print("No such case." if options.diff else "No cases.", file=sys.stderr)
        return 2
    answers = answered(options, cases)
    verdicts = {case["id"]: judge(case, answers.get(case["id"])) for case in cases}
    if options.diff:
        print_case(cases[0], answers.get(options.diff), verdicts[options.diff])
        return 0
    if options.out:
        options.out.write_text("".join(json.dumps(answer) + "\n" for answer in answers.values()), encoding="utf-8")
    counts = table(cases, verdicts, options.by)
    print_table(counts, options.by)
    print_times(answers)
    stopped = unread(answers)
    print(f"stopped by an unread part: {len(stopped)}  {' '.join(stopped[: options.show])}".rstrip())
    show(verdicts, answers, options.show)
    failures = missed(counts, len(stopped), options)
    for failure in failures:
        print(f"replay: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
