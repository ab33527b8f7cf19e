"""`dovetail chat`: a conversation in the terminal, its commands, and the line that a person types.

Ctrl-C ends what is going on, never the conversation, and leaves files as they were; Ctrl-D on an empty line leaves.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from dovetail.cli import words
from dovetail.cli.ask import add_files, client_for, options_for
from dovetail.cli.inputs import Location, location_of, settings_for
from dovetail.cli.journal import draw_undo, report_of_undo
from dovetail.cli.output import Exit
from dovetail.cli.plan_view import draw_changes
from dovetail.cli.programs import first_failure, run_command_line
from dovetail.cli.questions import TerminalPerson
from dovetail.cli.screen import Screen, Styled, TextStyle
from dovetail.cli.stream_view import StreamView
from dovetail.cli.terminal import NOBODY, Terminal, driven, open_terminal
from dovetail.context import estimate
from dovetail.llm import prompts
from dovetail.llm.client import Client
from dovetail.llm.errors import ConfigurationError
from dovetail.model.codes import EditsBy
from dovetail.model.errors import DovetailError, UsageError, said_by_system
from dovetail.session.apply import operations
from dovetail.session.apply.applying import GitChoice, check_git, commit_in_git
from dovetail.session.conversation import chat_record
from dovetail.session.conversation.chat_files import show_files
from dovetail.session.conversation.chat_state import Options
from dovetail.session.conversation.conversation import Conversation
from dovetail.session.conversation.recording import replay
from dovetail.session.conversation.saved_chat import Participants, ResumedChat, SavedChat, resume_chat
from dovetail.workspace import Recovery, Workspace
from dovetail.workspace.journal.store import private_folder

try:
    import readline as _found

    _readline: ModuleType | None = _found
except ImportError:  # Windows has none; lines are read all the same
    _readline = None

_PROMPT = "> "
_MAX_LINES = 1_000  # lines of the history of typed requests
_GOES_ON = "\\\n"


def chat_command(args: argparse.Namespace) -> Exit:
    """`dovetail chat [FILE…]`."""
    location = location_of(args)
    if args.replay is not None:
        if args.resume is not None or args.files or args.read_only:
            hint = "Leave out --resume and the files."
            raise UsageError("--replay plays a conversation as it was, over the files that it had.", hint=hint)
        return _replay(args, location)
    if args.yes:
        raise UsageError("--yes is for --replay; a chat asks about its edits.", hint="Leave it out.")
    terminal = open_terminal(stdin_is_reply=False)
    if terminal is None:
        raise UsageError("A chat needs a terminal to talk on.", hint='Without one: dovetail ask "…" FILE --yes')
    settings = settings_for(args, location)
    client = client_for(settings)
    screen = Screen.of(sys.stdout)
    view = StreamView(screen, undo="/undo", allow="Let it be edited, then ask again: /add {path}")
    person = TerminalPerson(screen, terminal, view.settle, settings.on_failure(interactive=True))
    participants = Participants(client, person)
    with ExitStack() as opened:
        before = None if args.resume is None else resume_chat(location.root, args.resume or None)
        if before is not None:
            opened.enter_context(closing(before.record))
        options = options_for(args, settings, before.options if before is not None else None)
        workspace = opened.enter_context(Workspace.open(location.root, encoding=settings.encoding))
        if before is None:
            saved = opened.enter_context(closing(SavedChat.begin(workspace, participants, options)))
        else:
            saved = SavedChat.resume(workspace, participants, options, before)
        check_git(workspace, options.git)
        add_files(saved, location, args.files, args.read_only)
        session = ChatSession(saved, screen, view, location, terminal, AfterWrite(tuple(args.lint), tuple(args.test)))
        session.greet(before)
        session.check_model(client)
        folder = private_folder(location.root, "chats")
        reader = LineInput(folder / "lines" if folder is not None else None, session.completions)
        try:
            session.talk(reader)
        finally:
            reader.close()
        screen.line(f"To go on with this conversation: dovetail chat --resume {saved.record.id}")
    return Exit.OK


def _replay(args: argparse.Namespace, location: Location) -> Exit:
    """Play a transcript again, drawing it. It writes what was written then, so somebody has to agree."""
    records = chat_record.read(location.folder / args.replay)
    screen = Screen.of(sys.stdout)
    if not args.yes:
        terminal = open_terminal(stdin_is_reply=False)
        if terminal is None:
            sys.stderr.write(f"{NOBODY} Add --yes.\n")
            return Exit.USAGE
        if not terminal.agrees(screen.rendered(f"This replay writes files under {location.root}. Go on?")):
            screen.line("Nothing was written.")
            return Exit.REFUSED
    view = StreamView(screen)
    options = Options.of(settings_for(args, location), "replay")
    try:
        done = driven(replay(location.root, records, options), view.draw)
    finally:
        view.interrupted()
    skipped = f", {done.skipped} that broke off passed over" if done.skipped else ""
    screen.line(Styled(f"Replayed {words.count(done.turns, 'turn')}{skipped}.", TextStyle.TITLE))
    for difference in done.differences:
        screen.line(Styled(difference, TextStyle.BAD))
    if not done.differences:
        screen.line("Every file came out with the same text as then.")
    return Exit.REFUSED if done.differences else Exit.OK


@dataclass(frozen=True, slots=True)
class AfterWrite:
    """Commands that run after each turn that writes: `lint` with the written files, `test` as they are."""

    lint: tuple[str, ...] = ()
    test: tuple[str, ...] = ()


@dataclass
class ChatSession:
    """A chat at its terminal."""

    saved: SavedChat
    screen: Screen
    view: StreamView
    location: Location
    terminal: Terminal
    after: AfterWrite = AfterWrite()
    leaving: bool = False

    @property
    def chat(self) -> Conversation:
        """The conversation itself."""
        return self.saved.conversation

    def greet(self, before: ResumedChat | None) -> None:
        """Write what was recovered, how the model is asked, and which files are in the chat."""
        self._draw_recovery()
        options, line = self.chat.options, self.screen.line
        how = f"  {options.model}, {options.taught}{', architect' if options.architect else ''}."
        line(Styled("dovetail chat", TextStyle.TITLE), how, " /help lists the commands.")
        if before is not None and before.turns:
            line(f"Going on after {words.count(len(before.turns), 'turn')}.")
        for sentence in before.warnings if before is not None else ():
            line(Styled(sentence, TextStyle.WARN))
        self.draw_files()

    def check_model(self, client: Client) -> None:
        """If the model cannot be asked, write that before anything is typed."""
        try:
            client.check(self.chat.options.model)
        except ConfigurationError as error:
            self.screen.line(Styled(error.message, TextStyle.WARN))
            self.screen.line("next  ", error.hint or "")

    def draw_files(self) -> None:
        """List the files in the chat."""
        files = self.chat.files
        if not files.paths:
            self.screen.line("No file is in the chat. Add some: /add FILE")
        for path in files.editable:
            self.screen.line("  ", path)
        for path in files.read_only:
            self.screen.line("  ", path, Styled("  read-only", TextStyle.FAINT))

    def _draw_recovery(self, known: Recovery | None = None) -> None:
        """Write what was recovered, unless it is `known` already; it changes if another process dies meanwhile."""
        recovery = self.chat.workspace.recovery
        if recovery is not None and recovery is not known:
            self.screen.line(recovery.message)

    def completions(self) -> list[str]:
        """Return the words that Tab completes to."""
        return [f"/{name}" for name in COMMANDS] + sorted(self.chat.workspace.tree())

    def talk(self, reader: LineInput) -> None:
        """Take one line after another until the person leaves: commands and requests.

        What goes wrong is reported, and the conversation goes on.
        """
        while not self.leaving:
            try:
                line = reader.read(_PROMPT)
                if line is None:
                    self.screen.line()
                    return
                self._answer(line.strip())
            except KeyboardInterrupt:
                self.view.interrupted()
                self.screen.line()
                self.screen.line("To leave: /quit, or Ctrl-D")

    def _answer(self, line: str) -> None:
        try:
            if is_command(line):
                run_command(self, line)
            elif line:
                self._ask(line)
        except DovetailError as error:
            self.view.interrupted()
            self.screen.error(error.code, error.message, error.hint)
        except OSError as error:
            self.view.interrupted()
            hint = "Check that the file and its folder are there and yours."
            self.screen.error("system", said_by_system(error), hint)

    def _ask(self, request: str) -> None:
        """Run a turn, and further ones while a command after the write fails: at most `max_rounds` times."""
        for again in range(self.chat.options.max_rounds + 1):
            if not self._turn(request) or not (self.after.lint or self.after.test):
                return
            workspace = self.chat.workspace
            paths = workspace.show(self.saved.operations[-1]).operation.paths
            failed = first_failure(self.screen, workspace.root, self.after.lint, self.after.test, paths)
            if failed is None:
                return
            self.screen.line(Styled(f"`{failed.line}` {failed.outcome}.", TextStyle.WARN))
            if again < self.chat.options.max_rounds:
                self.screen.line(Styled("Its output goes to the model.", TextStyle.TITLE))
                request = failed.for_model(mend=True)
            else:
                self.saved.begin_next_with(failed.for_model())
                self.screen.line("The model is not asked more often; your next request tells it of this.")

    def _turn(self, request: str) -> bool:
        """Run one turn; return whether it ended and wrote files."""
        events = self.saved.ask(request)
        before, known = len(self.saved.operations), self.chat.workspace.recovery
        try:
            self.view.begin()
            driven(events, self.view.draw)
        except KeyboardInterrupt:
            self.view.interrupted()
            self.screen.line()
            written = len(self.saved.operations) > before
            self.screen.line("Stopped." if written else "Stopped. Nothing was written.")
            return False
        finally:
            self._draw_recovery(known)
        return len(self.saved.operations) > before

    def newest_operation(self) -> str:
        """Return this chat's newest operation with an edit that is not undone. Raises `UsageError` if there is none."""
        in_force = self.saved.in_force()
        if not in_force:
            raise UsageError("This chat has written nothing that is not undone.", hint="Other operations: dovetail log")
        return in_force[-1]


