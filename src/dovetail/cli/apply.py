"""`dovetail apply`: shows where each edit of a reply lands, asks, writes.

Nothing is written before somebody consented: by ``--yes``, or at the terminal after the plan was shown.
"""

from __future__ import annotations

import argparse
import os
import shlex
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

from dovetail.cli import words
from dovetail.cli.clipboard import can_write_clipboard, write_clipboard
from dovetail.cli.inputs import folder_of, location_of, reply_of, same_file, settings_of
from dovetail.cli.output import Exit, print_json, reporting
from dovetail.cli.plan_view import (
    draw_notes,
    draw_outcome,
    draw_plan,
    draw_suggestions,
    draw_trace,
    notes_of,
    report_of,
)
from dovetail.cli.screen import Screen
from dovetail.cli.terminal import NOBODY, Terminal, open_terminal, progress
from dovetail.model.codes import Code
from dovetail.model.errors import UsageError
from dovetail.session.apply.applying import (
    Committed,
    GitChoice,
    Prepared,
    commit,
    listing_option,
    message_for_model,
    prepare,
    rehearse,
    with_commands_read,
    with_on_failure,
)
from dovetail.session.apply.records import of_plan

_CONSENT = frozenset(("-y", "--yes", "-n", "--dry-run"))
_MAX_PATHS = 12  # paths of the reply that a message names


def apply_command(args: argparse.Namespace) -> Exit:
    """`dovetail apply [REPLY]`."""
    if args.message is not None and not args.commit:
        raise UsageError("--message needs --commit.", hint="Add --commit.")
    if args.retry == "-" and args.json:
        raise UsageError("Standard output has the object of --json.", hint="Leave out --retry: it is its key `retry`.")
    location = location_of(args)
    settings = settings_of(args, location)
    listing_as = location.in_root(args.listing_as) if args.listing_as is not None else None
    source = reply_of(args, location)
    with _nothing_written_yet():
        with progress(f"Planning the edits of {source.name}"):
            prepared = prepare(location.root, source.text, settings.reply, listing_as=listing_as)
        quiet = args.yes or args.dry_run or args.json
        terminal = None if quiet else open_terminal(stdin_is_reply=source.took_stdin)
    with prepared.workspace, _retry_file(args, prepared) as retry:
        _check_only(args, prepared)
        if terminal is None:
            return _without_questions(args, prepared, retry)
        # the plan shows what fits; the person decides
        prepared = with_on_failure(prepared, settings.on_failure(interactive=True), partial=True)
        with terminal:
            return _with_questions(args, prepared, terminal, retry)


@contextmanager
def _nothing_written_yet() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        sys.stderr.write("\nNothing was written.")
        raise


def _check_only(args: argparse.Namespace, prepared: Prepared) -> None:
    """Raise `UsageError` for ``--only`` paths under which the reply edits nothing: most likely they are misspelt."""
    results = [result for result in prepared.plan.results if not result.block.draft]
    if not args.only or not results or any(result.code is not Code.NOT_SELECTED for result in results):
        return
    named = words.listed([f"`{path}`" for path in prepared.policy.only or ()])  # from the root, as the reply's are
    paths = list(dict.fromkeys(r.path or r.block.path or "(no file named)" for r in results))
    hint = f"It edits {words.listed(paths, _MAX_PATHS)}, under {prepared.workspace.root}"
    raise UsageError(f"The reply edits nothing under {named}.", hint=hint)


def _without_questions(args: argparse.Namespace, prepared: Prepared, retry: RetryFile | None) -> Exit:
    committed = Committed(prepared, None)
    if args.yes:
        committed = _commit(args, prepared)  # before anything is printed: a reader that leaves stops no write
        prepared = committed.prepared
    elif args.dry_run:
        rehearse(prepared, _git(args))
    nobody_asked = bool(prepared.plan.changes) and not (args.yes or args.dry_run)
    status = Exit.USAGE if nobody_asked else _status(prepared, committed)
    with reporting(report_of(committed)):
        file = None if nobody_asked else _write_retry(args, retry, prepared, committed)
        if args.json:
            print_json(_record(prepared, committed, status, dry_run=args.dry_run))
        else:
            screen = _screen(args)
            _draw(args, screen, prepared, written=committed.operation is not None)
            draw_outcome(screen, prepared, committed, dry_run=args.dry_run, retry=file or _how_to_retry(args))
            _draw_listing_option(args, screen, prepared)
            if with_commands_read(prepared) is not None:
                typed = [word for word in args.typed if word not in _CONSENT]
                again = shlex.join(["dovetail", *typed, "--commands", "edits"])
                screen.line(f"To write what the commands would change, and run none of them: {again}")
    if nobody_asked:
        sys.stderr.write(f"{NOBODY} Add --yes, or --dry-run.\n")
    return status


