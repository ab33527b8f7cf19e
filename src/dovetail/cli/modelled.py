"""Turns what was typed for `ask` and `chat` into values: options, a client, files."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from dovetail.cli.stated import check_number, with_policy
from dovetail.context import FILE_LIMIT
from dovetail.llm import prompts
from dovetail.llm.client import Client
from dovetail.llm.settings import Addresses
from dovetail.model.errors import UsageError
from dovetail.session.chats.kept_chat import KeptChat
from dovetail.session.loop.conversation import Conversation, Options
from dovetail.session.place import Place
from dovetail.session.settings import Settings, load


def settings_for(stated: argparse.Namespace, place: Place) -> Settings:
    """The settings in force, options about planning included."""
    return with_policy(load(place.root), stated, place)


def client_for(settings: Settings) -> Client:
    """Who asks models: addresses and keys from the environment, else from the user's own file."""
    return Client(Addresses.of(os.environ, settings.asking.providers))


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


def hold_files(chat: KeptChat | Conversation, place: Place, editable: Iterable[str], read_only: Iterable[str]) -> None:
    """Take the files that were named into the conversation. Raises `UsageError`."""
    names, references = map(place.in_root, editable), list(map(place.in_root, read_only))
    chat.add(*names, read_only=references)
