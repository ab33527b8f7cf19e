"""How the page's model is asked: from the settings files and the command line at the start, then as the page says.

What the page changes lives in memory alone; no file is written. Addresses and keys never come here: the page learns
whether there is one, not what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dovetail.formats.table import AUTO, FORMATS
from dovetail.llm import prompts
from dovetail.llm.errors import ConfigurationError
from dovetail.model.codes import Conflicts, Occurrence
from dovetail.session.chat_state import Options
from dovetail.web import fields
from dovetail.web.faults import RequestError, of_error

if TYPE_CHECKING:
    from dovetail.llm.settings import Addresses
    from dovetail.session.settings import Settings
    from dovetail.web.desk import Desk
    from dovetail.web.fields import Body

_READINGS = (AUTO, *FORMATS)


def options_of(settings: Settings, model: str | None) -> Options:
    """The options to begin with; no model at all is one of them."""
    options = Options.of(settings, model)
    prompts.check_format(options.format)
    return options


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
        "reading": options.reply.format,
        "readings": list(_READINGS),
        "architect": options.architect,
        "shell": options.shell,
        "max_rounds": options.max_rounds,
        "map_tokens": options.map_tokens,
        "occurrence": str(options.reply.policy.occurrence),
        "conflicts": str(options.reply.policy.conflicts),
        "ready": problem is None,
        "problem": of_error(problem) if problem is not None else None,
    }


def change_settings(desk: Desk, body: Body) -> None:
    """Take what the page changed, for the turns to come. Raises `RequestError`; then nothing is changed."""
    fields.only(body, *_CHANGES)
    options = desk.options
    for name in body:
        options = _CHANGES[name](options, body)
    if desk.chat is not None:
        desk.chat.note_options(options)
    desk.options = options
    desk.publish("settings", settings_record(desk))


def _editor_model(options: Options, body: Body) -> Options:
    return replace(options, editor_model=(fields.optional_text(body, "editor_model") or "").strip() or None)


def _under(options: Options, **chosen: Any) -> Options:  # noqa: ANN401 - fields of `ReplyOptions`
    """With other options for replies."""
    return replace(options, reply=replace(options.reply, **chosen))


def _planning(name: str, words: Collection[str]) -> Callable[[Options, Body], Options]:
    """A choice of the policy, by its word."""

    def read(options: Options, body: Body) -> Options:
        chosen: Any = {name: fields.word(body, name, words)}
        return _under(options, policy=replace(options.reply.policy, **chosen))

    return read


_CHANGES: dict[str, Callable[[Options, Body], Options]] = {
    "model": lambda options, body: replace(options, model=fields.text(body, "model").strip()),
    "editor_model": _editor_model,
    "format": lambda options, body: replace(options, format=fields.word(body, "format", prompts.FORMATS)),
    "reading": lambda options, body: _under(options, format=fields.word(body, "reading", _READINGS)),
    "architect": lambda options, body: replace(options, architect=fields.flag(body, "architect")),
    "shell": lambda options, body: replace(options, shell=fields.flag(body, "shell")),
    "max_rounds": lambda options, body: replace(options, max_rounds=fields.number(body, "max_rounds", 0, 20)),
    "map_tokens": lambda options, body: replace(options, map_tokens=fields.number(body, "map_tokens", 0, 1_000_000)),
    "occurrence": _planning("occurrence", list(Occurrence)),
    "conflicts": _planning("conflicts", list(Conflicts)),
}
