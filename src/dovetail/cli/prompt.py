"""`dovetail prompt`: the texts that teach a model an edit format."""

from __future__ import annotations

import argparse
import sys

from dovetail.cli.json_view import print_json
from dovetail.cli.screen import Screen
from dovetail.cli.status import Exit
from dovetail.llm import prompts
from dovetail.llm.fences import Fence
from dovetail.llm.values import Message


def prompt_command(stated: argparse.Namespace) -> Exit:
    """`dovetail prompt FORMAT`."""
    if stated.format is None:
        screen = Screen.of(sys.stdout)
        for name in prompts.FORMATS:
            screen.line(name)
        return Exit.OK
    fence = _fence(stated.fence)
    shell = not stated.no_shell
    system = prompts.system(stated.format, fence=fence, shell=shell)
    examples = prompts.examples(stated.format, fence=fence, shell=shell)
    reminder = prompts.reminder(stated.format, fence=fence, shell=shell)
    if stated.json:
        turns = [{"role": str(turn.role), "content": turn.content} for turn in examples]
        print_json({"format": stated.format, "system": system, "examples": turns, "reminder": reminder})
        return Exit.OK
    if stated.reminder:
        sys.stdout.write(reminder + "\n")
        return Exit.OK
    sys.stdout.write(system + "\n")
    if stated.examples:
        sys.stdout.write("\n## Examples\n\n" + "\n\n".join(map(_turn, examples)) + "\n")
    return Exit.OK


def _fence(stated: str) -> Fence:
    """A run for both sides, a tag with its closing twin, or both apart by a blank."""
    left, _, right = stated.partition(" ")
    if right:
        return Fence(left, right.strip())
    if left.startswith("<") and left.endswith(">"):
        return Fence(left, f"</{left[1:]}")
    return Fence.of(left)


def _turn(message: Message) -> str:
    return f"{str(message.role).upper()}\n\n{message.content}"
