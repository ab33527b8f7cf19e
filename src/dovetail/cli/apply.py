"""The file that `--retry` names: opened before anything is written, so that a name that cannot be is said in time.

Invariants: behind a command that decided, the file holds the message about what failed, or it is gone: an old message
never stands for a reply that went well. Nothing but such a message is ever replaced or removed: what holds anything
else, what the reply edits and the reply itself are refused.
"""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

from dovetail.cli import words
from dovetail.cli.inputs import folder_of, location_of, reply_of, same_file, settings_of
from dovetail.cli.output import Exit, print_json, reporting
from dovetail.cli.plan_view import draw_outcome, draw_plan, draw_refusal, effect_of, notes_of
from dovetail.cli.screen import Screen
from dovetail.cli.terminal import NOBODY, Terminal, open_terminal, progress
from dovetail.model.codes import Code
from dovetail.model.errors import UsageError
from dovetail.session.applying import Committed, GitChoice, Prepared, commit, prepare, rehearse, with_on_failure
from dovetail.session.correction import retry_message
from dovetail.session.records import of_plan

_HOW = "Name a file in a folder that exists."
_ANOTHER = "Name another file, which is there to hold the message and nothing else."


def check_retry_file(path: Path, named: str, spared: Iterable[Path]) -> None:
    """See that a path may hold the message, and change nothing. Raises `UsageError`.

    `spared` are paths that it must not be, by whatever name: the reply, and what the reply edits.
    """
    if named == "-":
        raise UsageError("`-` is no file.", hint="Name one; --json prints the message, too, as `retry`.")
    if any(same_file(path, other) for other in spared):
        raise UsageError(f"`{named}` is the reply, or a file that it edits.", hint=_ANOTHER)
    try:
        data = _held(path)
    except OSError as error:
        raise UsageError(f"`{named}` cannot be written: {error.strerror}.", hint=_HOW) from None
    if data and not _is_message(data):
        raise UsageError(f"`{named}` holds something else than a message of --retry.", hint=_ANOTHER)


class RetryFile(AbstractContextManager["RetryFile"]):
    """Opened by name; raises `UsageError` where it cannot be. Until it is settled it is as it was."""

    def __init__(self, path: Path, named: str, spared: Iterable[Path]) -> None:
        check_retry_file(path, named, spared)
        self._path = path
        self._new = not os.path.lexists(path)
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
        except OSError as error:
            raise UsageError(f"`{named}` cannot be written: {error.strerror}.", hint=_HOW) from None
        self._plain = stat.S_ISREG(os.fstat(self._file).st_mode)

    def __exit__(self, *_: object) -> None:
        os.close(self._file)
        if self._new:
            self._remove()

    def settle(self, message: str | None) -> bool:
        """Hold the message, or be gone where there is none; gives whether it holds one. Raises `OSError`."""
        if self._plain:
            os.ftruncate(self._file, 0)
        if message is None:
            self._remove()
            return False
        self._new = False
        with open(self._file, "w", encoding="utf-8", closefd=False) as out:
            out.write(message)
        return True

    def _remove(self) -> None:
        """Only a file of its own goes; a device stays, and so does what a link leads to."""
        with suppress(OSError):
            if stat.S_ISREG(os.lstat(self._path).st_mode):
                self._path.unlink()


