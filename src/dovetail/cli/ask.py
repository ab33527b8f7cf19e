"""`dovetail ask`: one request, from the question to what is written; and how models are asked, which `chat` shares."""

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

from dovetail.cli.context import file_limit
from dovetail.cli.inputs import Location, check_number, decoded, location_of, settings_for
from dovetail.cli.new import begin_from_template, refuse_template
from dovetail.cli.output import DoneReport, Exit, flush_or_discard, print_json, reporting
from dovetail.cli.plan_view import NO_EDIT, draw_suggestions, notes_of, report_of
from dovetail.cli.questions import TerminalPerson, draw_waiting
from dovetail.cli.screen import Screen, Styled, TextStyle
from dovetail.cli.stream_view import StreamView
from dovetail.cli.terminal import NOBODY, driven, held_back, open_terminal
from dovetail.llm import prompts
from dovetail.llm.client import Client
from dovetail.llm.settings import Addresses
from dovetail.model.errors import UsageError
from dovetail.session.apply.applying import GitChoice, check_git, rehearse
from dovetail.session.conversation.chat_state import Options
from dovetail.session.conversation.context_message import ChatMap
from dovetail.session.conversation.conversation import Conversation, TurnOutcome
from dovetail.session.conversation.participants import Consent, Person
from dovetail.session.conversation.saved_chat import Participants, SavedChat
from dovetail.session.conversation.turn_events import EditsWritten, TurnEvent
from dovetail.session.settings import Settings
from dovetail.workspace import Workspace


def client_for(settings: Settings) -> Client:
    """Return the client that asks models: addresses and keys from the environment, else from the user's own file."""
    return Client(Addresses.of(os.environ, settings.models.providers))


def options_for(args: argparse.Namespace, settings: Settings, before: Mapping[str, Any] | None = None) -> Options:
    """Return how the model is asked: by the options, else as it was asked `before`, else by the settings.

    Raises `UsageError` if no model is named, or an option names what does not exist.
    """
    default, earlier = Options.of(settings), before or {}
    model = _first_name(args.model, earlier.get("model"), default.model)
    if not model:
        raise UsageError(
            "No model is named.", hint="Name one: --model NAME, or --model anthropic/NAME (or `model` in the settings)"
        )
    if args.message is not None and not args.commit:
        raise UsageError("--message needs --commit.", hint="Add --commit.")
    name = _first_name(args.format, earlier.get("format"), default.format)
    prompts.check_format(name)
    check_number("--budget", args.budget, 1, "tokens")
    check_number("--max-tokens", args.max_tokens, 1, "tokens")
    check_number("--map-tokens", args.map_tokens, 0, "tokens")
    check_number("--max-rounds", args.max_rounds, 0, "rounds")
    map_tokens = args.map_tokens if args.map_tokens is not None else earlier.get("map_tokens", default.map_tokens)
    max_rounds = args.max_rounds if args.max_rounds is not None else earlier.get("max_rounds", default.max_rounds)
    return replace(
        default,
        model=model,
        editor_model=_first_name(args.editor_model, earlier.get("editor_model"), default.editor_model) or None,
        format=name,
        edits_by=args.edits_by or earlier.get("edits_by", default.edits_by),
        architect=args.architect or earlier.get("architect", default.architect),
        shell=not args.no_shell and earlier.get("shell", default.shell),
        max_rounds=max_rounds,
        map_tokens=0 if args.no_map else map_tokens,
        file_tokens=file_limit(args.file_tokens, earlier.get("file_tokens", default.file_tokens)),
        budget=args.budget,
        max_tokens=args.max_tokens or default.max_tokens,
        git=GitChoice(commit=args.commit, message=args.message),
    )


def _first_name(*names: str | None) -> str:
    """Return the first name that is not blank; "" if all are."""
    return next((name for name in names if name is not None and name.strip()), "")


def add_files(
    chat: SavedChat | Conversation, location: Location, editable: Iterable[str], read_only: Iterable[str]
) -> None:
    """Add the named files to the conversation. Raises `UsageError`."""
    paths, references = map(location.in_root, editable), list(map(location.in_root, read_only))
    chat.add(*paths, read_only=references)


def ask_command(args: argparse.Namespace) -> Exit:
    """`dovetail ask REQUEST [FILE…]`."""
    location = location_of(args)
    settings = settings_for(args, location)
    options = options_for(args, settings)
    if args.template is not None and args.dry_run:
        raise UsageError("--template copies files, and --dry-run writes none.", hint="Leave one of them out.")
    if args.editor_model is not None and not options.architect:
        raise UsageError("--editor-model needs --architect.", hint="Add --architect.")
    text = args.request
    if text == "-":
        text = decoded(sys.stdin.buffer.read(), "standard input")
    if not text.strip():
        raise UsageError("The request is empty.", hint='Say what you want: dovetail ask "…" FILE')
    request = str(text)
    client = client_for(settings)
    screen = Screen.of(sys.stderr if args.json else sys.stdout)
    view = StreamView(screen, dry_run=args.dry_run)
    person = _person(args, settings, screen, view)
    nobody_asked = type(person) is Person and not args.dry_run
    files = list(args.files)
    if args.template is not None:
        if nobody_asked:
            refuse_template(args, location, request, client, options.model)
        files += begin_from_template(args, location, request, client, options.model)
    with (
        Workspace.open(location.root, encoding=settings.encoding) as workspace,
        _begun(args, workspace, Participants(client, person), options, request) as (conversation, events),
    ):
        check_git(workspace, options.git)
        add_files(conversation, location, files, args.read_only)
        report, status = DoneReport(), Exit.OK
        with reporting(report):
            outcome, failure = _run(events, view, report, shown=not args.json, agreed=args.yes)
            status = _status(outcome, nobody_asked=nobody_asked, dry_run=args.dry_run)
            if failure is not None:
                raise failure
            if args.dry_run and outcome.prepared is not None:
                rehearse(outcome.prepared)
            _report(args, conversation, outcome, screen, status)
        return status


