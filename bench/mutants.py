"""Changes the engine's code in small ways, one at a time, and says which changes no test of the package notices.

    python bench/mutants.py [--seed 1] [--count 100] [--only plan] [--seconds 120]

A mutant turns a comparison around (`<` for `<=`, `in` for `not in`) or drops a statement, inside a function of `plan`,
`match`, `formats`, `guards` or `workspace`. It is caught if a golden case fails (of the package whole, twice and with
CRLF, of the others whole), or a test in `tests/PACKAGE`, or if these use more processor time than `--seconds`. What
survives is printed with its line, to be read: some mutants change nothing that anybody can see, and processes that a
test starts run the code without the change.

The tests are collected once, and run once without a change: they must pass, and which of them call which function is
written down. Each mutant is a fork of that process, in which the functions of the module get the code of the changed
source. It costs what the tests that call its function take until the first fails.
"""
# ruff: noqa: S311 — seeded, so that a seed is a list of mutants

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import json
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import CodeType, FunctionType, ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("plan", "match", "formats", "guards", "workspace")
TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
Function = tuple[str, int]
"""The file of a function and its first line, as its code names them."""


@dataclass(frozen=True)
class Mutant:
    """A change: the `number`-th node of the module's tree, as `ast.walk` gives them, is turned around or dropped."""

    path: Path
    line: int
    number: int

    @property
    def module(self) -> str:
        """The module's dotted name."""
        return ".".join(self.path.relative_to(ROOT / "src").with_suffix("").parts)

    def __str__(self) -> str:
        node = list(ast.walk(ast.parse(self.path.read_text(encoding="utf-8"))))[self.number]
        act = "turned" if isinstance(node, ast.Compare) else "dropped"
        return f"{self.path.relative_to(ROOT)}:{self.line}: {act} `{ast.unparse(node)}`"

    def code(self) -> CodeType:
        """The module's code with the change."""
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        node = list(ast.walk(tree))[self.number]
        if isinstance(node, ast.Compare):
            node.ops = [TURNED[type(node.ops[0])]()]
        else:
            for parent in ast.walk(tree):
                for block in (getattr(parent, name, None) for name in ("body", "orelse", "finalbody")):
                    if isinstance(block, list) and node in block:
                        # never run, but there: code that names no `super()` any more would not fit its function
                        block[block.index(node)] = ast.If(ast.Constant(False), [node], [])
        return compile(ast.fix_missing_locations(tree), str(self.path), "exec")

    def functions(self) -> set[Function]:
        """The functions around the change, the inner and the outer."""
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        found = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
        around = (node for node in found if node.lineno <= self.line <= (node.end_lineno or node.lineno))
        return {(str(self.path), min(part.lineno for part in (node, *node.decorator_list))) for node in around}


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every change of a module: comparisons of two values, and statements that can go, in functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    numbers = {node: number for number, node in enumerate(ast.walk(tree))}
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    inside = {node for function in functions for part in function.body for node in ast.walk(part)}
    for node in sorted(inside, key=numbers.__getitem__):
        turns = isinstance(node, ast.Compare) and len(node.ops) == 1
        drops = isinstance(node, ast.AugAssign | ast.Continue | ast.Break) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        )
        if turns or drops:
            yield Mutant(path, node.lineno, numbers[node])


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and all inside it."""
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from codes(const)


def functions_of(module: ModuleType) -> Iterator[FunctionType]:
    """The functions and methods that a module defines, below whatever wraps them."""
    homes = [module, *(value for value in vars(module).values() if inspect.isclass(value))]
    for home in homes:
        for value in list(vars(home).values()):
            parts = (value.fget, value.fset) if isinstance(value, property) else (getattr(value, "func", value),)
            for part in parts:
                found = inspect.unwrap(getattr(part, "__func__", part)) if part is not None else None
                if isinstance(found, FunctionType) and found.__module__ == module.__name__:
                    yield found


def put_in(mutant: Mutant) -> None:
    """Give the functions of the mutant's module the changed code, wherever else they are known by now."""
    changed = {(code.co_qualname, code.co_firstlineno): code for code in codes(mutant.code())}
    for function in functions_of(importlib.import_module(mutant.module)):
        code = changed.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
        if code is not None and code.co_freevars == function.__code__.co_freevars:
            function.__code__ = code