Command = Callable[[ChatSession, str], None]


def is_command(line: str) -> bool:
    """Return whether a line begins as a command does; `/api/users fails` begins with a path, and is a request."""
    word = line.partition(" ")[0]
    return word.startswith("/") and not any(sign in word[1:] for sign in "/.:")


def run_command(session: ChatSession, line: str) -> None:
    """Run one command line. Raises `UsageError` if there is no such command, or several may be meant.

    An argument of a command that takes none might name something else than the command does, so it is refused.
    """
    name, _, argument = line[1:].partition(" ")
    # A whole name counts before a beginning of another one.
    found = [command for command in COMMANDS if command == name] or [c for c in COMMANDS if name and c.startswith(name)]
    if len(found) > 1:
        raise UsageError(f"/{name} may mean {' or '.join(f'/{one}' for one in found)}.", hint="Type one letter more.")
    if not found:
        raise UsageError(
            f"There is no command /{name}.", hint="See /help; to say it to the model, begin with another word"
        )
    if found[0] in _WITHOUT_ARGUMENT and argument.strip():
        raise UsageError(f"/{found[0]} takes no argument; nothing was done.", hint=_WITHOUT_ARGUMENT[found[0]])
    COMMANDS[found[0]][1](session, argument.strip())


def _typed_paths(session: ChatSession, argument: str) -> list[str]:
    """Return the typed paths: one if the whole text is an existing path, else its words, quoted if they hold blanks."""
    location = session.location
    if argument and (location.folder / argument).exists():
        return [location.in_root(argument)]
    try:
        typed = shlex.split(argument)
    except ValueError:  # an apostrophe in a name
        typed = argument.split()
    return [location.in_root(path) for path in typed]


