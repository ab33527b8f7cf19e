"""Which template a request means: by a name in it, by its words, or else by asking the model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from dovetail.llm.values import Message, Reply, Request, Role
from dovetail.model.errors import UsageError

if TYPE_CHECKING:
    from dovetail.session.loop.conversation import Model
    from dovetail.session.starters.templates import Template

_ROOM = 2_000  # tokens; the answer is a word, what a model thinks before it is not
_WORD = re.compile(r"[a-z0-9+#.]+")
_QUESTION = """\
Somebody wants this:

{request}

Which of these starter templates is the best base for it? Answer with its name alone, or with the word none.

{templates}"""


def by_words(request: str, templates: Sequence[Template]) -> Template | None:
    """The template that a request names, or whose keywords it uses most; None where that decides nothing."""
    text = " ".join(_WORD.findall(request.lower().replace("-", " ")))
    scores = {template.name: _score(text, template) for template in templates}
    best = max(scores.values(), default=0)
    fitting = [template for template in templates if scores[template.name] == best]
    return fitting[0] if best and len(fitting) == 1 else None


def _score(text: str, template: Template) -> int:
    named = template.name.replace("-", " ")
    score = 100 if re.search(rf"(?<!\w){re.escape(named)}(?!\w)", text) else 0
    return score + sum(bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)) for word in template.keywords)


def by_model(request: str, templates: Sequence[Template], model: Model, name: str) -> Template:
    """The template that a model picks. Raises `UsageError` where it picks none, `ModelError` where none answers."""
    listed = "\n".join(f"- {template.name}: {template.summary}" for template in templates)
    question = Message(Role.USER, _QUESTION.format(request=request, templates=listed))
    with closing(model.stream(Request(name, (question,), max_tokens=_ROOM))) as deltas:
        reply = Reply.of(deltas)
    answer = reply.text.lower()
    named = [template for template in templates if re.search(rf"(?<![\w-]){re.escape(template.name)}(?![\w-])", answer)]
    if len(named) != 1:
        raise UsageError(_why_none(reply, named), hint="Name one: --template NAME (see `dovetail new`)")
    return named[0]


def _why_none(reply: Reply, named: Sequence[Template]) -> str:
    """Only the model's own `none` says that no template fits."""
    if named:
        return f"The model named {len(named)} templates, and which one fits best is not clear."
    if re.search(r"\bnone\b", reply.text.lower()):
        return "No template fits the request."
    if reply.ended_early:
        return "The model's answer ended before it named a template."
    return "The model named no template."
