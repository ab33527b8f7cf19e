"""Every address of the server: one table of what is asked, and for each the act that answers.

An act takes the desk, what stands in the address and the body, and gives a JSON object, or None where there is no more
to say; it runs in a worker thread with the desk's lock held. Whatever it raises of Dovetail's own becomes a JSON error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dovetail.session.turn_edits import CONFLICT_CHOICES
from dovetail.web import asking, deciding, fields, files, journal, viewing
from dovetail.web.arrived import use_arrived
from dovetail.web.bodies import LARGEST_REPLY
from dovetail.web.faults import RequestError, bad, not_found
from dovetail.web.planning import look_around
from dovetail.web.settings import change_settings, settings_record

if TYPE_CHECKING:
    from dovetail.session.records import Record
    from dovetail.web.desk import Desk
    from dovetail.web.fields import Body
    from dovetail.web.questions import Question
    from dovetail.web.turn_state import Turn

Names = Mapping[str, str]
Act = Callable[["Desk", Names, "Body"], "Record | None"]
TurnAct = Callable[["Desk", "Turn", "Body"], "Record | None"]


def _state(desk: Desk, _: Names, __: Body) -> Record:
    look_around(desk)
    return desk.state()


def _new_turn(desk: Desk, _: Names, body: Body) -> Record:
    kind = fields.word(body, "kind", ("paste", "ask"))
    if kind == "ask":
        fields.only(body, "kind", "request")
        request = fields.text(body, "request").strip()
        if not request:
            raise bad("`request` is empty.")
        return {"turn": asking.ask(desk, request).id}
    fields.only(body, "kind", "reply", "format")
    reply = fields.text(body, "reply")
    if len(reply) > LARGEST_REPLY:
        raise RequestError(413, "too-large", f"The reply is longer than {LARGEST_REPLY:,} characters.")
    reading = fields.optional_text(body, "format") or desk.options.reply.format
    return {"turn": deciding.paste(desk, reply, reading).id}


def _of(act: TurnAct, *, settled: bool = True) -> Act:
    """What is done with the turn that the address names, `settled` or not."""
    return lambda desk, names, body: act(desk, (desk.settled_turn if settled else desk.turn)(names["turn"]), body)


def _apply(desk: Desk, turn: Turn, body: Body) -> Record:
    version = fields.number(body, "plan")
    return deciding.apply(desk, turn, version, fields.numbers(body, "edits"), fields.texts(body, "paths"))


def _skip(desk: Desk, turn: Turn, body: Body) -> None:
    deciding.skip(desk, turn, fields.numbers(body, "edits") or frozenset(), out=fields.flag(body, "skip", True))


def _place(desk: Desk, turn: Turn, body: Body) -> None:
    deciding.place(desk, turn, fields.number(body, "edit", 1), fields.optional_number(body, "line", 1))


def _change(desk: Desk, turn: Turn, body: Body) -> Record:
    n = fields.number(body, "edit", 1)
    if fields.flag(body, "original"):
        return deciding.change(desk, turn, n, None)
    wanted = (fields.optional_text(body, "path"), fields.text(body, "search"), fields.text(body, "replace"))
    return deciding.change(desk, turn, n, wanted)


def _resolve(desk: Desk, turn: Turn, body: Body) -> None:
    choice = fields.optional_text(body, "choice")
    if choice is not None and choice not in (*CONFLICT_CHOICES, "text"):
        raise bad(f"`choice` must be null or one of {', '.join(CONFLICT_CHOICES)}, text.")
    text, digest = fields.optional_text(body, "text"), fields.optional_text(body, "digest")
    deciding.resolve(desk, turn, fields.text(body, "path"), choice, text, digest)


def _answer(desk: Desk, names: Names, body: Body) -> None:
    question = desk.questions.get(names["question"])
    if question is None:
        raise not_found(f"question `{names['question']}`")
    question.answer(_ANSWERS[question.kind](question, body))


def _yes_or_no(_: Question, body: Body) -> bool:
    return fields.flag(body, "answer", None)


def _places(question: Question, body: Body) -> dict[int, int]:
    given = body.get("answer")
    if not isinstance(given, dict) or not all(key.isdecimal() and len(key) < 9 for key in given):
        raise bad("`answer` must map numbers of edits to lines.")
    chosen = {int(key): fields.number(given, key, 1) for key in given}
    for n, line in chosen.items():
        fields.place(line, n, question.places.get(n, ()), "answer")
    return chosen


_ANSWERS: dict[str, Callable[[Question, Body], object]] = {"add-file": _yes_or_no, "places": _places}


def _log(desk: Desk, _: Names, body: Body) -> Record:
    limit = fields.text(body, "limit", "50")
    if not limit.isdecimal() or len(limit) > 6:
        raise bad("`limit` must be a whole number.")
    return journal.log(desk, int(limit))


def _undo(desk: Desk, _: Names, body: Body) -> Record:
    edits, dry_run = fields.numbers(body, "edits"), fields.flag(body, "dry_run")
    if edits is not None and not edits:
        raise bad("`edits` names none; null takes back the whole operation.")
    return journal.undo(desk, fields.optional_text(body, "operation"), sorted(edits or ()), dry_run=dry_run)


def _redo(desk: Desk, _: Names, body: Body) -> Record:
    return journal.redo(desk, dry_run=fields.flag(body, "dry_run"))


def _held(desk: Desk, _: Names, body: Body) -> Record:
    add, read_only, drop = (fields.texts(body, name) or () for name in ("add", "read_only", "drop"))
    return files.hold(desk, add, read_only, drop)


def _prompt(desk: Desk, _: Names, body: Body) -> Record:
    return files.prompt(fields.text(body, "format", desk.options.format), desk)


def _context(desk: Desk, _: Names, body: Body) -> Record:
    return files.context(desk, fields.texts(body, "paths"), with_map=fields.flag(body, "map"))


def _begin(desk: Desk, names: Names, body: Body) -> Record:
    given = body.get("variables") or {}
    if not isinstance(given, dict):
        raise bad("`variables` must map names to texts.")
    return files.begin_from(desk, names["template"], {name: fields.text(given, name) for name in given})


def _settings(desk: Desk, _: Names, body: Body) -> Record:
    change_settings(desk, body)
    return settings_record(desk)


GETS: dict[str, Act] = {
    "/api/state": _state,
    "/api/turns/{turn}/file": _of(lambda desk, turn, body: viewing.turn_file(desk, turn, fields.text(body, "path"))),
    "/api/turns/{turn}/conflict": _of(lambda _, turn, body: viewing.turn_conflict(turn, fields.text(body, "path"))),
    "/api/log": _log,
    "/api/operations/{operation}": lambda desk, names, _: journal.show(desk, names["operation"]),
    "/api/tree": lambda desk, _, __: files.tree(desk),
    "/api/file": lambda desk, _, body: files.file(desk, fields.text(body, "path")),
    "/api/prompt": _prompt,
    "/api/templates": lambda desk, _, __: files.list_templates(desk),
}
POSTS: dict[str, tuple[Act, str | None]] = {
    "/api/turns": (_new_turn, None),
    "/api/turns/{turn}/cancel": (_of(lambda desk, turn, _: asking.cancel(desk, turn), settled=False), ""),
    "/api/turns/{turn}/apply": (_of(_apply), "plan edits paths"),
    "/api/turns/{turn}/skip": (_of(_skip), "edits skip"),
    "/api/turns/{turn}/place": (_of(_place), "edit line"),
    "/api/turns/{turn}/edit": (_of(_change), "edit path search replace original"),
    "/api/turns/{turn}/retry": (
        _of(lambda desk, turn, body: asking.retry(desk, turn, fields.numbers(body, "edits"))),
        "edits",
    ),
    "/api/turns/{turn}/arrived": (_of(lambda desk, turn, _: use_arrived(desk, turn), settled=False), ""),
    "/api/turns/{turn}/resolve": (_of(_resolve), "path choice text digest"),
    "/api/turns/{turn}/replan": (_of(lambda desk, turn, _: deciding.look_again(desk, turn)), ""),
    "/api/turns/{turn}/decline": (_of(lambda desk, turn, _: deciding.decline(desk, turn)), ""),
    "/api/turns/{turn}/reopen": (_of(lambda desk, turn, _: deciding.reopen(desk, turn)), ""),
    "/api/questions/{question}": (_answer, "answer"),
    "/api/look": (lambda desk, _, __: look_around(desk, at_files=True), ""),
    "/api/undo": (_undo, "operation edits dry_run"),
    "/api/redo": (_redo, "dry_run"),
    "/api/held": (_held, "add read_only drop"),
    "/api/context": (_context, "paths map"),
    "/api/templates/{template}": (_begin, "variables"),
    "/api/settings": (_settings, None),
}
"""Each act with the fields that its body may have; None where the act itself tells which."""
