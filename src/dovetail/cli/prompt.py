"""`dovetail prompt`: the texts that teach a model an edit format."""

from __future__ import annotations

import argparse
import sys

from dovetail.cli.screen import Screen
from dovetail.cli.stated import place_of
from dovetail.cli.status import Exit
from dovetail.cli.streams import print_json
from dovetail.llm import prompts
from dovetail.llm.prompts.texts import CodeFence
from dovetail.llm.values import Message
from dovetail.model.errors import UsageError
from dovetail.session.settings import fence_pair, load

_USUAL = "```"


def prompt_command(stated: argparse.Namespace) -> Exit:
    """`dovetail prompt FORMAT`."""
    _check_options(stated)
    if stated.format is None and stated.json:
        print_json({"command": "prompt", "formats": list(prompts.FORMATS)})
        return Exit.OK
    if stated.format is None:
        screen = Screen.of(sys.stdout)
        for name in prompts.FORMATS:
            screen.line(name)
        return Exit.OK
    fence, shell = _fence(_USUAL if stated.fence is None else stated.fence), not stated.no_shell
    settings = load(place_of(stated).root)
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


def _check_options(stated: argparse.Namespace) -> None:
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
