"""`dovetail ask`: one request, from the question to what is written."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial

from dovetail.cli.answers import AtTerminal, tell_waiting
from dovetail.cli.interrupts import driven, held_back
from dovetail.cli.modelled import client_for, hold_files, options_for, settings_for
from dovetail.cli.outcome_view import NO_EDIT, notes_of, what_stands
from dovetail.cli.screen import Screen, Style, Styled
from dovetail.cli.source import decoded
from dovetail.cli.standing import Standing, standing
from dovetail.cli.stated import place_of
from dovetail.cli.status import Exit
from dovetail.cli.stream_view import StreamView
from dovetail.cli.streams import let_go_where_full, print_json
from dovetail.cli.terminal import NOBODY, open_terminal
from dovetail.model.errors import UsageError
from dovetail.session.applying.apply import rehearse
from dovetail.session.chats.kept_chat import Ends, KeptChat
from dovetail.session.chats.turn_record import of_outcome
from dovetail.session.loop.conversation import Conversation, Options
from dovetail.session.loop.kept_map import KeptMap
from dovetail.session.loop.person import Consent, Nobody, Person
from dovetail.session.loop.steps import Event, Written
from dovetail.session.loop.turn import Outcome
from dovetail.session.settings import Settings
from dovetail.workspace import Workspace


def ask_command(stated: argparse.Namespace) -> Exit:
    """`dovetail ask REQUEST [FILE…]`."""
    place = place_of(stated)
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
        _begun(stated, workspace, Ends(client, person), options, request) as (conversation, asking),
    ):
        hold_files(conversation, place, files, stated.read_only)
        done, status = Standing(), Exit.OK
        with standing(done):
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
    stated: argparse.Namespace, workspace: Workspace, ends: Ends, options: Options, request: str
) -> Iterator[tuple[Conversation, Generator[Event, None, Outcome]]]:
    """The conversation, kept unless nothing is to be written at all, and its one turn."""
    if stated.dry_run:
        conversation = Conversation(workspace, ends.model, ends.person, options)
        conversation.map = KeptMap(workspace, keep=False)
        yield conversation, conversation.ask(request)
        return
    with closing(KeptChat.begin(workspace, ends, options)) as kept:
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
    tell = partial(tell_waiting, screen)
    if stated.yes:
        return _Agreed(settings.on_failure(asked=False), tell)
    terminal = None if stated.dry_run or stated.json else open_terminal(stdin_is_reply=stated.request == "-")
    if terminal is None:
        return Nobody(tell)
    return AtTerminal(screen, terminal, view.settle, settings.on_failure(asked=True))


class _Agreed(Consent):
    """Said yes beforehand."""

    writing = staticmethod(held_back)


def _driven(
    events: Generator[Event, None, Outcome], view: StreamView, done: Standing, *, shown: bool, agreed: bool
) -> tuple[Outcome, OSError | None]:
    """Run a turn to its end, drawn where it is `shown`; once it is `done`, an output that fails is given, and ends it
    no more. Nor does a reader who left, where it was `agreed` beforehand that edits are written."""
    failure: OSError | None = None

    def draw(event: Event) -> None:
        nonlocal failure
        if isinstance(event, Written):
            stands = what_stands(event.committed)
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


def _drawn(view: StreamView, event: Event, done: Standing, *, agreed: bool) -> OSError | None:
    try:
        view.draw(event)
    except OSError as error:
        if done.sentence is not None:
            return error
        if not (agreed and isinstance(error, BrokenPipeError)):
            raise
        let_go_where_full()
    return None


def _tell(
    stated: argparse.Namespace, conversation: Conversation, outcome: Outcome, screen: Screen, status: Exit
) -> None:
    notes = notes_of(outcome.committed, conversation.workspace.recovery)
    if stated.json:
        print_json(
            {
                "command": "ask",
                "root": str(conversation.workspace.root),
                "dry_run": stated.dry_run,
                "exit": int(status),
                **of_outcome(outcome, conversation.ledger),
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


def _status(outcome: Outcome, *, unasked: bool, dry_run: bool) -> Exit:
    prepared = outcome.prepared
    if prepared is None:
        return Exit.REFUSED if outcome.wanted else Exit.NO_EDITS
    if prepared.plan.changes and unasked:
        return Exit.USAGE
    if prepared.plan.failed or (outcome.declined and not dry_run):
        return Exit.REFUSED
    return Exit.OK
