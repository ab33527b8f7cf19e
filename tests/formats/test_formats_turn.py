"""The tokens of a chat's template at a reply's ends are no part of it; inside it they are text like any other."""

from __future__ import annotations

import json

import pytest

from dovetail.formats import Stream, parse
from dovetail.model.blocks import Parsed

SEARCH = "a.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"
REPLIES = {
    "a block": f"{SEARCH}```",
    "an open fence": SEARCH[:-1],
    "a listing": "a.py\n```python\nx = 2\n```",
    "a diff in a fence": "```diff\n--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n x = 0\n-x = 1\n+x = 2\n```",
    "a diff": "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n x = 0\n-x = 1\n+x = 2",
    "a patch": "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch",
    "a call": json.dumps({"path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}),
}
TOKENS = [
    "<|im_end|>",
    "</s>",
    " [/INST]",
    "<|eot_id|>\n",
    "<end_of_turn>",
    "<｜end▁of▁sentence｜>",
    "<|end|>\n<|return|>",
]


def halves(parsed: Parsed) -> list[tuple[str | None, str, str, bool]]:
    return [(block.path, block.search, block.replace, block.malformed is None) for block in parsed.blocks]


@pytest.mark.parametrize("pieces", [1, 2, 40])
def test_blank_lines_may_stand_above_the_tokens_before_a_reply(pieces: int) -> None:
    reply = f"\n\n<|im_start|>assistant\n{SEARCH}```\n"
    stream, size = Stream(), len(reply) // pieces + 1
    for at in range(0, len(reply), size):
        stream.feed(reply[at : at + size])
    stream.close()
    assert [(block.path, block.line) for block in stream.parsed.blocks] == [("a.py", 6)]
    stream = Stream()
    stream.feed("\n")
    stream.feed(f"<|im_start|>{SEARCH}```\n")
    stream.close()
    assert [(block.path, block.line) for block in stream.parsed.blocks] == [("a.py", 4)]


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES.keys())
def test_a_token_behind_a_reply_is_no_part_of_it(reply: str, token: str) -> None:
    wanted = halves(parse(reply + "\n"))
    assert [sound for *_, sound in wanted] == [True]
    assert halves(parse(reply + token)) == wanted
    stream = Stream()
    for character in reply + token:
        stream.feed(character)
    stream.close()
    assert halves(stream.parsed) == wanted


@pytest.mark.parametrize(
    "token",
    ["<|channel|>final<|message|>", "<s>", "<|im_start|>assistant\n", "<|start|>assistant<|channel|>final<|message|>"],
)
def test_a_token_before_a_reply_is_no_part_of_it(token: str) -> None:
    assert halves(parse(token + REPLIES["a block"])) == halves(parse(REPLIES["a block"]))


@pytest.mark.parametrize("tag", ["answer", "response"])
def test_a_tag_around_the_whole_reply_comes_off(tag: str) -> None:
    assert halves(parse(f"<{tag}>\n{REPLIES['a listing']}</{tag}>\n")) == halves(parse(REPLIES["a listing"]))


@pytest.mark.parametrize(
    "added", ["<|im_end|>", "<|im_start|>user<|im_end|>", "<p>an <s>old</s> <s>word</s>", "x = '<|im_end|>'"]
)
def test_what_a_diff_adds_may_end_with_a_token(added: str) -> None:
    (block,) = parse(f"--- a.txt\n+++ a.txt\n@@ -1 +1,2 @@\n x\n+{added}\n").blocks
    assert block.replace == f"x\n{added}\n"


def test_tokens_inside_a_reply_are_text() -> None:
    reply = REPLIES["a listing"].replace("x = 2", "x = 2<|im_end|>\n<|im_end|>") + "\n"
    (block,) = parse(reply).blocks
    assert block.replace == "x = 2<|im_end|>\n<|im_end|>\n"
