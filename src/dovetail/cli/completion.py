"""Prints what bash, zsh and fish need to complete dovetail's words. Everything is read off the grammar itself."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

from dovetail.cli import arguments
from dovetail.cli.status import Exit
from dovetail.formats import FORMATS
from dovetail.model.dataclasses import dataclass
from dovetail.session.templates import shipped

_AUTO = "auto"


@dataclass(frozen=True, slots=True)
class _Word:
    """An option, or, without a name, what stands at a place of its own; `many` of them may."""

    names: tuple[str, ...]
    help: str
    choices: tuple[str, ...]
    takes_value: bool
    many: bool


@dataclass(frozen=True, slots=True)
class _Command:
    name: str
    summary: str
    words: tuple[_Word, ...]

    @property
    def options(self) -> tuple[_Word, ...]:
        return tuple(word for word in self.words if word.names)

    @property
    def places(self) -> tuple[_Word, ...]:
        return tuple(word for word in self.words if not word.names)

    @property
    def choices(self) -> str:
        """What may stand at its places, where there is a list of it."""
        return " ".join(choice for word in self.places for choice in word.choices)


def completion_command(stated: argparse.Namespace) -> Exit:
    """`dovetail completion SHELL`."""
    sys.stdout.write(_WRITERS[stated.shell](_grammar()))
    return Exit.OK


def _grammar() -> list[_Command]:
    top = arguments.build()
    commands = next(a for a in top._actions if isinstance(a, argparse._SubParsersAction))
    return [
        _Command(name, arguments.COMMANDS[name][0], tuple(_words(name, parser)))
        for name, parser in commands.choices.items()
    ]


def _words(command: str, parser: argparse.ArgumentParser) -> Iterator[_Word]:
    for action in parser._actions:
        choices = tuple(map(str, action.choices or _known(command, action.dest)))
        yield _Word(tuple(action.option_strings), action.help or "", choices, action.nargs != 0, action.nargs == "*")


def _known(command: str, dest: str) -> tuple[str, ...]:
    """Words that the grammar leaves to the command, and that there is a list of."""
    if dest == "format":
        return (_AUTO, *FORMATS) if command in ("apply", "check") else FORMATS
    if dest == "template":
        names = tuple(template.name for template in shipped())
        return (_AUTO, *names) if command == "ask" else names
    return ()


def _bash(commands: list[_Command]) -> str:
    names = " ".join(command.name for command in commands)
    return _BASH.format(commands=names, cases="\n".join(map(_bash_case, commands)))


def _bash_case(command: _Command) -> str:
    options = " ".join(name for option in command.options for name in option.names)
    values = [
        f"                {'|'.join(option.names)}) given={_quoted(' '.join(option.choices) or '/')} ;;"
        for option in command.options
        if option.takes_value
    ]
    choices = f' places="{command.choices}"' if command.choices else ""
    lines = [f"        {command.name})", f'            options="{options}"{choices}', '            case "$before" in']
    return "\n".join([*lines, *values, "            esac ;;"])


def _zsh(commands: list[_Command]) -> str:
    summaries = "\n".join(f"        {_quoted(f'{command.name}:{command.summary}')}" for command in commands)
    cases = "\n".join(
        f"        {command.name}) _arguments {' '.join(map(_quoted, _zsh_specs(command)))} ;;" for command in commands
    )
    return _ZSH.format(summaries=summaries, cases=cases)


def _zsh_specs(command: _Command) -> Iterator[str]:
    for number, word in enumerate(command.places, start=1):
        yield f"{'*' if word.many else number}:word:{_zsh_values(word)}"
    for word in command.options:
        said = word.help.replace("[", "(").replace("]", ")").replace(":", " ")
        for name in word.names:
            yield f"*{name}[{said}]" + (f":value:{_zsh_values(word)}" if word.takes_value else "")


def _zsh_values(word: _Word) -> str:
    return f"({' '.join(word.choices)})" if word.choices else "_files"


def _fish(commands: list[_Command]) -> str:
    lines = [_FISH.rstrip("\n")]
    for command in commands:
        begun = f"-n 'not __dovetail_command' -f -a {command.name} -d {_quoted(command.summary)}"
        lines.append(f"complete -c dovetail {begun}")
        seen = f"complete -c dovetail -n 'contains -- {command.name} (__dovetail_command)'"
        lines += [f"{seen} {_fish_option(option)}" for option in command.options]
        if command.choices:
            lines.append(f"{seen} -f -a {_quoted(command.choices)}")
    return "\n".join(lines) + "\n"


def _fish_option(option: _Word) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    values = f" -x -a {_quoted(' '.join(option.choices))}" if option.choices else " -r" if option.takes_value else ""
    return f"{names}{values} -d {_quoted(option.help)}"


def _quoted(text: str) -> str:
    escaped = text.replace("'", "'\\''")
    return f"'{escaped}'"


# What an option takes is `given`, `/` standing for files. `-C` and `--root` may stand before the command.
_BASH = """\
# eval "$(dovetail completion bash)"
_dovetail() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
    local command="" options="" places="" given="" i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${{COMP_WORDS[i]}}" in -C|--root) ((i++)) ;; -*) ;; *) command="${{COMP_WORDS[i]}}"; break ;; esac
    done
    case "$before" in -C|--root) COMPREPLY=($(compgen -d -- "$word")); return ;; esac
    case "$command" in
        "") options="{commands} -C --root --version --help" places=yes ;;
{cases}
    esac
    if [[ "$given" == / || ( -z "$given" && "$word" != -* && -z "$places" ) ]]; then
        COMPREPLY=($(compgen -f -- "$word"))
    elif [[ -n "$given" ]]; then
        COMPREPLY=($(compgen -W "$given" -- "$word"))
    elif [[ "$word" == -* || -z "$command" ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    else
        COMPREPLY=($(compgen -W "$places" -- "$word"))
    fi
}}
complete -o filenames -F _dovetail dovetail
"""

_ZSH = """\
#compdef dovetail
# eval "$(dovetail completion zsh)"
_dovetail() {{
    local -a commands
    commands=(
{summaries}
    )
    local at=2
    while (( at < CURRENT )); do
        case "${{words[at]}}" in -C|--root) (( at += 2 )) ;; *) break ;; esac
    done
    if (( CURRENT < at )); then
        _files -/
        return
    fi
    if (( CURRENT == at )); then
        _describe command commands
        return
    fi
    local command="${{words[at]}}"
    shift $(( at - 1 )) words
    (( CURRENT -= at - 1 ))
    case "$command" in
{cases}
    esac
}}
if [[ "$funcstack[1]" == _dovetail ]]; then _dovetail "$@"; else compdef _dovetail dovetail; fi
"""

_FISH = """\
# dovetail completion fish | source
function __dovetail_command
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        switch $words[1]
            case -C --root
                set -e words[1]
                set -q words[1]; and set -e words[1]
            case '-*'
                set -e words[1]
            case '*'
                echo $words[1]
                return 0
        end
    end
    return 1
end
complete -c dovetail -s C -x -a '(__fish_complete_directories)' -d 'run as if in DIR'
"""

_WRITERS: dict[str, Callable[[list[_Command]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
