"""A provider's answer as it came, in JSON: what the model says in it is a reply, beside its calls."""

from __future__ import annotations

import json

import pytest

from dovetail.formats import parse
from dovetail.model.codes import Code

FIELDS = {"path": "b.py", "old_string": "y", "new_string": "z"}
BLOCK = "a.py\n```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n"
SAYS = f"I change it.\n\n{BLOCK}"
FUNCTION = {"name": "str_replace", "arguments": json.dumps(FIELDS)}
ANSWERS = {
    "choices": {"choices": [{"message": {"role": "assistant", "content": SAYS, "tool_calls": [{"function": FUNCTION}]}}]},
    "parts of a message": {
        "role": "assistant",
        "content": [{"type": "text", "text": SAYS}, {"type": "tool_use", "name": "str_replace", "input": FIELDS}],
    },
    "candidates": {
        "candidates": [
            {"content": {"role": "model", "parts": [{"text": SAYS}, {"functionCall": {"name": "edit", "args": FIELDS}}]}}
        ]
    },
    "output": {
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": SAYS}]},
            {"type": "function_call", **FUNCTION},
        ]
    },
    "a message alone": {"message": {"role": "assistant", "content": SAYS, "tool_calls": [{"function": FUNCTION}]}},
    "a call as text": {"model": "m", "response": f"{SAYS}\n{json.dumps(FUNCTION)}\n", "done": True},
}  # fmt: skip
EDITS = [("diff", "a.py", "x\n", "y\n"), ("tool-call", "b.py", "y", "z")]


def said(reply: str) -> list[tuple[str, str | None, str, str]]:
    return [(b.format, b.path, b.search, b.replace) for b in parse(reply).blocks]


@pytest.mark.parametrize("indent", [None, 2], ids=["one line", "several"])
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
def test_what_a_message_says_is_a_reply_beside_its_calls(answer: object, indent: int | None) -> None:
    value = json.dumps(answer, indent=indent)
    assert said(value) == EDITS
    assert said(f"```json\n{value}\n```\n") == EDITS


def test_all_that_a_message_says_stands_at_its_line() -> None:
    value = json.dumps({"role": "assistant", "content": f"Run `git rm c.py`.\n{BLOCK}{BLOCK[:30]}"})
    parsed = parse(f"Here:\n\n{value}\n")
    assert [b.line for b in parsed.blocks] == [3, 3]
    assert [(d.code, d.line) for d in parsed.diagnostics] == [(Code.NO_DIVIDER, 3)]
    assert [(s.command, s.line) for s in parsed.shell_suggestions] == [("git rm c.py", 3)]


def test_reasoning_in_a_message_is_a_draft() -> None:
    inner = json.dumps({"role": "assistant", "content": f"{BLOCK}</think>\n{BLOCK}"})
    assert [b.draft for b in parse(inner).blocks] == [True, False]
    assert [b.draft for b in parse(f"<think>\n{inner}\n</think>\n").blocks] == [True, True]


def test_commands_of_a_message_are_listed_and_those_of_a_draft_are_not() -> None:
    action = '<boltAction type="supabase" operation="query">select 1;</boltAction>'
    inner = json.dumps(
        {"role": "assistant", "content": f"`git rm a.py`\n<boltArtifact id='i'>\n{action}\n</boltArtifact>\n"}
    )
    told, draft = parse(inner), parse(f"<think>\n{inner}\n</think>\n")
    assert [(one.command, one.line) for one in told.shell_suggestions] == [("git rm a.py", 1)]
    assert [(one.operation, one.line) for one in told.database_actions] == [("query", 1)]
    assert (draft.shell_suggestions, draft.database_actions) == ((), ())


def test_other_roles_and_other_texts_say_nothing() -> None:
    for value in (
        {"role": "user", "content": SAYS},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": SAYS}, {"type": "summary", "text": SAYS}]},
        {"response": SAYS},
        {"role": "assistant", "content": None},
        {"role": ["assistant"], "content": SAYS},
    ):
        assert said(json.dumps(value)) == []
