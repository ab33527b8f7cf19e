"""`dovetail prompt`: the texts that teach a model an edit format."""

from __future__ import annotations

import argparse
import re
import sys

from dovetail.cli.ask import file_limit
from dovetail.cli.inputs import check_number, location_of
from dovetail.cli.output import Exit, print_json
from dovetail.cli.screen import Screen, visible
from dovetail.cli.terminal import progress
from dovetail.context import estimate
from dovetail.llm import prompts
from dovetail.llm.prompts.texts import CodeFence
from dovetail.llm.values import Message
from dovetail.model.errors import UsageError
from dovetail.session.chat_files import ChatFiles
from dovetail.session.context_message import MAX_FOUND, ContextMessage, ContextRequest, context_message
from dovetail.session.settings import fence_pair, load
from dovetail.workspace import Workspace

_USUAL = "```"


def prompt_command(stated: argparse.Namespace) -> Exit:
    """`dovetail prompt FORMAT`."""
    _check_prompt_options(stated)
    if stated.format is None and stated.json:
        print_json({"command": "prompt", "formats": list(prompts.FORMATS)})
        return Exit.OK
    if stated.format is None:
        screen = Screen.of(sys.stdout)
        for name in prompts.FORMATS:
            screen.line(name)
        return Exit.OK
    fence, shell = _fence(_USUAL if stated.fence is None else stated.fence), not stated.no_shell
    settings = load(location_of(stated).root)
    wording = prompts.Wording(stated.format, fence, shell, settings.policy, settings.markers)
    if stated.json:
        turns = [{"role": str(turn.role), "content": turn.content} for turn in wording.examples]
        record = {"format": stated.format, "system": wording.system, "examples": turns, "reminder": wording.reminder}
        print_json({"command": "prompt", **record})
        return Exit.OK
    if stated.reminder:
        sys.stdout.write(wording.reminder + "\n")
        return Exit.OK
    sys.stdout.write(wording.system + "\n")
    if stated.examples:
        sys.stdout.write("\n## Examples\n\n" + "\n\n".join(map(_turn, wording.examples)) + "\n")
    return Exit.OK


def _check_prompt_options(stated: argparse.Namespace) -> None:
    """Refuse what would be without effect."""
    if stated.format is None and (stated.reminder or stated.examples or stated.no_shell or stated.fence is not None):
        raise UsageError("No format is named.", hint="Name one: dovetail prompt diff")


def _fence(stated: str) -> CodeFence:
    """A run for both sides, a tag with its closing twin, or both apart by a blank. Raises `UsageError`."""
    try:
        return CodeFence(*fence_pair(stated))
    except ValueError as error:
        raise UsageError(f"--fence: {error}", hint="For example: --fence '````'") from None


def _turn(message: Message) -> str:
    return f"{str(message.role).upper()}\n\n{message.content}"


def context_command(stated: argparse.Namespace) -> Exit:
    """`dovetail context FILE…`."""
    _check_options(stated)
    place = location_of(stated)
    held = ChatFiles()
    for read_only, names in ((False, stated.files), (True, stated.read_only)):
        for path in dict.fromkeys(map(place.in_root, names)):
            held = held.adding(path, read_only=read_only)
    limit = file_limit(stated.file_tokens)
    wanted = ContextRequest(held, stated.grep, stated.ignore_case, limit, stated.tokens, stated.map)
    with Workspace.open(place.root) as workspace, progress("Reading the files"):
        message = context_message(workspace, wanted)
        if workspace.recovery is not None:
            sys.stderr.write(f"{workspace.recovery.message}\n")
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
    if stated.grep is not None and len(message.shown) == MAX_FOUND:
        sys.stderr.write(f"The pattern is shown in {MAX_FOUND} files, and in no further one.\n")
    if message.no_room:
        sys.stderr.write("The map is left out: --tokens leaves no room for it.\n")
