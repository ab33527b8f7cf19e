"""Which template a request means: by a name in it, by its words, or else by asking the model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from dovetail.llm.values import Message, Reply, Request, Role
from dovetail.model.errors import UsageError
from dovetail.model.patterns import late

if TYPE_CHECKING:
    from dovetail.session.conversation import Model
    from dovetail.session.templates import Template

_WORD = late(r"[a-z0-9+#.]+")
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
    """The template that a model picks. Raises `UsageError` where it names none, `ModelError` where none answers."""
    listed = "\n".join(f"- {template.name}: {template.summary}" for template in templates)
    question = Message(Role.USER, _QUESTION.format(request=request, templates=listed))
    with closing(model.stream(Request(name, (question,), max_tokens=200))) as deltas:
        answer = Reply.of(deltas).text.lower()
    named = [template for template in templates if re.search(rf"(?<![\w-]){re.escape(template.name)}(?![\w-])", answer)]
    if len(named) != 1:
        raise UsageError("No template fits the request.", hint="Name one: --template NAME (see `dovetail new`)")
    return named[0]
