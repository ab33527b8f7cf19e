r"""Calls of a shell: the command as a suggestion, or the patch that it hands to a program which applies patches.

A patch counts only if that program is the command, in a folder that is given literally; only programs that change no
file may run after it::

    ["cd" folder "&&"] ("apply_patch" (here | patch) | "git" "apply" here | "patch" "-p1" here) [… a program that looks]

The effect of any other command is worked out by the plan, which knows the files.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator

from dovetail.formats.calls import names
from dovetail.formats.calls.call import Call, Item, PatchText
from dovetail.model.blocks import ShellSuggestion
from dovetail.shell import NotReadError, changes_files
from dovetail.shell.syntax import Chain, Made, Simple, literal, read
from dovetail.text.pattern import pattern

_SHELLS = pattern(r"(?:.*/)?(?:ba|z|da|k)?sh(?:\.exe)?")
_SETS_UP = frozenset(("set", "export", "true", ":"))
_PATCHES = frozenset((("git", "apply"), ("git", "apply", "-"), ("patch", "-p1")))
"""Commands that apply a here-document."""
_EDITOR = "str_replace_editor"
_BACKGROUND = ("runinbackground", "isbackground", "background")


def items_of_command(call: Call) -> Iterator[Item]:
    """Yield the patch that the command of a shell's call applies, or the command as a suggestion."""
    command = next((call.fields[key] for key in names.COMMANDS if call.fields.get(key)), None)
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        # `["bash", "-lc", "…"]` holds a script; any other list is one command with its words.
        is_script = len(command) > 1 and _SHELLS.fullmatch(command[0]) and command[1].startswith("-")
        command = str(command[-1]) if is_script else shlex.join(command)
    if not isinstance(command, str) or not (call.name is None or names.runs_shell(call.name)):
        return
    command = command.replace("\r\n", "\n")
    folder = call.text(names.FOLDERS) or ""
    if any(call.fields.get(key) in (True, "true") for key in _BACKGROUND):
        command = f"{command.rstrip()} &"
    patch = _patch_in(command, folder)
    if patch is not None:
        yield patch
    elif call.name is not None and command.strip():
        yield ShellSuggestion(command.strip("\n"), 0, folder=folder)


def editor_call(command: str) -> Call | None:
    """Return the call that a command line of an agent's editor states, or None for any other command.

    An example: ``str_replace_editor str_replace a.py --old_str '…' --new_str '…'``.
    """
    if not command.lstrip().startswith(f"{_EDITOR} "):
        return None
    try:
        chains = read(command).chains
    except NotReadError:
        return None
    simples = list(_sequence(chains))
    found = [literal(word) for word in simples[0].words] if len(simples) == 1 and simples[0] is not None else []
    words = [word for word in found if word is not None]
    # The program, its command and the path, then options in pairs: an odd number.
    if len(words) < 3 or len(words) != len(found) or len(words) % 2 == 0:
        return None
    options = dict(zip(words[3::2], words[4::2], strict=True))
    if any(not option.startswith("--") for option in options):
        return None
    fields = {option.removeprefix("--"): value for option, value in options.items()}
    return Call(_EDITOR, {"command": words[1], "path": words[2], **fields})


def typed(value: object) -> str | None:
    """Return the text that a list of keystrokes types into a terminal, if it ends in a line end; else None."""
    keys = (
        [one.get("keystrokes") if isinstance(one, dict) else None for one in value] if isinstance(value, list) else []
    )
    texts = [text for text in keys if isinstance(text, str)]
    return "".join(texts) if texts and len(texts) == len(keys) and texts[-1].endswith("\n") else None


def _patch_in(command: str, folder: str) -> PatchText | None:
    """Return the patch that a command applies, or None if there is none, or the command may change anything else."""
    try:
        chains = read(command).chains
    except NotReadError:
        return None
    found: PatchText | None = None
    for simple in _sequence(chains):
        words = [literal(word) for word in simple.words] if simple is not None else []
        if simple is None or not words or words[0] is None or None in words[1:]:
            return None
        name, arguments = words[0], [word for word in words[1:] if word is not None]
        here = [redirect.here.word for redirect in simple.redirects if redirect.here is not None]
        patch = None
        if len(here) == len(simple.redirects) == 1 and all(part.made is Made.TEXT for part in here[0]):
            patch = "".join(part.text for part in here[0])
        if name in ("apply_patch", "applypatch"):
            said = arguments[0] if len(arguments) == 1 and not simple.redirects else None
            patch = said if arguments else patch
        elif (name, *arguments) not in _PATCHES:
            patch = None
        if found is not None:
            # `apply_patch … && git diff`: what only looks may follow.
            if changes_files(simple.text):
                return None
        elif patch is not None:
            found = PatchText(patch, None, in_code=True, folder=folder)
        elif name == "cd" and len(arguments) == 1 and not arguments[0].startswith(("-", "..", "~")):
            folder = posixpath.join(folder, arguments[0])
        elif name not in _SETS_UP or simple.redirects:
            return None
    return found


def _sequence(chains: tuple[Chain, ...]) -> Iterator[Simple | None]:
    """Yield the commands of `a && b` in order; None for one that is piped, negated, after another operator, or after
    assignments."""
    for chain in chains:
        for operator, pipeline in (("&&", chain.first), *chain.others):
            command = pipeline.commands[0]
            plain = operator == "&&" and len(pipeline.commands) == 1 and not pipeline.negated
            yield command if plain and isinstance(command, Simple) and not command.assigned else None