def _add(session: ChatSession, argument: str) -> None:
    session.saved.add(*_typed_paths(session, argument))
    session.draw_files()


def _add_read_only(session: ChatSession, argument: str) -> None:
    session.saved.add(read_only=_typed_paths(session, argument))
    session.draw_files()


def _drop(session: ChatSession, argument: str) -> None:
    paths = _typed_paths(session, argument) or list(session.chat.files.paths)
    unknown = [path for path in paths if path not in session.chat.files.paths]
    if unknown:
        raise UsageError(f"`{unknown[0]}` is not in the chat.", hint="See the files with /add")
    for path in paths:
        session.saved.drop(path)
    session.draw_files()


def _diff(session: ChatSession, argument: str) -> None:
    wanted = argument or session.newest_operation()
    draw_changes(session.screen, operations.show(session.chat.workspace.root, wanted).changes)


def _undo(session: ChatSession, _: str) -> None:
    done = operations.undo(session.chat.workspace.root, session.newest_operation())
    draw_undo(session.screen, done, str(report_of_undo("undo", done, "/")))
    session.saved.note_undo("undo", done.operation.undoes, done)


def _redo(session: ChatSession, _: str) -> None:
    root = session.chat.workspace.root
    undone = operations.redo(root, dry_run=True).operation
    if not set(undone.reverses) <= set(session.saved.operations):
        raise UsageError("The last undo took back more than this chat wrote.", hint="To do that again: dovetail redo")
    done = operations.redo(root)
    draw_undo(session.screen, done, str(report_of_undo("redo", done, "/")))
    session.saved.note_undo("redo", undone.undoes, done)


