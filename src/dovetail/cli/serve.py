"""`dovetail serve`: the local page, until Ctrl-C."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import webbrowser
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from dovetail.cli.inputs import check_port, location_of
from dovetail.cli.output import Exit
from dovetail.cli.screen import Screen, Styled, TextStyle
from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.session.apply.records import Record
from dovetail.session.settings import load

try:
    from dovetail.web import build
    from dovetail.web.app import PageFiles
    from dovetail.web.server import ServeOptions, Started, serve

    _missing: str | None = None
except ModuleNotFoundError as error:  # the extra [web] is not installed
    _missing = error.name


def serve_command(args: argparse.Namespace) -> Exit:
    """`dovetail serve [--port N] [--host H] [--no-browser] [--model NAME]`."""
    return serve_page(args, None)


def serve_page(args: argparse.Namespace, opens: Record | None) -> Exit:
    """Serve the page; `opens` is the query of recorded changes that it shows first, None for the chat."""
    check_port(args.port)
    location = location_of(args)
    settings = load(location.root)
    screen = Screen.of(sys.stderr)
    if _missing is not None:
        raise UsageError(
            f"The page needs `{_missing}`, which is not installed.",
            hint="Run: python -m pip install 'dovetail-edits[web]'; in a clone: python -m pip install '.[web]'",
        )
    page = _page(screen)
    # Without a display a browser for terminals would take this terminal over.
    display = not sys.platform.startswith("linux") or any(os.environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY"))
    with ExitStack() as on_exit:

        def show(started: Started) -> None:
            screen.line(f"Dovetail works in {location.root}; Ctrl-C ends it.")
            if not started.loopback:
                warning = "Other machines can reach this page; whoever has its address may change your files."
                screen.line(Styled("warning", TextStyle.WARN), "  ", warning)
            if started.recovery is not None:
                screen.line(started.recovery)
            if started.problem is not None:
                screen.line(f"{started.problem} Pasted replies need none.")
            sys.stdout.write(started.address + "\n")
            sys.stdout.flush()
            if not args.no_browser and display:
                file = private_redirect(started.address)
                on_exit.callback(file.unlink, missing_ok=True)
                webbrowser.open(file.as_uri())

        if args.edits_by is not None:
            settings = replace(settings, models=replace(settings.models, edits_by=args.edits_by))
        wanted = ServeOptions(location.root, args.host, args.port, args.model, opens)
        serve(wanted, settings, os.environ, page, show)
    return Exit.OK


def private_redirect(address: str) -> Path:
    """Write a file that only this user can read and that leads a browser to an address; return its path.

    Every user of a machine sees a browser's arguments, so the address with its token is not one of them.
    """
    # A browser that is a snap sees neither the folder for temporary files nor hidden folders.
    folder = Path.home() if Path("/snap/bin").is_dir() else None
    descriptor, name = tempfile.mkstemp(prefix="dovetail-", suffix=".html", dir=folder)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(
            f'<!doctype html>\n<meta charset="utf-8"><title>Dovetail</title>\n'
            f'<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={address}">\n'
        )
    return Path(name)


def _page(screen: Screen) -> PageFiles:
    """Return the built page; in a checkout it is built first, if it is missing or its sources have changed."""
    if build.has_sources() and not build.is_current():
        try:
            build.build(screen.line)
        except build.BuildError as error:
            if not build.is_built():
                raise WorkspaceError(error.message, hint=error.hint, code="no-page") from None
            screen.line(f"The page is older than its sources: {error.message}")
    page = PageFiles.read()
    if not page.complete:
        raise WorkspaceError("This installation holds no page.", hint=build.INSTALL_AGAIN, code="no-page")
    return page