@contextmanager
def _begun(
    args: argparse.Namespace, workspace: Workspace, participants: Participants, options: Options, request: str
) -> Iterator[tuple[Conversation, Generator[TurnEvent, None, TurnOutcome]]]:
    """Yield the conversation, which is saved unless this is a dry run, and its one turn."""
    if args.dry_run:
        conversation = Conversation(workspace, participants.model, participants.person, options)
        conversation.map = ChatMap(workspace, keep=False)
        yield conversation, conversation.ask(request)
        return
    with closing(SavedChat.begin(workspace, participants, options)) as saved:
        yield saved.conversation, saved.ask(request)


def _person(args: argparse.Namespace, settings: Settings, screen: Screen, view: StreamView) -> Person:
    """Return who answers questions: the person at the terminal, one who agreed beforehand, or nobody."""
    tell = partial(draw_waiting, screen)
    if args.yes:
        return _Agreed(settings.on_failure(interactive=False), tell)
    terminal = None if args.dry_run or args.json else open_terminal(stdin_is_reply=args.request == "-")
    if terminal is None:
        return Person(tell)
    return TerminalPerson(screen, terminal, view.settle, settings.on_failure(interactive=True))


class _Agreed(Consent):
    """Agreed beforehand; Ctrl-C waits until all is written."""

    writing = staticmethod(held_back)


def _run(
    events: Generator[TurnEvent, None, TurnOutcome], view: StreamView, report: DoneReport, *, shown: bool, agreed: bool
) -> tuple[TurnOutcome, OSError | None]:
    """Run a turn to its end, drawn if `shown`; return its outcome, and the error if the output failed after the write.

    Before the write a failing output ends the turn, unless its reader left and edits were `agreed` to beforehand.
    """
    failure: OSError | None = None

    def draw(event: TurnEvent) -> None:
        nonlocal failure
        if isinstance(event, EditsWritten):
            written = report_of(event.committed)
            report.sentence, report.hint = written.sentence, written.hint
        if not shown or failure is not None:
            return
        try:
            view.draw(event)
        except OSError as error:
            if report.sentence is not None:
                failure = error
            elif agreed and isinstance(error, BrokenPipeError):
                flush_or_discard()
            else:
                raise

    try:
        if shown:
            view.begin()
        return driven(events, draw), failure
    except BaseException:
        with suppress(OSError):
            view.interrupted()
        raise


def _status(outcome: TurnOutcome, *, nobody_asked: bool, dry_run: bool) -> Exit:
    prepared = outcome.prepared
    if prepared is None:
        return Exit.REFUSED if outcome.wanted else Exit.NO_EDITS
    if prepared.plan.changes and nobody_asked:
        return Exit.USAGE
    if prepared.plan.failed or prepared.plan.missed or (outcome.declined and not dry_run):
        return Exit.REFUSED
    if outcome.committed is not None and outcome.committed.git_error is not None:
        return Exit.REFUSED
    return Exit.OK


def _report(
    args: argparse.Namespace, conversation: Conversation, outcome: TurnOutcome, screen: Screen, status: Exit
) -> None:
    recovery = conversation.workspace.recovery
    if args.json:
        print_json(
            {
                "command": "ask",
                "root": str(conversation.workspace.root),
                "dry_run": args.dry_run,
                "exit": int(status),
                **outcome.record(conversation.ledger),
                "notes": notes_of(outcome.committed, recovery),
            }
        )
        return
    if recovery is not None:
        screen.line(recovery.message)
    if status is Exit.NO_EDITS:
        draw_suggestions(screen, outcome.rounds.parsed)
        screen.line(Styled(NO_EDIT, TextStyle.WARN))
        if outcome.unread and outcome.rounds.parsed.shell_suggestions and not conversation.person.decides_commands:
            screen.line(
                "next  ", "To write what commands would change, and run none of them, ask with --commands edits"
            )
    if outcome.wanted:
        whole = "--file-tokens 0 " if set(outcome.wanted) & set(conversation.files.paths) else ""
        screen.line("next  ", f"Ask again with the files that the model wants: {whole}{shlex.join(outcome.wanted)}")
    if status is Exit.USAGE:
        sys.stderr.write(f"{NOBODY} Add --yes, or --dry-run.\n")