def _commit(session: ChatSession, argument: str) -> None:
    workspace = session.chat.workspace
    check_git(workspace, GitChoice(commit=True))
    done = workspace.committed_operations()
    left = [name for name in session.saved.in_force() if name not in done]
    if not left:
        raise UsageError("This chat has written nothing that is not committed.", hint="Other files: git commit")
    for name in left:
        staged = commit_in_git(workspace, workspace.show(name).operation, argument)
        session.screen.line(f"Committed operation {name} as {(staged.commit or '')[:12]}.")


def _clear(session: ChatSession, _: str) -> None:
    session.saved.clear()
    session.screen.line("What was said is forgotten. The files stay in the chat:")
    session.draw_files()


def _run(session: ChatSession, argument: str) -> None:
    if not argument:
        raise UsageError("No command is named.", hint="Type /run pytest -q")
    done = run_command_line(session.screen, session.location.folder, argument)
    session.screen.line(Styled(f"It {done.outcome}.", TextStyle.FAINT))
    session.terminal.forget()
    if session.terminal.agrees("Send its output to the model, with your next request?"):
        session.saved.begin_next_with(done.for_model())


def _format(session: ChatSession, argument: str) -> None:
    if argument:
        prompts.check_format(argument)
        session.saved.ask_with(replace(session.chat.options, format=argument, edits_by=EditsBy.TEXT))
    session.screen.line(f"The model is taught {session.chat.options.taught}.")


def _model(session: ChatSession, argument: str) -> None:
    if argument:
        session.saved.ask_with(replace(session.chat.options, model=argument))
    session.screen.line(f"The model is {session.chat.options.model}.")


def _architect(session: ChatSession, argument: str) -> None:
    choices = {"": not session.chat.options.architect, "on": True, "off": False}
    if argument not in choices:
        raise UsageError(f"{argument} is neither on nor off.", hint="Type /architect on")
    session.saved.ask_with(replace(session.chat.options, architect=choices[argument]))
    state = "plans in prose first" if session.chat.options.architect else "writes edits at once"
    session.screen.line(f"The model {state}.")


def _map(session: ChatSession, argument: str) -> None:
    chat = session.chat
    if argument:
        if argument != "off" and not argument.isdecimal():
            raise UsageError(f"{argument} is no number of tokens.", hint="Type /map 2000, or /map off")
        session.saved.ask_with(replace(chat.options, map_tokens=0 if argument == "off" else int(argument)))
    tokens = chat.options.map_tokens
    if not tokens:
        session.screen.line("The model is shown no map.")
        return
    view = chat.map.view(tokens, "", chat.files.paths, chat.workspace.tree())
    session.screen.lines(view.text.rstrip("\n") or "The map is empty.")
    session.screen.line(Styled(f"{view.tokens:,} of at most {tokens:,} tokens.", TextStyle.FAINT))


def _tokens(session: ChatSession, _: str) -> None:
    chat, screen = session.chat, session.screen
    shown = show_files(chat.workspace, chat.files, chat.options.file_tokens)
    for file in (*shown.editable, *shown.read_only):
        part = "  an excerpt" if file.excerpt else ""
        screen.line(f"{estimate(file.text, file.language):>9,}  {file.path}{part}")
    tokens = sum(estimate(message.content) for message in chat.history)
    screen.line(f"{tokens:>9,}  {words.count(len(chat.history), 'message')} of history")
    total = chat.ledger.total
    for step, sums in chat.ledger.by_step().items():
        screen.line(f"{step:<9}  {words.count(sums.requests, 'request')}, {sums.input:,} in, {sums.output:,} out")
    if total.repairs:
        screen.line(
            f"Repair messages took {total.messages:,} tokens; sending the files again would have taken {total.again:,}."
        )


def _save(session: ChatSession, argument: str) -> None:
    file = session.saved.record.file
    if not argument:
        session.screen.line(f"It is kept in {file}. A copy elsewhere: /save FILE")
        return
    target = session.location.folder / argument
    if target.exists():
        raise UsageError(f"{argument} exists already.", hint="Name a new file.")
    try:
        shutil.copyfile(file, target)
    except OSError as error:
        hint = "Name a file in a folder that exists."
        raise UsageError(f"{argument} cannot be written: {error.strerror}.", hint=hint) from None
    session.screen.line(f"Saved. To replay it: dovetail chat --replay {argument}")


