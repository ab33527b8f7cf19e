"""Runs what peers recorded of their own behaviour through Dovetail's public rooms, and lists where it differs.

    python bench/peer_cases.py DIR [--open] [--case KEY] [--max-open N]

`DIR` holds `*.jsonl` of recorded cases: `peer`, `kind`, `name` or `test`, the kind's own inputs, and `expect`. Files
of plain cases with a known truth (no `kind`) are `replay.py`'s and are passed over. A case agrees, or Dovetail
decides otherwise for a reason that `decided_otherwise.toml` gives by name, or it is open.

Exit status: 1 where more is open than `--max-open` allows, or a decision is stale; else 0.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import peer_find
import peer_land
import peer_read
from case_files import read_lines
from peer_engine import Comparison

ADAPTERS = {**peer_read.ADAPTERS, **peer_land.ADAPTERS, **peer_find.ADAPTERS}
DECISIONS = Path(__file__).with_name("decided_otherwise.toml")
COLUMNS = ("agrees", "decided", "open", "fails")
SHOWN = 400


@dataclass(frozen=True, slots=True)
class Finding:
    """One case and what it came to: a column of the table."""

    key: str
    peer: str
    kind: str
    column: str
    comparison: Comparison | None = None
    reason: str = ""


def recorded(folder: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every recorded case with its key: peer, kind, test, and a number where a test has several."""
    seen: Counter[str] = Counter()
    for path in sorted(folder.glob("*.jsonl")):
        for case in read_lines(path):
            if "kind" in case and "peer" in case:
                key = f"{case['peer']}/{case['kind']}/{case.get('test') or case.get('name')}"
                seen[key] += 1
                yield key if seen[key] == 1 else f"{key} #{seen[key]}", case


def decisions() -> dict[str, str]:
    """Case keys, each with the name of the reason for which Dovetail decides otherwise."""
    table = tomllib.loads(DECISIONS.read_text(encoding="utf-8")) if DECISIONS.exists() else {}
    return {key: reason for reason, entry in table.items() for key in entry["cases"]}


def examined(key: str, case: Mapping[str, Any], decided: Mapping[str, str]) -> Finding:
    """Run one case."""
    where = (key, case["peer"], case["kind"])
    try:
        comparison = ADAPTERS[case["kind"]](case)
    except Exception:  # whatever the engine raises is a finding about this case, not the end of the run
        return Finding(*where, "fails", reason=traceback.format_exc(limit=-4))
    if comparison.agrees:
        return Finding(*where, "agrees", comparison)
    return Finding(*where, "decided" if key in decided else "open", comparison, decided.get(key, ""))


def print_table(findings: Sequence[Finding]) -> None:
    """Counts per peer and kind, the total last."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for finding in findings:
        counts[finding.peer, finding.kind][finding.column] += 1
        counts["~", "ALL"][finding.column] += 1
    print(f"{'peer':14}{'kind':20}" + "".join(f"{column:>9}" for column in ("cases", *COLUMNS)))
    for (peer, kind), row in sorted(counts.items()):
        name = "" if peer == "~" else peer
        print(f"{name:14}{kind:20}" + "".join(f"{number:9}" for number in (row.total(), *(row[c] for c in COLUMNS))))


def shown(value: object, *, full: bool) -> str:
    """A value on one line, cut."""
    text = repr(value)
    return text if full or len(text) <= SHOWN else text[:SHOWN] + f"… ({len(text)} characters)"


def print_finding(finding: Finding, *, full: bool = False) -> None:
    """One disagreement: what they expect, what Dovetail gives and says."""
    print(f"\n{finding.column:8} {finding.key}" + (f"  [{finding.reason}]" if finding.column == "decided" else ""))
    if finding.comparison is None:
        print("  " + finding.reason.strip().replace("\n", "\n  "))
        return
    print("  they: " + shown(finding.comparison.expected, full=full))
    print("  ours: " + shown(finding.comparison.got, full=full))
    if finding.comparison.said:
        print("  said: " + finding.comparison.said.replace("\n", "\n        "))


def stale(findings: Sequence[Finding], decided: Mapping[str, str]) -> list[str]:
    """Decisions about cases that agree by now."""
    return [f.key for f in findings if f.key in decided and f.column == "agrees"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run every recorded case and print where Dovetail differs."""
    parser = argparse.ArgumentParser(description="Run the cases that peers recorded of their own behaviour.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--open", action="store_true", help="leave out the cases that are decided")
    parser.add_argument("--case", metavar="TEXT", help="only cases whose key holds TEXT, in full")
    parser.add_argument("--quiet", action="store_true", help="print the table alone")
    parser.add_argument("--max-open", type=int, metavar="N", help="fail where more are open or fail")
    options = parser.parse_args(argv)
    decided = decisions()
    wanted = [(key, case) for key, case in recorded(options.folder) if (options.case or "") in key]
    findings = [examined(key, case, decided) for key, case in wanted]
    hidden = ("agrees", "decided") if options.open else ("agrees",)
    for finding in findings:
        if options.case or (finding.column not in hidden and not options.quiet):
            print_finding(finding, full=bool(options.case))
    print_table(findings)
    unsettled = sum(finding.column in ("open", "fails") for finding in findings)
    outdated = stale(findings, decided)
    for key in outdated:
        print(f"peer_cases: {key} agrees by now; take its decision out.", file=sys.stderr)
    too_many = options.max_open is not None and unsettled > options.max_open
    if too_many:
        print(f"peer_cases: {unsettled} open, and at most {options.max_open} may be.", file=sys.stderr)
    return 1 if too_many or outdated else 0


if __name__ == "__main__":
    sys.exit(main())
