"""Fuzzes landing: random edits, misquoted as models misquote, must land where they belong or be refused.

    python bench/fuzz.py [--seconds 60] [--seed 1] [--only TEXT] [--style python] [--format diff] [--show 3]
    python bench/fuzz.py --versions OLD NEW [...]     edits that turn one folder of yours into the other
    python bench/fuzz.py --twice [...]                replies that landed, once more in the file that they made

Every case comes from its own seed, which the report names: `--seed N --cases 1 --only KIND --style STYLE` runs one
again. A case is right, or refused, or WRONG; of twins (the place is gone, something like it is there) only a refusal
is right. The second time, a reply is right where all of it is already applied, and WRONG where the file changes.
Prints the rates per kind. Exit status: 1 where anything is WRONG or raises; else 0.
"""
# ruff: noqa: S311 — seeded, so that a seed is a case

from __future__ import annotations

import argparse
import difflib
import itertools
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from random import Random

import versions
from chains import ALL_MISQUOTED, CHAINS, IN_ANY_ORDER, ONE_AFTER_ANOTHER, Chain, misquoted
from code_samples import STYLES
from dovetail.formats import parse, render
from dovetail.model.codes import ALL_TIERS, Status
from dovetail.model.errors import RenderError
from dovetail.model.language import Language
from dovetail.model.policy import Policy
from dovetail.model.results import Plan
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan
from edits import Scenario, only_moves, scenario
from kept_lines import DISAGREEMENTS
from misquotes import MISQUOTES, strayed
from stale import place_cut_out, quoted_from_older
from twins import TWINS, copy, sibling, twin

Case = Scenario | Chain
Source = Callable[[str, Random], Scenario | None]
Change = Callable[[Scenario, Random], Scenario | None]
Make = Callable[[str, Random], Case | None]

POLICY = Policy(tiers=ALL_TIERS)  # all of them for all formats
OF_DEPTH = ("indentation shifted", "indentation clamped", "tabs and spaces", "two at once")
OLDER, CUT_OUT = "an older text quoted", "twin: its place cut out"
COLUMNS = ("right", "refused", "WRONG", "raised")


@dataclass(frozen=True, slots=True)
class Found:
    """One case and what became of it."""

    kind: str
    style: str
    seed: int
    column: str
    case: Case
    reply: str
    after: str = ""
    said: str = ""
    tier: str = ""


@cache
def language() -> Language:
    """The languages, loaded once."""
    from dovetail.syntax import default_language

    return default_language()


def kinds_of(source: Source) -> dict[str, Make]:
    """Makers of edits misquoted in one way, and of files in which only a twin stands."""

    def of(make: Change, style: str, rng: Random) -> Scenario | None:
        case = source(style, rng)
        return None if case is None else make(case, rng)

    return {
        **{kind: partial(of, partial(_misquoted, kind=kind)) for kind in MISQUOTES},
        **{f"twin: {kind}": partial(of, partial(twin, kind=kind)) for kind in TWINS},
        "twin: copy right behind": partial(of, copy),
        **{kind: partial(of, partial(_disagreeing, kind=kind)) for kind in DISAGREEMENTS},
    }


def _misquoted(case: Scenario, rng: Random, kind: str) -> Scenario | None:
    quoted = MISQUOTES[kind](case, rng)
    return None if quoted is None or strayed(case, quoted) else quoted


def _disagreeing(case: Scenario, rng: Random, kind: str) -> Scenario | None:
    quoted = DISAGREEMENTS[kind](case, rng)
    return None if quoted is None or quoted.replace in quoted.text or strayed(case, quoted) else quoted


KINDS: dict[str, Make] = {**kinds_of(scenario), "twin: sibling": sibling, **CHAINS}


