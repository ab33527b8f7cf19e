"""Turns what was typed for `ask` and `chat` into values: options, a client, files."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from dovetail.cli.inputs import Location, check_number, decoded, location_of, settings_for
from dovetail.cli.output import Effect, Exit, flush_or_discard, print_json, reporting
from dovetail.cli.plan_view import NO_EDIT, effect_of, notes_of
from dovetail.cli.questions import TerminalPerson, draw_waiting
from dovetail.cli.screen import Screen, Style, Styled
from dovetail.cli.stream_view import StreamView
from dovetail.cli.terminal import NOBODY, driven, held_back, open_terminal
from dovetail.context import FILE_LIMIT
from dovetail.llm import prompts
from dovetail.llm.client import Client
from dovetail.llm.settings import Addresses
from dovetail.model.errors import UsageError
from dovetail.session.applying import rehearse
from dovetail.session.chat_state import Options
from dovetail.session.context_message import ChatMap
from dovetail.session.conversation import Conversation, TurnOutcome
from dovetail.session.participants import Consent, Nobody, Person
from dovetail.session.saved_chat import Participants, SavedChat
from dovetail.session.settings import Settings
from dovetail.session.turn_events import EditsWritten, TurnEvent
from dovetail.workspace import Workspace


def client_for(settings: Settings) -> Client:
    """Who asks models: addresses and keys from the environment, else from the user's own file."""
    return Client(Addresses.of(os.environ, settings.models.providers))


def options_for(stated: argparse.Namespace, settings: Settings, before: Mapping[str, Any] | None = None) -> Options:
    """How the model is asked: as the options say, else as it was asked `before`, else as the settings say.

    Raises `UsageError` where no model is named, or an option says what does not exist.
    """
    said, earlier = Options.of(settings), before or {}
    model = _first_name(stated.model, earlier.get("model"), said.model)
    if not model:
        raise UsageError(
            "No model is named.", hint="Name one: --model NAME, or --model anthropic/NAME (or `model` in the settings)"
        )
    name = _first_name(stated.format, earlier.get("format"), said.format)
    prompts.check_format(name)
    check_number("--budget", stated.budget, 1, "tokens")
    check_number("--max-tokens", stated.max_tokens, 1, "tokens")
    check_number("--map-tokens", stated.map_tokens, 0, "tokens")
    check_number("--max-rounds", stated.max_rounds, 0, "rounds")
    return replace(
        said,
        model=model,
        editor_model=_first_name(stated.editor_model, earlier.get("editor_model"), said.editor_model) or None,
        format=name,
        architect=stated.architect or earlier.get("architect", said.architect),
        shell=not stated.no_shell and earlier.get("shell", said.shell),
        max_rounds=_first(stated.max_rounds, earlier.get("max_rounds"), said.max_rounds),
        map_tokens=0 if stated.no_map else _first(stated.map_tokens, earlier.get("map_tokens"), said.map_tokens),
        file_tokens=file_limit(stated.file_tokens, earlier.get("file_tokens", said.file_tokens)),
        budget=stated.budget,
        max_tokens=stated.max_tokens or said.max_tokens,
    )


def file_limit(stated: int | None, before: int | None = FILE_LIMIT) -> int | None:
    """The most tokens of one file, None for all of it. Raises `UsageError`."""
    check_number("--file-tokens", stated, 0, "tokens")
    return before if stated is None else stated or None


def _first_name(*names: str | None) -> str:
    """The first that is not blank; empty where all are."""
    return next((name for name in names if name is not None and name.strip()), "")


def _first(*values: int | None) -> int:
    return next(value for value in values if value is not None)


def hold_files(
    chat: SavedChat | Conversation, place: Location, editable: Iterable[str], read_only: Iterable[str]
) -> None:
    """Take the files that were named into the conversation. Raises `UsageError`."""
    names, references = map(place.in_root, editable), list(map(place.in_root, read_only))
    chat.add(*names, read_only=references)


def ask_command(stated: argparse.Namespace) -> Exit:
    """`dovetail ask REQUEST [FILE…]`."""
    place = location_of(stated)
    settings = settings_for(stated, place)
    options = options_for(stated, settings)
    _check_options(stated, options)
    request = _request(stated)
    client = client_for(settings)
    screen = Screen.of(sys.stderr if stated.json else sys.stdout)
    view = StreamView(screen, dry_run=stated.dry_run)
    person = _person(stated, settings, screen, view)
    unasked = type(person) is Nobody and not stated.dry_run
    files = list(stated.files)
    if stated.template is not None:
        from dovetail.cli.new import begin_from_template, refuse_template

        if unasked:
            refuse_template(stated, place, request, client, options.model)
        files += begin_from_template(stated, place, request, client, options.model)
    with (
        Workspace.open(place.root) as workspace,
        _begun(stated, workspace, Participants(client, person), options, request) as (conversation, asking),
    ):
        hold_files(conversation, place, files, stated.read_only)
        done, status = Effect(), Exit.OK
        with reporting(done):
            outcome, failure = _driven(asking, view, done, shown=not stated.json, agreed=stated.yes)
            status = _status(outcome, unasked=unasked, dry_run=stated.dry_run)
            if failure is not None:
                raise failure
            if stated.dry_run and outcome.prepared is not None:
                rehearse(outcome.prepared)
            _tell(stated, conversation, outcome, screen, status)
        return status


