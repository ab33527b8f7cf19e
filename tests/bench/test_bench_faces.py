"""One reply means the same in every face: each is given golden replies with listings, and leaves the same files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import faces

CASES = Path(__file__).parents[1] / "cases" / "plan"
NAMES = sorted(
    path.name for path in CASES.iterdir() if path.is_dir() and path.name.startswith(("listing", "changed-lines"))
)
BLOCKS = """In `a.py`:

```python
<<<<<<< SEARCH
one = 1
=======
one = 2
>>>>>>> REPLACE
```

It is enough to do this once.

In `bin/run`:

```
<<<<<<< SEARCH
start
=======
begin
>>>>>>> REPLACE
```
"""


@pytest.fixture(scope="module")
def provider() -> Iterator[faces.Provider]:
    made = faces.Provider()
    yield made
    made.shutdown()
    made.server_close()


@pytest.mark.parametrize("name", NAMES)
def test_each_face_leaves_the_same_files(name: str, provider: faces.Provider) -> None:
    folder = CASES / name
    files = {p.relative_to(folder / "before").as_posix(): p.read_text() for p in (folder / "before").rglob("*.*")}
    case = {"files": files, "reply": (folder / "reply.md").read_text()}
    assert list(faces.differing(case, provider)) == []


def test_a_file_that_a_sentence_names_is_the_same_in_every_face(provider: faces.Provider) -> None:
    case = {"files": {"a.py": "one = 1\n", "bin/run": "start\n"}, "reply": BLOCKS}
    assert faces.planned(BLOCKS, case["files"], faces.STRICT) == {"a.py": "one = 2\n", "bin/run": "begin\n"}
    assert list(faces.differing(case, provider)) == []


def test_a_face_that_differs_is_named(provider: faces.Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(faces.FACES, "apply", (lambda *_: None, faces.STRICT))
    case = {"files": {"a.py": "one = 1\n", "bin/run": "start\n"}, "reply": BLOCKS}
    assert list(faces.differing(case, provider)) == [("apply", ["a.py", "bin/run"])]
