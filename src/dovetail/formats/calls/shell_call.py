r"""Calls of a shell: which of their commands hand a patch to `apply_patch`, or write a file from a here-document.

All of a command is understood, or nothing of it is an edit: then it is a suggestion, and `unread` where it may change
files. Understood is a sequence of these, joined by ``;``, line ends or ``&&``::

    "cd" folder | "set" option* | "export" name=word | "mkdir" ["-p"] folder*        before what they are for
    "cat" [">" | ">>"] path here | "tee" ["-a"] path here [">" "/dev/null"]
    "apply_patch" (here | patch) | "git" "apply" here | "patch" "-p1" here
    a program that changes no file, or runs one                                      behind all others
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

from dovetail.formats.calls import names
from dovetail.formats.calls.call import Call, Item, PatchText, block_of
from dovetail.formats.paths import normalise
from dovetail.model.blocks import Block, Kind, LineTarget, ShellSuggestion
from dovetail.shell.change import may_change
from dovetail.shell.syntax import Chain, Made, NotReadError, Simple, literal, read
from dovetail.text.pattern import pattern

_SHELLS = pattern(r"(?:.*/)?(?:ba|z|da|k)?sh(?:\.exe)?")
_SETS_UP = frozenset(("set", "export", "mkdir", "true", ":"))
_RUNS = frozenset(("ls", "pwd", "cat", "wc", "head", "tail", "echo", "python", "python3", "pytest", "true", "git"))
_PATCHES = frozenset((("git", "apply"), ("git", "apply", "-"), ("patch", "-p1")))
"""Commands that apply a here-document."""
_ELSEWHERE = ("/tmp/", "/var/tmp/", "/dev/")  # noqa: S108 - nothing is opened


def items_of_command(call: Call) -> Iterator[Item]:
    """The edits in the command of a shell's call, or the command as a suggestion."""
    command = next((call.fields[key] for key in names.COMMANDS if call.fields.get(key)), None)
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        is_script = len(command) > 1 and _SHELLS.fullmatch(command[0]) and command[1].startswith("-")
        command = command[-1] if is_script else shlex.join(command)
    if not isinstance(command, str) or not (call.name is None or names.runs_shell(call.name)):
        return
    command = command.replace("\r\n", "\n")
    found = _edits(call, command) or []
    if call.name is None:  # any data may hold a command
        found = [item for item in found if isinstance(item, PatchText)]
    yield from found
    if not found and call.name is not None and command.strip():
        yield ShellSuggestion(command.strip("\n"), 0)


def _edits(call: Call, command: str) -> list[Item] | None:
    """What a command edits; None where a part of it is not understood, or it edits nothing."""
    try:
        chains = read(command).chains
    except NotReadError:
        return None
    folder, found, runs = call.text(names.FOLDERS) or "", list[Item](), list[str]()
    for simple in _sequence(chains):
        words = [literal(word) for word in simple.words] if simple is not None else []
        if simple is None or not words or words[0] is None or None in words[1:]:
            return None
        name, arguments = words[0], [word for word in words[1:] if word is not None]
        edit = _edit(call, simple, name, arguments, folder)
        if edit is not None and not runs:
            found.append(edit)
        elif name == "cd" and len(arguments) == 1 and not (arguments[0].startswith(("-", "..", "~")) or found):
            folder = posixpath.join(folder, arguments[0])
        elif name in _RUNS and found and not may_change(simple.text):
            runs.append(simple.text)
        elif name not in _SETS_UP or found or simple.redirects:
            return None
    if not found:
        return None
    return [*found, ShellSuggestion("\n".join(runs), 0)] if runs else found


def _sequence(chains: tuple[Chain, ...]) -> Iterator[Simple | None]:
    """The commands of chains in which each runs where the one before it succeeds; None for any other."""
    for chain in chains:
        for operator, pipeline in (("&&", chain.first), *chain.others):
            command = pipeline.commands[0]
            plain = operator == "&&" and len(pipeline.commands) == 1 and not pipeline.negated
            yield command if plain and isinstance(command, Simple) and not command.assigned else None


def _edit(call: Call, simple: Simple, name: str, arguments: list[str], folder: str) -> Item | None:
    """The edit of one command, if it is a patch or a here-document that is written to a file."""
    texts = [redirect.here.word for redirect in simple.redirects if redirect.here is not None]
    others = [redirect for redirect in simple.redirects if redirect.here is None]
    text = "".join(part.text for part in texts[0]) if texts and all(p.made is Made.TEXT for p in texts[0]) else None
    if name in ("apply_patch", "applypatch") and not others:
        patch = text if not arguments else arguments[0] if len(arguments) == 1 and not texts else None
    elif (name, *arguments) in _PATCHES and not others:
        patch = text
    else:
        patch = None
    if patch is not None:
        return PatchText(patch, None, in_code=True, folder=folder)
    targets = [literal(redirect.word) for redirect in others if redirect.descriptor is None]
    if text is None or len(texts) != 1 or len(others) != len(targets):
        return None
    if name == "cat" and not arguments and len(others) == 1 and others[0].operator in (">", ">>"):
        return _write(call, folder, targets[0], text, adds=others[0].operator == ">>")
    options = list(takewhile(lambda word: word == "-a", arguments))
    if name == "tee" and len(arguments) == len(options) + 1 and targets in ([], ["/dev/null"]):
        return _write(call, folder, arguments[-1], text, adds=bool(options))
    return None


def _write(call: Call, folder: str, path: str | None, text: str, *, adds: bool) -> Block | None:
    """The block of a file that gets a text, or gets it added to its end."""
    if not path or path.startswith(_ELSEWHERE) or folder.startswith(_ELSEWHERE):
        return None
    block = block_of(call, Kind.EDIT if adds else Kind.REWRITE, new=text)
    block = replace(block, path=normalise(posixpath.join(folder, path)))
    return replace(block, target=LineTarget(None, 0), format="line-call") if adds else block