def _help(session: ChatSession, _: str) -> None:
    for name, (summary, _command) in COMMANDS.items():
        session.screen.line(Styled(f"/{name:<10}", TextStyle.TITLE), "  ", summary)
    session.screen.line("Everything else is said to the model. A line that ends in \\ goes on with the next.")


def _quit(session: ChatSession, _: str) -> None:
    session.leaving = True


COMMANDS: Mapping[str, tuple[str, Command]] = {
    "add": ("FILE…: let the model see files and edit them; without FILE: list them", _add),
    "drop": ("FILE…: take files out of the chat; without FILE: all", _drop),
    "read-only": ("FILE…: let the model see files and not edit them", _add_read_only),
    "diff": ("show what the last edits changed", _diff),
    "undo": ("take back the last edits", _undo),
    "redo": ("do again what the last undo took back", _redo),
    "commit": ("MESSAGE: commit what the edits in force changed, each operation by itself", _commit),
    "run": ("CMD: run a command of yours; its output may go to the model", _run),
    "clear": ("forget what was said; the files stay in the chat", _clear),
    "format": ("NAME: teach another edit format", _format),
    "model": ("NAME: ask another model", _model),
    "architect": ("on or off: plan in prose first", _architect),
    "map": ("N or off: tokens for the repository's map; shows it", _map),
    "tokens": ("what the chat holds and has cost", _tokens),
    "save": ("FILE: save the conversation, to be replayed", _save),
    "help": ("this list", _help),
    "quit": ("leave; Ctrl-D does, too", _quit),
}
_WITHOUT_ARGUMENT: Mapping[str, str] = {
    "undo": "Other operations than the last: dovetail undo ID",
    "redo": "Type /redo",
    "clear": "Files are taken out with /drop",
    "tokens": "Type /tokens",
    "quit": "Type /quit",
}
"""The commands that take no argument, and what else may have been meant."""


class LineInput:
    """Reads requests, with editing, history and completion where the system has them.

    A line that ends in a backslash goes on with the next; what is pasted at once is one request. A request of several
    lines is one entry of the history file, where each but its last line ends in a backslash.
    """

    def __init__(self, history: Path | None, completions: Callable[[], Iterable[str]]) -> None:
        """history: the file of earlier requests. completions: returns the words that Tab completes to."""
        self._history = history
        self._completions = completions
        if _readline is not None:
            _readline.clear_history()
            _readline.set_auto_history(False)  # it takes each line for an entry
            if self._history is not None:
                with suppress(OSError):
                    saved = self._history.read_text(encoding="utf-8", errors="surrogateescape")
                    # A line end behind a backslash belongs to the request; NUL stands for it while the file is split.
                    for request in saved.replace(_GOES_ON, "\0").split("\n"):
                        if request:
                            _readline.add_history(request.replace("\0", "\n"))
            _readline.set_completer_delims(" \t\n")
            _readline.set_completer(self._completed)
            _readline.parse_and_bind("tab: complete")
            # Python turns this off; each line of what is pasted would be a request of its own.
            _readline.parse_and_bind("set enable-bracketed-paste on")

    def read(self, prompt: str) -> str | None:
        """Return the next request; None at the end of input. Ctrl-C raises KeyboardInterrupt."""
        lines: list[str] = []
        while True:
            try:
                line = input(prompt if not lines else "." * (len(prompt) - 1) + " ")
            except EOFError:
                return None if not lines else _remembered("\n".join(lines))
            if not line.endswith("\\"):
                return _remembered("\n".join([*lines, line]))
            lines.append(line[:-1])

    def close(self) -> None:
        """Write the history, for this user alone."""
        if _readline is None:
            return
        _readline.set_completer(None)
        if self._history is None:
            return
        with suppress(OSError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
            opened = os.open(self._history, flags, 0o600)
            with os.fdopen(opened, "w", encoding="utf-8", errors="surrogateescape") as file:
                newest = _requests(_readline)[-_MAX_LINES:]
                file.writelines(request.replace("\n", _GOES_ON) + "\n" for request in newest)

    def _completed(self, start: str, state: int) -> str | None:
        fitting = sorted(word for word in self._completions() if word.startswith(start)) if start else []
        return fitting[state] if state < len(fitting) else None


def _remembered(request: str) -> str:
    """Return the request, after adding it to the history unless it is the newest entry."""
    if _readline is not None and request.strip() and request not in _requests(_readline)[-1:]:
        _readline.add_history(request)
    return request


def _requests(readline: ModuleType) -> list[str]:
    return [readline.get_history_item(n) for n in range(1, readline.get_current_history_length() + 1)]
