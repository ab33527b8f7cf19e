"""`dovetail leftovers`: what replies left in staged files, for a hook that runs before a commit."""

from __future__ import annotations

import argparse
import sys

from dovetail.cli import words
from dovetail.cli.inputs import location_of
from dovetail.cli.output import Exit, print_json
from dovetail.cli.plan_view import draw_diagnostics
from dovetail.cli.screen import Screen
from dovetail.session.leftovers import leftovers, staged_files
from dovetail.session.records import of_diagnostic


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
