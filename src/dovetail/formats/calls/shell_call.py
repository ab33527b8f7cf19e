r"""Calls of a shell, whose command hands a patch to `apply_patch` or writes a file from a here-document.

Grammar of what is read; nothing is run, and what is left of the command is a suggestion::

    command = (write | any other text)*       a command with "*** Begin Patch" in it is that patch
    write   = "cat" target here | "cat" here target | "tee" ["-a"] path here [">" "/dev/null"]      on one line
    here    = "<<" ["-"] (word | "'" word "'" | "\"" word "\""), then the text, then a line with the word alone
    target  = (">" | ">>") path

Behind ``>>`` and ``-a`` the text goes to the end of the file. Where a shell would put something in the place of a part
of the text or the path, the command stays a suggestion; so does one that writes outside of any project.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

from dovetail.formats.calls import names
from dovetail.formats.calls.call import Call, Item, PatchText, block_of
from dovetail.formats.paths import normalise
from dovetail.model.blocks import Kind, LineTarget, ShellSuggestion
from dovetail.text.pattern import pattern

_BEGIN_PATCH = "*** Begin Patch"
_PATH = r"(?:\"(?P<{0}_a>[^\"$`\\\n]+)\"|'(?P<{0}_b>[^'\n]+)'|(?P<{0}_c>[^\s\"'$`\\~*?;&|<>()]+))"
_HERE = r"<<(?P<{0}>-?)[ ]?(?P<{0}_quote>['\"\\]?)(?P<{0}_word>[A-Za-z_]\w*)['\"]?"
_WRITE = pattern(
    r"(?m)(?:^|(?<=&&)|(?<=;))[ \t]*(?:"
    rf"cat[ ]?(?P<add_a>>>?)[ ]?{_PATH.format('a')}[ ]?{_HERE.format('ha')}"
    rf"|cat[ ]?{_HERE.format('hb')}[ ]?(?P<add_b>>>?)[ ]?{_PATH.format('b')}"
    rf"|tee (?P<add_c>-a )?{_PATH.format('c')}[ ]?{_HERE.format('hc')}(?:[ ]?>[ ]?/dev/null)?"
    r")[ \t]*(?P<behind>(?:&&|;)[^\n|]*)?\n"
)
_EXPANDED = pattern(r"[$`\\]")
_ELSEWHERE = ("/tmp/", "/var/tmp/", "/dev/")  # noqa: S108 - nothing is opened
_FOLDER = pattern(r"(?m)(?:^|&&|;)[ \t]*cd ([\w./-]+)[ \t]*(?=&&|;|$)")
_JOINS = " \t\n&;"


def items_of_command(call: Call) -> Iterator[Item]:
    """The edits in the command of a shell's call, and what else it says to run."""
    commands = next((call.fields[key] for key in names.COMMANDS if call.fields.get(key)), None)
    texts = [text.replace("\r\n", "\n") for text in (commands if isinstance(commands, list) else [commands])
             if isinstance(text, str)]  # fmt: skip
    patch = next((text for text in texts if _BEGIN_PATCH in text), None)
    if patch is not None:
        yield PatchText(patch, None, in_code="<<" in patch)
    elif names.runs_shell(call.name) and call.name is not None:
        yield from _writes(call, texts[-1] if texts else "", alone=isinstance(commands, str))


def _writes(call: Call, command: str, *, alone: bool) -> Iterator[Item]:
    rest, at = [""], 0
    while (found := _WRITE.search(command, at)) is not None:
        shape = next(kind for kind in "abc" if found[f"h{kind}_word"])
        tabs, word = found[f"h{shape}"], found[f"h{shape}_word"]
        end = re.compile(rf"(?m)^{'' if not tabs else chr(9) + '*'}{word}(?:\n|\Z)").search(command, found.end())
        if end is None:
            break
        path = next(filter(None, (found[f"{shape}_{kind}"] for kind in "abc")))
        text = command[found.end() : end.start()]
        text = re.sub(r"(?m)^\t+", "", text) if tabs else text
        rest.append(command[at : found.start()])
        if path.startswith(_ELSEWHERE) or (not found[f"h{shape}_quote"] and _EXPANDED.search(text)):
            rest.append(command[found.start() : end.end()])
        else:
            folder = posixpath.join(call.text(names.FOLDERS) or "", *_FOLDER.findall("\n".join(rest)))
            adds = found[f"add_{shape}"] in (">>", "-a ")
            block = block_of(call, Kind.EDIT if adds else Kind.REWRITE, new=text)
            block = replace(block, path=normalise(posixpath.join(folder, path)))
            yield replace(block, target=LineTarget(None, 0), format="line-call") if adds else block
            rest.append(found["behind"] or "")
        at = end.end()
    left = "\n".join(filter(None, (part.strip(_JOINS) for part in (*rest, command[at:]))))
    if alone and _FOLDER.sub("", left).strip(_JOINS):
        yield ShellSuggestion(left, 0)
