"""`dovetail hook`: install under an agent, remove, status. A single event is taken before the command line is read."""

from __future__ import annotations

import argparse
import difflib
import sys
from dataclasses import asdict
from pathlib import Path

from dovetail.cli.inputs import location_of
from dovetail.cli.output import Exit, print_json
from dovetail.cli.screen import Screen, Styled, TextStyle
from dovetail.hooks import install
from dovetail.hooks.event import run
from dovetail.model.errors import UsageError


def hook_command(args: argparse.Namespace) -> Exit:
    """`dovetail hook [install|remove|status] [AGENT…]`."""
    if args.act is None:
        return Exit(run())
    root = location_of(args).root
    if args.act == "status":
        return _status(args, root)
    if not args.agents:
        raise UsageError(
            f"Which agent? `dovetail hook {args.act} AGENT…`", hint=f"Known: {', '.join(install.agents())}"
        )
    plan = install.plan_install if args.act == "install" else install.plan_remove
    at = root if args.project else None
    changes = [plan(agent, at) for agent in dict.fromkeys(args.agents)]
    screen = Screen.of(sys.stdout)
    for change in changes:
        _draw(screen, change)
    if not args.yes and any(change.before != change.after for change in changes) and not _agreed():
        screen.line("Nothing was written.")
        return Exit.REFUSED
    for change in changes:
        install.write(change, keep=args.act == "install")
        done = "Installed in" if args.act == "install" else "Removed from"
        screen.line(f"{done} {change.path}")
        note = install.row_of(change.agent)["settings"].get("note")
        if note and args.act == "install":
            screen.line("next  ", note)
    return Exit.OK


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise UsageError("Nobody can be asked here.", hint="Add --yes")
    return input("Write this? [y/N] ").strip().lower() in ("y", "yes")


def _draw(screen: Screen, change: install.SettingsChange) -> None:
    """Show how a settings file changes."""
    old, new = ((data or b"").decode("utf-8", "replace").splitlines() for data in (change.before, change.after))
    if change.before == change.after:
        screen.line(f"{change.path}: nothing changes")
        return
    screen.line(Styled(f"{change.path}", TextStyle.TITLE), "" if change.after is not None else "  is removed")
    for line in list(difflib.unified_diff(old, new, lineterm="", n=1))[2:]:
        style = {"+": TextStyle.GOOD, "-": TextStyle.BAD}.get(line[:1], TextStyle.FAINT)
        screen.line(Styled(line, style))


def _status(args: argparse.Namespace, root: Path) -> Exit:
    found = install.status(root)
    if args.json:
        print_json({"command": "hook", **asdict(found)})
        return Exit.OK
    screen = Screen.of(sys.stdout)
    for agent in found.agents:
        if args.agents and agent.agent not in args.agents:
            continue
        where = " and ".join(agent.places) or "not installed"
        seen = f"last event seen {agent.last_event}" if agent.last_event else "no event seen yet"
        tried = f"tried with {agent.tried}" if agent.tried else "not tried"
        screen.line(Styled(f"{agent.agent:<10}", TextStyle.PLACE), f"  {where:<17}  {seen}  ({tried})")
    screen.line(f"{found.waiting:,} events wait for the journal, {found.open_calls:,} calls are open.")
    for fault in found.faults:
        screen.line(Styled("fault  ", TextStyle.WARN), fault)
    return Exit.OK
