"""`dovetail mcp`: the tools for agents, over standard input and output or over HTTP."""

from __future__ import annotations

import argparse
import gc
import os
import secrets
import sys

from dovetail.cli.inputs import check_port, folder_of, location_of, settings_for
from dovetail.cli.output import Exit
from dovetail.cli.screen import Screen
from dovetail.llm.tool_definitions import BASIC
from dovetail.model.errors import UsageError
from dovetail.session.settings import ReplyOptions
from dovetail.workspace.root import resolve_folder

gc.disable()  # the SDK makes tens of thousands of objects when it is loaded, and none of them is garbage
try:
    from dovetail.mcp.server import PATH, Handlers, serve_http, serve_stdio

    _missing: str | None = None
except ModuleNotFoundError as error:  # the extra [mcp] is not installed
    _missing = error.name
finally:
    gc.freeze()
    gc.enable()

TOKEN_VARIABLE = "DOVETAIL_MCP_TOKEN"  # noqa: S105 - the variable's name


def mcp_command(args: argparse.Namespace) -> Exit:
    """`dovetail mcp [--http] [--port N] [--all-tools] [--allow-runs]`."""
    if _missing is not None:
        hint = "Run: python -m pip install 'dovetail-edits[mcp]'; in a clone: python -m pip install '.[mcp]'"
        raise UsageError(f"The server needs `{_missing}`, which is not installed.", hint=hint)
    check_port(args.port)
    location = location_of(args)
    settings = settings_for(args, location)
    options = ReplyOptions(settings.policy, settings.format, settings.markers)
    runs_in = resolve_folder(folder_of(args))
    root, tools = location.root if args.root else None, None if args.all_tools else BASIC
    handlers = Handlers(root, location.root, runs_in, options, tools, allow_runs=args.allow_runs)
    if not args.http:
        serve_stdio(handlers)
        return Exit.OK
    token = os.environ.get(TOKEN_VARIABLE) or secrets.token_urlsafe(32)
    screen = Screen.of(sys.stderr)

    def show(port: int) -> None:
        screen.line(f"Dovetail works in {location.root}; Ctrl-C ends it.")
        if not os.environ.get(TOKEN_VARIABLE):
            screen.line(f"Authorization: Bearer {token}")
        sys.stdout.write(f"http://127.0.0.1:{port}{PATH}\n")
        sys.stdout.flush()

    serve_http(handlers, args.port, token, show)
    return Exit.OK
