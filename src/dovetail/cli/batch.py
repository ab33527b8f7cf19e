"""`dovetail batch`: JSON Lines in, JSON Lines out. What it reads and writes is documented in docs/reference/json.md."""

from __future__ import annotations

import argparse
import errno
import io
import json
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TextIO

from dovetail.cli import words
from dovetail.cli.inputs import check_number, folder_of, same_file
from dovetail.cli.output import Exit
from dovetail.cli.terminal import Counter
from dovetail.model.errors import UsageError
from dovetail.session.batch import answer_lines

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def batch_command(args: argparse.Namespace) -> Exit:
    """`dovetail batch --in CASES --out RESULTS`."""
    folder = folder_of(args)
    check_number("--jobs", args.jobs, 1, "processes")
    unanswered = 0
    with (
        _cases(args.cases, folder) as cases,
        _results(args.results, folder, cases) as results,
        closing(Counter("answered", shown=not results.isatty())) as counter,
    ):
        for number, answer in enumerate(answer_lines(cases, args.jobs), 1):
            results.write(answer + "\n")
            unanswered += '"error"' in answer and "error" in json.loads(answer)  # few have the word at all
            counter.at(number)
    if unanswered:
        lines = words.count(unanswered, "line")
        sys.stderr.write(f"{lines} could not be answered; the `error` of each says why.\n")
    return Exit.OK


@contextmanager
def _cases(named: str, folder: Path) -> Iterator[TextIO]:
    if named == "-":
        if sys.stdin is None:
            raise UsageError("Standard input is closed.", hint="Name a JSON Lines file.")
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8-sig", errors="surrogateescape", newline="\n")
        yield sys.stdin
        return
    try:
        file = (folder / named).open(encoding="utf-8-sig", errors="surrogateescape", newline="\n")
    except OSError as error:
        raise UsageError(f"`{named}` cannot be read: {error.strerror}.", hint="Name a JSON Lines file.") from None
    with file:
        yield file


@contextmanager
def _results(named: str, folder: Path, cases: TextIO) -> Iterator[TextIO]:
    """The file to write; never the regular file that the cases come from, while a terminal may be both."""
    target: Path | int = sys.stdout.fileno() if named == "-" else folder / named
    if stat.S_ISREG(os.fstat(cases.fileno()).st_mode) and same_file(target, cases.fileno()):
        raise UsageError("--in and --out name the same file.", hint="Write the results to another file.")
    if named == "-":
        yield sys.stdout
        return
    try:
        file = (folder / named).open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"`{named}` cannot be written: {error.strerror}.", hint="Name another file.") from None
    try:
        with file:
            yield file
    except OSError as error:
        if error.errno in _NO_ROOM and error.filename is None:  # only what is written needs any
            error.filename = named
        raise
