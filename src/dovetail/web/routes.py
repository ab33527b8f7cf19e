"""Every address of the server: one table from an address to the act that answers it.

An act takes the session, the names in the address and the body, and returns a JSON object, or None for an empty one. It
runs in a worker thread with the session's lock held, but for the time in which it plans. Every `DovetailError` that it
raises becomes a JSON error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dovetail.formats.table import format_names
from dovetail.llm.settings import Protocol
from dovetail.model.codes import Conflicts, EditsBy, Occurrence
from dovetail.session.conversation.turn_edits import CONFLICT_CHOICES
from dovetail.session.settings import save
from dovetail.web import asking, conversations, decisions, files, journal, recorded, requests
from dovetail.web.arriving import apply_arriving, place_arriving, skip_arriving
from dovetail.web.page_session import READINGS
from dovetail.web.planning import look_around
from dovetail.web.provider import PROVIDERS
from dovetail.web.requests import LARGEST_REPLY, RequestError, bad, not_found
from dovetail.web.turns import TurnState

if TYPE_CHECKING:
    from dovetail.session.apply.records import Record
    from dovetail.session.conversation.chat_state import Options
    from dovetail.web.page_session import PageSession
    from dovetail.web.provider import Provider
    from dovetail.web.requests import Body
    from dovetail.web.turns import PageTurn

Names = Mapping[str, str]
Act = Callable[["PageSession", Names, "Body"], "Record | None"]
TurnAct = Callable[["PageSession", "PageTurn", "Body"], "Record | None"]


def _state(session: PageSession, _: Names, __: Body) -> Record:
    look_around(session)
    return session.state()


def _new_turn(session: PageSession, _: Names, body: Body) -> Record:
    kind = requests.word(body, "kind", ("paste", "ask"))
    if kind == "ask":
        requests.only(body, "kind", "request")
        request = requests.text(body, "request").strip()
        if not request:
            raise bad("`request` is empty.")
        return {"turn": asking.ask(session, request).id}
    requests.only(body, "kind", "reply", "format")
    reply = requests.text(body, "reply")
    if len(reply) > LARGEST_REPLY:
        raise RequestError(413, "too-large", f"The reply is longer than {LARGEST_REPLY:,} characters.")
    reading = requests.optional_text(body, "format") or session.options.reply.format
    return {"turn": decisions.paste(session, reply, reading).id}


def _of_turn(act: TurnAct, *, planned: bool = True) -> Act:
    """Return an act on the turn that the address names. planned: the turn must have a plan and not be running."""
    return lambda session, names, body: act(
        session, (session.planned_turn if planned else session.turn)(names["turn"]), body
    )


def _apply(session: PageSession, turn: PageTurn, body: Body) -> Record:
    if turn.state is TurnState.RUNNING:
        return apply_arriving(session, turn, requests.numbers(body, "edits") or frozenset())
    version = requests.number(body, "plan")
    return decisions.apply(session, turn, version, requests.numbers(body, "edits"), requests.texts(body, "paths"))


def _skip(session: PageSession, turn: PageTurn, body: Body) -> Record:
    numbers, out = requests.numbers(body, "edits") or frozenset(), requests.flag(body, "skip", True)
    if turn.state is TurnState.RUNNING:
        skip_arriving(session, turn, numbers, out=out)
        return {"plan": None}
    decisions.skip(session, turn, numbers, out=out)
    return {"plan": turn.version}


def _comment(session: PageSession, turn: PageTurn, body: Body) -> Record:
    if (text := requests.optional_text(body, "text")) is None:
        return decisions.comment(session, turn, requests.number(body, "id", 1), None, requests.text(body, "before"))
    said = {name: requests.text(body, name) for name in ("path", "quote")}
    where = {"line": requests.number(body, "line", 1), "side": requests.word(body, "side", ("old", "new"))}
    wanted = requests.optional_number(body, "id", 1)
    before = requests.optional_text(body, "before")
    return decisions.comment(session, turn, wanted, {**said, **where, "text": text}, before)


def _place(session: PageSession, turn: PageTurn, body: Body) -> Record:
    n, line = requests.number(body, "edit", 1), requests.optional_number(body, "line", 1)
    if turn.state is TurnState.RUNNING:
        place_arriving(session, turn, n, line)
        return {"plan": None}
    decisions.place(session, turn, n, line)
    return {"plan": turn.version}


def _use_listing(session: PageSession, turn: PageTurn, body: Body) -> Record:
    return decisions.use_listing(session, turn, requests.number(body, "line", 1), requests.text(body, "path"))


def _change(session: PageSession, turn: PageTurn, body: Body) -> Record:
    n = requests.number(body, "edit", 1)
    if requests.flag(body, "original"):
        return decisions.change(session, turn, n, None)
    path, search = requests.optional_text(body, "path"), requests.text(body, "search")
    return decisions.change(session, turn, n, (path, search, requests.text(body, "replace")))


def _resolve(session: PageSession, turn: PageTurn, body: Body) -> None:
    choice = requests.optional_text(body, "choice")
    if choice is not None and choice not in (*CONFLICT_CHOICES, "text"):
        raise bad(f"`choice` must be null or one of {', '.join(CONFLICT_CHOICES)}, text.")
    text, digest = requests.optional_text(body, "text"), requests.optional_text(body, "digest")
    decisions.resolve(session, turn, requests.text(body, "path"), choice, text, digest)


def _answer(session: PageSession, names: Names, body: Body) -> None:
    question = session.questions.get(names["question"])
    if question is None:
        raise not_found(f"question `{names['question']}`")
    question.answer(requests.flag(body, "answer", None))


def _log(session: PageSession, _: Names, body: Body) -> Record:
    limit = requests.text(body, "limit", "50")
    if not limit.isdecimal() or len(limit) > 6:
        raise bad("`limit` must be a whole number.")
    return journal.log(session, int(limit))


def _undo(session: PageSession, _: Names, body: Body) -> Record:
    edits, dry_run = requests.numbers(body, "edits"), requests.flag(body, "dry_run")
    if edits is not None and not edits:
        raise bad("`edits` names none; null undoes the whole operation.")
    return journal.undo(session, requests.optional_text(body, "operation"), sorted(edits or ()), dry_run=dry_run)


def _recorded_review(session: PageSession, _: Names, body: Body) -> Record:
    prompt = requests.optional_text(body, "prompt")
    if prompt is not None and (not prompt.isdecimal() or len(prompt) > 6):
        raise bad("`prompt` must be a whole number.")
    number = None if prompt is None else int(prompt)
    named, since = requests.optional_text(body, "session"), requests.optional_text(body, "since")
    commits = requests.optional_text(body, "commits")
    return recorded.review(session, recorded.wanted_of(named, number, since, commits=commits))


def _take_back(session: PageSession, _: Names, body: Body) -> Record:
    wanted = recorded.wanted_of(
        requests.optional_text(body, "session"),
        requests.optional_number(body, "prompt", 1),
        requests.optional_text(body, "since"),
        requests.texts(body, "operations") or (),
    )
    paths = requests.texts(body, "paths") or ()
    dry_run, rest = requests.flag(body, "dry_run"), requests.flag(body, "except_conflicts")
    return recorded.take_back(session, replace(wanted, paths=paths), dry_run=dry_run, except_conflicts=rest)


def _take_back_lines(session: PageSession, _: Names, body: Body) -> Record:
    chunks = requests.numbers(body, "chunks") or frozenset()
    return recorded.take_back_lines(session, requests.text(body, "operation"), requests.text(body, "path"), chunks)


def _held(session: PageSession, _: Names, body: Body) -> Record:
    add, read_only, drop = (requests.texts(body, name) or () for name in ("add", "read_only", "drop"))
    return files.hold(session, add, read_only, drop)


def _context(session: PageSession, _: Names, body: Body) -> Record:
    return files.context(session, requests.texts(body, "paths"), with_map=requests.flag(body, "map"))


def _begin(session: PageSession, names: Names, body: Body) -> Record:
    variables = body.get("variables") or {}
    if not isinstance(variables, dict):
        raise bad("`variables` must map names to texts.")
    values = {name: requests.text(variables, name) for name in variables}
    return files.begin_from(session, names["template"], values, requests.optional_text(body, "folder"))


def _read_again(session: PageSession, turn: PageTurn, body: Body) -> Record:
    return {"turn": decisions.read_again(session, turn, requests.word(body, "format", READINGS)).id}


# --- Settings


def _connect(session: PageSession, _: Names, body: Body) -> Record:
    provider = Protocol(requests.word(body, "provider", PROVIDERS))
    key, address = (requests.optional_text(body, name) for name in ("key", "address"))
    _provider_of(session).connect(provider, key, address)
    session.publish("settings", session.settings_record())
    return session.settings_record()


def _models(session: PageSession, _: Names, body: Body) -> Record:
    protocol = Protocol(requests.word(body, "provider", PROVIDERS))
    with session.lock.released():
        return {"models": _provider_of(session).models(protocol)}


def _provider_of(session: PageSession) -> Provider:
    if session.provider is None:
        raise not_found("provider of this session")
    return session.provider


def _save_settings(session: PageSession, _: Names, __: Body) -> Record:
    return {"path": str(save(session.options.saved_settings))}


def _settings(session: PageSession, _: Names, body: Body) -> Record:
    """Change settings for the turns to come: all of them, or none if one is not valid."""
    requests.only(body, *_CHANGES)
    options = session.options
    for name in body:
        options = _CHANGES[name](options, body)
    session.take_options(options)
    return session.settings_record()


def _editor_model(options: Options, body: Body) -> Options:
    return replace(options, editor_model=(requests.optional_text(body, "editor_model") or "").strip() or None)


def _reading(options: Options, body: Body) -> Options:
    return replace(options, reply=replace(options.reply, format=requests.word(body, "reading", READINGS)))


def _of_policy(name: str, words: Collection[str]) -> Callable[[Options, Body], Options]:
    def change(options: Options, body: Body) -> Options:
        value: Any = {name: requests.word(body, name, words)}
        return replace(options, reply=replace(options.reply, policy=replace(options.reply.policy, **value)))

    return change


_CHANGES: dict[str, Callable[[Options, Body], Options]] = {
    "model": lambda options, body: replace(options, model=requests.text(body, "model").strip()),
    "editor_model": _editor_model,
    "format": lambda options, body: replace(options, format=requests.word(body, "format", format_names())),
    "edits_by": lambda options, body: replace(options, edits_by=requests.word(body, "edits_by", list(EditsBy))),
    "reading": _reading,
    "architect": lambda options, body: replace(options, architect=requests.flag(body, "architect")),
    "shell": lambda options, body: replace(options, shell=requests.flag(body, "shell")),
    "max_rounds": lambda options, body: replace(options, max_rounds=requests.number(body, "max_rounds", 0, 20)),
    "map_tokens": lambda options, body: replace(options, map_tokens=requests.number(body, "map_tokens", 0, 1_000_000)),
    "occurrence": _of_policy("occurrence", list(Occurrence)),
    "conflicts": _of_policy("conflicts", list(Conflicts)),
}


# --- The table

GETS: dict[str, Act] = {
    "/api/state": _state,
    "/api/turns/{turn}/file": _of_turn(lambda s, turn, body: files.turn_file(s, turn, requests.text(body, "path"))),
    "/api/turns/{turn}/conflict": _of_turn(lambda _, turn, b: files.turn_conflict(turn, requests.text(b, "path"))),
    "/api/log": _log,
    "/api/agents": lambda session, _, __: recorded.agents(session),
    "/api/recorded": _recorded_review,
    "/api/operations/{operation}": lambda session, names, _: journal.show(session, names["operation"]),
    "/api/tree": lambda session, _, __: files.tree(session),
    "/api/file": lambda session, _, body: files.file(session, requests.text(body, "path")),
    "/api/prompt": lambda s, _, body: files.prompt(s, requests.text(body, "format", s.options.format)),
    "/api/templates": lambda session, _, __: files.list_templates(session),
    "/api/conversations": lambda session, _, __: conversations.list_conversations(session),
    "/api/models": _models,
}
POSTS: dict[str, tuple[Act, str | None]] = {
    "/api/turns": (_new_turn, None),
    "/api/turns/{turn}/cancel": (_of_turn(lambda s, turn, _: asking.cancel(s, turn), planned=False), ""),
    "/api/turns/{turn}/apply": (_of_turn(_apply, planned=False), "plan edits paths"),
    "/api/turns/{turn}/commands": (
        _of_turn(lambda s, turn, body: decisions.write_commands(s, turn, requests.number(body, "plan"))),
        "plan",
    ),
    "/api/turns/{turn}/skip": (_of_turn(_skip, planned=False), "edits skip"),
    "/api/turns/{turn}/comment": (_of_turn(_comment), "id path line side quote text before"),
    "/api/turns/{turn}/place": (_of_turn(_place, planned=False), "edit line"),
    "/api/turns/{turn}/listing": (_of_turn(_use_listing), "line path"),
    "/api/turns/{turn}/edit": (_of_turn(_change), "edit path search replace original"),
    "/api/turns/{turn}/retry": (
        _of_turn(lambda s, turn, body: asking.retry(s, turn, requests.numbers(body, "edits"))),
        "edits",
    ),
    "/api/turns/{turn}/comments": (_of_turn(lambda s, turn, _: asking.answer_comments(s, turn)), ""),
    "/api/turns/{turn}/arrived": (_of_turn(lambda s, turn, _: decisions.use_arrived(s, turn), planned=False), ""),
    "/api/turns/{turn}/read": (_of_turn(_read_again), "format"),
    "/api/turns/{turn}/resolve": (_of_turn(_resolve), "path choice text digest"),
    "/api/turns/{turn}/replan": (_of_turn(lambda s, turn, _: decisions.look_again(s, turn)), ""),
    "/api/turns/{turn}/decline": (_of_turn(lambda s, turn, _: decisions.decline(s, turn)), ""),
    "/api/turns/{turn}/reopen": (_of_turn(lambda s, turn, _: decisions.reopen(s, turn)), ""),
    "/api/questions/{question}": (_answer, "answer"),
    "/api/look": (lambda session, _, __: look_around(session, at_files=True), ""),
    "/api/undo": (_undo, "operation edits dry_run"),
    "/api/recorded/undo": (_take_back, "session prompt since operations paths dry_run except_conflicts"),
    "/api/recorded/lines": (_take_back_lines, "operation path chunks"),
    "/api/redo": (lambda s, _, body: journal.redo(s, dry_run=requests.flag(body, "dry_run")), "dry_run"),
    "/api/held": (_held, "add read_only drop"),
    "/api/context": (_context, "paths map"),
    "/api/templates/{template}": (_begin, "variables folder"),
    "/api/settings": (_settings, None),
    "/api/settings/save": (_save_settings, ""),
    "/api/provider": (_connect, "provider key address"),
    "/api/conversations": (lambda session, _, __: conversations.begin_anew(session), ""),
    "/api/conversations/{conversation}": (lambda s, names, _: conversations.go_on(s, names["conversation"]), ""),
    "/api/sample": (lambda session, _, __: conversations.try_sample(session), ""),
    "/api/sample/leave": (lambda session, _, __: conversations.leave_sample(session), ""),
}
"""Each act with the fields that its body may have; None if the act itself checks them."""
