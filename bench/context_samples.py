"""Makes a repository to measure on: packages whose modules use each other, in three languages, the same each time."""

# ruff: noqa: S311 — seeded, so that every run measures the same repository

from __future__ import annotations

from collections.abc import Iterator
from random import Random

_PLACES = ("core", "web", "store", "jobs", "tools", "billing", "search", "reports")
_LANGUAGES = ("py", "ts", "go")
_ACTIONS = ("load", "save", "merge", "split", "check", "render", "count", "queue")
_DEFINITIONS = 8  # in one module, beside its class


def repository(files: int, seed: int = 7) -> dict[str, str]:
    """Texts by path: `files` modules of about 150 lines, each using some of those that came before it."""
    return dict(_module(number, Random(seed * 1_000_003 + number)) for number in range(files))


def _path(number: int) -> str:
    place = _PLACES[number % len(_PLACES)]
    language = _LANGUAGES[number // len(_PLACES) % len(_LANGUAGES)]
    return f"{place}/part{number // 100}/module_{number}.{language}"


def _name(module: int, which: int) -> str:
    return f"{_ACTIONS[which % len(_ACTIONS)]}_entry_{module}_{which}"


def _used(number: int, rng: Random) -> Iterator[str]:
    """Names from modules of the same language; early modules are used more, as the base of a repository is."""
    for _ in range(6):
        other = int(number * rng.random() ** 2)
        other -= (other // len(_PLACES) - number // len(_PLACES)) % len(_LANGUAGES) * len(_PLACES)
        yield _name(max(0, other), rng.randrange(_DEFINITIONS))


def _module(number: int, rng: Random) -> tuple[str, str]:
    path = _path(number)
    used = list(_used(number, rng))
    make = {"py": _python, "ts": _typescript, "go": _go}[path.rsplit(".", 1)[-1]]
    return path, make(number, used)


def _python(number: int, used: list[str]) -> str:
    head = "".join(f"from app import {name}\n" for name in used)
    body = "".join(
        f'''

def {_name(number, which)}(items, limit={which + 2}):
    """Return the items that {used[which % len(used)]} keeps."""
    kept = []
    for item in items:
        if item is None or item.size > limit:
            continue
        value = {used[which % len(used)]}(item.value, limit)
        kept.append((item.name, value, {number * 7 + which}))
    if not kept:
        raise ValueError("nothing kept by {number}")
    return kept
'''
        for which in range(_DEFINITIONS)
    )
    methods = "".join(
        f"\n    def step_{which}(self, order):\n        self.total += order.price\n        return self.total\n"
        for which in range(6)
    )
    return f"{head}\n\nclass Ledger{number}:\n    total = 0\n{methods}{body}"


def _typescript(number: int, used: list[str]) -> str:
    head = f"import {{ {', '.join(used)} }} from './app';\n"
    body = "".join(
        f"""
export function {_name(number, which)}(items: Item[], limit = {which + 2}): Kept[] {{
  const kept: Kept[] = [];
  for (const item of items) {{
    if (!item || item.size > limit) {{
      continue;
    }}
    const value = {used[which % len(used)]}(item.value, limit);
    kept.push({{ name: item.name, value, mark: {number * 7 + which} }});
  }}
  return kept;
}}
"""
        for which in range(_DEFINITIONS)
    )
    methods = "".join(
        f"\n  step{which}(order: Order): number {{\n    this.total += order.price;\n    return this.total;\n  }}\n"
        for which in range(6)
    )
    return f"{head}\nexport class Ledger{number} {{\n  total = 0;\n{methods}}}\n{body}"


def _go(number: int, used: list[str]) -> str:
    body = "".join(
        f"""
func {_name(number, which)}(items []Item, limit int) []Kept {{
	kept := []Kept{{}}
	for _, item := range items {{
		if item.Size > limit {{
			continue
		}}
		value := {used[which % len(used)]}(item.Value, limit)
		kept = append(kept, Kept{{item.Name, value, {number * 7 + which}}})
	}}
	return kept
}}
"""
        for which in range(_DEFINITIONS)
    )
    methods = "".join(
        f"\nfunc (l *Ledger{number}) Step{which}(o Order) int {{\n\tl.total += o.Price\n\treturn l.total\n}}\n"
        for which in range(6)
    )
    return f"package part\n\ntype Ledger{number} struct {{\n\ttotal int\n}}\n{methods}{body}"


def long_file(lines: int, seed: int) -> str:
    """A Python module of this many lines, different for each seed."""
    pieces: list[str] = []
    count = 0
    number = seed * 1_000
    while count < lines:
        piece = _python(number, list(_used(number, Random(number))))
        pieces.append(piece)
        count += piece.count("\n")
        number += 1
    return "".join("".join(pieces).splitlines(keepends=True)[:lines])