def _held(path: Path) -> bytes:
    """What replacing a file would lose; a device or a pipe holds nothing. Raises `OSError`."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        path.resolve().parent.stat()
        return b""
    return path.read_bytes() if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else b""


def _is_message(data: bytes) -> bool:
    from dovetail.llm.repair import is_repair_message

    return is_repair_message(data.decode("utf-8", "replace"))


_MOST_PATHS = 12  # of the reply's, that a message names


def apply_command(stated: argparse.Namespace) -> Exit:
    """`dovetail apply [REPLY]`."""
    _check_options(stated)
    place = location_of(stated)
    settings = settings_of(stated, place)
    source = reply_of(stated, place)
    quiet = stated.yes or stated.dry_run or stated.json
    with _nothing_written_yet():
        with progress(f"Planning the edits of {source.name}"):
            prepared = prepare(place.root, source.text, settings.reply)
        terminal = None if quiet else open_terminal(stdin_is_reply=source.took_stdin)
    with prepared.workspace, _retry_file(stated, prepared) as retry:
        _check_only(stated, prepared)
        if terminal is None:
            return _unasked(stated, prepared, retry)
        on_failure = settings.on_failure(asked=True)
        if on_failure is not prepared.policy.on_failure:
            prepared = with_on_failure(prepared, on_failure)  # what could land is shown; the person decides
        with terminal:
            return _asked(stated, prepared, terminal, retry)


@contextmanager
def _nothing_written_yet() -> Iterator[None]:
    """Says so where Ctrl-C comes before anything was written."""
    try:
        yield
    except KeyboardInterrupt:
        sys.stderr.write("\nNothing was written.")
        raise


def _retry_file(stated: argparse.Namespace, prepared: Prepared) -> AbstractContextManager[RetryFile | None]:
    """The file of ``--retry``; none where it is not asked for. A dry run looks at it and opens none."""
    if stated.retry is None:
        return nullcontext()
    folder, root = folder_of(stated), prepared.workspace.root
    results, changes = prepared.plan.results, prepared.plan.changes
    edited = {r.path for r in results if r.path is not None}.union(change.path for change in changes)
    spared = [root / path for path in sorted(edited)]
    if stated.reply not in (None, "-"):
        spared.append(folder / stated.reply)
    if not stated.dry_run:
        return RetryFile(folder / stated.retry, stated.retry, spared)
    check_retry_file(folder / stated.retry, stated.retry, spared)
    return nullcontext()


def _check_options(stated: argparse.Namespace) -> None:
    if stated.message is not None and not stated.commit:
        raise UsageError("--message needs --commit.", hint="Add --commit.")


def _check_only(stated: argparse.Namespace, prepared: Prepared) -> None:
    """Refuse ``--only`` paths under which the reply edits nothing: most likely they are misspelt."""
    results = [result for result in prepared.plan.results if not result.block.draft]
    if not stated.only or not results or any(result.code is not Code.NOT_SELECTED for result in results):
        return
    named = words.listed([f"`{path}`" for path in prepared.policy.only or ()])  # from the root, as the reply's are
    paths = list(dict.fromkeys(r.path or r.block.path or "(no file named)" for r in results))
    hint = f"It edits {words.listed(paths, _MOST_PATHS)}, under {prepared.workspace.root}"
    raise UsageError(f"The reply edits nothing under {named}.", hint=hint)


def _git(stated: argparse.Namespace) -> GitChoice:
    return GitChoice(add=stated.git_add, commit=stated.commit, message=stated.message)


def _status(prepared: Prepared, applied: Committed) -> Exit:
    """What a plan means for the shell, once it is written."""
    if not prepared.parsed.has_edits:
        return Exit.NO_EDITS
    return Exit.REFUSED if prepared.plan.failed or applied.git_error is not None else Exit.OK


def _unasked(stated: argparse.Namespace, prepared: Prepared, retry: RetryFile | None) -> Exit:
    """Without questions: write where ``--yes`` was given, else only show."""
    applied = Committed(prepared.plan, None)
    if stated.yes:
        applied = _written(stated, prepared)  # before anything is printed: a reader that leaves stops no write
    elif stated.dry_run:
        rehearse(prepared, _git(stated))
    unwanted = bool(prepared.plan.changes) and not (stated.yes or stated.dry_run)
    status = Exit.USAGE if unwanted else _status(prepared, applied)
    with reporting(effect_of(applied)):
        told = None if unwanted else _told(stated, retry, prepared, applied)  # with nobody to ask nothing was decided
        if stated.json:
            print_json(_record(prepared, applied, status, dry_run=stated.dry_run))
        else:
            screen = Screen.of(sys.stdout)
            _draw(stated, screen, prepared)
            draw_outcome(screen, prepared, applied, dry_run=stated.dry_run, retry=told)
    if unwanted:
        sys.stderr.write(f"{NOBODY} Add --yes, or --dry-run.\n")
    return status


def _asked(stated: argparse.Namespace, prepared: Prepared, terminal: Terminal, retry: RetryFile | None) -> Exit:
    """With a person at the terminal."""
    screen = Screen.of(sys.stdout)
    with _nothing_written_yet():
        chosen = _chosen(stated, screen, prepared, terminal)
    if chosen is None:
        draw_refusal(screen, prepared)
        return Exit.REFUSED
    applied = _written(stated, chosen)
    with reporting(effect_of(applied)):
        draw_outcome(screen, chosen, applied, retry=_told(stated, retry, chosen, applied))
    return _status(chosen, applied)


def _written(stated: argparse.Namespace, prepared: Prepared) -> Committed:
    """The plan, written, and given to git where that is asked for: its hooks may run for minutes."""
    with progress("Committing in git" if stated.commit else "Writing"):
        return commit(prepared, _git(stated))


def _chosen(stated: argparse.Namespace, screen: Screen, prepared: Prepared, terminal: Terminal) -> Prepared | None:
    """What the person wants of the plan, after it was shown; None for nothing of what it would write."""
    from dovetail.cli.questions import choose_edits, choose_places, confirm

    prepared = choose_places(screen, terminal, prepared)
    _draw(stated, screen, prepared)
    answer = confirm(terminal, prepared) if prepared.plan.changes else "a"
    if answer == "e":
        prepared = choose_edits(screen, terminal, prepared)
    refused = answer == "n" or (answer == "e" and not prepared.plan.changes)
    return None if refused else prepared


def _record(prepared: Prepared, applied: Committed, status: Exit, *, dry_run: bool) -> dict[str, object]:
    return {
        "command": "apply",
        "root": str(prepared.workspace.root),
        "written": applied.operation is not None,
        "dry_run": dry_run,
        "exit": int(status),
        "operation": applied.operation.id if applied.operation is not None else None,
        **of_plan(prepared.plan, applied.findings),
        "notes": notes_of(applied, prepared.workspace.recovery),
        "retry": _message(prepared, applied),
    }


def _message(prepared: Prepared, applied: Committed) -> str | None:
    """What asks the model for the failed edits; None where none failed."""
    written = applied.operation is not None
    return retry_message(prepared.plan.results, written=written, markers=prepared.markers, files=prepared.texts)


def _told(stated: argparse.Namespace, retry: RetryFile | None, prepared: Prepared, applied: Committed) -> str | None:
    """The file that has the message for the model by now; None where none does."""
    if retry is None or not prepared.parsed.has_edits:
        return None
    return str(stated.retry) if retry.settle(_message(prepared, applied)) else None


def _draw(stated: argparse.Namespace, screen: Screen, prepared: Prepared) -> None:
    if stated.verbose:
        from dovetail.cli.plan_view import draw_trace

        draw_trace(screen, prepared)
    draw_plan(screen, prepared.plan)