def between_versions(old: Path, new: Path) -> dict[str, Make]:
    """The kinds of edits that turn one folder into the other; none of those that leave open what is right.

    Those are depths where an edit has tabs and spaces, and a twin that has another like it in its file.
    """
    found = versions.pairs(old, new)
    if not found:
        raise SystemExit(f"No text file with line feeds stands in both {old} and {new} and differs.")

    def source(_style: str, rng: Random) -> Scenario | None:
        return versions.scenario(found, rng)

    def even(style: str, rng: Random) -> Scenario | None:
        case = source(style, rng)
        return None if case is None or versions.mixes(case.edit) else case

    def lone(make: Make, style: str, rng: Random) -> Case | None:
        case = make(style, rng)
        return None if not isinstance(case, Scenario) or versions.stands(case, case.text) else case

    def one_after_another(_style: str, rng: Random) -> Chain | None:
        return versions.one_after_another(found, rng)

    def even_ones(style: str, rng: Random) -> Chain | None:
        chain = one_after_another(style, rng)
        return None if chain is None or any(map(versions.mixes, chain.edits)) else chain

    makes, of_depth = kinds_of(source), kinds_of(even)
    return {
        **makes,
        **{kind: of_depth[kind] for kind in OF_DEPTH},
        **{f"twin: {kind}": partial(lone, makes[f"twin: {kind}"]) for kind in TWINS},
        OLDER: lambda _, rng: quoted_from_older(found, rng),
        CUT_OUT: lambda _, rng: place_cut_out(found, rng),
        IN_ANY_ORDER: lambda _, rng: versions.apart(found, rng),
        ONE_AFTER_ANOTHER: one_after_another,
        ALL_MISQUOTED: partial(misquoted, even_ones),
    }


def landed(case: Case, reply: str | None = None) -> Plan:
    """Plan the reply of a case, or another that says the same."""
    return plan(parse(reply or case.reply), Snapshot.of({case.path: case.text}), POLICY, language())


def said_in(format: str, case: Case) -> str | None:  # noqa: A002
    """The reply of a case in another format; None where that cannot say it."""
    try:
        return render(parse(case.reply).blocks, format)
    except RenderError:
        return None


def run(make: Make, kind: str, style: str, seed: int, format: str = "diff") -> Found | None:  # noqa: A002
    """Make the case of a seed and judge what the engine does with it.

    None where the kind has nothing to bite on, or the format cannot say it.
    """
    case = make(style, Random(f"{kind}/{style}/{seed}"))
    reply = None if case is None else said_in(format, case)
    if case is None or reply is None:
        return None
    return _judged(Found(kind, style, seed, "", case, reply), lambda done, after: verdict(case, done, after))


def again(once: Found) -> Found | None:
    """What the same reply does in the file that it made; None where it did not land, or nobody can tell that it did."""
    edits = (once.case.edit,) if isinstance(once.case, Scenario) else once.case.edits
    if once.column != "right" or any(map(only_moves, edits)):
        return None
    case = replace(once.case, text=once.after, truth=once.after)
    return _judged(replace(once, case=case), lambda done, after: second_verdict(case, done, after))


def _judged(found: Found, judge: Callable[[Plan, str | None], str]) -> Found:
    """A case with what became of it."""
    try:
        done = landed(found.case, found.reply)
    except Exception:  # whatever the engine raises is a finding about this case, not the end of the run
        return replace(found, column="raised", said=traceback.format_exc(limit=-4))
    after = {change.path: change.after for change in done.changes}.get(found.case.path, found.case.text)
    said = "\n".join(f"{r.status} {r.tier or r.code}: {r.reason or ''}" for r in done.results) or "no block"
    tier = next((str(r.tier) for r in done.results if r.tier is not None), "")
    return replace(found, column=judge(done, after), after=after or "", said=said, tier=tier)


def verdict(case: Case, done: Plan, after: str | None) -> str:
    """Right, refused, or WRONG. A twin is refused, never right; and no edit stands already whose change is to come."""
    if after == case.truth != case.text:
        return "right"
    stands = any(result.status is Status.STANDS_ALREADY and result.code is None for result in done.results)
    return "refused" if after == case.text and not stands else "WRONG"


