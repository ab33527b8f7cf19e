"""How the page's model is asked: from the settings files and the command line at the start, then as the page says.

What the page changes lives in memory alone; no file is written. Addresses and keys never come here: the page learns
whether there is one, not what it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dovetail.formats.table import AUTO, FORMATS
from dovetail.llm import prompts
from dovetail.llm.errors import ConfigurationError
from dovetail.model.codes import Conflicts, Occurrence
from dovetail.session.conversation import Options
from dovetail.session.outline import DEFAULT_TOKENS
from dovetail.web import fields
from dovetail.web.faults import RequestError, of_error

if TYPE_CHECKING:
    from dovetail.llm.settings import Settings as Addresses
    from dovetail.session.settings import Settings
    from dovetail.web.desk import Desk
    from dovetail.web.fields import Body

_READINGS = (AUTO, *FORMATS)


def options_of(settings: Settings, model: str | None) -> Options:
    """The options to begin with; no model at all is one of them."""
    asking = settings.asking
    name = asking.format or "diff"
    prompts.reminder(name)  # says which formats there are, where this is none
    return Options(
        model=model or asking.model or "",
        editor_model=asking.editor_model,
        format=name,
        reading=settings.format,
        max_rounds=3 if asking.max_rounds is None else asking.max_rounds,
        map_tokens=DEFAULT_TOKENS if asking.map_tokens is None else asking.map_tokens,
        policy=settings.policy,
        markers=settings.markers,
    )


def readiness(addresses: Addresses) -> Callable[[Options], RequestError | None]:
    """Tells, for options, why no model can be asked with them."""

    def problem(options: Options) -> RequestError | None:
        if not options.model:
            return RequestError(409, "no-model", "No model is named.", "Name one in the settings.")
        try:
            addresses.target(options.model)
        except ConfigurationError as error:
            return RequestError(409, error.code, error.message, error.hint)
        return None

    return problem


def settings_record(desk: Desk) -> dict[str, Any]:
    """The settings as the page shows them."""
    options = desk.options
    problem = desk.ready(options)
    return {
        "model": options.model,
        "editor_model": options.editor_model,
        "format": options.format,
        "formats": list(prompts.FORMATS),
        "reading": options.reading,
        "readings": list(_READINGS),
        "architect": options.architect,
        "shell": options.shell,
        "max_rounds": options.max_rounds,
        "map_tokens": options.map_tokens,
        "occurrence": str(options.policy.occurrence),
        "conflicts": str(options.policy.conflicts),
        "ready": problem is None,
        "problem": of_error(problem) if problem is not None else None,
    }


def change_settings(desk: Desk, body: Body) -> None:
    """Take what the page changed, for the turns to come. Raises `RequestError`; then nothing is changed."""
    fields.only(body, *_CHANGES)
    options = desk.options
    for name in body:
        options = _CHANGES[name](options, body)
    desk.options = options
    desk.publish("settings", settings_record(desk))


def _editor_model(options: Options, body: Body) -> Options:
    return replace(options, editor_model=fields.optional_text(body, "editor_model") or None)


def _occurrence(options: Options, body: Body) -> Options:
    wanted = Occurrence(fields.word(body, "occurrence", list(Occurrence)))
    return replace(options, policy=replace(options.policy, occurrence=wanted))


def _conflicts(options: Options, body: Body) -> Options:
    wanted = Conflicts(fields.word(body, "conflicts", list(Conflicts)))
    return replace(options, policy=replace(options.policy, conflicts=wanted))


_CHANGES: dict[str, Callable[[Options, Body], Options]] = {
    "model": lambda options, body: replace(options, model=fields.text(body, "model").strip()),
    "editor_model": _editor_model,
    "format": lambda options, body: replace(options, format=fields.word(body, "format", prompts.FORMATS)),
    "reading": lambda options, body: replace(options, reading=fields.word(body, "reading", _READINGS)),
    "architect": lambda options, body: replace(options, architect=fields.flag(body, "architect")),
    "shell": lambda options, body: replace(options, shell=fields.flag(body, "shell")),
    "max_rounds": lambda options, body: replace(options, max_rounds=fields.number(body, "max_rounds", 0, 20)),
    "map_tokens": lambda options, body: replace(options, map_tokens=fields.number(body, "map_tokens", 0, 1_000_000)),
    "occurrence": _occurrence,
    "conflicts": _conflicts,
}
