"""Function calls between the tokens of a chat's template, in its tags, in an agent's labels, and written as Python."""

from __future__ import annotations

import json
import warnings

import pytest

from dovetail.formats import Stream, parse
from dovetail.formats.events import Text
from dovetail.model.blocks import Kind
from dovetail.model.codes import Code

FIELDS = {"path": "a.py", "old_string": "x = 1\n", "new_string": "x = 2\n"}
ARGUMENTS = json.dumps(FIELDS)
PRETTY = json.dumps(FIELDS, indent=2)
CALL = json.dumps({"name": "str_replace", "arguments": FIELDS})
PYTHON = f"str_replace({', '.join(f'{key}={value!r}' for key, value in FIELDS.items())})"
BLOCK = "b.py\n```\n<<<<<<< SEARCH\ny = 1\n=======\ny = 2\n>>>>>>> REPLACE\n```\n"


def pairs(**fields: str) -> str:
    return "".join(f"<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n" for key, value in fields.items())


SEPARATED = f"<｜tool▁call▁begin｜>str_replace<｜tool▁sep｜>{ARGUMENTS}<｜tool▁call▁end｜>"
FENCED = f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>str_replace\n```json\n{ARGUMENTS}\n```<｜tool▁call▁end｜>"
SECTION = f"<|tool_call_begin|>functions.str_replace:0<|tool_call_argument_begin|>{ARGUMENTS}<|tool_call_end|>"
SPELLINGS = {
    "full-width bars": f"<｜tool▁calls▁begin｜>{SEPARATED}<｜tool▁calls▁end｜>",
    "full-width bars, a fence": f"<｜tool▁calls▁begin｜>{FENCED}<｜tool▁calls▁end｜>",
    "a section of calls": f"<|tool_calls_section_begin|>{SECTION}<|tool_calls_section_end|>",
    "a section on lines of its own": SECTION.replace("<|", "\n<|").replace("|>", "|>\n"),
    "brackets": f"[TOOL_CALLS]str_replace[ARGS]{ARGUMENTS}",
    "brackets with an id": f"[TOOL_CALLS]str_replace[CALL_ID]aB3[ARGS]{ARGUMENTS}",
    "brackets around a list": f"[TOOL_CALLS][{CALL}]",
    "a token before, and one behind": f"<|python_tag|>{CALL}<|eom_id|>",
    "arguments over lines": f"<|python_tag|>str_replace\n{PRETTY}<|eom_id|>",
    "a bar in the closing token": f"<|tool_call|>[{CALL}]<|/tool_call|>",
    "upper case": f"<TOOLCALL>[{CALL}]</TOOLCALL>",
    "a word before a list": f"functools[{CALL}]",
    "its name as a key": f"<|tools_prefix|>[{json.dumps({'str_replace': FIELDS})}]<|tools_suffix|>",
    "Python in a list": f"[{PYTHON}]",
    "Python between tokens": f"<|tool_call_start|>[{PYTHON}]<|tool_call_end|>",
    "a channel": f"<|channel|>commentary to=functions.str_replace <|constrain|>json<|message|>{ARGUMENTS}<|call|>",
    "a turn": f"<|start|>assistant to=functions.str_replace<|channel|>commentary json<|message|>{ARGUMENTS}<|call|>",
    "an agent's labels": f"Thought: Change it.\nAction: str_replace\nAction Input: {ARGUMENTS}\nObservation: done",
    "labels, arguments over lines": f"Action: str_replace\nAction Input:\n{PRETTY}\nObservation: done",
    "labels and a fence": f"Action: str_replace\nAction Input:\n```json\n{ARGUMENTS}\n```",
    "keys and values": f"<tool_call>str_replace\n{pairs(**FIELDS)}</tool_call>",
    "keys and values on one line": f"<tool_call>str_replace{pairs(**FIELDS)}</tool_call>".replace(">\n<", "><"),
    "a name, and JSON in a fence": f"<tool_call>str_replace\n```json\n{ARGUMENTS}\n```\n</tool_call>",
    "JSON in a function's tag": f"<function=str_replace>{ARGUMENTS}</function>",
    "Python that prints": f"```tool_code\nprint(default_api.{PYTHON})\n```",
    "Python that keeps": f"```tool_code\ndone = {PYTHON}\nprint(done)\n```",
    "Python that waits": f"```tool_code\nawait {PYTHON}\n```",
    "Python in a row": f"```tool_code\n{PYTHON}, read_file(path='c.py')\n```",
    "Python under a path": f"a.py\n```tool_code\n{PYTHON}\n# changed\n```",
    "Python over lines": f"```tool_code\n{PYTHON.replace(', ', ',' + chr(10))}\n```",
}
EDIT = ("tool-call", "a.py", "x = 1\n", "x = 2\n")


def said(reply: str) -> list[tuple[str, str | None, str, str]]:
    """Format, path, search and replacement of every block."""
    parsed = parse(reply)
    assert parsed.diagnostics == ()
    return [(b.format, b.path, b.search, b.replace) for b in parsed.blocks]


