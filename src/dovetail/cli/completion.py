"""Prints what bash, zsh and fish need to complete dovetail's words. Everything is read off the grammar itself."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dovetail.cli import arguments
from dovetail.cli.output import Exit
from dovetail.formats import FORMATS
from dovetail.session.templates import shipped

_AUTO = "auto"
_FOLDERS = ("DIR", "DIR|URL")
_FILES = ("REPLY", "FILE", "PATH", "CASES", "RESULTS", "REQUEST")
_OPERATION = "ID"  # where it stands at a place of its own; that of an option is a conversation's


@dataclass(frozen=True, slots=True)
class _Word:
    """An option, or, without a name, what stands at a place of its own; `many` of them may.

    value: how the help names what is to be typed, which says whether that is a file, or an operation.
    """

    names: tuple[str, ...]
    help: str
    choices: tuple[str, ...]
    value: str
    takes_value: bool
    many: bool

    @property
    def is_operation(self) -> bool:
        return self.value == _OPERATION and not self.names


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
        names, value = tuple(action.option_strings), str(action.metavar or "")
        yield _Word(names, action.help or "", choices, value, action.nargs != 0, action.nargs == "*")


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
        f"                {'|'.join(option.names)}) given={_quoted(_bash_given(option))} ;;"
        for option in command.options
        if option.takes_value
    ]
    places = command.choices or next((_bash_given(word) for word in command.places), _NOTHING)
    lines = [
        f"        {command.name})",
        f'            options="{options}" places={_quoted(places)}',
        '            case "$before" in',
    ]
    return "\n".join([*lines, *values, "            esac ;;"])


def _bash_given(word: _Word) -> str:
    if word.choices:
        return " ".join(word.choices)
    if word.is_operation:
        return _OPERATION
    return "/" if word.value in _FILES else "//" if word.value in _FOLDERS else _NOTHING


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
            joined = "=" if word.takes_value and name.startswith("--") else ""
            yield f"*{name}{joined}[{said}]" + (f":value:{_zsh_values(word)}" if word.takes_value else "")


def _zsh_values(word: _Word) -> str:
    if word.choices:
        return f"({' '.join(word.choices)})"
    if word.is_operation:
        return "_dovetail_operations"
    return "_files $within" if word.value in _FILES else "_files -/ $within" if word.value in _FOLDERS else " "


def _fish(commands: list[_Command]) -> str:
    lines = [_FISH.rstrip("\n")]
    for command in commands:
        begun = f"-n 'not __dovetail_command' -f -a {command.name} -d {_quoted(command.summary)}"
        lines.append(f"complete -c dovetail {begun}")
        seen = f"complete -c dovetail -n 'contains -- {command.name} (__dovetail_command)'"
        lines += [f"{seen} {_fish_option(option)}" for option in command.options]
        if command.choices:
            lines.append(f"{seen} -f -a {_quoted(command.choices)}")
        elif any(word.is_operation for word in command.places):
            lines.append(f"{seen} -f -a '(__dovetail_operations)'")
        elif not any(word.value in (*_FILES, *_FOLDERS) for word in command.places):
            lines.append(f"{seen} -f")
    return "\n".join(lines) + "\n"


def _fish_option(option: _Word) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    return f"{names}{_fish_values(option)} -d {_quoted(option.help)}"


def _fish_values(option: _Word) -> str:
    if option.choices:
        return f" -x -a {_quoted(' '.join(option.choices))}"
    if option.value in _FOLDERS:
        return " -x -a '(__fish_complete_directories)'"
    return "" if not option.takes_value else " -r" if option.value in _FILES else " -x"


def _quoted(text: str) -> str:
    escaped = text.replace("'", "'\\''")
    return f"'{escaped}'"


_NOTHING = "-"

# What an option takes is `given`, what stands elsewhere `places`: words, or `/` for files, `//` for folders, `ID` for
# operations and `-` for nothing that is known. `-C` and `--root` may stand before the command, too; they are `where`,
# and the folder that `-C` leads to is where files are looked for. Bash takes `=` for a word where it divides words.
# Lines are read one by one, for `mapfile` is missing in the bash of macOS, as `compopt` is.
_BASH = """\
# eval "$(dovetail completion bash)"
_dovetail_offer() {{
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ -n "$folder" && "$given" == /* && -d "$folder${{line#"$joined"}}" ]]; then  # bash looks elsewhere for it
            line+=/
            compopt -o nospace 2>/dev/null
        fi
        COMPREPLY+=("$line")
    done < <(cd -- "${{folder:-.}}" 2>/dev/null && compgen "$@" 2>/dev/null)
}}
_dovetail_operations() {{
    "${{COMP_WORDS[0]}}" "${{where[@]}}" log 2>/dev/null | sed -n 's/^\\([0-9][0-9-]*\\) .*/\\1/p'
}}
_dovetail() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
    local command="" options="" places="" given="" joined="" folder="" i
    local -a where=()
    if [[ "$word" == "=" ]]; then
        word=""
    elif [[ "$before" == "=" && "$COMP_CWORD" -gt 1 ]]; then
        before="${{COMP_WORDS[COMP_CWORD-2]}}"
    elif [[ "$word" == --*=* ]]; then
        before="${{word%%=*}}" joined="${{word%%=*}}=" word="${{word#*=}}"
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${{COMP_WORDS[i]}}" in
            -C|--root)
                local option="${{COMP_WORDS[i++]}}"
                [[ "${{COMP_WORDS[i]}}" == "=" ]] && ((i++))
                ((i < COMP_CWORD)) || break
                local value="$(xargs printf %s 2>/dev/null <<< "${{COMP_WORDS[i]}}")"  # without its quotes
                value="${{value/#\\~/$HOME}}"
                where+=("$option" "$value")
                [[ "$option" == "-C" ]] || continue
                [[ "$value" == /* ]] && folder="$value/" || folder="$folder$value/"
                ;;
            -*) ;;
            *) [[ -n "$command" ]] || command="${{COMP_WORDS[i]}}" ;;
        esac
    done
    case "$command" in
        "") options="{commands} -C --root --version --help" places="$options" ;;
{cases}
    esac
    case "$before" in -C|--root) given=// ;; esac
    if [[ -z "$given" ]]; then
        given="$places"
        [[ "$word" == -* ]] && given="$options"
    fi
    compopt +o filenames 2>/dev/null
    case "$given" in
        -) COMPREPLY=() ;;
        ID) _dovetail_offer -W "$(_dovetail_operations)" -- "$word" ;;
        //) compopt -o filenames 2>/dev/null; _dovetail_offer -d -P "$joined" -- "$word" ;;
        /) compopt -o filenames 2>/dev/null; _dovetail_offer -f -P "$joined" -- "$word" ;;
        *) _dovetail_offer -W "$given" -P "$joined" -- "$word" ;;
    esac
}}
complete -o filenames -F _dovetail dovetail
"""

# Evaluated in a shell that never began completion, as one of macOS, it begins that itself.
_ZSH = """\
#compdef dovetail
# eval "$(dovetail completion zsh)"
_dovetail_operations() {{
    local -a operations
    operations=(${{${{(f)"$("${{where[@]}}" log 2>/dev/null)"}}%% *}})
    operations=(${{(M)operations:#[0-9]*-[0-9]*}})
    compadd "$@" -V operations -a operations
}}
_dovetail() {{
    local -a commands
    commands=(
{summaries}
    )
    local at=2 i value folder=""
    local -a where within
    while (( at < CURRENT )); do
        case "${{words[at]}}" in -C|--root) (( at += 2 )) ;; *) break ;; esac
    done
    where=("${{words[1]}}")
    for (( i = 2; i < CURRENT - 1; i++ )); do
        [[ "${{words[i]}}" == (-C|--root) ]] || continue
        value="${{(Q)words[i+1]/#\\~/$HOME}}"
        where+=("${{words[i]}}" "$value")
        [[ "${{words[i]}}" == -C ]] || continue
        [[ "$value" == /* ]] && folder="$value" || folder="${{folder:+$folder/}}$value"
    done
    [[ -n "$folder" ]] && within=(-W "${{folder:a}}")  # a relative one might name a parameter
    if (( CURRENT < at )); then
        _files -/ $within
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
if [[ "$funcstack[1]" == _dovetail ]]; then
    _dovetail "$@"
else
    (( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit -i }}
    compdef _dovetail dovetail
fi
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
function __dovetail_operations
    set -l words (commandline -opc)
    set -l where
    while set -q words[2]
        contains -- $words[1] -C --root; and set -a where $words[1..2]
        set -e words[1]
    end
    dovetail $where log 2>/dev/null | string replace -rf '^([0-9][-0-9]*) .*' '$1'
end
complete -c dovetail -s C -x -a '(__fish_complete_directories)' -d 'run as if in DIR'
"""

_WRITERS: dict[str, Callable[[list[_Command]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
