"""Checks a reply, and staged files for leftovers of replies. No other file is read, and none is written.

`dovetail check` says what a reply's edits are; `dovetail leftovers` looks at staged files, for a hook before a commit.
"""

from __future__ import annotations

import argparse
import sys

from dovetail.cli import words
from dovetail.cli.inputs import location_of, reply_of, settings_of
from dovetail.cli.output import Exit, print_json
from dovetail.cli.plan_view import draw_diagnostics, draw_no_edit, draw_suggestions
from dovetail.cli.screen import Screen, Styled, TextStyle
from dovetail.cli.terminal import progress
from dovetail.formats import Validation, check
from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Severity
from dovetail.model.text import split_lines
from dovetail.session.apply.leftovers import leftovers, staged_files
from dovetail.session.apply.records import of_diagnostic, of_validation


def check_command(args: argparse.Namespace) -> Exit:
    """`dovetail check REPLY`."""
    location = location_of(args)
    settings = settings_of(args, location)
    source = reply_of(args, location)
    with progress(f"Reading {source.name}"):
        checked = check(source.text, format=settings.format, markers=settings.markers)
    status = Exit.REFUSED if checked.errors else Exit.OK if checked.parsed.blocks else Exit.NO_EDITS
    if args.json:
        print_json({"command": "check", "exit": int(status), **of_validation(checked)})
    else:
        _draw(Screen.of(sys.stdout), source.text, checked, verbose=args.verbose)
    return status


def _draw(screen: Screen, reply: str, checked: Validation, *, verbose: bool) -> None:
    blocks = checked.parsed.blocks
    numbers = {id(block): n for n, block in enumerate(blocks, 1)}
    for path, group in checked.parsed.by_file().items():
        screen.line(Styled(path or "(no file named)", TextStyle.TITLE))
        for block in group:
            _draw_block(screen, numbers[id(block)], block, verbose=verbose)
        screen.line()
    draw_diagnostics(screen, checked.diagnostics)
    draw_suggestions(screen, checked.parsed)
    if not blocks:
        draw_no_edit(screen, reply, checked.diagnostics)
        return
    weights = [diagnostic.severity for diagnostic in checked.diagnostics]
    counted = [words.count(weights.count(w), str(w)) for w in (Severity.ERROR, Severity.WARNING) if w in weights]
    paths = checked.parsed.paths
    files = f" in {words.count(len(paths), 'file')}" if paths else ""
    screen.line(f"{words.count(len(blocks), 'edit')}{files}, {words.listed(counted) if counted else 'no error'}.")


def _draw_block(screen: Screen, n: int, block: Block, *, verbose: bool) -> None:
    removed, added = len(split_lines(block.search)), len(split_lines(block.replace))
    size = f", {words.count(added, 'line')}" if added else ""
    if block.kind is Kind.EDIT:
        size = f", {words.count(removed, 'line')} for {added}"
    moved = f"  moves to {block.destination}" if block.destination is not None else ""
    flags = ("  draft" if block.draft else "") + ("  malformed" if block.malformed is not None else "")
    where = Styled(f"reply:{block.line}", TextStyle.PLACE)
    screen.line(f"{n:>3}  ", where, f"  {block.format} {block.kind}{size}{moved}", Styled(flags, TextStyle.WARN))
    if verbose:
        others = ", ".join(block.path_candidates) or "none"
        screen.line("     ", f"readings {len(block.readings)}, other paths considered: {others}")


def leftovers_command(args: argparse.Namespace) -> Exit:
    """`dovetail leftovers [FILE ...]`."""
    location = location_of(args)
    paths = [location.in_root(path) for path in args.files] or None
    found = [finding for file in staged_files(location.root, paths) for finding in leftovers(file)]
    status = Exit.REFUSED if found else Exit.OK
    if args.json:
        print_json({"command": "leftovers", "exit": int(status), "diagnostics": list(map(of_diagnostic, found))})
        return status
    screen = Screen.of(sys.stdout)
    draw_diagnostics(screen, found)
    screen.line(f"{words.count(len(found), 'leftover')}." if found else "No leftovers.")
    return status
