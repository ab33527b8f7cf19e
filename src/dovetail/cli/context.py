"""`dovetail context`: files, excerpts and the repository's map, as a message to a model."""

from __future__ import annotations

import argparse
import re
import sys

from dovetail.cli.modelled import file_limit
from dovetail.cli.progress import progress
from dovetail.cli.screen import visible
from dovetail.cli.standing import tell_recovery
from dovetail.cli.stated import check_number, place_of
from dovetail.cli.status import Exit
from dovetail.context import estimate
from dovetail.model.errors import UsageError
from dovetail.session.loop.context_message import MOST_FOUND, ContextMessage, Wanted, context_message
from dovetail.session.loop.held_files import HeldFiles
from dovetail.workspace import Workspace


def context_command(stated: argparse.Namespace) -> Exit:
    """`dovetail context FILE…`."""
    _check_options(stated)
    place = place_of(stated)
    held = HeldFiles()
    for read_only, names in ((False, stated.files), (True, stated.read_only)):
        for path in dict.fromkeys(map(place.in_root, names)):
            held = held.adding(path, read_only=read_only)
    limit = file_limit(stated.file_tokens)
    wanted = Wanted(held, stated.grep, stated.ignore_case, limit, stated.tokens, stated.map)
    with Workspace.open(place.root) as workspace, progress("Reading the files"):
        message = context_message(workspace, wanted)
        tell_recovery(workspace.recovery)
    if message.no_room and not message.text:
        raise UsageError(f"Nothing of the map fits {stated.tokens:,} tokens.", hint="Allow more tokens.")
    if not message.text:
        raise UsageError(f"No file under {place.root} defines a name, so there is no map.", hint="Name files.")
    _tell_what_is_missing(stated, message)
    if stated.copy:
        from dovetail.cli.clipboard import write_clipboard

        write_clipboard(message.text)
        sys.stderr.write(f"About {estimate(message.text):,} tokens are on the clipboard.\n")
    elif sys.stdout.isatty():
        sys.stdout.writelines(visible(line) + "\n" for line in message.text.removesuffix("\n").split("\n"))
    else:
        sys.stdout.write(message.text)
    return Exit.OK


def _check_options(stated: argparse.Namespace) -> None:
    if stated.grep == "":
        raise UsageError("--grep has no pattern.", hint="For example --grep 'def main'")
    if not (stated.files or stated.read_only or stated.map or stated.grep):
        raise UsageError("Nothing to show was named.", hint="Name files, or use --map or --grep PATTERN")
    if stated.ignore_case and stated.grep is None:
        raise UsageError("--ignore-case needs --grep.", hint="Add --grep PATTERN")
    if stated.file_tokens is not None and stated.grep is not None:
        raise UsageError(
            "--grep shows no whole file, so --file-tokens is without effect.", hint="Leave one of them out."
        )
    check_number("--tokens", stated.tokens, 1, "tokens")
    try:
        re.compile(stated.grep or "")
    except re.error as error:
        raise UsageError(
            f"--grep is no regular expression: {error}.", hint="Escape signs that stand for themselves."
        ) from None


def _tell_what_is_missing(stated: argparse.Namespace, message: ContextMessage) -> None:
    whole = "--file-tokens 0" if stated.tokens is None else "--file-tokens 0, without --tokens"
    for path in message.in_part:
        sys.stderr.write(f"{visible(path)} is shown in part. To show all of it: {whole}\n")
    if stated.grep is not None and len(message.shown) == MOST_FOUND:
        sys.stderr.write(f"The pattern is shown in {MOST_FOUND} files, and in no further one.\n")
    if message.no_room:
        sys.stderr.write("The map is left out: --tokens leaves no room for it.\n")
