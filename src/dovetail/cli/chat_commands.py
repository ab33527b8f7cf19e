"""What may be typed in a chat besides requests: a table of commands, each a function of the chat and its argument."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from dovetail.cli import words
from dovetail.cli.diff_view import draw_changes
from dovetail.cli.screen import Screen, Style, Styled
from dovetail.cli.stream_view import StreamView
from dovetail.cli.undo import draw_taken_back, what_came_back
from dovetail.context import estimate
from dovetail.llm import prompts
from dovetail.model.errors import UsageError
from dovetail.session.chats.kept_chat import KeptChat
from dovetail.session.journal import history
from dovetail.session.loop.conversation import Conversation
from dovetail.session.loop.held_files import show_held
from dovetail.session.place import Place


@dataclass
class Face:
    """A chat as its terminal sees it."""

    kept: KeptChat
    screen: Screen
    view: StreamView
    place: Place
    leaving: bool = False

    @property
    def chat(self) -> Conversation:
        """The conversation itself."""
        return self.kept.conversation

    def draw_files(self) -> None:
        """List the files in the chat."""
        held = self.chat.held
        if not held.paths:
            self.screen.line("No file is in the chat. Add some: /add FILE")
        for path in held.editable:
            self.screen.line("  ", path)
        for path in held.read_only:
            self.screen.line("  ", path, Styled("  read-only", Style.FAINT))


Command = Callable[[Face, str], None]


def is_command(said: str) -> bool:
    """Whether a line begins as a command does; what begins with a path (`/api/users fails`) is said to the model."""
    word = said.partition(" ")[0]
    return word.startswith("/") and not any(sign in word[1:] for sign in "/.:")


def run_command(face: Face, said: str) -> None:
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


def _add(face: Face, argument: str) -> None:
    face.kept.add(*_paths(face, argument))
    face.draw_files()


def _paths(face: Face, argument: str) -> list[str]:
    """The paths that were typed: one that is there, blanks and all; else several, in quotes where they hold blanks."""
    if argument and (face.place.folder / argument).exists():
        return [face.place.in_root(argument)]
    try:
        typed = shlex.split(argument)
    except ValueError:  # an apostrophe in a name
        typed = argument.split()
    return [face.place.in_root(path) for path in typed]


def _add_read_only(face: Face, argument: str) -> None:
    face.kept.add(read_only=_paths(face, argument))
    face.draw_files()


def _drop(face: Face, argument: str) -> None:
    paths = _paths(face, argument) or list(face.chat.held.paths)
    unknown = [path for path in paths if path not in face.chat.held.paths]
    if unknown:
        raise UsageError(f"`{unknown[0]}` is not in the chat.", hint="See the files with /add")
    for path in paths:
        face.kept.drop(path)
    face.draw_files()


def _diff(face: Face, argument: str) -> None:
    draw_changes(face.screen, history.show(face.chat.workspace.root, argument or _newest(face)).changes)


def _undo(face: Face, _: str) -> None:
    done = history.undo(face.chat.workspace.root, _newest(face))
    draw_taken_back(face.screen, done, str(what_came_back("undo", done, "/")))
    face.kept.note("undo", done.operation.undoes, done)


def _redo(face: Face, _: str) -> None:
    root = face.chat.workspace.root
    undone = history.redo(root, dry_run=True).operation.undoes
    if undone not in face.kept.operations:
        raise UsageError("The last undo took back nothing of this chat.", hint="To do that again: dovetail redo")
    done = history.redo(root)
    draw_taken_back(face.screen, done, str(what_came_back("redo", done, "/")))
    face.kept.note("redo", undone, done)


def _newest(face: Face) -> str:
    """The newest operation of this chat that stands. Raises `UsageError` where none does."""
    standing = face.kept.standing()
    if not standing:
        raise UsageError("This chat has written nothing that stands.", hint="Other operations: dovetail log")
    return standing[-1]


def _format(face: Face, argument: str) -> None:
    if argument:
        prompts.check_format(argument)
        face.kept.ask_with(replace(face.chat.options, format=argument))
    face.screen.line(f"The model is taught {face.chat.options.format}.")


def _model(face: Face, argument: str) -> None:
    if argument:
        face.kept.ask_with(replace(face.chat.options, model=argument))
    face.screen.line(f"The model is {face.chat.options.model}.")


def _architect(face: Face, argument: str) -> None:
    choices = {"": not face.chat.options.architect, "on": True, "off": False}
    if argument not in choices:
        raise UsageError(f"{argument} is neither on nor off.", hint="Type /architect on")
    face.kept.ask_with(replace(face.chat.options, architect=choices[argument]))
    state = "plans in prose first" if face.chat.options.architect else "writes edits at once"
    face.screen.line(f"The model {state}.")


def _map(face: Face, argument: str) -> None:
    chat = face.chat
    if argument:
        if argument != "off" and not argument.isdecimal():
            raise UsageError(f"{argument} is no number of tokens.", hint="Type /map 2000, or /map off")
        face.kept.ask_with(replace(chat.options, map_tokens=0 if argument == "off" else int(argument)))
    tokens = chat.options.map_tokens
    if not tokens:
        face.screen.line("The model is shown no map.")
        return
    view = chat.map.view(tokens, "", chat.held.paths, chat.workspace.tree())
    face.screen.lines(view.text.rstrip("\n") or "The map is empty.")
    face.screen.line(Styled(f"{view.tokens:,} of at most {tokens:,} tokens.", Style.FAINT))


def _tokens(face: Face, _: str) -> None:
    chat, screen = face.chat, face.screen
    shown = show_held(chat.workspace, chat.held, chat.options.file_tokens)
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


def _save(face: Face, argument: str) -> None:
    kept = face.kept.transcript.file
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


def _help(face: Face, _: str) -> None:
    for name, (summary, _command) in COMMANDS.items():
        face.screen.line(Styled(f"/{name:<10}", Style.TITLE), "  ", summary)
    face.screen.line("Everything else is said to the model. A line that ends in \\ goes on with the next.")


def _quit(face: Face, _: str) -> None:
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
