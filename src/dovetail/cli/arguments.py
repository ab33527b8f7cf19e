"""The grammar of the command line: commands, options, their help.

Parsing, `--help` and the shells' completions all read the one table `COMMANDS`. The standard library's parser is used
because a richer one takes longer to import than a small reply takes to apply (docs/decisions/0007-faces.md).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import IO, NoReturn

from dovetail import __version__
from dovetail.model.codes import GUARD_CODES, Commands, Confidence, Conflicts, EditsBy, NewErrors, Occurrence, OnFailure
from dovetail.model.errors import UsageError

SHELLS = ("bash", "zsh", "fish")

_DESCRIPTION = """\
Finds every edit in a language model's reply, shows where each lands, writes all or none,
and takes them back byte for byte.
"""
_USUAL_COLUMNS = 80
_ALIKE = 0.8  # the least similarity of an option that is suggested
_INTERRUPTED = {130: "interrupted"}
_EDITS = {
    0: "all written or standing already, or a dry run in which all fit",
    1: "something failed or was refused, or you said no",
    2: "bad use; or nobody could be asked and --yes was not given",
    3: "no edit in the reply",
    **_INTERRUPTED,
}
_OTHERS = {0: "done", 1: "failed or refused", 2: "bad use", **_INTERRUPTED}
_EXITS = {
    "apply": _EDITS,
    "ask": _EDITS,
    "check": {**_OTHERS, 0: "no error in the reply", 1: "an error in it", 3: "no edit in it"},
    "batch": {**_OTHERS, 0: "a line for each case; where one has no answer, its `error` says why", 1: "failed"},
    "chat": {**_OTHERS, 1: "failed or refused, or a replay came out otherwise"},
    "serve": {0: "ended by Ctrl-C", 1: "failed or refused", 2: "bad use"},
    "review": {0: "ended by Ctrl-C", 1: "nothing is recorded for that, or refused", 2: "bad use"},
    "transcript": {**_OTHERS, 2: "bad use; or nobody could be asked and --yes was not given"},
    "mcp": {0: "the client closed the connection, or Ctrl-C ended it", 1: "failed or refused", 2: "bad use"},
}


class Parser(argparse.ArgumentParser):
    """Raises `UsageError` for a wrong command line, with the command for help as its hint."""

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError`."""
        raise UsageError(f"{message[:1].upper()}{message[1:]}.", hint=f"{self.prog} --help")

    def _check_value(self, action: argparse.Action, value: str) -> None:
        """Check as the base class does, but suggest a command for an unknown one."""
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            hint = f"{_suggested(value, list(COMMANDS))}{self.prog} --help"
            raise UsageError(f"There is no command {value!r}.", hint=hint)
        super()._check_value(action, value)

    def _print_message(self, message: str, file: IO[str] | None = None) -> None:  # type: ignore[override]
        """Write as the base class does, but raise the errors of writing, which it ignores."""
        (file or sys.stderr).write(message)