@pytest.mark.parametrize("call", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_call_is_read_alone_and_beside_others(call: str) -> None:
    block = ("diff", "b.py", "y = 1\n", "y = 2\n")
    assert said(call) == [EDIT]
    assert said(f"{call}\n{call}\n") == [EDIT, EDIT]
    assert said(f"{BLOCK}\nAnd:\n\n{call}\n\n{BLOCK}") == [block, EDIT, block]


@pytest.mark.parametrize("name", ["full-width bars", "a section of calls", "brackets", "a channel"])
def test_a_call_begins_with_its_token_wherever_that_stands(name: str) -> None:
    assert said(f"I change it.{SPELLINGS[name]}") == [EDIT]
    assert said(SPELLINGS[name] * 2) == [EDIT, EDIT]
    lines = '<|tool_call_begin|>\nfunctions.delete_file:1\n<|tool_call_argument_begin|>\n{"path": "b.py"}\n<|tool_call_end|>\n'
    assert said(SPELLINGS[name] + lines) == [EDIT, ("tool-call", "b.py", "", "")]


@pytest.mark.parametrize("call", [SPELLINGS["brackets"], SPELLINGS["labels and a fence"], ARGUMENTS])
def test_what_stands_above_a_call_names_no_file_for_what_follows(call: str) -> None:
    (_, block) = parse(f"c.py\n{call}\n{BLOCK[9:]}").blocks
    assert block.path is None


def test_what_is_no_edit_is_told_as_text() -> None:
    reply = f"[TOOL_CALLS]read_file[ARGS]{{}} and\nAction: read_file\nAction Input: {{}}\nso\n{'Action: go on' * 3}\n"
    assert "".join(event.text for event in Stream().feed(reply) if isinstance(event, Text)) == reply


@pytest.mark.parametrize("name", ["full-width bars", "a section of calls", "brackets"])
def test_of_many_calls_on_a_line_none_is_lost(name: str) -> None:
    reading = (
        SPELLINGS[name].replace("str_replace", "read_file").replace("old_string", "from").replace("new_string", "to")
    )
    assert said(SPELLINGS[name] * 200) == [EDIT] * 200
    assert said(reading * 200 + SPELLINGS[name] + "\n" + BLOCK) == [EDIT, ("diff", "b.py", "y = 1\n", "y = 2\n")]


def test_fields_of_other_name_spaces_are_read() -> None:
    fields = "".join(
        f'<｜DSML｜parameter name="{key}" string="true">{value}</｜DSML｜parameter>\n' for key, value in FIELDS.items()
    )
    call = f'<｜DSML｜invoke name="str_replace">\n{fields}</｜DSML｜invoke>\n'
    assert said(f"<｜DSML｜function_calls>\n{call}</｜DSML｜function_calls>") == [EDIT]
    step = call.replace("｜DSML｜", "steptml:").replace("\n<steptml:p", "<steptml:p")
    assert said(f"<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>{step}<｜tool_call_end｜>") == [EDIT]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ('[TOOL_CALLS]delete_file[ARGS]{"path": "a.py"}', Kind.DELETE),
        ('<|tool_call_begin|>functions.write_file:2<|tool_call_argument_begin|>{"path": "a.py", "content": "x"}', Kind.REWRITE),
        ('Action: move_file\nAction Input: {"path": "a.py", "destination": "b.py"}', Kind.RENAME),
        ('[TOOL_CALLS]delete_file[CALL_ID]aB3[ARGS]{"path": "a.py"}', Kind.DELETE),
        ('<|channel|>commentary to=functions.delete_file <|constrain|>JSON<|message|>{"path": "a.py"}', Kind.DELETE),
        ("```tool_code\nprint(default_api.delete_file(path='a.py'))\n```", Kind.DELETE),
        (f"<tool_call>delete_file\n{pairs(path='a.py')}</tool_call>", Kind.DELETE),
        ('<function=delete_file>{"path": "a.py"}</function>', Kind.DELETE),
    ],
)  # fmt: skip
def test_the_name_among_the_tokens_says_what_the_call_does(reply: str, kind: Kind) -> None:
    assert [(b.kind, b.path) for b in parse(reply).blocks] == [(kind, "a.py")]


def test_words_beside_a_token_are_no_name() -> None:
    assert parse('Action: delete_file now\n{"path": "a.py"}\n').blocks == ()
    assert [b.kind for b in parse('Action: edit a.py\n```json\n{"path": "a.py", "content": "x"}\n```\n').blocks] == [
        Kind.REWRITE
    ]


