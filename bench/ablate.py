"""Switches the engine's rules off, one after the other, and prints what each of them buys on cases with a known truth.

    python bench/ablate.py CASES.jsonl… [--generated 2000] [--only TEXT] [--ids 5] [--markdown]
    python bench/ablate.py CASES.jsonl… --functions dovetail.match     every function of a package in the place of rules

`rules.toml` lists the rules: a `name`, a `group`, the functions that hold it (`module:function`), and the `answer`
they give when the rule is off; or `data`, tables or patterns (`module:NAME`) that are emptied. A rule that is not in
the code any more is an error: the list is kept as the code is.

All cases are answered once with every rule on, and it is noted which functions each of them runs. A rule is then
switched off in a process of its own, in which only the cases that run it are answered again. A row says how the
verdicts change without the rule: `-3` under right says that the rule turns three cases right.

Verdicts are of files: a guard that only warns changes none. The last line names the rules that change no case.
"""
# ruff: noqa: S311 — seeded, so that a seed is a case

from __future__ import annotations

import argparse
import importlib
import inspect
import multiprocessing
import pkgutil
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from case_files import Case, read_cases
from engine import answer
from verdicts import Verdict, judge

RULES = Path(__file__).with_name("rules.toml")
COLUMNS = (Verdict.RIGHT, Verdict.WRONG, Verdict.REFUSED, Verdict.HELD, Verdict.PART, Verdict.ANSWERED)
ANSWERS: dict[str, Callable[..., Any]] = {
    "none": lambda *_, **__: None,
    "false": lambda *_, **__: False,
    "true": lambda *_, **__: True,
    "empty": lambda *_, **__: (),
    "empty mapping": lambda *_, **__: {},
    "zero": lambda *_, **__: 0,
    "nothing": lambda *_, **__: iter(()),
    "first": lambda *values, **__: values[0],
    "second": lambda *values, **__: values[1],
    "error": lambda *_, **__: (_ for _ in ()).throw(RuntimeError("switched off")),
}
NEVER = re.compile(r"(?!)")
Judged = list[tuple[str, Verdict]]


@dataclass(frozen=True, slots=True)
class Rule:
    """Functions that answer something fixed while the rule is off, and data that is empty then."""

    name: str
    group: str
    functions: tuple[str, ...] = ()
    answer: str = "none"
    data: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Effect:
    """What changes where a rule is off: how many cases ran it, and each case whose verdict differs."""

    rule: Rule
    ran: int
    changed: tuple[tuple[str, Verdict, Verdict], ...]

    def moved(self, column: Verdict) -> int:
        """How many more cases come to a verdict without the rule."""
        return sum((now is column) - (was is column) for _, was, now in self.changed)


def listed_rules() -> list[Rule]:
    """Read `rules.toml`."""
    stated = tomllib.loads(RULES.read_text(encoding="utf-8"))["rule"]
    return [
        Rule(
            rule["name"],
            rule["group"],
            tuple(rule.get("functions", ())),
            rule.get("answer", "none"),
            tuple(rule.get("data", ())),
        )
        for rule in stated
    ]


def function_rules(package: str) -> list[Rule]:
    """Every function of a package, off in each way that its annotated result allows."""
    found = []
    for module in modules_of(package):
        for qualified, function in functions_of(module):
            returns = str(inspect.get_annotations(function).get("return", ""))
            answers = ("false", "true") if returns == "bool" else ("none",) if "None" in returns else ()
            name = f"{module.__name__}:{qualified}"
            found += [Rule(f"{name} = {answer}", module.__name__, (name,), answer) for answer in answers]
    return found


def modules_of(package: str) -> list[ModuleType]:
    """Import a package and all that is in it."""
    root = importlib.import_module(package)
    names = [found.name for found in pkgutil.walk_packages(getattr(root, "__path__", ()), f"{package}.")]
    return [root, *(importlib.import_module(name) for name in names if not name.endswith("__main__"))]


