"""Times the engine on recorded calls of coding agents, each planned once, as a user would have it.

    uv run python bench/calls.py CALLS.jsonl [--slowest 5]

Takes the edits and patches that the agent's own tool carried out, on files inside the root, in the recorded order. Each
is read, planned and checked with texts that this process meets for the first time, unless the calls themselves repeat
one. Prints the median, the 99th percentile and the worst in milliseconds of processor time, in all and by part:
reading (reply to blocks), landing (blocks to plan), and the check (what the parsers of code take).
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import process_time

from case_files import Case, read_lines
from dovetail.formats import parse
from dovetail.model.language import Definition
from dovetail.model.policy import Policy
from dovetail.model.text import Span
from dovetail.plan import plan, wanted_paths
from dovetail.session.apply.library import snapshot_of
from dovetail.syntax import default_language
from speed_tables import Line, Table

PARTS = ("reading", "landing", "check")
PERCENTILE = 0.99


class TimedLanguage:
    """The language, with the seconds that its answers took."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._language = default_language()

    def definitions(self, path: str, text: str) -> tuple[Definition, ...] | None:
        """See `Language`."""
        with self._timed():
            return self._language.definitions(path, text)

    def definitions_near(
        self, path: str, text: str, spans: Sequence[Span]
    ) -> tuple[tuple[Definition, str], ...] | None:
        """See `Language`."""
        with self._timed():
            return self._language.definitions_near(path, text, spans)

    def errors(self, path: str, text: str) -> tuple[int, ...] | None:
        """See `Language`."""
        with self._timed():
            return self._language.errors(path, text)

    def new_error(self, path: str, before: str | None, after: str, changed: Sequence[Span]) -> int | None:
        """See `Language`."""
        with self._timed():
            return self._language.new_error(path, before, after, changed)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        began = process_time()
        try:
            yield
        finally:
            self.seconds += process_time() - began


def is_timed(case: Case) -> bool:
    """Whether a call is an edit or a patch that its agent's tool carried out."""
    return case["truth"] is not None and "write" not in case["kind"] and not case["kind"].endswith("-outside")


def seconds_of(case: Case) -> tuple[float, float, float]:
    """Processor seconds of each part of one call."""
    files = {path: text for path, text in case["files"].items() if text is not None}
    language = TimedLanguage()
    policy = Policy(**(case.get("policy") or {}))
    began = process_time()
    parsed = parse(case["reply"]).relative_to(case.get("root") or "")
    read = process_time()
    plan(parsed, snapshot_of(files, wanted_paths(parsed, files)), policy, language)
    done = process_time()
    return read - began, done - read - language.seconds, language.seconds


def line(name: str, seconds: Sequence[float]) -> Line:
    """Median, percentile and worst, in milliseconds."""
    ranked = sorted(seconds)
    shown = (ranked[len(ranked) // 2], ranked[int(PERCENTILE * len(ranked))], ranked[-1])
    return Line((name, *(f"{1000 * value:.2f} ms" for value in shown)))


def main(argv: Sequence[str] | None = None) -> int:
    """Time every call of a file."""
    parser = argparse.ArgumentParser(description="Time the engine on recorded calls of agents.")
    parser.add_argument("calls", type=Path)
    parser.add_argument("--slowest", type=int, default=0, metavar="N", help="list the slowest calls")
    options = parser.parse_args(argv)
    cases = [case for case in read_lines(options.calls) if is_timed(case)]
    warmed = {case["kind"] + Path(next(iter(case["files"]), "")).suffix: case for case in cases}
    for case in warmed.values():  # grammars are loaded once in a process
        seconds_of({**case, "files": {path: (text or "") + "\n" for path, text in case["files"].items()}})
    gc.collect()
    gc.freeze()
    timed = [(seconds_of(case), case["id"]) for case in cases]
    whole = [sum(parts) for parts, _ in timed]
    lines = [line("in all", whole), line("without the check", [sum(parts[:2]) for parts, _ in timed])]
    lines += [line(part, [parts[at] for parts, _ in timed]) for at, part in enumerate(PARTS)]
    Table(f"{len(timed)} calls of agents", ("part", "median", "99th percentile", "worst"), tuple(lines)).print()
    for seconds, name in sorted(((sum(parts), name) for parts, name in timed), reverse=True)[: options.slowest]:
        print(f"{1000 * seconds:8.2f} ms  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