@pytest.mark.parametrize(
    "reply",
    [
        "[TOOL_CALLS]edit[ARGS]" + ARGUMENTS[:40],
        '[TOOL_CALLS]delete_file[ARGS]{"path": "a.py"',
        '<|tool_call_begin|>functions.delete_file:0<|tool_call_argument_begin|>{"path": a.py}<|tool_call_end|>',
        'Action: str_replace\nAction Input: {"path": "a.py", "old_string": "x\n',
        "<|tool_call_start|>[str_replace(path='a.py', old_string=]<|tool_call_end|>",
        "```tool_code\nprint(default_api.edit_file(path='a.py', old_string='x\n```",
        "```tool_code\nstr_replace(path='a.py', old_string=old, new_string='y')\n```",
        "```tool_code\nstr_replace('a.py', 'x', 'y')\n```",
        f"```tool_code\nif found:\n    {PYTHON}\n```",
        f"[{PYTHON[:-1]}\n",
        f"[\n  {PYTHON},\n]",
        "[delete_file()]",
        'functools[{"name": "delete_file", "arguments": {"path": "a.py"',
        f"<tool_call>str_replace\n{pairs(**FIELDS)}<arg_key>replace_",
        '<function=edit_file>{"path": "a.py", "old_string": "x</function>',
        f"<function=str_replace>{ARGUMENTS}{ARGUMENTS}</function>",
        f"<function=str_replace>[{ARGUMENTS}]</function>",
    ],
)
def test_a_call_that_cannot_be_read_is_malformed(reply: str) -> None:
    parsed = parse(f"{reply}\n")
    assert [b.malformed.code in (Code.BAD_JSON, Code.MALFORMED, Code.NO_END) for b in parsed.blocks if b.malformed] == [
        True
    ]
    assert [b for b in parsed.blocks if not b.malformed] == []


@pytest.mark.parametrize(
    "text",
    [
        "[TOOL_CALLS] is a token of its template.",
        '[TOOL_CALLS] as for example {"path": "a.py"}',
        "The token `<|python_tag|>` begins a call.",
        "Action: Change a.py, then run it.",
        "Action:",
        "Action: deploy",
        'Action:\n```json\n{"a": 1}\n```',
        'Action: ```json\n{"a": 1}\n```',
        '[TOOL_CALLS]read_file[ARGS]{"path": "a.py"}',
        '[TOOL_CALLS]read_file[ARGS]{"path": "a.py"',
        f"<tool_call>read_file\n{pairs(path='a.py')}</tool_call>",
        '<function=read_file>{"path": "a.py"}</function>',
        "```tool_code\nprint(default_api.read_file(path='a.py'))\n```",
        "[read_file(path='a.py')]",
        "[text.replace(old='a', new='b')](b.md)",
        "[size(a=1) for a in rows]",
        "functools",
        "functools[",
        '{"delete": {"path": "b.py"}}',
        '{"delete_file": {"description": "Deletes.", "parameters": {"path": {}}}}',
        '{"delete_file": {"path": "b.py"}, "size": 1}',
        "```tool_code\nx = 1\n```",
        "```tool_code\nx = (\n```",
        "```tool_code\nbox = create(1)\ndelete(box)\n```",
        "```tool_code\nseen = set([1])\nprint(text.replace('a', 'b'), names.append(1))\n```",
        "```tool_code\nwith open('a.py') as file:\n    file.write(text.replace('a', 'b')\n```",
    ],
)
def test_what_is_no_edit_is_text_and_hides_nothing(text: str) -> None:
    block = ("diff", "b.py", "y = 1\n", "y = 2\n")
    assert said(text) == []
    assert said(f"{text}\n{BLOCK}{text}\n\n{BLOCK}") == [block, block]


def test_a_token_ends_a_line_and_a_label_does_not() -> None:
    edit = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
    assert said(f"a.py\n<|python_tag|>{edit}") == [("diff", "a.py", "x\n", "y\n")]
    assert [b.malformed is not None for b in parse(f"a.py\nAction: {edit}").blocks] == [True]


def test_a_call_in_reasoning_is_a_draft_and_a_message_of_its_own_ends_it() -> None:
    call = SPELLINGS["brackets"]
    assert [b.draft for b in parse(f"<think>\n{call}\n</think>\n{call}").blocks] == [True, False]
    labelled = f"<think>\nAction: stop</think>### File: b.py\n{BLOCK[5:]}"
    assert [(b.path, b.draft) for b in parse(labelled).blocks] == [("b.py", False)]
    reply = f"<|channel|>analysis<|message|>I may try.\n{BLOCK}{SPELLINGS['a turn']}"
    assert [b.draft for b in parse(reply).blocks] == [True, False]


def test_a_patch_may_stand_behind_a_token() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
    message = "<|start|>assistant<|channel|>commentary to=functions.apply_patch<|message|>"
    assert said(f"{message}{patch}<|call|>") == [("apply-patch", "a.py", "x = 1\n", "x = 2\n")]
    assert said(f"{message}{json.dumps({'input': patch})}<|call|>") == [("apply-patch", "a.py", "x = 1\n", "x = 2\n")]


def test_each_call_has_its_line() -> None:
    reply = f"{FENCED}\n{FENCED}\nAction: edit\nAction Input:\n{ARGUMENTS}\n```tool_code\n\n{PYTHON}\n{PYTHON}\n```\n"
    assert [b.line for b in parse(reply).blocks] == [3, 7, 11, 14, 15]


def test_backslashes_that_python_does_not_know_are_kept() -> None:
    reply = "```tool_code\nwrite_file(path='a.py', content='\\d\\n')\n```"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [b.replace for b in parse(reply).blocks] == ["\\d\n"]
