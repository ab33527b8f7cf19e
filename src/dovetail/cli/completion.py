"""Prints what bash, zsh and fish need to complete dovetail's words. Everything is read off the grammar itself."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

from dovetail.cli import arguments
from dovetail.cli.status import Exit
from dovetail.model.dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Option:
    names: tuple[str, ...]
    help: str
    choices: tuple[str, ...]
    takes_value: bool


def completion_command(stated: argparse.Namespace) -> Exit:
    """`dovetail completion SHELL`."""
    sys.stdout.write(_WRITERS[stated.shell](_grammar()))
    return Exit.OK


def _grammar() -> dict[str, tuple[str, list[_Option]]]:
    """Per command its summary and options; positional choices are an option without a name."""
    top = arguments.build()
    commands = next(a for a in top._actions if isinstance(a, argparse._SubParsersAction))
    return {name: (arguments.COMMANDS[name][0], list(_options(parser))) for name, parser in commands.choices.items()}


def _options(parser: argparse.ArgumentParser) -> Iterator[_Option]:
    for action in parser._actions:
        choices = tuple(str(choice) for choice in action.choices or ())
        yield _Option(tuple(action.option_strings), action.help or "", choices, action.nargs != 0)


def _bash(grammar: dict[str, tuple[str, list[_Option]]]) -> str:
    cases = []
    for name, (_, options) in grammar.items():
        words = " ".join(o for option in options for o in option.names)
        bare = " ".join(choice for option in options if not option.names for choice in option.choices)
        cases.append(f'        {name}) words="{words}{" " + bare if bare else ""}" ;;')
    values = [
        f'        {"|".join(o.names)}) COMPREPLY=($(compgen -W "{" ".join(o.choices)}" -- "$word")); return ;;'
        for o in _with_choices(grammar)
    ]
    return _BASH.format(commands=" ".join(grammar), cases="\n".join(cases), values="\n".join(values))


def _with_choices(grammar: dict[str, tuple[str, list[_Option]]]) -> list[_Option]:
    return list({o.names: o for _, options in grammar.values() for o in options if o.names and o.choices}.values())


def _zsh(grammar: dict[str, tuple[str, list[_Option]]]) -> str:
    summaries = "\n".join(f"        {_quoted(f'{name}:{summary}')}" for name, (summary, _) in grammar.items())
    cases = []
    for name, (_, options) in grammar.items():
        specs = [spec for option in options for spec in _zsh_specs(option)]
        cases.append(f"        {name}) _arguments {' '.join(_quoted(spec) for spec in specs)} ;;")
    return _ZSH.format(summaries=summaries, cases="\n".join(cases))


def _zsh_specs(option: _Option) -> Iterator[str]:
    values = f"({' '.join(option.choices)})" if option.choices else "_files"
    if not option.names:
        yield f"*:word:{values}"
    help_text = option.help.replace("[", "(").replace("]", ")").replace(":", " ")
    for name in option.names:
        yield f"*{name}[{help_text}]" + (f":value:{values}" if option.takes_value else "")


def _fish(grammar: dict[str, tuple[str, list[_Option]]]) -> str:
    lines = ["# dovetail completion fish | source"]
    for name, (summary, options) in grammar.items():
        lines.append(f"complete -c dovetail -n __fish_use_subcommand -f -a {name} -d {_quoted(summary)}")
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        for option in options:
            values = f" -x -a {_quoted(' '.join(option.choices))}" if option.choices else ""
            needs = " -r" if option.takes_value and not option.choices else ""
            if option.names:
                names = " ".join(f"-l {o[2:]}" if o.startswith("--") else f"-s {o[1:]}" for o in option.names)
                lines.append(f"complete -c dovetail {seen} {names}{values}{needs} -d {_quoted(option.help)}")
            elif option.choices:
                lines.append(f"complete -c dovetail {seen} -f -a {_quoted(' '.join(option.choices))}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("'", "'\\''")
    return f"'{escaped}'"


_BASH = """\
# eval "$(dovetail completion bash)"
_dovetail() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="" words="" i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${{COMP_WORDS[i]}}" in -C|--root) ((i++)) ;; -*) ;; *) command="${{COMP_WORDS[i]}}"; break ;; esac
    done
    case "$before" in
{values}
    esac
    case "$command" in
        "") words="{commands} -C --root --version --help" ;;
{cases}
    esac
    if [[ "$word" == -* || -z "$command" || "$command" == completion ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
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
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    local command="${{words[2]}}"
    shift words
    (( CURRENT-- ))
    case "$command" in
{cases}
    esac
}}
if [[ "$funcstack[1]" == _dovetail ]]; then _dovetail "$@"; else compdef _dovetail dovetail; fi
"""

_WRITERS: dict[str, Callable[[dict[str, tuple[str, list[_Option]]]], str]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