class Help(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal. `shutil.get_terminal_size` would take longer to import than the options to read."""

    def __init__(self, prog: str) -> None:
        stated = os.environ.get("COLUMNS", "")
        columns = int(stated) if stated.isdecimal() else 0
        if columns <= 0:
            try:
                columns = os.get_terminal_size(1).columns or _USUAL_COLUMNS
            except OSError:
                columns = _USUAL_COLUMNS
        super().__init__(prog, width=columns - 2)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Read a command line. Raises `UsageError` if it is wrong; exits with status 0 after ``--help``."""
    parser = build(only=argv[0] if argv and argv[0] in COMMANDS else None)
    args, rest = parser.parse_known_args(argv)
    if "files" in args and not any(word.startswith("-") for word in rest):
        args.files, rest = [*args.files, *rest], []  # argparse ends the files at the first option
    if rest:
        raise _unknown(rest, args.command)
    args.typed = list(argv)
    if args.command is None:
        parser.print_help()
        parser.exit(2)
    return args


def build(only: str | None = None) -> Parser:
    """Return the parser of all commands, or one for a line that begins with the command `only`."""
    top = Parser(
        prog="dovetail",
        description=_DESCRIPTION,
        epilog=_epilog(_EDITS),
        formatter_class=Help,
        allow_abbrev=False,
    )
    top.add_argument("-V", "--version", action="version", version=f"dovetail {__version__}")
    _where(top, "folders", default=None)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands", prog=top.prog)
    for name, (summary, add) in COMMANDS.items():
        if only not in (None, name):
            continue
        command = commands.add_parser(
            name,
            help=summary,
            description=f"{summary[:1].upper()}{summary[1:]}.",
            epilog=_epilog(_EXITS.get(name, _OTHERS)),
            formatter_class=Help,
            allow_abbrev=False,
        )
        add(command)
        _where(command, "further_folders", default=argparse.SUPPRESS)
    return top


def _epilog(exits: Mapping[int, str]) -> str:
    """Return the list of exit statuses and their meaning, which help shows below the options."""
    rows = (f"  {status:<3}  {meaning}" for status, meaning in sorted(exits.items()))
    return "\n".join(["exit status:", *rows, ""])


def _unknown(words: Sequence[str], command: str | None) -> UsageError:
    """Return the error for words that the command does not take, with the option that may be meant."""
    parser: argparse.ArgumentParser = build(only=command)
    of_it = ""
    if command is not None:
        commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
        parser, of_it = commands.choices[command], f" {command}"
    known = [name for action in parser._actions for name in action.option_strings]
    meant = _suggested(words[0].partition("=")[0], known) if words[0].startswith("-") else ""
    return UsageError(f"Unrecognized arguments: {' '.join(words)}.", hint=f"{meant}dovetail{of_it} --help")


def _suggested(typed: str, known: Sequence[str]) -> str:
    """Return the question whether a known word was meant; "" if none resembles what was typed."""
    from difflib import get_close_matches

    meant = get_close_matches(typed, known, 1, _ALIKE)
    return f"Did you mean {meant[0]}? See: " if meant else ""


def _where(parser: argparse.ArgumentParser, folders: str, default: object) -> None:
    """Add ``-C`` and ``--root``.

    folders: the attribute for ``-C``. After the command it differs, as it would replace a ``-C`` before the command.
    """
    where = parser.add_argument_group("where")
    where.add_argument("-C", dest=folders, metavar="DIR", action="append", default=default, help="run as if in DIR")
    where.add_argument(
        "--root", metavar="DIR", default=default, help="folder that may be written (default: the git work tree, or DIR)"
    )


def _reply(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "reply", nargs="?", metavar="REPLY", help="file with the reply; - or none: standard input, or what you paste"
    )
    parser.add_argument("--clipboard", action="store_true", help="take the reply from the clipboard")
    reading = parser.add_argument_group("reading the reply")
    reading.add_argument("--format", metavar="NAME", help="read this edit format only (default: auto)")
    reading.add_argument(
        "--fence",
        metavar="FENCE",
        action="append",
        help="a further fence, as '<tag>', 'OPEN CLOSE' or a run such as '%%%%%%'",
    )


def _consent(parser: argparse.ArgumentParser) -> None:
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--yes", "-y", action="store_true", help="write without asking")
    either.add_argument("--dry-run", "-n", action="store_true", help="show the plan and write nothing")


def _output(parser: argparse.ArgumentParser, *, verbose: bool = False) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object (docs/reference/json.md)")
    if verbose:
        parser.add_argument(
            "--verbose", "-v", action="store_true", help="show paths, readings and tiers that were tried"
        )


def _files(parser: argparse.ArgumentParser, purpose: str) -> None:
    parser.add_argument("files", nargs="*", default=[], metavar="FILE", help=purpose)


def _file_tokens(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--file-tokens", type=int, metavar="N", help="most tokens for one file; 0: all of it (default: 4000)"
    )


def _care(group: argparse._ArgumentGroup) -> None:
    """Add the options of `apply`, `ask` and `chat` about how sure an edit must be."""
    group.add_argument(
        "--min-confidence",
        choices=[*map(str, Confidence)],
        help="refuse an edit whose place is less sure (default: low)",
    )
    group.add_argument(
        "--refuse-new-errors",
        dest="new_errors",
        action="store_const",
        const=str(NewErrors.REFUSE),
        help="refuse an edit after which its file no longer parses",
    )
    _accept(group)
    group.add_argument(
        "--commands",
        choices=[*map(str, Commands)],
        help="read commands of a shell as the edits that they would make: those in calls, or all (default: list them)",
    )
    group.add_argument(
        "--partial", action="store_true", help="write what was read, though more of the reply looks like a change"
    )


def _accept(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--accept",
        metavar="GUARD",
        action="append",
        choices=sorted(GUARD_CODES),
        help="overrule this guard, for example masked-value (repeatable; docs/reference/diagnostics.md)",
    )


def _encoding(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    parser.add_argument("--encoding", metavar="NAME", help="encoding of files that are not UTF-8, for example cp1252")


def _git(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    git = parser.add_argument_group("git")
    git.add_argument("--commit", action="store_true", help="commit what was written, and nothing else")
    git.add_argument("--message", "-m", metavar="TEXT", help="the commit's message (default: says what was applied)")
    return git


def _asking(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--read-only", metavar="FILE", action="append", default=[], help="show this file, and let no edit change it"
    )
    asking = parser.add_argument_group("asking the model")
    asking.add_argument("--model", metavar="NAME", help="NAME, or anthropic/NAME (docs/providers.md)")
    asking.add_argument("--format", metavar="NAME", help="edit format to teach the model (default: diff)")
    _edits_by(asking)
    asking.add_argument("--architect", action="store_true", help="plan in prose first, then turn the plan into edits")
    asking.add_argument("--editor-model", metavar="NAME", help="model that turns the plan into edits")
    outline = asking.add_mutually_exclusive_group()
    outline.add_argument("--map-tokens", type=int, metavar="N", help="most tokens for the repository's map")
    outline.add_argument("--no-map", action="store_true", help="show no map of the repository")
    _file_tokens(asking)
    asking.add_argument("--no-shell", action="store_true", help="ask for no commands")
    asking.add_argument(
        "--max-rounds", type=int, metavar="N", help="how often failed edits go back to the model (default: 3)"
    )
    asking.add_argument("--max-tokens", type=int, metavar="N", help="longest reply (default: the provider's)")
    asking.add_argument("--budget", type=int, metavar="N", help="most tokens for everything that is sent")
    planning = parser.add_argument_group("planning")
    _encoding(planning)
    _care(planning)


def _edits_by(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    how = "how the model sends edits: as text (default), or by calling tools"
    parser.add_argument("--edits-by", choices=[*map(str, EditsBy)], help=how)


def _apply(parser: argparse.ArgumentParser) -> None:
    _reply(parser)
    _consent(parser)
    _output(parser, verbose=True)
    parser.add_argument(
        "--retry", metavar="FILE", help="write the message that asks the model for failed edits; - is standard output"
    )
    parser.add_argument("--retry-copy", action="store_true", help="put that message on the clipboard")
    planning = parser.add_argument_group("planning")
    planning.add_argument("--only", metavar="PATH", action="append", help="edit this file or folder only (repeatable)")
    planning.add_argument(
        "--as", dest="listing_as", metavar="PATH", help="read the reply's listing that names no file as this file"
    )
    planning.add_argument(
        "--on-failure",
        choices=[*map(str, OnFailure)],
        help="a failed edit holds back all (default), its file, or itself",
    )
    planning.add_argument(
        "--occurrence",
        choices=[*map(str, Occurrence)],
        help="several exact places: refuse (unique, default), or take the first",
    )
    planning.add_argument(
        "--conflicts",
        choices=[*map(str, Conflicts)],
        help=argparse.SUPPRESS,  # a reply alone does not say what the model saw, so it has no effect
    )
    _encoding(planning)
    _care(planning)
    git = _git(parser)
    git.add_argument("--git-add", action="store_true", help="stage what was written")


def _check(parser: argparse.ArgumentParser) -> None:
    _reply(parser)
    _output(parser, verbose=True)


def _redo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", "-y", action="store_true", help="accepted for scripts; nothing is asked anyway")
    parser.add_argument("--dry-run", "-n", action="store_true", help="show what would change and write nothing")
    parser.add_argument(
        "--except-conflicts", action="store_true", help="leave files that were edited since and cannot be merged"
    )
    _output(parser)


def _undo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", metavar="ID", help="operation to take back (default: the newest not undone)")
    parser.add_argument(
        "--edit", type=int, metavar="N", action="append", help="take back this edit of it only (repeatable)"
    )
    parser.add_argument("--to", metavar="OPERATION", help="take back, in one step, every apply after this operation")
    agents = parser.add_argument_group("changes of agents, in one step")
    agents.add_argument(
        "--session", metavar="ID", nargs="?", const="", help="those of a session (without an id: of the newest)"
    )
    agents.add_argument("--prompt", metavar="[ID:]N", help="those of request N alone, of the newest session or of ID")
    agents.add_argument("--call", metavar="ID", help="those of a tool call; `unknown`: those whose call is not known")
    agents.add_argument("--since", metavar="TIME", help="all since then: 30m, 2h, 3d, 14:30, 2026-01-31T14:30")
    agents.add_argument("--path", metavar="GLOB", action="append", help="of these, the files that fit (repeatable)")
    _redo(parser)


def _log(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=int, metavar="N", default=20, help="newest operations to list (default: 20)")
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--prune", action="store_true", help="drop old operations beyond the journal's bounds")
    either.add_argument(
        "--adopt",
        action="store_true",
        help="make a journal from another machine or home yours: shows it first, and asks",
    )
    parser.add_argument("--yes", "-y", action="store_true", help="with --adopt: do it without asking")
    form = "agent-trace: a line of JSON for each operation that wrote lines, oldest first"
    either.add_argument("--format", choices=("agent-trace",), help=form)
    _output(parser)


def _why(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE[:LINE]", help="file, and the line that is asked about")
    parser.add_argument("--log", action="append", default=[], metavar="LOG", help="ask an agent's log, not the journal")
    base = "commit or folder with the files before the logs' sessions"
    parser.add_argument("--base", metavar="COMMIT|FOLDER", help=base)
    parser.add_argument("--removed", action="store_true", help="show lines that are gone, too, and who removed them")
    _output(parser)


def _hook(parser: argparse.ArgumentParser) -> None:
    acts = "without one, take an event of an agent from standard input"
    parser.add_argument("act", nargs="?", choices=("install", "remove", "status"), help=acts)
    parser.add_argument(
        "agents", nargs="*", metavar="AGENT", help="claude, codex, opencode, gemini, qwen, pi, copilot, cursor, kiro"
    )
    parser.add_argument("--project", action="store_true", help="in the project's settings, not in the user's")
    parser.add_argument("--yes", "-y", action="store_true", help="write without asking")
    _output(parser)


def _show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", metavar="ID", help="operation to show (default: the newest)")
    parser.add_argument("--reply", action="store_true", help="print the reply that it applied")
    _output(parser)


def _batch(parser: argparse.ArgumentParser) -> None:
    cases = "JSON Lines or Parquet file; - is standard input; for ray also a folder, a glob or an address"
    results = "file to write, Parquet if its name says so; - is standard output; for ray a folder"
    parser.add_argument("--in", dest="cases", metavar="CASES", required=True, help=cases)
    parser.add_argument("--out", dest="results", metavar="RESULTS", required=True, help=results)
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one for each processor)")
    parser.add_argument("--resume", action="store_true", help="go on behind the answers that RESULTS has")
    parser.add_argument(
        "--engine", choices=("local", "ray"), default="local", help="processes of this machine (default), or Ray Data"
    )
    parser.add_argument("--address", metavar="ADDRESS", help="Ray cluster to join (default: start Ray here)")
    gives = "what an answer holds: files, results, score, diff, digests (default: files,results)"
    parser.add_argument("--give", metavar="WORDS", help=gives)
    parser.add_argument("--shard", type=int, metavar="MB", help="megabytes of cases for each part that Ray writes")


def _completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="one of " + ", ".join(SHELLS))


def _ask(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("request", metavar="REQUEST", help="what you want; - is standard input")
    _files(parser, "file that the model sees and may edit")
    _consent(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object, and nothing while it streams")
    parser.add_argument(
        "--on-failure",
        choices=[*map(str, OnFailure)],
        help="a failed edit holds back all (default with --yes), its file, or itself",
    )
    parser.add_argument(
        "--template", metavar="NAME", help="begin with a copy of this template in the folder; auto: choose one"
    )
    _asking(parser)
    _git(parser)


def _chat(parser: argparse.ArgumentParser) -> None:
    _files(parser, "file that the model sees and may edit")
    parser.add_argument(
        "--resume", metavar="ID", nargs="?", const="", help="go on with a conversation; without ID: with the newest"
    )
    parser.add_argument("--replay", metavar="FILE", help="play a transcript again, without a model")
    parser.add_argument("--yes", "-y", action="store_true", help="with --replay: write without asking")
    _asking(parser)
    after = parser.add_argument_group("after each turn that writes")
    after.add_argument("--commit", action="store_true", help="commit what was written, and nothing else")
    after.add_argument(
        "--lint",
        metavar="CMD",
        action="append",
        default=[],
        help="run this with the written files behind it; what fails goes back to the model (repeatable)",
    )
    after.add_argument(
        "--test", metavar="CMD", action="append", default=[], help="the same, as it is: run your tests (repeatable)"
    )
    parser.set_defaults(message=None)


def _prompt(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("format", metavar="FORMAT", nargs="?", help="edit format; without it, the formats are listed")
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--reminder", action="store_true", help="print the reminder that closes a request instead")
    either.add_argument("--examples", action="store_true", help="print the worked examples behind the system text")
    parser.add_argument("--fence", metavar="FENCE", help="fence to teach (default: three backticks)")
    parser.add_argument("--no-shell", action="store_true", help="ask for no commands")
    parser.add_argument("--json", action="store_true", help="print one JSON object with system, examples and reminder")


def _context(parser: argparse.ArgumentParser) -> None:
    _files(parser, "file to show")
    parser.add_argument("--map", action="store_true", help="show the repository's map as well")
    parser.add_argument("--grep", metavar="PATTERN", help="show the lines that match, with what encloses them")
    parser.add_argument("--ignore-case", "-i", action="store_true", help="with --grep: let case not count")
    parser.add_argument("--read-only", metavar="FILE", action="append", default=[], help="show this file as reference")
    parser.add_argument("--copy", action="store_true", help="put it on the clipboard instead of printing it")
    _file_tokens(parser)
    parser.add_argument("--tokens", type=int, metavar="N", help="most tokens for all of it")


def _new(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("template", metavar="TEMPLATE", nargs="?", help="template; without it, they are listed")
    parser.add_argument("folder", metavar="DIR", nargs="?", help="folder to make; it must be new or empty")
    parser.add_argument("--var", metavar="NAME=VALUE", action="append", default=[], help="set a template's variable")
    parser.add_argument("--from", dest="source", metavar="DIR|URL", help="take the template from a folder or git URL")
    parser.add_argument("--no-git", action="store_true", help="make no git repository")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, metavar="N", default=0, help="port to listen on (default: any free one)")
    parser.add_argument(
        "--host", metavar="H", default="127.0.0.1", help="address to listen on (default: this machine alone)"
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address and open nothing")
    parser.add_argument("--model", metavar="NAME", help="NAME, or anthropic/NAME (docs/providers.md)")
    _edits_by(parser)


def _review(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "range", nargs="?", metavar="GIT-RANGE", help="commits, as main..HEAD (default: the newest session of an agent)"
    )
    parser.add_argument("--session", metavar="ID", help="an agent's session, by its id or the beginning of it")
    parser.add_argument("--since", metavar="TIME", help="what agents did since 30m, 2h, 14:30, 2026-01-31T14:30")
    _serve(parser)


def _mcp(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--http", action="store_true", help="serve over HTTP on this machine (default: standard input)")
    parser.add_argument("--port", type=int, metavar="N", default=0, help="with --http: port (default: any free one)")
    parser.add_argument("--all-tools", action="store_true", help="offer every tool (default: the basic ones)")
    parser.add_argument(
        "--allow-runs",
        action="store_true",
        help="edit files that other programs run, such as .envrc and git hooks, without asking",
    )


def _tools(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="tool to print (default: all of them)")
    parser.add_argument(
        "--for",
        dest="provider",
        metavar="PROVIDER",
        required=True,
        help="openai, openai-responses, anthropic, gemini, mcp",
    )


def _transcript(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("log", metavar="LOG", help="log of an agent's session, or the folder of a checkpoint with one")
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--show", type=int, metavar="N", help="show what edit N changed")
    either.add_argument("--at", nargs=2, metavar=("N", "DIR"), help="write the files as after edit N into a new folder")
    either.add_argument("--undo", type=int, nargs="+", metavar="N", help="take edits back on today's files")
    either.add_argument("--undo-all", action="store_true", help="take every edit back on today's files")
    either.add_argument("--back-to", type=int, metavar="N", help="make today's files what they were after edit N")
    either.add_argument("--cases", metavar="OUT", help="write the edits as cases for batch, with their truth")
    parser.add_argument("--base", metavar="BASE", help="commit or folder with the files before the session")
    _consent(parser)
    _accept(parser)
    _output(parser)


def _audit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logs", nargs="*", metavar="LOG", help="logs of agents' sessions (default: all of today)")
    parser.add_argument("--html", metavar="FILE", help="write a page with plots, too")
    _output(parser)


def _merge_driver(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("act", nargs="?", choices=["install", "remove"], help="let git use it in this clone, or not")
    parser.add_argument("--base", metavar="FILE", help="what both sides began from (git's %%O)")
    parser.add_argument("--ours", metavar="FILE", help="our version; the merge is written there (git's %%A)")
    parser.add_argument("--theirs", metavar="FILE", help="their version (git's %%B)")
    parser.add_argument("--path", metavar="PATH", help="the file's name in the repository (git's %%P)")
    parser.add_argument("--marker-size", type=int, metavar="N", default=7, help="length of a marker (git's %%L)")
    parser.add_argument("--adjacent", action="store_true", help="merge changes of lines that only touch, too")


def _resolve(parser: argparse.ArgumentParser) -> None:
    _files(parser, "file with git's conflict markers (default: all that git has as unmerged)")
    _consent(parser)
    _output(parser)


def _leftovers(parser: argparse.ArgumentParser) -> None:
    _files(parser, "staged file to look at (default: all of them)")
    _output(parser)


COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "apply": ("find the edits of a reply, show them, ask, write them", _apply),
    "check": ("say what a reply's edits are and what is wrong with them, touching no file", _check),
    "undo": ("take back an operation, or one edit of it", _undo),
    "redo": ("do again what was undone last", _redo),
    "log": ("list the operations, newest first", _log),
    "show": ("show one operation: its edits and its diff", _show),
    "why": ("say which request and call wrote each line of a file", _why),
    "hook": ("record what a coding agent changes: install, remove, status", _hook),
    "resolve": ("go through what git could not merge: both sides, and what a merge by tokens makes of it", _resolve),
    "merge-driver": ("merge by tokens in git's merges, rebases and stashes: install, remove", _merge_driver),
    "batch": ("answer many replies at once, in memory", _batch),
    "completion": ("print what a shell needs to complete dovetail's words", _completion),
    "ask": ("ask a model for a change: stream, locate, repair, show, write", _ask),
    "chat": ("work with a model in the terminal", _chat),
    "prompt": ("print the system prompt that teaches a model an edit format", _prompt),
    "context": ("print the message that shows files to a model", _context),
    "new": ("copy a starter template", _new),
    "serve": ("open the local page", _serve),
    "review": ("review on the page what an agent did, and take parts of it back", _review),
    "mcp": ("serve the tools to an agent, by the Model Context Protocol", _mcp),
    "transcript": ("list the edits in an agent's log, and take them back", _transcript),
    "audit": ("count what became of the edits in agents' logs", _audit),
    "leftovers": ("say what replies left in staged files: markers, tokens, marks for lines left out", _leftovers),
    "tools": ("print the definitions of the tools for a model", _tools),
}