def functions_of(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    """The functions and methods that a module defines, with their qualified names."""
    for value in list(vars(module).values()):
        for part in [value, *(vars(value).values() if inspect.isclass(value) else ())]:
            plain = inspect.unwrap(getattr(part, "func", getattr(part, "fget", part)))
            if inspect.isfunction(plain) and plain.__module__ == module.__name__:
                yield plain.__qualname__, plain


def function_named(name: str) -> FunctionType:
    """The function of ``module:qualified.name``. Raises `SystemExit` where there is none."""
    module, _, qualified = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in qualified.split("."):
        found = inspect.getattr_static(found, part, None)
    plain = inspect.unwrap(getattr(found, "func", getattr(found, "fget", found)))
    if not inspect.isfunction(plain):
        raise SystemExit(f"ablate: rules.toml names {name}, which is no function.")
    return plain


def switch_off(rule: Rule) -> None:
    """Switch a rule off in this process, for good."""
    for name in rule.functions:
        function = function_named(name)
        off = ANSWERS[rule.answer].__code__
        if function.__code__.co_freevars:
            raise SystemExit(f"ablate: {name} is a closure and cannot be switched off.")
        function.__code__ = off
        function.__kwdefaults__ = None
    for name in rule.data:
        module, _, attribute = name.partition(":")
        value = getattr(importlib.import_module(module), attribute)
        empty = NEVER if isinstance(value, re.Pattern) else type(value)()
        for other in [other for key, other in sys.modules.items() if key.startswith("dovetail")]:
            for known in [known for known, held in vars(other).items() if held is value]:
                setattr(other, known, empty)


# What the processes share: they are forked once the cases are read.
_CASES: list[Case] = []
_WATCHED: dict[CodeType, str] = {}


def _judge_watched(number: int) -> tuple[str, Verdict, frozenset[str]]:
    """Answer a case with every rule on, and note which of the watched functions run."""
    ran: set[str] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and (name := _WATCHED.get(frame.f_code)) is not None:
            ran.add(name)

    case = _CASES[number]
    sys.setprofile(watch)
    try:
        answered = answer(case)
    finally:
        sys.setprofile(None)
    return case["id"], judge(case, answered), frozenset(ran)


def _judge_without(task: tuple[Rule, Sequence[int]]) -> Judged:
    """Answer cases with a rule off; runs in a process that ends afterwards."""
    rule, numbers = task
    switch_off(rule)
    return [(_CASES[number]["id"], judge(_CASES[number], answer(_CASES[number]))) for number in numbers]


def effects(rules: Sequence[Rule], jobs: int) -> Iterator[Effect]:
    """Judge every case with all rules on, print the totals, then switch off one rule after the other."""
    for rule in rules:
        for name in rule.functions:
            _WATCHED[function_named(name).__code__] = name
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, fork) as pool:
        watched = list(pool.map(_judge_watched, range(len(_CASES)), chunksize=32))
    verdicts = {case_id: verdict for case_id, verdict, _ in watched}
    totals = Counter(verdicts.values())
    print(f"{len(_CASES)} cases, every rule on: " + ", ".join(f"{totals[column]} {column}" for column in COLUMNS))
    touched = {
        rule: [n for n, (_, _, ran) in enumerate(watched) if rule.data or not ran.isdisjoint(rule.functions)]
        for rule in rules
    }
    with fork.Pool(jobs, maxtasksperchild=1) as processes:
        tasks = [(rule, touched[rule]) for rule in rules]
        for rule, judged in zip(rules, processes.imap(_judge_without, tasks, chunksize=1), strict=True):
            changed = tuple((i, verdicts[i], now) for i, now in judged if now is not verdicts[i])
            yield Effect(rule, len(judged), changed)


def generated(number: int) -> Iterator[Case]:
    """Make cases as `fuzz` does: every kind and style in turn."""
    from fuzz import KINDS, STYLES

    made, seed = 0, 1
    while made < number:
        for kind, make in KINDS.items():
            for style in STYLES:
                case = make(style, Random(f"{kind}/{style}/{seed}"))
                if case is None or made == number:
                    continue
                made += 1
                yield {
                    "id": f"generated {kind}/{style}/{seed}",
                    "kind": "generated",
                    "files": {case.path: case.text},
                    "reply": case.reply,
                    "truths": [{case.path: case.truth}],
                }
        seed += 1


def print_effects(found: Sequence[Effect], ids: int, *, markdown: bool) -> None:
    """Print a row for each rule, the ones that change nothing last."""
    head = ("rule", "group", "cases run", *map(str, COLUMNS))
    rows = [head] + [
        (
            effect.rule.name,
            effect.rule.group,
            str(effect.ran),
            *(f"{moved:+d}" if (moved := effect.moved(c)) else "" for c in COLUMNS),
        )
        for effect in found
    ]
    if markdown:
        rows.insert(1, ("---",) * len(head))
        print("\n".join(f"| {' | '.join(row)} |" for row in rows))
        return
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    for number, row in enumerate(rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        if number and ids:
            for case_id, was, now in found[number - 1].changed[:ids]:
                print(f"    {was} → {now}  {case_id}")


def main(argv: Sequence[str] | None = None) -> int:
    """Ablate and print the table."""
    parser = argparse.ArgumentParser(description="Switch the engine's rules off, one after the other.")
    parser.add_argument("cases", type=Path, nargs="*", help="JSON Lines of cases, in any shape that case_files reads")
    parser.add_argument("--generated", type=int, default=0, metavar="N", help="add N generated cases")
    parser.add_argument("--only", default="", metavar="TEXT", help="only rules whose name or group holds TEXT")
    parser.add_argument("--functions", metavar="PACKAGE", help="every function of a package in the place of rules")
    parser.add_argument("--ids", type=int, default=0, metavar="N", help="show up to N changed cases of each rule")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args(argv)
    for path in options.cases:
        _CASES.extend({**case, "id": f"{path.stem} {case['id']}"} for case in read_cases(path))
    _CASES.extend(generated(options.generated))
    if not _CASES:
        print("ablate: no cases.", file=sys.stderr)
        return 2
    rules = function_rules(options.functions) if options.functions else listed_rules()
    rules = [rule for rule in rules if options.only in f"{rule.name} {rule.group}"]
    found = sorted(effects(rules, options.jobs), key=lambda effect: -len(effect.changed))
    print_effects(found, options.ids, markdown=options.markdown)
    idle = [effect.rule.name for effect in found if not effect.changed]
    if idle:
        print(f"\n{len(idle)} change nothing: {', '.join(idle)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
