"""Prints what bash, zsh and fish need to complete dovetail's words. Everything is read off the grammar itself.

The scripts are in `completions/`; what follows from the grammar is put in place of ``@NAME@``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from dovetail.cli import arguments
from dovetail.cli.output import Exit
from dovetail.formats import format_names
from dovetail.session.templates import shipped

_FOLDERS = ("DIR", "DIR|URL")
_FILES = ("REPLY", "FILE", "PATH", "CASES", "RESULTS", "REQUEST")
_OPERATION = "ID"  # of a positional argument; the `ID` of an option is a conversation's
_NOTHING = "-"


@dataclass(frozen=True, slots=True)
class _Word:
    """An option, or a positional argument if it has no names.

    many: it may be given several times. value: the name of its value in the help, which tells files and operations.
    """

    names: tuple[str, ...]
    help: str
    choices: tuple[str, ...]
    value: str
    takes_value: bool
    many: bool

    @property
    def is_operation(self) -> bool:
        return self.value == "OPERATION" or (self.value == _OPERATION and not self.names)


@dataclass(frozen=True, slots=True)
class _Command:
    name: str
    summary: str
    options: tuple[_Word, ...]
    positionals: tuple[_Word, ...]

    @property
    def choices(self) -> str:
        """The words that the positional arguments may be, if there is a list of them."""
        return " ".join(choice for word in self.positionals for choice in word.choices)


def completion_command(args: argparse.Namespace) -> Exit:
    """`dovetail completion SHELL`."""
    commands = _grammar()
    script = (files("dovetail.cli") / "completions" / f"dovetail.{args.shell}").read_text(encoding="utf-8")
    match args.shell:
        case "bash":
            names = " ".join(command.name for command in commands)
            script = script.replace("@COMMANDS@", names).replace("@CASES@", "\n".join(map(_bash_case, commands)))
        case "zsh":
            summaries = "\n".join(f"        {_quoted(f'{command.name}:{command.summary}')}" for command in commands)
            script = script.replace("@SUMMARIES@", summaries).replace("@CASES@", "\n".join(map(_zsh_case, commands)))
        case _:
            script += "".join(f"{line}\n" for command in commands for line in _fish_lines(command))
    sys.stdout.write(script)
    return Exit.OK


def _grammar() -> list[_Command]:
    top = arguments.build()
    parsers = next(a for a in top._actions if isinstance(a, argparse._SubParsersAction)).choices
    commands = []
    for name, parser in parsers.items():
        words = []
        for action in parser._actions:
            if action.help == argparse.SUPPRESS:
                continue
            choices = tuple(map(str, action.choices or _choices_beyond_grammar(name, action.dest)))
            value, takes_value, many = str(action.metavar or ""), action.nargs != 0, action.nargs == "*"
            words.append(_Word(tuple(action.option_strings), action.help or "", choices, value, takes_value, many))
        options, positionals = (tuple(w for w in words if bool(w.names) == is_option) for is_option in (True, False))
        commands.append(_Command(name, arguments.COMMANDS[name][0], options, positionals))
    return commands


def _choices_beyond_grammar(command: str, dest: str) -> tuple[str, ...]:
    """Return the values of an argument that the command checks itself, if there is a list of them."""
    if dest == "format":
        names = format_names()
        return ("auto", *names) if command in ("apply", "check") else names
    if dest == "template":
        names = tuple(template.name for template in shipped())
        return ("auto", *names) if command == "ask" else names
    return ()


def _bash_case(command: _Command) -> str:
    def candidates(word: _Word) -> str:
        if word.choices:
            return " ".join(word.choices)
        if word.is_operation:
            return _OPERATION
        return "/" if word.value in _FILES else "//" if word.value in _FOLDERS else _NOTHING

    options = " ".join(name for option in command.options for name in option.names)
    values = [
        f"                {'|'.join(option.names)}) given={_quoted(candidates(option))} ;;"
        for option in command.options
        if option.takes_value
    ]
    places = command.choices or next(map(candidates, command.positionals), _NOTHING)
    lines = [
        f"        {command.name})",
        f'            options="{options}" places={_quoted(places)}',
        '            case "$before" in',
    ]
    return "\n".join([*lines, *values, "            esac ;;"])


def _zsh_case(command: _Command) -> str:
    def candidates(word: _Word) -> str:
        if word.choices:
            return f"({' '.join(word.choices)})"
        if word.is_operation:
            return "_dovetail_operations"
        return "_files $within" if word.value in _FILES else "_files -/ $within" if word.value in _FOLDERS else " "

    specs = [f"{'*' if w.many else n}:word:{candidates(w)}" for n, w in enumerate(command.positionals, start=1)]
    for word in command.options:
        text = word.help.replace("[", "(").replace("]", ")").replace(":", " ")
        for name in word.names:
            joined = "=" if word.takes_value and name.startswith("--") else ""
            specs.append(f"*{name}{joined}[{text}]" + (f":value:{candidates(word)}" if word.takes_value else ""))
    return f"        {command.name}) _arguments {' '.join(map(_quoted, specs))} ;;"


def _fish_lines(command: _Command) -> Iterator[str]:
    summary = f"-n 'not __dovetail_command' -f -a {command.name} -d {_quoted(command.summary)}"
    yield f"complete -c dovetail {summary}"
    seen = f"complete -c dovetail -n 'contains -- {command.name} (__dovetail_command)'"
    for option in command.options:
        names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
        if option.choices:
            values = f" -x -a {_quoted(' '.join(option.choices))}"
        elif option.is_operation:
            values = " -x -a '(__dovetail_operations)'"
        elif option.value in _FOLDERS:
            values = " -x -a '(__fish_complete_directories)'"
        else:
            values = "" if not option.takes_value else " -r" if option.value in _FILES else " -x"
        yield f"{seen} {names}{values} -d {_quoted(option.help)}"
    if command.choices:
        yield f"{seen} -f -a {_quoted(command.choices)}"
    elif any(word.is_operation for word in command.positionals):
        yield f"{seen} -f -a '(__dovetail_operations)'"
    elif not any(word.value in (*_FILES, *_FOLDERS) for word in command.positionals):
        yield f"{seen} -f"


def _quoted(text: str) -> str:
    escaped = text.replace("'", "'\\''")
    return f"'{escaped}'"