def _with_questions(args: argparse.Namespace, prepared: Prepared, terminal: Terminal, retry: RetryFile | None) -> Exit:
    """Show the plan to the person at the terminal, and write what they want of it."""
    from dovetail.cli.questions import (  # loaded only if somebody is asked
        choose_edits,
        choose_listings,
        choose_options,
        choose_places,
        confirm,
        confirm_commands,
    )

    screen = _screen(args)
    with _nothing_written_yet():
        prepared = choose_places(screen, terminal, prepared)
        prepared = choose_options(screen, terminal, prepared)
        used = choose_listings(screen, terminal, prepared)
        agreed = used is not prepared and not prepared.plan.changes  # the diff of all that changes was agreed to
        prepared = used
        read = with_commands_read(prepared)
        if agreed and read is None:
            draw_suggestions(screen, prepared.plan)
        else:
            _draw(args, screen, read or prepared)
        if read is not None and confirm_commands(terminal, read):
            prepared, answer = read, "a"
        elif read is not None and not prepared.plan.changes:
            answer = "n"
        elif agreed:
            answer = "a"
        else:
            answer = confirm(terminal, prepared) if prepared.plan.changes else "a"
        if answer == "e":
            prepared = choose_edits(screen, terminal, prepared)
    # With no changes nobody was asked: the answer is "a", and what is left of the plan is reported below.
    if answer == "n" or (answer == "e" and not prepared.plan.changes):
        screen.line("Nothing was written.")
        draw_notes(screen, Committed(prepared, None), prepared.workspace.recovery)
        return Exit.REFUSED
    committed = _commit(args, prepared)
    prepared = committed.prepared
    with reporting(report_of(committed)):
        place = _write_retry(args, retry, prepared, committed)
        draw_outcome(screen, prepared, committed, retry=place or _how_to_retry(args))
    return _status(prepared, committed)


def _screen(args: argparse.Namespace) -> Screen:
    """Return the screen for the plan: standard error if the message for the model goes to standard output."""
    return Screen.of(sys.stderr if args.retry == "-" else sys.stdout)


def _how_to_retry(args: argparse.Namespace) -> str:
    """Return the end of a sentence about failed edits: what to send the model, or the command that prints it."""
    copies = can_write_clipboard()
    if args.reply in (None, "-") and not args.clipboard:
        return f", send it what --retry - prints{', or --retry-copy puts on the clipboard' * copies}."
    typed = [word for word in args.typed if word not in _CONSENT]
    retry = ["--retry-copy"] if copies else ["--retry", "-"]
    return f": {shlex.join(['dovetail', *typed, '--dry-run', *retry])}"


def _draw_listing_option(args: argparse.Namespace, screen: Screen, prepared: Prepared) -> None:
    """Name the option that would use an unread listing as an edit, if there is such a listing."""
    typed = [word for word in args.typed if word not in _CONSENT]
    if (path := listing_option(prepared)) is not None:
        named = os.path.relpath(prepared.workspace.root / path, folder_of(args).resolve())
        screen.line(f"To use the listing as `{path}`: {shlex.join(['dovetail', *typed, '--as', named])}")
    elif not (prepared.parsed.has_edits or prepared.plan.unread):
        listings = [block for block in prepared.parsed.unread if block.is_listing]
        if len(listings) == 1 and all(finding.hint is None for finding in prepared.plan.diagnostics):
            command = shlex.join(["dovetail", *typed, "--as"])
            screen.line(f"If the listing in line {listings[0].line} is meant for a file: {command} PATH")


def _draw(args: argparse.Namespace, screen: Screen, prepared: Prepared, *, written: bool = False) -> None:
    if args.verbose:
        draw_trace(screen, prepared)
    draw_plan(screen, prepared.plan, written=written)


def _git(args: argparse.Namespace) -> GitChoice:
    return GitChoice(add=args.git_add, commit=args.commit, message=args.message)


def _commit(args: argparse.Namespace, prepared: Prepared) -> Committed:
    """Write the plan, and stage or commit it if that is asked for; git's hooks may run for minutes."""
    with progress("Committing in git" if args.commit else "Writing"):
        return commit(prepared, _git(args), merge=True)


def _status(prepared: Prepared, committed: Committed) -> Exit:
    plan = prepared.plan
    if not (prepared.parsed.has_edits or plan.unread):
        return Exit.NO_EDITS
    return Exit.REFUSED if plan.failed or plan.missed or committed.git_error is not None else Exit.OK


