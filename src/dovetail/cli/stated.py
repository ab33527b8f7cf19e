"""Turns what was typed into values: the place, the settings, the reply.

An option wins over the project's settings file, which wins over the user's.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from dovetail.cli.source import Source, read_reply
from dovetail.model.errors import UsageError
from dovetail.session.place import Place, find_place
from dovetail.session.settings import Settings, load, with_fences


def check_number(option: str, number: int | None, least: int, unit: str) -> None:
    """Refuse a number that is too small to mean anything."""
    if number is not None and number < least:
        raise UsageError(f"{option} {number} is no number of {unit}.", hint=f"Give {least} or more.")


def place_of(stated: argparse.Namespace) -> Place:
    """The folder and root that ``-C`` and ``--root`` name; several ``-C`` follow each other, as git's do."""
    if stated.root == "":
        raise UsageError("--root is empty.", hint='Name the folder; the current one is "."')
    return find_place(folder_of(stated), Path(stated.root) if stated.root is not None else None)


def folder_of(stated: argparse.Namespace) -> Path:
    """The folder that ``-C`` names, by default the current one."""
    return Path().joinpath(*(stated.folders or ()), *getattr(stated, "further_folders", ()))


def reply_of(stated: argparse.Namespace, place: Place) -> Source:
    """The reply from the file, pipe or clipboard that was named."""
    return read_reply(stated.reply, place.folder, clipboard=stated.clipboard)


def settings_of(stated: argparse.Namespace, place: Place) -> Settings:
    """The settings in force, options included."""
    settings = load(place.root)
    if stated.format is not None:
        settings = replace(settings, format=stated.format)
    if stated.fence:
        try:
            settings = replace(settings, markers=with_fences(settings.markers, stated.fence))
        except ValueError as error:
            raise UsageError(f"--fence: {error}", hint="For example: --fence '<source>'") from None
    return with_policy(settings, stated, place)


def with_policy(settings: Settings, stated: argparse.Namespace, place: Place) -> Settings:
    """The settings with what options say about planning."""
    words = {name: getattr(stated, name, None) for name in ("on_failure", "occurrence", "conflicts")}
    chosen: dict[str, Any] = {name: word for name, word in words.items() if word is not None}
    policy = replace(settings.policy, **chosen)
    if getattr(stated, "only", None):
        paths = tuple(place.in_root(path) for path in stated.only)
        policy = replace(policy, only=None if "." in paths else paths)
    return replace(settings, policy=policy, stated=settings.stated | {name.replace("_", "-") for name in chosen})
