"""`dovetail chat`: a conversation in the terminal.

Ctrl-C ends what is going on, never the conversation, and leaves files as they were; Ctrl-D on an empty line leaves.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack, closing
from pathlib import Path

from dovetail.cli import words
from dovetail.cli.answers import AtTerminal
from dovetail.cli.chat_commands import COMMANDS, Face, is_command, run_command
from dovetail.cli.interrupts import driven
from dovetail.cli.line_input import LineInput
from dovetail.cli.modelled import client_for, hold_files, options_for, settings_for
from dovetail.cli.screen import Screen, Style, Styled
from dovetail.cli.stated import place_of
from dovetail.cli.status import Exit
from dovetail.cli.stream_view import StreamView
from dovetail.cli.terminal import NOBODY, open_terminal
from dovetail.model.errors import DovetailError, UsageError, said_by_system
from dovetail.session.chats import transcript
from dovetail.session.chats.earlier import Earlier, earlier
from dovetail.session.chats.kept_chat import Ends, KeptChat
from dovetail.session.chats.replay import replay
from dovetail.session.loop.conversation import Options
from dovetail.session.place import Place
from dovetail.workspace import Recovery, Workspace
from dovetail.workspace.own_folder import own_folder

_PROMPT = "> "


def chat_command(stated: argparse.Namespace) -> Exit:
    """`dovetail chat [FILE…]`."""
    place = place_of(stated)
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
    ends = Ends(client, AtTerminal(screen, terminal, view.settle, settings.on_failure(asked=True)))
    with ExitStack() as opened:
        before = None if stated.resume is None else earlier(place.root, stated.resume or None)
        if before is not None:
            opened.enter_context(closing(before.kept))
        options = options_for(stated, settings, before.asked if before is not None else None)
        workspace = opened.enter_context(Workspace.open(place.root))
        if before is None:
            kept = opened.enter_context(closing(KeptChat.begin(workspace, ends, options)))
        else:
            kept = KeptChat.resume(workspace, ends, options, before)
        hold_files(kept, place, stated.files, stated.read_only)
        face = Face(kept, screen, view, place)
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


def _completions(face: Face) -> list[str]:
    return [f"/{name}" for name in COMMANDS] + sorted(face.chat.workspace.tree())


def _greet(face: Face, before: Earlier | None) -> None:
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
    for sentence in before.told if before is not None else ():
        face.screen.line(Styled(sentence, Style.WARN))
    face.draw_files()


def _tell_recovery(face: Face, told: Recovery | None = None) -> None:
    """Say what was made whole on the way, unless that was `told` before: another process may have died by now."""
    recovery = face.chat.workspace.recovery
    if recovery is not None and recovery is not told:
        face.screen.line(recovery.message)


def _talk(face: Face, reader: LineInput) -> None:
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


def _answer(face: Face, said: str) -> None:
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


def _turn(face: Face, request: str) -> None:
    events = face.kept.ask(request)
    written, told = len(face.kept.operations), face.chat.workspace.recovery
    try:
        face.view.begin()
        driven(events, face.view.draw)
    except KeyboardInterrupt:
        face.view.interrupted()
        face.screen.line()
        done = len(face.kept.operations) > written
        face.screen.line("Stopped." if done else "Stopped. Nothing was written.")
    finally:
        _tell_recovery(face, told)


def _replayed(stated: argparse.Namespace, place: Place) -> Exit:
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