def _check_options(stated: argparse.Namespace, options: Options) -> None:
    """Refuse what would be without effect."""
    if stated.template is not None and stated.dry_run:
        raise UsageError("--template copies files, and --dry-run writes none.", hint="Leave one of them out.")
    if stated.editor_model is not None and not options.architect:
        raise UsageError("--editor-model needs --architect.", hint="Add --architect.")


@contextmanager
def _begun(
    stated: argparse.Namespace, workspace: Workspace, ends: Participants, options: Options, request: str
) -> Iterator[tuple[Conversation, Generator[TurnEvent, None, TurnOutcome]]]:
    """The conversation, kept unless nothing is to be written at all, and its one turn."""
    if stated.dry_run:
        conversation = Conversation(workspace, ends.model, ends.person, options)
        conversation.map = ChatMap(workspace, keep=False)
        yield conversation, conversation.ask(request)
        return
    with closing(SavedChat.begin(workspace, ends, options)) as kept:
        yield kept.conversation, kept.ask(request)


def _request(stated: argparse.Namespace) -> str:
    text = stated.request
    if text == "-":
        text = decoded(sys.stdin.buffer.read(), "standard input")
    if not text.strip():
        raise UsageError("The request is empty.", hint='Say what you want: dovetail ask "…" FILE')
    return str(text)


def _person(stated: argparse.Namespace, settings: Settings, screen: Screen, view: StreamView) -> Person:
    """Who answers: the terminal's person, one who said yes beforehand, or nobody."""
    tell = partial(draw_waiting, screen)
    if stated.yes:
        return _Agreed(settings.on_failure(asked=False), tell)
    terminal = None if stated.dry_run or stated.json else open_terminal(stdin_is_reply=stated.request == "-")
    if terminal is None:
        return Nobody(tell)
    return TerminalPerson(screen, terminal, view.settle, settings.on_failure(asked=True))


class _Agreed(Consent):
    """Said yes beforehand."""

    writing = staticmethod(held_back)


def _driven(
    events: Generator[TurnEvent, None, TurnOutcome], view: StreamView, done: Effect, *, shown: bool, agreed: bool
) -> tuple[TurnOutcome, OSError | None]:
    """Run a turn to its end, drawn where it is `shown`; once it is `done`, an output that fails is given, and ends it
    no more. Nor does a reader who left, where it was `agreed` beforehand that edits are written."""
    failure: OSError | None = None

    def draw(event: TurnEvent) -> None:
        nonlocal failure
        if isinstance(event, EditsWritten):
            stands = effect_of(event.committed)
            done.sentence, done.hint = stands.sentence, stands.hint
        if shown and failure is None:
            failure = _drawn(view, event, done, agreed=agreed)

    try:
        if shown:
            view.begin()
        return driven(events, draw), failure
    except BaseException:
        with suppress(OSError):
            view.interrupted()
        raise


def _drawn(view: StreamView, event: TurnEvent, done: Effect, *, agreed: bool) -> OSError | None:
    try:
        view.draw(event)
    except OSError as error:
        if done.sentence is not None:
            return error
        if not (agreed and isinstance(error, BrokenPipeError)):
            raise
        flush_or_discard()
    return None


def _tell(
    stated: argparse.Namespace, conversation: Conversation, outcome: TurnOutcome, screen: Screen, status: Exit
) -> None:
    notes = notes_of(outcome.committed, conversation.workspace.recovery)
    if stated.json:
        print_json(
            {
                "command": "ask",
                "root": str(conversation.workspace.root),
                "dry_run": stated.dry_run,
                "exit": int(status),
                **outcome.record(conversation.ledger),
                "notes": notes,
            }
        )
        return
    for note in notes:
        screen.line(note)
    if status is Exit.NO_EDITS:
        screen.line(Styled(NO_EDIT, Style.WARN))
    if outcome.wanted:
        screen.line("next  ", f"Ask again with the files that the model wants: {shlex.join(outcome.wanted)}")
    if status is Exit.USAGE:
        sys.stderr.write(f"{NOBODY} Add --yes, or --dry-run.\n")


def _status(outcome: TurnOutcome, *, unasked: bool, dry_run: bool) -> Exit:
    prepared = outcome.prepared
    if prepared is None:
        return Exit.REFUSED if outcome.wanted else Exit.NO_EDITS
    if prepared.plan.changes and unasked:
        return Exit.USAGE
    if prepared.plan.failed or (outcome.declined and not dry_run):
        return Exit.REFUSED
    return Exit.OK