class Runner:
    """Takes the place of pytest's loop over the tests of one package: once for each mutant, in a fork."""

    def __init__(self, package: str, mutants: list[Mutant], seconds: int) -> None:
        self.package, self.mutants, self.seconds = package, mutants, seconds
        self.survived: list[Mutant] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Begin with the golden cases, those of the package first; of the others their plainest proof is enough."""
        golden = [item for item in items if "test_cases.py" in item.nodeid]
        own = [item for item in golden if f"[{self.package}/" in item.nodeid]
        others = [item for item in golden if item not in own and "test_whole[" in item.nodeid]
        proofs = [item for proof in ("whole", "twice", "crlf_files") for item in own if f"test_{proof}[" in item.nodeid]
        items[:] = [*proofs, *others, *(item for item in items if "test_cases.py" not in item.nodeid)]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests as they are, which must pass, then those that call a mutant's function until one fails."""
        called = self._called(session)
        for n, mutant in enumerate(self.mutants, 1):
            around = mutant.functions()
            concerned = [item for item, functions in zip(session.items, called, strict=True) if functions & around]
            caught = self._fails(session, concerned, mutant)
            self.survived += [] if caught else [mutant]
            told = f"{'caught' if caught else 'SURVIVED'} by {len(concerned)} tests"
            print(f"{self.package} {n}/{len(self.mutants)} {told}: {mutant}", flush=True)
        return True

    def _called(self, session: pytest.Session) -> list[set[Function]]:
        """The functions of the package that each test calls. Raises `UsageError` if a test fails."""
        home = str(ROOT / "src/dovetail" / self.package)
        reads, writes = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reads)
            self._be_silent()
            with os.fdopen(writes, "w") as told:
                for item, following in _with_next(session.items):
                    seen: set[CodeType] = set()
                    note: Callable[..., None] = lambda frame, *_, seen=seen: seen.add(frame.f_code)  # noqa: E731
                    threading.setprofile(note)
                    sys.setprofile(note)
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                    sys.setprofile(None)
                    threading.setprofile(None)
                    if session.testsfailed:
                        os._exit(1)
                    functions = sorted(
                        {(c.co_filename, c.co_firstlineno) for c in seen if c.co_filename.startswith(home)}
                    )
                    told.write(json.dumps(functions) + "\n")
            os._exit(0)
        os.close(writes)
        with os.fdopen(reads) as told:
            called = [{(path, line) for path, line in json.loads(row)} for row in told]
        if os.waitpid(child, 0)[1] != 0:
            raise pytest.UsageError(f"{session.items[len(called)].nodeid} fails without any change")
        return called

    def _fails(self, session: pytest.Session, items: list[pytest.Item], mutant: Mutant) -> bool:
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds))
            self._be_silent()
            put_in(mutant)
            for item, following in _with_next(items):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.testsfailed:
                    os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        return status != 0

    def _be_silent(self) -> None:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)


def _with_next(items: list[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    return zip(items, [*items[1:], None], strict=True) if items else iter(())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", choices=PACKAGES)
    parser.add_argument("--seconds", type=int, default=120)
    options = parser.parse_args()
    if options.only is None:  # pytest runs once in a process, so each package has its own
        asked = ["--seed", str(options.seed), "--count", str(options.count), "--seconds", str(options.seconds)]
        runs = [subprocess.run([sys.executable, __file__, *asked, "--only", one], check=False) for one in PACKAGES]
        sys.exit(max(run.returncode for run in runs))
    every = [
        m
        for name in PACKAGES
        for path in sorted((ROOT / f"src/dovetail/{name}").rglob("*.py"))
        for m in mutants_of(path)
    ]
    chosen = Random(options.seed).sample(every, options.count)
    os.chdir(ROOT)
    mutants = [mutant for mutant in chosen if mutant.path.is_relative_to(ROOT / "src/dovetail" / options.only)]
    runner = Runner(options.only, mutants, options.seconds)
    # -s: what is printed goes straight out, since a fork would repeat what a capture holds
    arguments = ["-q", "-s", "--assert=plain", "-o", "addopts="]
    arguments += [part for name in ("xdist", "anyio", "cacheprovider") for part in ("-p", f"no:{name}")]
    arguments += [f"tests/{options.only}", "tests/test_cases.py"]
    if pytest.main(arguments, plugins=[runner]) != pytest.ExitCode.OK:
        sys.exit(f"the tests of {options.only} cannot be run as they are")
    caught = len(mutants) - len(runner.survived)
    print(f"\n{options.only}: {caught} of {len(mutants)} mutants caught (seed {options.seed})")
    for mutant in runner.survived:
        print(mutant)


if __name__ == "__main__":
    sys.exit(main())
