"""Retellings mean what the reply meant, and the replay of them notices one that does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dovetail
import retold
from retellings import RETELLINGS, Part, Told, whole

FILES = {
    "src/fare.py": "PRICE = 4\n\n\ndef fare(count):\n    return count * PRICE\n",
    "lib/deck.py": "class Deck:\n    def load(self, car):\n        if car:\n            self.cars.append(car)\n",
}
AFTER = {
    "src/fare.py": FILES["src/fare.py"].replace("= 4", "= 5").replace("count *", "max(count, 1) *"),
    "lib/deck.py": FILES["lib/deck.py"].replace("if car:", "if car and car.paid:"),
}
REPLY = """Fares go up.

src/fare.py
```python
<<<<<<< SEARCH
PRICE = 4
=======
PRICE = 5
>>>>>>> REPLACE
```

At least one:

src/fare.py
```python
<<<<<<< SEARCH
def fare(count):
    return count * PRICE
=======
def fare(count):
    return max(count, 1) * PRICE
>>>>>>> REPLACE
```

lib/deck.py
```python
<<<<<<< SEARCH
        if car:
            self.cars.append(car)
=======
        if car and car.paid:
            self.cars.append(car)
>>>>>>> REPLACE
```
Done."""
CASE = {"id": "one", "files": FILES, "reply": REPLY, "truth": AFTER}


def told(reply: str = REPLY) -> Told:
    found = Told.of(reply, FILES)
    assert found is not None
    return found


def test_a_reply_is_taken_apart_and_put_together() -> None:
    assert whole(str)(told()) == REPLY
    assert told().with_each(lambda line: line.text) == REPLY
    assert [line.text for line in told().lines if line.part is Part.PROSE and line.text] == [
        "Fares go up.",
        "At least one:",
        "Done.",
    ]
    edits = told().edits
    assert edits is not None
    assert [edit.path for edit in edits] == ["src/fare.py", "src/fare.py", "lib/deck.py"]
    assert edits[0].new == ("PRICE = 5",)


@pytest.mark.parametrize("reply", ["No block.", REPLY.partition(">>>>>>>")[0], "<<<<<<< SEARCH\nx"])
def test_half_a_block_is_not_retold(reply: str) -> None:
    assert Told.of(reply, FILES) is None


@pytest.mark.parametrize("name", RETELLINGS)
def test_a_retelling_is_another_text_that_does_the_same(name: str) -> None:
    again = RETELLINGS[name](told())
    assert again is not None
    assert again != REPLY
    assert dovetail.apply(again, FILES).files == AFTER


def test_a_retelling_that_means_something_else_fails_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = tmp_path / "cases.jsonl"
    not_right = {**CASE, "id": "two", "truth": FILES}
    cases.write_text("".join(json.dumps(case) + "\n" for case in (CASE, not_right)), encoding="utf-8")
    monkeypatch.setattr(retold, "RETELLINGS", {"same": whole(str)})
    assert retold.main([str(cases), "--jobs", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["ALL", "1", "1", "0", "0", "0", "0"]
    monkeypatch.setattr(retold, "RETELLINGS", {"dearer": whole(lambda text: text.replace("= 5", "= 6"))})
    assert retold.main([str(cases), "--jobs", "1"]) == 1
    assert "WRONG    one  dearer" in capsys.readouterr().out
    assert retold.main([str(cases), "--jobs", "1", "--max-wrong", "1"]) == 0
