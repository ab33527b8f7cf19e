"""A message that is obeyed to the letter works: the check finds those that do not."""

from __future__ import annotations

import pytest

from dovetail.session.batch.cases import read_case
from obeyed import Answered, answers

RING = "one = 1\ntwo = 2\none = 1\nfour = 4\n"


def edit(path: str, old: str, new: str) -> str:
    return f"{path}\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"


def obeyed(reply: str, files: dict[str, str], truth: dict[str, str] | None = None) -> list[Answered]:
    return [*answers(read_case({"id": "x", "files": files, "reply": reply}), [truth] if truth else [])]


@pytest.mark.parametrize(
    "reply",
    [
        edit("a.py", "one = 1\n", "one = 5\n"),
        edit("a.py", "two = 2\nfour == 4\n", "two = 2\nfour = 5\n"),
        edit("b.py", "two = 2\n", "two = 3\n"),
        edit("a.py", "two = 2\n", "two = 3\n") + edit("a.py", "two = 2\n", "two = 4\n"),
    ],
    ids=["ambiguous", "misquoted", "elsewhere", "conflict"],
)
def test_the_edit_that_a_message_asks_for_lands(reply: str) -> None:
    found = obeyed(reply, {"a.py": RING})
    assert found
    assert [answer.landed for answer in found] == [True] * len(found)


def test_a_file_that_cannot_be_written_is_not_asked_for_again() -> None:
    (found,) = obeyed(edit("/etc/motd", "two = 2\n", "two = 3\n"), {"a.py": RING})
    assert found.landed is None
    assert "leave the edit out" in (found.result.hint or "")


def test_the_check_says_no_where_the_answer_fails() -> None:
    """A line that ends in a model's token is refused however it is sent."""
    reply = edit("a.py", "two = 2\n", "two = 3<|im_end|>\n")
    (found,) = obeyed(reply, {"a.py": RING}, {"a.py": RING.replace("two = 2", "two = 3<|im_end|>")})
    assert found.landed is False
