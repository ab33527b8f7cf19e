"""Times what a model is shown, as ratios within one run against grep-ast and aider's map.

    uv run --group bench python bench/context.py [--files 5000] [--rival-files 5000]

Prints Markdown tables. Excerpts: a file of 5,000 lines, one line of interest, first as a text never seen, then again.
Map: a repository made here, cold (no cache), warm (a new map over the cache on disk), and with one file changed; all
in one process. Every text is made here, the same each time. A rival that is not installed is left out.
Exit status: 1 where a target is missed, which its line says; else 0.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from clock import once
from context_samples import long_file, repository
from dovetail.context import Interest, RepositoryMap, TreeContext

LINES = 5_000
RUNS = 9
COLD_EXCERPT, WARM_EXCERPT = 0.040, 0.008
COLD_MAP, WARM_MAP = 20.0, 0.300
BUDGET = 1_024
PATTERN = r"kept\.append\(\(item\.name, value, \d+5\)\)"


def main() -> int:
    """Measure and print; see the module."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--files", type=int, default=5_000)
    options.add_argument("--rival-files", type=int, default=5_000)
    chosen = options.parse_args()
    kept = [*excerpts(), *maps(chosen.files, chosen.rival_files)]
    return 0 if all(kept) else 1


def excerpts() -> Iterator[bool]:
    """The table of excerpts; yields whether each target was kept."""
    rows = {"dovetail": _dovetail_excerpt}
    if (rival := _grep_ast_excerpt()) is not None:
        rows["grep-ast"] = rival
    for excerpt in rows.values():
        excerpt(long_file(50, 99))
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in rows}
    for seed in range(RUNS):
        for which, (name, excerpt) in enumerate(rows.items()):
            spent[name].append(_twice(excerpt, long_file(LINES, 2 * seed + which)))
    print(f"\n## Excerpt of a file of {LINES:,} lines\n\n| | first | again |\n| --- | --- | --- |")
    medians = {name: [statistics.median(column) for column in zip(*runs, strict=True)] for name, runs in spent.items()}
    for name, columns in medians.items():
        print(f"| {name} | " + " | ".join(map(_ms, columns)) + " |")
    first, again = medians["dovetail"]
    if rival is not None:
        print("| ratio | " + " | ".join(f"{b / a:.1f} ×" for a, b in zip(*medians.values(), strict=True)) + " |")
    yield _target("first", first, COLD_EXCERPT)
    yield _target("again", again, WARM_EXCERPT)


def _twice(excerpt: Callable[[str], str], text: str) -> tuple[float, float]:
    """Seconds for a text never seen, and for the same again."""
    return once(lambda: excerpt(text))[0], once(lambda: excerpt(text))[0]


def _dovetail_excerpt(text: str) -> str:
    context = TreeContext("module.py", text)
    context.grep(PATTERN)
    context.add_context()
    return context.format()


def _grep_ast_excerpt() -> Callable[[str], str] | None:
    try:
        import grep_ast
    except ImportError:
        return None

    def excerpt(text: str) -> str:
        context = grep_ast.TreeContext("module.py", text)
        context.add_lines_of_interest(context.grep(PATTERN, ignore_case=False))
        context.add_context()
        return str(context.format())

    return excerpt


def maps(files: int, rival_files: int) -> Iterator[bool]:
    """The table of maps; yields whether each target was kept."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        texts = repository(files)
        for path, text in texts.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        lines = sum(text.count("\n") for text in texts.values())
        print(f"\n## Map of {files:,} files, {lines:,} lines, in {BUDGET:,} tokens\n")
        print("| | cold | warm | one file changed |\n| --- | --- | --- | --- |")
        ours = _dovetail_map(root, list(texts))
        print(f"| dovetail | {ours[0]:.2f} s | {_ms(ours[1])} | {_ms(ours[2])} |")
        theirs = _aider_map(root, list(texts)[:rival_files])
        if theirs is not None:
            note = "" if rival_files >= files else f" ({rival_files:,} files)"
            print(f"| aider{note} | {theirs[0]:.2f} s | {_ms(theirs[1])} | {_ms(theirs[2])} |")
            print("| ratio | " + " | ".join(f"{b / a:.1f} ×" for a, b in zip(ours, theirs, strict=True)) + " |")
        yield _target("cold", ours[0], COLD_MAP)
        yield _target("warm", ours[1], WARM_MAP)


def _three(show: Callable[[], str], changed: Path) -> tuple[float, float, float]:
    """Seconds of a first call, the median of later ones, and the median after a change to a file."""
    cold, text = once(show)
    assert text
    warm = statistics.median(once(show)[0] for _ in range(3))
    edits = count()

    def edit_and_show() -> float:
        changed.write_text(changed.read_text() + f"\n# {next(edits)}\n")
        return once(show)[0]

    return cold, warm, statistics.median(edit_and_show() for _ in range(3))


def _dovetail_map(root: Path, paths: list[str]) -> tuple[float, float, float]:
    cache = root / ".cache"
    held = frozenset(paths[100:102])

    def show() -> str:
        stats = ((path, (root / path).stat()) for path in paths)
        stamps = {path: f"{stat.st_mtime_ns}:{stat.st_size}" for path, stat in stats}
        new = RepositoryMap(cache)
        new.update(stamps, lambda path: (root / path).read_text())
        return new.render(BUDGET, lambda path: (root / path).read_text(), interest=Interest(held)).text

    return _three(show, root / paths[0])


def _aider_map(root: Path, paths: list[str]) -> tuple[float, float, float] | None:
    os.environ["TQDM_DISABLE"] = "1"
    try:
        from aider.io import InputOutput
        from aider.repomap import RepoMap
    except ImportError:
        return None

    class Model:
        def token_count(self, text: str) -> int:
            return len(text) // 4

    files = [str(root / path) for path in paths]
    chat = files[100:102]

    def show() -> str:
        new = RepoMap(BUDGET, str(root), Model(), InputOutput(pretty=False, yes=True))
        return str(new.get_repo_map(chat, [file for file in files if file not in chat]) or "")

    return _three(show, root / paths[0])


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def _target(what: str, seconds: float, limit: float) -> bool:
    kept = seconds <= limit
    print(f"\n{'kept' if kept else 'MISSED'}: {what} {_ms(seconds)}, target {_ms(limit)}")
    return kept


if __name__ == "__main__":
    sys.exit(main())
