"""One request after another from the person in a chat, with editing, history and completion where the system has them.

A request of several lines is one entry of the history: there, as when it is typed, each but its last line ends in a
backslash.
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
from dovetail.cli.ask import client_for, hold_files, options_for
from dovetail.cli.inputs import Location, location_of, settings_for
from dovetail.cli.journal import draw_taken_back, effect_of_undo
from dovetail.cli.output import Exit
from dovetail.cli.plan_view import draw_changes
from dovetail.cli.questions import TerminalPerson
from dovetail.cli.screen import Screen, Style, Styled
from dovetail.cli.stream_view import StreamView
from dovetail.cli.terminal import NOBODY, driven, open_terminal
from dovetail.context import estimate
from dovetail.llm import prompts
from dovetail.model.errors import DovetailError, UsageError, said_by_system
from dovetail.session import history, transcript
from dovetail.session.chat_files import show_files
from dovetail.session.chat_state import Options
from dovetail.session.conversation import Conversation
from dovetail.session.recording import replay
from dovetail.session.saved_chat import Participants, ResumedChat, SavedChat, resume_chat
from dovetail.workspace import Recovery, Workspace
from dovetail.workspace.own_folder import own_folder

_KEPT = 1_000
_GOES_ON = "\\\n"

try:
    import readline as _found

    _readline: ModuleType | None = _found
except ImportError:  # Windows has none; lines are read all the same
    _readline = None


class LineInput:
    """Reads requests. A line that ends in a backslash goes on with the next; what is pasted at once is one request."""

    def __init__(self, history: Path | None, words: Callable[[], Iterable[str]]) -> None:
        """`history` keeps earlier requests; `words` are what Tab completes to."""
        self._history = history
        self._words = words
        if _readline is not None:
            self._prepare(_readline)

    def read(self, prompt: str) -> str | None:
        """The next request; None at the end of input. Ctrl-C raises KeyboardInterrupt."""
        lines: list[str] = []
        while True:
            try:
                line = input(prompt if not lines else "." * (len(prompt) - 1) + " ")
            except EOFError:
                return None if not lines else _noted("\n".join(lines))
            if not line.endswith("\\"):
                return _noted("\n".join([*lines, line]))
            lines.append(line[:-1])

    def close(self) -> None:
        """Keep the history, for this user alone."""
        if _readline is None:
            return
        _readline.set_completer(None)
        if self._history is None:
            return
        with suppress(OSError):
            kept = os.open(self._history, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
            with os.fdopen(kept, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.writelines(said.replace("\n", _GOES_ON) + "\n" for said in _requests(_readline)[-_KEPT:])

    def _prepare(self, readline: ModuleType) -> None:
        readline.clear_history()
        readline.set_auto_history(False)  # it takes each line for an entry
        if self._history is not None:
            with suppress(OSError):
                kept = self._history.read_text(encoding="utf-8", errors="surrogateescape")
                for said in kept.replace(_GOES_ON, "\0").split("\n"):
                    if said:
                        readline.add_history(said.replace("\0", "\n"))
        readline.set_completer_delims(" \t\n")
        readline.set_completer(self._completed)
        readline.parse_and_bind("tab: complete")
        # Python turns this off; each line of what is pasted would be a request of its own.
        readline.parse_and_bind("set enable-bracketed-paste on")

    def _completed(self, start: str, state: int) -> str | None:
        fitting = sorted(word for word in self._words() if word.startswith(start)) if start else []
        return fitting[state] if state < len(fitting) else None


def _noted(request: str) -> str:
    """A request, once more to be had from the history."""
    if _readline is not None and request.strip() and request not in _requests(_readline)[-1:]:
        _readline.add_history(request)
    return request


def _requests(readline: ModuleType) -> list[str]:
    """The history, oldest first."""
    return [readline.get_history_item(n) for n in range(1, readline.get_current_history_length() + 1)]


@dataclass
class ChatScreen:
    """A chat as its terminal sees it."""

    saved: SavedChat
    screen: Screen
    view: StreamView
    place: Location
    leaving: bool = False

    @property
    def chat(self) -> Conversation:
        """The conversation itself."""
        return self.saved.conversation

    def draw_files(self) -> None:
        """List the files in the chat."""
        held = self.chat.files
        if not held.paths:
            self.screen.line("No file is in the chat. Add some: /add FILE")
        for path in held.editable:
            self.screen.line("  ", path)
        for path in held.read_only:
            self.screen.line("  ", path, Styled("  read-only", Style.FAINT))


Command = Callable[[ChatScreen, str], None]


def is_command(said: str) -> bool:
    """Whether a line begins as a command does; what begins with a path (`/api/users fails`) is said to the model."""
    word = said.partition(" ")[0]
    return word.startswith("/") and not any(sign in word[1:] for sign in "/.:")


def run_command(face: ChatScreen, said: str) -> None:
    """Run one command line. Raises `UsageError` where there is no such command, or several may be meant.

    What stands behind a command that takes nothing might name something else than it does, so it is refused.
    """
    name, _, argument = said[1:].partition(" ")
    found = [command for command in COMMANDS if command == name] or [c for c in COMMANDS if name and c.startswith(name)]
    if len(found) > 1:
        raise UsageError(f"/{name} may mean {' or '.join(f'/{one}' for one in found)}.", hint="Type one letter more.")
    if not found:
        raise UsageError(
            f"There is no command /{name}.", hint="See /help; to say it to the model, begin with another word"
        )
    if found[0] in _ALONE and argument.strip():
        raise UsageError(f"/{found[0]} takes nothing behind it; nothing was done.", hint=_ALONE[found[0]])
    COMMANDS[found[0]][1](face, argument.strip())


def _add(face: ChatScreen, argument: str) -> None:
    face.saved.add(*_typed_paths(face, argument))
    face.draw_files()


def _typed_paths(face: ChatScreen, argument: str) -> list[str]:
    """The paths that were typed: one that is there, blanks and all; else several, in quotes where they hold blanks."""
    if argument and (face.place.folder / argument).exists():
        return [face.place.in_root(argument)]
    try:
        typed = shlex.split(argument)
    except ValueError:  # an apostrophe in a name
        typed = argument.split()
    return [face.place.in_root(path) for path in typed]


def _add_read_only(face: ChatScreen, argument: str) -> None:
    face.saved.add(read_only=_typed_paths(face, argument))
    face.draw_files()


def _drop(face: ChatScreen, argument: str) -> None:
    paths = _typed_paths(face, argument) or list(face.chat.files.paths)
    unknown = [path for path in paths if path not in face.chat.files.paths]
    if unknown:
        raise UsageError(f"`{unknown[0]}` is not in the chat.", hint="See the files with /add")
    for path in paths:
        face.saved.drop(path)
    face.draw_files()


def _diff(face: ChatScreen, argument: str) -> None:
    draw_changes(face.screen, history.show(face.chat.workspace.root, argument or _newest(face)).changes)


def _undo(face: ChatScreen, _: str) -> None:
    done = history.undo(face.chat.workspace.root, _newest(face))
    draw_taken_back(face.screen, done, str(effect_of_undo("undo", done, "/")))
    face.saved.note_undo("undo", done.operation.undoes, done)


def _redo(face: ChatScreen, _: str) -> None:
    root = face.chat.workspace.root
    undone = history.redo(root, dry_run=True).operation.undoes
    if undone not in face.saved.operations:
        raise UsageError("The last undo took back nothing of this chat.", hint="To do that again: dovetail redo")
    done = history.redo(root)
    draw_taken_back(face.screen, done, str(effect_of_undo("redo", done, "/")))
    face.saved.note_undo("redo", undone, done)


def _newest(face: ChatScreen) -> str:
    """The newest operation of this chat that stands. Raises `UsageError` where none does."""
    standing = face.saved.in_force()
    if not standing:
        raise UsageError("This chat has written nothing that stands.", hint="Other operations: dovetail log")
    return standing[-1]


def _format(face: ChatScreen, argument: str) -> None:
    if argument:
        prompts.check_format(argument)
        face.saved.ask_with(replace(face.chat.options, format=argument))
    face.screen.line(f"The model is taught {face.chat.options.format}.")


def _model(face: ChatScreen, argument: str) -> None:
    if argument:
        face.saved.ask_with(replace(face.chat.options, model=argument))
    face.screen.line(f"The model is {face.chat.options.model}.")


def _architect(face: ChatScreen, argument: str) -> None:
    choices = {"": not face.chat.options.architect, "on": True, "off": False}
    if argument not in choices:
        raise UsageError(f"{argument} is neither on nor off.", hint="Type /architect on")
    face.saved.ask_with(replace(face.chat.options, architect=choices[argument]))
    state = "plans in prose first" if face.chat.options.architect else "writes edits at once"
    face.screen.line(f"The model {state}.")


def _map(face: ChatScreen, argument: str) -> None:
    chat = face.chat
    if argument:
        if argument != "off" and not argument.isdecimal():
            raise UsageError(f"{argument} is no number of tokens.", hint="Type /map 2000, or /map off")
        face.saved.ask_with(replace(chat.options, map_tokens=0 if argument == "off" else int(argument)))
    tokens = chat.options.map_tokens
    if not tokens:
        face.screen.line("The model is shown no map.")
        return
    view = chat.map.view(tokens, "", chat.files.paths, chat.workspace.tree())
    face.screen.lines(view.text.rstrip("\n") or "The map is empty.")
    face.screen.line(Styled(f"{view.tokens:,} of at most {tokens:,} tokens.", Style.FAINT))


def _tokens(face: ChatScreen, _: str) -> None:
    chat, screen = face.chat, face.screen
    shown = show_files(chat.workspace, chat.files, chat.options.file_tokens)
    for file in (*shown.editable, *shown.read_only):
        part = "  an excerpt" if file.excerpt else ""
        screen.line(f"{estimate(file.text, file.language):>9,}  {file.path}{part}")
    said = sum(estimate(message.content) for message in chat.history)
    screen.line(f"{said:>9,}  {words.count(len(chat.history), 'message')} of history")
    total = chat.ledger.total
    for step, sums in chat.ledger.by_step().items():
        screen.line(f"{step:<9}  {words.count(sums.requests, 'request')}, {sums.input:,} in, {sums.output:,} out")
    if total.repairs:
        screen.line(
            f"Repair messages took {total.messages:,} tokens; sending the files again would have taken {total.again:,}."
        )


def _save(face: ChatScreen, argument: str) -> None:
    kept = face.saved.transcript.file
    if not argument:
        face.screen.line(f"It is kept in {kept}. A copy elsewhere: /save FILE")
        return
    target = face.place.folder / argument
    if target.exists():
        raise UsageError(f"{argument} exists already.", hint="Name a new file.")
    try:
        shutil.copyfile(kept, target)
    except OSError as error:
        hint = "Name a file in a folder that exists."
        raise UsageError(f"{argument} cannot be written: {error.strerror}.", hint=hint) from None
    face.screen.line(f"Saved. To replay it: dovetail chat --replay {argument}")


def _help(face: ChatScreen, _: str) -> None:
    for name, (summary, _command) in COMMANDS.items():
        face.screen.line(Styled(f"/{name:<10}", Style.TITLE), "  ", summary)
    face.screen.line("Everything else is said to the model. A line that ends in \\ goes on with the next.")


def _quit(face: ChatScreen, _: str) -> None:
    face.leaving = True


COMMANDS: Mapping[str, tuple[str, Command]] = {
    "add": ("FILE…: let the model see files and edit them; without FILE: list them", _add),
    "drop": ("FILE…: take files out of the chat; without FILE: all", _drop),
    "read-only": ("FILE…: let the model see files and not edit them", _add_read_only),
    "diff": ("show what the last edits changed", _diff),
    "undo": ("take back the last edits", _undo),
    "redo": ("do again what the last undo took back", _redo),
    "format": ("NAME: teach another edit format", _format),
    "model": ("NAME: ask another model", _model),
    "architect": ("on or off: plan in prose first", _architect),
    "map": ("N or off: tokens for the repository's map; shows it", _map),
    "tokens": ("what the chat holds and has cost", _tokens),
    "save": ("FILE: save the conversation, to be replayed", _save),
    "help": ("this list", _help),
    "quit": ("leave; Ctrl-D does, too", _quit),
}

_ALONE: Mapping[str, str] = {
    "undo": "Other operations than the last: dovetail undo ID",
    "redo": "Type /redo",
    "tokens": "Type /tokens",
    "quit": "Type /quit",
}
"""The commands that take nothing, and what else may have been meant."""


_PROMPT = "> "


def chat_command(stated: argparse.Namespace) -> Exit:
    """`dovetail chat [FILE…]`."""
    place = location_of(stated)
    if stated.replay is not None:
        _check_replay(stated)
        return _replayed(stated, place)
    if stated.yes:
        raise UsageError("--yes is for --replay; a chat asks about its edits.", hint="Leave it out.")
    terminal = open_terminal(stdin_is_reply=False)
    if terminal is None:
        raise UsageError("A chat needs a terminal to talk on.", hint='Without one: dovetail ask "…" FILE --yes')
    settings = settings_for(stated, place)
    client = client_for(settings)
    screen = Screen.of(sys.stdout)
    view = StreamView(screen, undo="/undo", allow="Let it be edited, then ask again: /add {path}")
    ends = Participants(client, TerminalPerson(screen, terminal, view.settle, settings.on_failure(asked=True)))
    with ExitStack() as opened:
        before = None if stated.resume is None else resume_chat(place.root, stated.resume or None)
        if before is not None:
            opened.enter_context(closing(before.transcript))
        options = options_for(stated, settings, before.options if before is not None else None)
        workspace = opened.enter_context(Workspace.open(place.root))
        if before is None:
            kept = opened.enter_context(closing(SavedChat.begin(workspace, ends, options)))
        else:
            kept = SavedChat.resume(workspace, ends, options, before)
        hold_files(kept, place, stated.files, stated.read_only)
        face = ChatScreen(kept, screen, view, place)
        _greet(face, before)
        reader = LineInput(_history_file(place.root), lambda: _completions(face))
        try:
            _talk(face, reader)
        finally:
            reader.close()
        screen.line(f"To go on with this conversation: dovetail chat --resume {kept.transcript.id}")
    return Exit.OK


def _check_replay(stated: argparse.Namespace) -> None:
    """Refuse what a replay, which asks nobody and takes its files from the transcript, would pass over."""
    if stated.resume is not None or stated.files or stated.read_only:
        hint = "Leave out --resume and the files."
        raise UsageError("--replay plays a conversation as it was, over the files that it had.", hint=hint)


def _history_file(root: Path) -> Path | None:
    folder = own_folder(root, "chats")
    return folder / "lines" if folder is not None else None


def _completions(face: ChatScreen) -> list[str]:
    return [f"/{name}" for name in COMMANDS] + sorted(face.chat.workspace.tree())


def _greet(face: ChatScreen, before: ResumedChat | None) -> None:
    chat = face.chat
    _tell_recovery(face)
    options = chat.options
    face.screen.line(
        Styled("dovetail chat", Style.TITLE),
        f"  {options.model}, {options.format}{', architect' if options.architect else ''}.",
        " /help lists the commands.",
    )
    if before is not None and before.turns:
        face.screen.line(f"Going on after {words.count(before.turns, 'turn')}.")
    for sentence in before.warnings if before is not None else ():
        face.screen.line(Styled(sentence, Style.WARN))
    face.draw_files()


def _tell_recovery(face: ChatScreen, told: Recovery | None = None) -> None:
    """Say what was made whole on the way, unless that was `told` before: another process may have died by now."""
    recovery = face.chat.workspace.recovery
    if recovery is not None and recovery is not told:
        face.screen.line(recovery.message)


def _talk(face: ChatScreen, reader: LineInput) -> None:
    """Take one line after another until the person leaves."""
    while not face.leaving:
        try:
            said = reader.read(_PROMPT)
            if said is None:
                face.screen.line()
                return
            _answer(face, said.strip())
        except KeyboardInterrupt:
            face.view.interrupted()
            face.screen.line()
            face.screen.line("To leave: /quit, or Ctrl-D")


def _answer(face: ChatScreen, said: str) -> None:
    """One line: a command, or a request. What goes wrong is told, and the conversation goes on."""
    try:
        if is_command(said):
            run_command(face, said)
        elif said:
            _turn(face, said)
    except DovetailError as error:
        face.view.interrupted()
        face.screen.error(error.code, error.message, error.hint)
    except OSError as error:
        face.view.interrupted()
        hint = "Check that the file and its folder are there and yours."
        face.screen.error("system", said_by_system(error), hint)


def _turn(face: ChatScreen, request: str) -> None:
    events = face.saved.ask(request)
    written, told = len(face.saved.operations), face.chat.workspace.recovery
    try:
        face.view.begin()
        driven(events, face.view.draw)
    except KeyboardInterrupt:
        face.view.interrupted()
        face.screen.line()
        done = len(face.saved.operations) > written
        face.screen.line("Stopped." if done else "Stopped. Nothing was written.")
    finally:
        _tell_recovery(face, told)


def _replayed(stated: argparse.Namespace, place: Location) -> Exit:
    """Play a transcript again, drawing it. It writes what was written then, so somebody has to agree."""
    records = transcript.read(place.folder / stated.replay)
    screen = Screen.of(sys.stdout)
    if not stated.yes:
        terminal = open_terminal(stdin_is_reply=False)
        if terminal is None:
            sys.stderr.write(f"{NOBODY} Add --yes.\n")
            return Exit.USAGE
        if not terminal.agrees(screen.rendered(f"This replay writes files under {place.root}. Go on?")):
            screen.line("Nothing was written.")
            return Exit.REFUSED
    view = StreamView(screen)
    options = Options.of(settings_for(stated, place), "replay")
    try:
        done = driven(replay(place.root, records, options), view.draw)
    finally:
        view.interrupted()
    skipped = f", {done.skipped} that broke off passed over" if done.skipped else ""
    screen.line(Styled(f"Replayed {words.count(done.turns, 'turn')}{skipped}.", Style.TITLE))
    for difference in done.differences:
        screen.line(Styled(difference, Style.BAD))
    if not done.differences:
        screen.line("Every file came out with the same text as then.")
    return Exit.REFUSED if done.differences else Exit.OK
