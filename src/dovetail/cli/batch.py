"""`dovetail batch`: cases in, answers out. What it reads and writes is documented in docs/reference/json.md."""

from __future__ import annotations

import argparse
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.cli import words
from dovetail.cli.inputs import check_number, folder_of, same_file
from dovetail.cli.output import Exit
from dovetail.cli.terminal import Counter
from dovetail.model.errors import UsageError
from dovetail.session.batch.cases import GIVEN, GIVES, answer_encoded
from dovetail.session.batch.files import LineAnswers, case_lines, cases_behind, is_parquet, is_unanswered

if TYPE_CHECKING:
    from dovetail.session.batch.parquet import ParquetAnswers

_PARQUET = "dovetail.session.batch.parquet"
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def batch_command(args: argparse.Namespace) -> Exit:
    """`dovetail batch --in CASES --out RESULTS [--resume] [--engine ray]`."""
    folder = folder_of(args)
    check_number("--jobs", args.jobs, 1, "processes")
    check_number("--shard", args.shard, 1, "megabytes")
    unanswered = _on_ray(args, folder) if args.engine == "ray" else _here(args, folder)
    if unanswered:
        lines = words.count(unanswered, "line")
        sys.stderr.write(f"{lines} could not be answered; the `error` of each says why.\n")
    return Exit.OK


def _here(args: argparse.Namespace, folder: Path) -> int:
    """Answer on this machine; return the number of cases without an answer."""
    if args.address is not None:
        raise UsageError("--address names a Ray cluster.", hint="Add --engine ray.")
    if args.shard is not None:
        raise UsageError("--shard is the size of the parts that Ray writes.", hint="Add --engine ray.")
    unanswered = 0
    with (
        _cases(args.cases, folder) as (cases, part_of),
        _results(args, folder) as results,
        closing(Counter("answered", shown=args.results != "-" or not sys.stdout.isatty())) as counter,
    ):

        def answers(remaining: Iterable[bytes]) -> Iterator[bytes]:
            nonlocal unanswered
            counter.at(results.done, part_of(results.done))
            for number, answer in enumerate(answer_encoded(remaining, args.jobs, _given(args)), results.done + 1):
                unanswered += is_unanswered(answer)
                yield answer
                counter.at(number, part_of(number))

        results.write(answers(cases_behind(cases, results.done, results.last_id)))
    return unanswered


def _on_ray(args: argparse.Namespace, folder: Path) -> int:
    """Answer on a Ray cluster; return the number of cases without an answer."""
    if "-" in (args.cases, args.results):
        raise UsageError("Ray reads and writes files.", hint="Name files or folders, or use --engine local.")
    engine = _loaded("dovetail.ray", "ray")
    give, shard = _given(args), None if args.shard is None else args.shard * 1_000_000
    named = [name if "://" in name else str((folder / name).absolute()) for name in (args.cases, args.results)]
    unanswered = 0
    with closing(Counter("answered", shown=True)) as counter:
        for done in engine.answer_files(
            *named, address=args.address, jobs=args.jobs, resume=args.resume, give=give, shard=shard
        ):
            unanswered = done.unanswered
            counter.at(done.answered, done.part)
    return unanswered


def _given(args: argparse.Namespace) -> Sequence[str]:
    """Return what `--give` names. Raises `UsageError` for a word that it does not know."""
    words_given: list[str] = args.give.split(",") if args.give is not None else list(GIVEN)
    if unknown := [word for word in words_given if word not in GIVES]:
        raise UsageError(f"--give does not know `{unknown[0]}`.", hint=f"It knows {', '.join(GIVES)}.")
    return words_given


def _loaded(module: str, extra: str) -> Any:  # noqa: ANN401 - a module
    """Import a module that needs an extra and takes long to load. Raises `UsageError` if the extra is missing."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        hint = f"Run: python -m pip install 'dovetail-edits[{extra}]'; in a clone: python -m pip install '.[{extra}]'"
        raise UsageError(f"This needs `{error.name}`, which is not installed.", hint=hint) from None


@contextmanager
def _cases(named: str, folder: Path) -> Iterator[tuple[Iterator[bytes], Callable[[int], float | None]]]:
    """Yield the cases, and a function from the number answered to the part of all cases done; None if not known."""
    if named == "-":
        if sys.stdin is None:
            raise UsageError("Standard input is closed.", hint="Name a JSON Lines or Parquet file.")
        yield case_lines(sys.stdin.buffer), lambda _: None
        return
    try:
        file = (folder / named).open("rb")
    except OSError as error:
        hint = "Name a JSON Lines or Parquet file; --engine ray takes folders, too."
        raise UsageError(f"`{named}` cannot be read: {error.strerror}.", hint=hint) from None
    with file:
        if not is_parquet(named):
            size = os.fstat(file.fileno()).st_size
            yield case_lines(file), lambda _: file.tell() / size if size else None
            return
        parquet = _loaded(_PARQUET, "parquet")
        opened = parquet.open_parquet(file, named)
        yield parquet.parquet_rows(opened), lambda number: number / max(opened.metadata.num_rows, 1)


@contextmanager
def _results(args: argparse.Namespace, folder: Path) -> Iterator[LineAnswers | ParquetAnswers]:
    """Yield the output for answers. Raises `UsageError` if it is the regular file that the cases come from."""
    named: str = args.results
    source: Path | int = sys.stdin.fileno() if args.cases == "-" else folder / args.cases
    target: Path | int = sys.stdout.fileno() if named == "-" else folder / named
    if stat.S_ISREG(os.stat(source).st_mode) and same_file(target, source):  # noqa: PTH116 - may be a descriptor
        raise UsageError("--in and --out name the same file.", hint="Write the results to another file.")
    if isinstance(target, int):
        if args.resume:
            raise UsageError("Standard output has no answers to go on behind.", hint="Name a file with --out.")
        yield LineAnswers(sys.stdout.buffer, resume=False)
        return
    try:
        results: LineAnswers | ParquetAnswers
        if is_parquet(named):
            results = _loaded(_PARQUET, "parquet").ParquetAnswers(target, resume=args.resume)
        else:
            resume = args.resume and target.exists()
            results = LineAnswers(target.open("r+b" if resume else "wb"), resume=resume)
    except OSError as error:
        raise UsageError(f"`{named}` cannot be written: {error.strerror}.", hint="Name another file.") from None
    try:
        with closing(results):
            yield results
    except OSError as error:
        if error.errno in _NO_ROOM and error.filename is None:  # only writing the answers needs room
            error.filename = named
        raise
