"""Changes the engine's code in small ways, one at a time, and says which changes no test of the package notices.

    python bench/mutants.py [--seed 1] [--count 100] [--only plan] [--seconds 120] [--green]

A mutant turns a comparison around (`<` for `<=`, `in` for `not in`) or drops a statement, inside a function of `plan`,
`match`, `formats`, `guards` or `workspace`. It is caught if a golden case fails (of the package whole, twice and with
CRLF, of the others whole), or a test in `tests/PACKAGE`, or if these use more processor time than `--seconds`. What
survives is printed with its line, to be read: some mutants change nothing that anybody can see.

The tests must pass without a change; that they do is tried first, unless `--green` says so. They are collected once.
Each mutant is a fork of that process, in which the functions of the module get the code of the changed source; so a
mutant costs what its tests take until the first fails.
"""
# ruff: noqa: S311 — seeded, so that a seed is a list of mutants

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import os
import resource
import sys
from collections.abc import Iterator
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
                        block[block.index(node)] = ast.copy_location(ast.Pass(), node)
        return compile(tree, str(self.path), "exec")


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

    def __init__(self, package: str, mutants: list[Mutant], seconds: int, *, green: bool) -> None:
        self.package, self.mutants, self.seconds, self.green = package, mutants, seconds, green
        self.survived: list[Mutant] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Begin with the golden cases, those of the package first; of the others their plainest proof is enough."""
        golden = [item for item in items if "test_cases.py" in item.nodeid]
        own = [item for item in golden if f"[{self.package}/" in item.nodeid]
        others = [item for item in golden if item not in own and "test_whole[" in item.nodeid]
        proofs = [item for proof in ("whole", "twice", "crlf_files") for item in own if f"test_{proof}[" in item.nodeid]
        items[:] = [*proofs, *others, *(item for item in items if "test_cases.py" not in item.nodeid)]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests as they are, which must pass, then on each mutant until one fails."""
        if not self.green and self._fails(session, None):
            raise pytest.UsageError(f"the tests of {self.package} fail without any change")
        for n, mutant in enumerate(self.mutants, 1):
            caught = self._fails(session, mutant)
            self.survived += [] if caught else [mutant]
            print(f"{self.package} {n}/{len(self.mutants)} {'caught' if caught else 'SURVIVED'} {mutant}", flush=True)
        return True

    def _fails(self, session: pytest.Session, mutant: Mutant | None) -> bool:
        child = os.fork()
        if child == 0:
            self._try(session, mutant)
        _, status = os.waitpid(child, 0)
        return status != 0

    def _try(self, session: pytest.Session, mutant: Mutant | None) -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds))
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        if mutant is not None:
            put_in(mutant)
        for item, following in zip(session.items, [*session.items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                os._exit(1)
        os._exit(0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", choices=PACKAGES, action="append")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--green", action="store_true")
    options = parser.parse_args()
    every = [
        m
        for name in PACKAGES
        for path in sorted((ROOT / f"src/dovetail/{name}").rglob("*.py"))
        for m in mutants_of(path)
    ]
    chosen = Random(options.seed).sample(every, options.count)
    os.chdir(ROOT)
    survived: list[Mutant] = []
    tried = 0
    for package in options.only or PACKAGES:
        mutants = [mutant for mutant in chosen if mutant.path.is_relative_to(ROOT / "src/dovetail" / package)]
        runner = Runner(package, mutants, options.seconds, green=options.green)
        # -s: what is printed goes straight out, since a fork would repeat what a capture holds
        arguments = ["-q", "-s", "-p", "no:xdist", "-p", "no:anyio", "-p", "no:cacheprovider", "-o", "addopts="]
        own = [f"tests/{package}"] if Path(f"tests/{package}").is_dir() else []  # the guards have golden cases alone
        ended = pytest.main([*arguments, *own, "tests/test_cases.py"], plugins=[runner])
        if ended == pytest.ExitCode.USAGE_ERROR:
            sys.exit(f"the tests of {package} cannot be run as they are")
        tried += len(mutants)
        survived += runner.survived
    print(f"\n{tried - len(survived)} of {tried} mutants caught (seed {options.seed})")
    for mutant in survived:
        print(mutant)


if __name__ == "__main__":
    sys.exit(main())
