"""Messages: their order, their fence, and a budget that is never exceeded."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.llm import prompts
from dovetail.llm.assemble import TURN_OVERHEAD, Chat, ShownFile, TokenBudget, assemble, files_message
from dovetail.llm.errors import ContextTooLongError
from dovetail.llm.prompts import Wording
from dovetail.llm.prompts.texts import CodeFence, fence_around
from dovetail.llm.values import Message, Role

DIFF = Wording("diff")
PY = ShownFile("a/b.py", "x = 1\n", "python", "1f2e3d")
README = ShownFile("README.md", "Run:\n```\nmake\n```", "markdown")


def user(text: str) -> Message:
    return Message(Role.USER, text)


def model(text: str) -> Message:
    return Message(Role.ASSISTANT, text)


FULL = Chat(
    "Make x two.",
    files=(PY,),
    read_only=(README,),
    map="c.py:\n  def f()",
    history=(user("Hi."), model("Hello."), user("What is x?"), model("One.")),
)


def words(text: str) -> int:
    return len(text.split())


def cost(messages: tuple[Message, ...]) -> int:
    return sum(words(message.content) + TURN_OVERHEAD for message in messages)


def test_the_order_is_system_examples_note_reference_map_files_history_request() -> None:
    messages = assemble(FULL, DIFF).messages
    fence = CodeFence.of("````")
    examples = Wording("diff", fence=fence).examples
    assert messages[0] == Message(Role.SYSTEM, Wording("diff", fence=fence).system, stable=True)
    assert messages[1 : 1 + len(examples)] == examples
    rest = messages[1 + len(examples) :]
    begins = [message.content.partition("\n")[0][:24] for message in rest]
    assert [message.role for message in rest] == [Role.USER, Role.ASSISTANT] * 6 + [Role.USER]
    assert [b for b, m in zip(begins, rest, strict=True) if m.role is Role.USER] == [
        "Those were examples, fro",
        "These files are for refe",
        "This is an outline of ot",
        "These files are in the c",
        "Hi.",
        "What is x?",
        "Make x two.",
    ]
    assert rest[-1].content == f"Make x two.\n\n{Wording('diff', fence=fence).reminder}"


def test_files_stand_under_their_paths_in_a_fence_longer_than_any_in_them() -> None:
    text = "\n".join(message.content for message in assemble(FULL, DIFF).messages)
    assert "a/b.py\n````python version=1f2e3d\nx = 1\n````" in text
    assert "README.md\n````markdown\nRun:\n```\nmake\n```\n````" in text
    assert "````\nc.py:\n  def f()\n````" in text


def test_a_message_that_shows_files_stands_alone_too() -> None:
    message = files_message([PY, README])
    assert message in assemble(Chat("Go.", files=(PY, README)), DIFF).messages
    assert files_message([README], read_only=True).content.startswith("These files are for reference.")


def test_an_excerpt_is_called_one() -> None:
    chat = Chat("Go.", files=(ShownFile("a.py", "def f():\n⋮\n", excerpt=True),))
    assert any("Only parts of a.py are shown." in message.content for message in assemble(chat, DIFF).messages)


def test_nothing_of_a_file_a_reply_or_a_request_is_taken_for_a_template() -> None:
    trap = "{{language}} {{open python}} \\1 $& %s {0}"
    chat = Chat(trap, files=(ShownFile(trap, trap),), read_only=(ShownFile("r", trap, excerpt=True),), map=trap,
                history=(user(trap), model(trap)))  # fmt: skip
    messages = assemble(chat, DIFF).messages
    assert sum(message.content.count(trap) for message in messages) == 7


def test_roles_alternate_so_that_every_provider_takes_them() -> None:
    for chat in (FULL, Chat("Go."), Chat("Go.", files=(PY,)), Chat("Go.", map="m")):
        for format_ in (*prompts.format_names(), "architect"):
            roles = [message.role for message in assemble(chat, Wording(format_)).messages]
            assert roles[0] is Role.SYSTEM
            assert all(a is not b for a, b in pairwise(roles))
            assert roles[-1] is Role.USER


def test_an_architect_gets_no_examples_and_no_reminder() -> None:
    messages = assemble(FULL, Wording("architect")).messages
    assert messages[0].content == prompts.architect()
    assert messages[-1].content == "Make x two."
    assert not any("SEARCH" in message.content for message in messages)


def test_what_stays_the_same_is_marked_for_the_provider_s_cache() -> None:
    stable = [m.content[:20] for m in assemble(FULL, DIFF).messages if m.stable]
    assert stable[0].startswith("You are")
    assert len(stable) == 5


# --- the budget


def test_a_budget_drops_the_map_first_then_the_oldest_turns() -> None:
    whole = assemble(FULL, DIFF, TokenBudget(10_000, words))
    assert (whole.cut, whole.messages, whole.tokens) == ((), assemble(FULL, DIFF).messages, cost(whole.messages))

    no_map = assemble(FULL, DIFF, TokenBudget(whole.tokens - 1, words))
    assert [sentence.split(" (")[0] for sentence in no_map.cut] == ["The repository map was left out"]
    assert user("Hi.") in no_map.messages

    one_turn = assemble(FULL, DIFF, TokenBudget(no_map.tokens - 1, words))
    assert one_turn.cut[1].startswith("The oldest 2 of 4 turns of the history were left out (")
    assert user("Hi.") not in one_turn.messages
    assert user("What is x?") in one_turn.messages

    with pytest.raises(ContextTooLongError) as raised:
        assemble(FULL, DIFF, TokenBudget(100, words))
    assert raised.value.code == "over-budget"
    assert "take some out" in str(raised.value.hint)


TEXTS = st.text("ab \n`", max_size=60)


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXTS, max_size=5), TEXTS, st.lists(TEXTS, max_size=8), st.integers(0, 2000))
def test_the_budget_is_never_exceeded_and_the_fence_never_closed_early(
    files: list[str], outline: str, history: list[str], tokens: int
) -> None:
    turns = tuple(user(text) if i % 2 == 0 else model(text) for i, text in enumerate(history[: len(history) // 2 * 2]))
    shown = tuple(ShownFile(f"{i}.txt", text) for i, text in enumerate(files))
    chat = Chat("Go.", files=shown, map=outline, history=turns)
    try:
        made = assemble(chat, DIFF, TokenBudget(tokens, len))
    except ContextTooLongError:
        assert (
            tokens < sum(len(m.content) + TURN_OVERHEAD for m in assemble(Chat("Go.", files=shown), DIFF).messages) + 8
        )
        return
    assert made.tokens is not None
    assert sum(len(m.content) + TURN_OVERHEAD for m in made.messages) == made.tokens <= tokens
    fence = fence_around([*files, outline])
    assert all(any(fence.around(text) in m.content for m in made.messages) for text in files)
    assert not any(fence.left in text for text in files)
    kept = [m for m in made.messages if m in turns]
    assert not kept or kept[0].role is Role.USER
    assert bool(made.cut) == (len(made.messages) < len(assemble(chat, DIFF).messages))
