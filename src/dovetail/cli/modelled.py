"""Turns what was typed for `ask` and `chat` into values: options, a client, files."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable

from dovetail.llm import prompts
from dovetail.llm.client import Client
from dovetail.llm.settings import Settings as Addresses
from dovetail.model.codes import OnFailure
from dovetail.model.dataclasses import replace
from dovetail.model.errors import UsageError
from dovetail.session.conversation import Conversation, Options
from dovetail.session.outline import DEFAULT_TOKENS
from dovetail.session.place import Place
from dovetail.session.settings import Settings, load


def settings_for(place: Place) -> Settings:
    """The settings in force."""
    return load(place.root)


def client_for(settings: Settings) -> Client:
    """Who asks models: addresses and keys from the environment, else from the user's own file."""
    return Client(Addresses.of(os.environ, settings.asking.providers))


def options_for(stated: argparse.Namespace, settings: Settings) -> Options:
    """How the model is asked. Raises `UsageError` where no model is named, or an option says what does not exist."""
    asking = settings.asking
    model = stated.model or asking.model
    if not model:
        raise UsageError(
            "No model is named.", hint="Name one: --model NAME, or --model anthropic/NAME (or `model` in the settings)"
        )
    name = stated.format or asking.format or "diff"
    prompts.reminder(name)  # says which formats there are, where this is none
    on_failure = getattr(stated, "on_failure", None)
    policy = settings.policy if on_failure is None else replace(settings.policy, on_failure=OnFailure(on_failure))
    return Options(
        model=model,
        editor_model=stated.editor_model or asking.editor_model,
        format=name,
        reading=settings.format,
        architect=stated.architect,
        shell=not stated.no_shell,
        max_rounds=_first(stated.max_rounds, asking.max_rounds, 3),
        map_tokens=0 if stated.no_map else _first(stated.map_tokens, asking.map_tokens, DEFAULT_TOKENS),
        budget=stated.budget,
        max_tokens=stated.max_tokens,
        policy=policy,
        markers=settings.markers,
    )


def _first(*values: int | None) -> int:
    found = next(value for value in values if value is not None)
    if found < 0:
        raise UsageError(f"{found} is no number of tokens or rounds.", hint="Give 0 or more.")
    return found


def hold_files(conversation: Conversation, place: Place, editable: Iterable[str], read_only: Iterable[str]) -> None:
    """Take the files that were named into the conversation. Raises `UsageError`."""
    for path in editable:
        conversation.add(place.in_root(path))
    for path in read_only:
        conversation.add(place.in_root(path), read_only=True)