def second_verdict(case: Case, done: Plan, after: str | None) -> str:
    """Right where all is already applied; WRONG where a reply changes what it made itself."""
    if after != case.text:
        return "WRONG"
    return "refused" if done.failed else "right"


def found(options: argparse.Namespace) -> Iterator[Found]:
    """Cases until the time or their number is up, kinds and styles in turn."""
    until = time.monotonic() + options.seconds
    makes = between_versions(*options.versions) if options.versions else KINDS
    kinds = [kind for kind in makes if options.only in kind]
    styles = [""] if options.versions else [style for style in STYLES if options.style in (None, style)]
    for number in itertools.count(options.seed):
        for kind, style in itertools.product(kinds, styles):
            result = run(makes[kind], kind, style, number, options.format)
            if result is not None and options.twice:
                result = again(result)
            if result is not None:
                yield result
        if time.monotonic() > until or (options.cases and number + 1 - options.seed >= options.cases):
            return


def print_found(result: Found, head: str) -> None:
    """One finding: its reply, what was said, and truth against ours."""
    style = f" --style {result.style}" if result.style else ""
    print(f"\n{head} {result.kind!r}{style} --seed {result.seed}: {result.said}")
    print(result.reply)
    print("-- before → truth")
    print(difference(result.case.text, result.case.truth))
    if result.column == "WRONG":
        print("-- truth → ours")
        print(difference(result.case.truth, result.after))


def difference(one: str, other: str) -> str:
    """A unified diff."""
    return "\n".join(difflib.unified_diff(one.split("\n"), other.split("\n"), lineterm="", n=2))


def main(argv: Sequence[str] | None = None) -> int:
    """Fuzz, print the rates, and say whether anything went wrong."""
    parser = argparse.ArgumentParser(description="Fuzz the landing of misquoted edits.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=0, help="stop after so many seeds")
    parser.add_argument("--only", default="", metavar="TEXT", help="only kinds that hold TEXT")
    parser.add_argument("--style", choices=STYLES)
    parser.add_argument("--versions", nargs=2, type=Path, metavar=("OLD", "NEW"), help="edit OLD as NEW does")
    parser.add_argument("--twice", action="store_true", help="apply what landed once more")
    parser.add_argument("--format", default="diff", help="the format in which the reply says its edits")
    parser.add_argument("--show", type=int, default=3, metavar="N", help="show up to N findings of each kind")
    parser.add_argument("--refused", action="store_true", help="show refusals of misquotes too")
    options = parser.parse_args(argv)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    tiers: dict[str, Counter[str]] = defaultdict(Counter)
    shown: Counter[tuple[str, str]] = Counter()
    for result in found(options):
        counts[result.kind][result.column] += 1
        counts["ALL"][result.column] += 1
        if result.column == "right":
            tiers[result.kind][result.tier] += 1
        worth_it = result.column in ("WRONG", "raised") or (options.refused and result.column == "refused")
        shown[result.kind, result.column] += worth_it
        if worth_it and shown[result.kind, result.column] <= options.show:
            print_found(result, result.column)
    print(f"\n{'misquote':32}" + "".join(f"{column:>9}" for column in ("cases", *COLUMNS)) + "  landed at")
    for kind in [*(kind for kind in (*KINDS, OLDER, CUT_OUT) if kind in counts), "ALL"]:
        row = counts[kind]
        cells = "".join(f"{number:9}" for number in (row.total(), *(row[column] for column in COLUMNS)))
        print(f"{kind:32}{cells}  " + ", ".join(f"{tier} {count}" for tier, count in tiers[kind].most_common(4)))
    return 1 if counts["ALL"]["WRONG"] or counts["ALL"]["raised"] else 0


if __name__ == "__main__":
    sys.exit(main())