def _record(prepared: Prepared, committed: Committed, status: Exit, *, dry_run: bool) -> dict[str, object]:
    return {
        "command": "apply",
        "root": str(prepared.workspace.root),
        "written": committed.operation is not None,
        "dry_run": dry_run,
        "exit": int(status),
        "operation": committed.operation.id if committed.operation is not None else None,
        **of_plan(prepared.plan, committed.findings, written=committed.operation is not None),
        "notes": notes_of(committed, prepared.workspace.recovery),
        "retry": _message(prepared, committed),
    }


def _message(prepared: Prepared, committed: Committed) -> str | None:
    written = committed.operation is not None
    return message_for_model(prepared.plan, written=written, markers=prepared.markers, files=prepared.texts)


_HOW = "Name a file in a folder that exists."
_ANOTHER = "Name another file, which is there to hold the message and nothing else."


def _retry_file(args: argparse.Namespace, prepared: Prepared) -> AbstractContextManager[RetryFile | None]:
    """Open the file of ``--retry``; None without that option, and in a dry run, which only checks the path."""
    if args.retry in (None, "-"):
        return nullcontext()
    folder, root = folder_of(args), prepared.workspace.root
    results, changes = prepared.plan.results, prepared.plan.changes
    edited = {r.path for r in results if r.path is not None}.union(change.path for change in changes)
    spared = [root / path for path in sorted(edited)]
    if args.reply not in (None, "-"):
        spared.append(folder / args.reply)
    if not args.dry_run:
        return RetryFile(folder / args.retry, args.retry, spared)
    _check_retry_file(folder / args.retry, args.retry, spared)
    return nullcontext()


def _write_retry(
    args: argparse.Namespace, retry: RetryFile | None, prepared: Prepared, committed: Committed
) -> str | None:
    """Write the message for the model where it is wanted; return words for the place, None if nothing was written."""
    if not (prepared.parsed.has_edits or prepared.plan.unread):
        return None
    message = _message(prepared, committed)
    if args.retry == "-":
        sys.stdout.write(message or "")
        place = "what standard output has."
    else:
        place = str(args.retry)
        kept = retry is not None and retry.write(message)
    if args.retry_copy and message is not None:
        write_clipboard(message)
        place = "what is on the clipboard."
    elif args.retry != "-" and not kept:
        return None
    return None if message is None else f", send it {place}"


class RetryFile(AbstractContextManager["RetryFile"]):
    """The file that `--retry` names, opened before anything is written, so that a bad name is reported in time.

    After a command that decided, the file holds the message about what failed, or it is gone: an old message never
    remains after a reply that went well. Nothing but such a message is ever replaced or removed: a file that holds
    anything else, that the reply edits, or that is the reply itself, is refused with `UsageError`.
    """

    def __init__(self, path: Path, named: str, spared: Iterable[Path]) -> None:
        _check_retry_file(path, named, spared)
        self._path = path
        # A file that this makes, and that gets no message, is removed again at the end.
        self._new = not os.path.lexists(path)
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
        except OSError as error:
            raise UsageError(f"`{named}` cannot be written: {error.strerror}.", hint=_HOW) from None
        self._regular = stat.S_ISREG(os.fstat(self._file).st_mode)

    def __exit__(self, *_: object) -> None:
        os.close(self._file)
        if self._new:
            self._remove()

    def write(self, message: str | None) -> bool:
        """Write the message, or remove the file if there is none; return whether there is one. Raises `OSError`."""
        if self._regular:
            os.ftruncate(self._file, 0)
        if message is None:
            self._remove()
            return False
        self._new = False
        with open(self._file, "w", encoding="utf-8", closefd=False) as out:
            out.write(message)
        return True

    def _remove(self) -> None:
        """Remove a regular file; a device stays, and so does what a link leads to."""
        with suppress(OSError):
            if stat.S_ISREG(os.lstat(self._path).st_mode):
                self._path.unlink()


def _check_retry_file(path: Path, named: str, spared: Iterable[Path]) -> None:
    """Raise `UsageError` if the message must not be written to a path. Nothing is changed.

    spared: files that the path must not lead to, under any name: the reply, and the files that it edits.
    """
    if any(same_file(path, other) for other in spared):
        raise UsageError(f"`{named}` is the reply, or a file that it edits.", hint=_ANOTHER)
    try:
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            path.resolve().parent.stat()
            return
        data = path.read_bytes() if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else b""  # a device holds nothing
    except OSError as error:
        raise UsageError(f"`{named}` cannot be written: {error.strerror}.", hint=_HOW) from None
    if data:
        from dovetail.llm.retry_texts import is_repair_message  # 15 modules, needed only if the file exists

        if not is_repair_message(data.decode("utf-8", "replace")):
            raise UsageError(f"`{named}` holds something else than a message of --retry.", hint=_ANOTHER)
