"""Prints texts for a model, to use anywhere: `dovetail context` prints files, excerpts and the repository's map as one
message, `dovetail prompt` the texts that teach an edit format."""

from __future__ import annotations

import argparse
import re
import sys

from dovetail.cli.clipboard import write_clipboard
from dovetail.cli.inputs import check_number, location_of
from dovetail.cli.output import Exit, print_json
from dovetail.cli.screen import Screen, visible, write_text
from dovetail.cli.terminal import progress
from dovetail.context import FILE_LIMIT, estimate
from dovetail.llm import prompts
from dovetail.llm.prompts.texts import CodeFence
from dovetail.model.errors import UsageError
from dovetail.session.conversation.chat_files import ChatFiles
from dovetail.session.conversation.context_message import MAX_FOUND, ContextMessage, ContextRequest, context_message
from dovetail.session.settings import fence_pair, load
from dovetail.workspace import Workspace


def context_command(args: argparse.Namespace) -> Exit:
    """`dovetail context FILE…`."""
    _check_context_options(args)
    location = location_of(args)
    files = ChatFiles()
    for read_only, names in ((False, args.files), (True, args.read_only)):
        for path in dict.fromkeys(map(location.in_root, names)):
            files = files.adding(path, read_only=read_only)
    limit = file_limit(args.file_tokens)
    request = ContextRequest(files, args.grep, args.ignore_case, limit, args.tokens, args.map)
    with (
        Workspace.open(location.root, encoding=load(location.root).encoding) as workspace,
        progress("Reading the files"),
    ):
        message = context_message(workspace, request)
        if workspace.recovery is not None:
            sys.stderr.write(f"{visible(workspace.recovery.message)}\n")
    if message.no_room and not message.text:
        raise UsageError(f"Nothing of the map fits {args.tokens:,} tokens.", hint="Allow more tokens.")
    if not message.text:
        raise UsageError(f"No file under {location.root} defines a name, so there is no map.", hint="Name files.")
    _write_what_is_missing(args, message)
    if args.copy:
        write_clipboard(message.text)
        sys.stderr.write(f"About {estimate(message.text):,} tokens are on the clipboard.\n")
    else:
        write_text(sys.stdout, message.text)
    return Exit.OK


def _check_context_options(args: argparse.Namespace) -> None:
    if args.grep == "":
        raise UsageError("--grep has no pattern.", hint="For example --grep 'def main'")
    if not (args.files or args.read_only or args.map or args.grep):
        raise UsageError("Nothing to show was named.", hint="Name files, or use --map or --grep PATTERN")
    if args.ignore_case and args.grep is None:
        raise UsageError("--ignore-case needs --grep.", hint="Add --grep PATTERN")
    if args.file_tokens is not None and args.grep is not None:
        raise UsageError(
            "--grep shows no whole file, so --file-tokens is without effect.", hint="Leave one of them out."
        )
    check_number("--tokens", args.tokens, 1, "tokens")
    try:
        re.compile(args.grep or "")
    except re.error as error:
        raise UsageError(
            f"--grep is no regular expression: {error}.", hint="Escape signs that stand for themselves."
        ) from None


def file_limit(tokens: int | None, before: int | None = FILE_LIMIT) -> int | None:
    """Return the most tokens of one file; None, typed as 0, for no limit. Raises `UsageError`."""
    check_number("--file-tokens", tokens, 0, "tokens")
    return before if tokens is None else tokens or None


def _write_what_is_missing(args: argparse.Namespace, message: ContextMessage) -> None:
    whole = "--file-tokens 0" if args.tokens is None else "--file-tokens 0, without --tokens"
    for path in message.in_part:
        sys.stderr.write(f"{visible(path)} is shown in part. To show all of it: {whole}\n")
    if args.grep is not None and len(message.shown) == MAX_FOUND:
        sys.stderr.write(f"The pattern is shown in {MAX_FOUND} files, and in no further one.\n")
    if message.no_room:
        sys.stderr.write("The map is left out: --tokens leaves no room for it.\n")


def prompt_command(args: argparse.Namespace) -> Exit:
    """`dovetail prompt FORMAT`."""
    if args.format is None:
        if args.reminder or args.examples or args.no_shell or args.fence is not None:
            raise UsageError("No format is named.", hint="Name one: dovetail prompt diff")
        if args.json:
            print_json({"command": "prompt", "formats": list(prompts.format_names())})
        else:
            Screen.of(sys.stdout).lines("\n".join(prompts.format_names()))
        return Exit.OK
    try:
        fence = CodeFence(*fence_pair("```" if args.fence is None else args.fence))
    except ValueError as error:
        raise UsageError(f"--fence: {error}", hint="For example: --fence '````'") from None
    settings = load(location_of(args).root)
    wording = prompts.Wording(args.format, fence, not args.no_shell, settings.policy, settings.markers)
    if args.json:
        turns = [{"role": str(turn.role), "content": turn.content} for turn in wording.examples]
        record = {"format": args.format, "system": wording.system, "examples": turns, "reminder": wording.reminder}
        print_json({"command": "prompt", **record})
        return Exit.OK
    if args.reminder:
        sys.stdout.write(wording.reminder + "\n")
        return Exit.OK
    sys.stdout.write(wording.system + "\n")
    if args.examples:
        turns_text = (f"{str(turn.role).upper()}\n\n{turn.content}" for turn in wording.examples)
        sys.stdout.write("\n## Examples\n\n" + "\n\n".join(turns_text) + "\n")
    return Exit.OK
