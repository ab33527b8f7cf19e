"""`dovetail merge-driver`: git's merges by tokens. `dovetail resolve`: the conflicts that git left, one by one."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from pathlib import Path

from dovetail.cli import words
from dovetail.cli.inputs import location_of
from dovetail.cli.output import DoneReport, Exit, print_json, reporting
from dovetail.cli.plan_view import draw_changes, draw_hunks
from dovetail.cli.screen import Screen, Styled, TextStyle
from dovetail.cli.terminal import NOBODY, Terminal, open_terminal
from dovetail.model.errors import UsageError
from dovetail.model.results import FileChange
from dovetail.model.text import Edit, IndexedText, apply_edits
from dovetail.session.apply import git_merge
from dovetail.session.apply.diff import diff
from dovetail.session.apply.git_merge import GitConflict
from dovetail.workspace import Workspace, git

_HOW = "For example: dovetail merge-driver install"


def merge_driver_command(args: argparse.Namespace) -> Exit:
    """`dovetail merge-driver [install | remove | --base FILE --ours FILE --theirs FILE --path PATH]`."""
    if args.act is not None:
        return _set_up(args)
    if not (args.base and args.ours and args.theirs):
        raise UsageError("--base, --ours and --theirs are needed, or an act.", hint=_HOW)
    ours = Path(args.ours)
    path = args.path or args.ours
    try:
        texts = [Path(name).read_bytes().decode("utf-8") for name in (args.base, args.ours, args.theirs)]
    except UnicodeDecodeError:
        texts = []
    if not texts or any("\0" in text for text in texts) or git_merge.is_left_to_git(path):
        return _as_git_merges(args)
    answer = git_merge.merge_for_git(path, *texts, adjacent=args.adjacent, marker_size=args.marker_size)
    ours.write_bytes(answer.text.encode("utf-8"))
    if answer.why is not None:
        sys.stderr.write(f"{path}: {answer.why}, so both sides stand between markers.\n")
    return Exit.REFUSED if answer.conflicts else Exit.OK


def _as_git_merges(args: argparse.Namespace) -> Exit:
    """Merge a file as git does: it is binary, in another encoding, or generated."""
    files = [Path(name).absolute() for name in (args.ours, args.base, args.theirs)]
    ours, base, theirs = (file.read_bytes() for file in files)
    if theirs in (base, ours):
        return Exit.OK
    if ours == base:
        files[0].write_bytes(theirs)
        return Exit.OK
    if any(b"\0" in data for data in (ours, base, theirs)):
        return Exit.REFUSED  # of a binary file `merge-file` writes nothing
    git.run_anyhow(Path.cwd(), "merge-file", f"--marker-size={args.marker_size}", "--", *map(str, files))
    return Exit.REFUSED if b"<" * args.marker_size in files[0].read_bytes() else Exit.OK


def _set_up(args: argparse.Namespace) -> Exit:
    root = location_of(args).root
    screen = Screen.of(sys.stdout)
    if args.act == "remove":
        screen.line("Git merges as before." if git_merge.remove(root) else "It was not installed here.")
        return Exit.OK
    command = "dovetail" if shutil.which("dovetail") else f"{shlex.quote(sys.executable)} -m dovetail"
    for line in git_merge.install(root, command + (" --adjacent" if args.adjacent else "")):
        screen.line("  ", line)
    screen.line("Git uses it in this clone's merges, rebases, cherry-picks and stashes. dovetail merge-driver remove")
    return Exit.OK


def resolve_command(args: argparse.Namespace) -> Exit:
    """`dovetail resolve [FILE …]`."""
    location = location_of(args)
    paths = [location.in_root(path) for path in args.files] or git_merge.conflicted_files(location.root)
    if not paths:
        Screen.of(sys.stdout).line("Git has no conflict here.")
        return Exit.OK
    terminal = None if args.yes or args.dry_run or args.json else open_terminal(stdin_is_reply=False)
    screen = Screen.of(sys.stdout)
    changes: list[FileChange] = []
    left = 0
    with Workspace.open(location.root) as workspace:
        snapshot = workspace.snapshot(paths)
        for path in paths:
            file = snapshot.files.get(path)
            if file is None or file.text is None:
                raise UsageError(f"`{path}` cannot be read as text.", hint="Name a file with git's conflict markers.")
            conflicts = git_merge.conflicts_of(location.root, path, file.text)
            chosen = [_choose(screen, terminal, path, file.text, one, quiet=args.json) for one in conflicts]
            left += chosen.count(None)
            edits = [Edit(one.span, text) for one, text in zip(conflicts, chosen, strict=True) if text is not None]
            if edits:
                changes.append(
                    FileChange(path, file.text, apply_edits(file.text, edits), marks=(file.marked, file.marked))
                )
        writes = bool(changes) and (args.yes or terminal is not None)
        operation = workspace.commit(changes, snapshot, reply="git's conflicts resolved") if writes else None
    if args.json:
        record = {"command": "resolve", "written": operation is not None, "left": left}
        print_json({**record, "files": [{"path": change.path, "after": change.after} for change in changes]})
    else:
        if terminal is None:
            draw_changes(screen, changes)
        done = f"{words.count(len(changes), 'file')} {'written' if writes else 'would be written'}"
        with reporting(DoneReport(done)):
            screen.line(f"{done}; {words.count(left, 'conflict')} left.")
            if operation is not None:
                screen.line("Then: git add FILE. To take it back: dovetail undo")
    if changes and not (writes or args.dry_run):
        sys.stderr.write(f"{NOBODY} Add --yes to write what a merge by tokens makes of them, or --dry-run.\n")
        return Exit.USAGE
    return Exit.REFUSED if left else Exit.OK


def _choose(
    screen: Screen, terminal: Terminal | None, path: str, text: str, conflict: GitConflict, *, quiet: bool
) -> str | None:
    """Return the text to put in place of a conflict, None to leave it; the merge's text if nobody can be asked."""
    if not quiet:
        line = IndexedText(text).line_at(conflict.span.start) + 1
        unclear = "  several lines could be the one between its sides: left to you"
        told = unclear if not conflict.is_clear else "" if conflict.merged is None else "  merges by tokens"
        screen.line(Styled(f"{path}:{line}", TextStyle.PLACE), told)
    if not conflict.is_clear:
        return None
    if not quiet:
        base = conflict.base or ""
        for name, side in (("ours", conflict.ours), ("theirs", conflict.theirs), ("merged", conflict.merged)):
            if side is not None:
                screen.line("  ", name)
                draw_hunks(screen, diff(base, side), "  ")
    if terminal is None:
        return conflict.merged
    choices = {"o": "ours", "t": "theirs", "b": "both", "l": "leave it"}
    if conflict.merged is not None:
        choices["m"] = "merged"
    named = ", ".join(f"[{key}]{word[1:]}" for key, word in choices.items())
    answer = terminal.ask(f"Which? {named} (Enter: leave it)", choices, "l")
    both = conflict.ours + conflict.theirs
    return {"o": conflict.ours, "t": conflict.theirs, "b": both, "m": conflict.merged, "l": None}[answer]
