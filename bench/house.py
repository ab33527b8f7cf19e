"""Counts what a reader of the code has to hold in mind.

    python bench/house.py [PACKAGE ...] [--all] [--trace]

Prints, for each package and for all: lines, functions in a thousand lines, functions of one statement on one line,
comments in a thousand lines. Then the classes whose names exist twice, the longest files, and the modules that one
other module alone imports: each of these is either a thought of its own or belongs into that one. `--all` names every
one of them; without it, those under 80 lines. `--trace` prints the functions that an exact edit runs, in their order.
"""

from __future__ import annotations

import argparse
import ast
import io
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType

import dovetail

SOURCE = Path(__file__).resolve().parent.parent / "src"
SHORT = 80
FILES = {"greet.py": 'def greet(name: str) -> str:\n    return "Hello, " + name\n'}
REPLY = """I change the greeting.

greet.py
```python
<<<<<<< SEARCH
    return "Hello, " + name
=======
    return f"Hello, {name}!"
>>>>>>> REPLACE
```
"""
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A module's text, and what its syntax tree says of it."""

    name: str
    text: str
    tree: ast.Module

    @property
    def package(self) -> str:
        return self.name.split(".")[1] if self.name.count(".") else self.name

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    @property
    def functions(self) -> list[Function]:
        return [node for node in ast.walk(self.tree) if isinstance(node, Function)]

    @property
    def one_line_functions(self) -> int:
        bodies = [[part for part in function.body if not _is_docstring(part)] for function in self.functions]
        return sum(len(body) == 1 and body[0].lineno == body[0].end_lineno for body in bodies)

    @property
    def comments(self) -> int:
        """Lines with a comment that is for people: neither for lint nor for types."""
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        said = (token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT)
        return sum(not text.startswith(("noqa", "type:", "fmt:", "pragma", "ruff:")) for text in said)

    def imported(self, known: set[str]) -> Iterator[str]:
        """The modules among `known` that this one imports, anywhere in it."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in known)
            elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
                parts = {f"{node.module}.{alias.name}" for alias in node.names} & known
                yield from parts or {node.module} & known


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def read() -> list[Module]:
    """Every module of the project."""
    modules = []
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        text = path.read_text(encoding="utf-8")
        modules.append(Module(".".join(part for part in parts if part != "__init__"), text, ast.parse(text)))
    return modules


def print_table(modules: list[Module]) -> None:
    """One row for each package, and one for all of them."""
    packages: dict[str, list[Module]] = defaultdict(list)
    for module in modules:
        packages[module.package].append(module)
    print(f"{'package':14}{'files':>7}{'lines':>8}{'functions/1000':>16}{'of one line':>13}{'comments/1000':>15}")
    for name, group in [*sorted(packages.items()), ("all", modules)]:
        lines = sum(module.lines for module in group) or 1
        functions, one_line, comments = (
            sum(counts)
            for counts in zip(*((len(m.functions), m.one_line_functions, m.comments) for m in group), strict=True)
        )
        thousands = lines / 1000
        print(
            f"{name:14}{len(group):>7}{lines:>8}{functions / thousands:>16.1f}{one_line:>13}"
            f"{comments / thousands:>15.1f}"
        )


def traced() -> list[CodeType]:
    """The functions that an exact edit of a text runs, in their order; no comprehensions, all caches warm."""
    ran: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(SOURCE)) and not code.co_name.startswith("<"):
            ran.setdefault(code)

    dovetail.apply(REPLY, FILES)
    sys.setprofile(note)
    try:
        dovetail.apply(REPLY, FILES)
    finally:
        sys.setprofile(None)
    return list(ran)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", help="only these packages")
    parser.add_argument("--all", action="store_true", help="name every module with one importer")
    parser.add_argument("--trace", action="store_true", help="print the functions that an exact edit runs")
    options = parser.parse_args()
    every = read()
    chosen = [module for module in every if not options.packages or module.package in options.packages]
    print_table(chosen)

    ran = traced()
    print(f"\nan exact edit runs {len(ran)} functions in {len({code.co_filename for code in ran})} modules")
    for code in ran if options.trace else ():
        print(f"       {Path(code.co_filename).relative_to(SOURCE / 'dovetail')} {code.co_qualname}")

    classes = Counter(n.name for m in every for n in ast.walk(m.tree) if isinstance(n, ast.ClassDef))
    print("\nclass names that exist twice:", ", ".join(name for name, n in sorted(classes.items()) if n > 1) or "none")
    print("\nlongest files:")
    for module in sorted(chosen, key=lambda module: -module.lines)[:12]:
        print(f"{module.lines:>6} {module.name}")

    known = {module.name for module in every}
    importers: dict[str, set[str]] = defaultdict(set)
    for module in every:
        for name in module.imported(known):
            importers[name].add(module.name)
    single = [module for module in chosen if len(importers[module.name] - {module.name}) == 1]
    shown = [module for module in single if options.all or module.lines < SHORT]
    print(f"\nmodules that one other alone imports: {len(single)}, {sum(module.lines for module in single)} lines")
    for module in shown:
        print(f"{module.lines:>6} {module.name}  <- {min(importers[module.name])}")


if __name__ == "__main__":
    main()
