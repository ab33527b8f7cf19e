"""`dovetail apply --as`: a listing that names no file is read as the file that the person names."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_shell import dovetail

SHAPES = """import { unit } from './unit.js';

export function area(w, h) {
  return w * h * unit;
}

export function edge(w, h) {
  return 2 * (w + h) * unit;
}

export function diagonal(w, h) {
  return Math.sqrt(w * w + h * h) * unit;
}
"""
EDGE = """export function edge(w, h) {
  if (w < 0) throw new Error('w');
  return 2 * (w + h) * unit;
}
"""
SKETCH = f"import {{ unit }} from './unit.js';\n\n// ... existing code ...\n\n{EDGE}\n// ... rest of code ...\n"
NEW_EDGE = SHAPES.replace("(w, h) {\n  return 2", "(w, h) {\n  if (w < 0) throw new Error('w');\n  return 2")
WHOLE = SHAPES.replace("Math.sqrt(w * w + h * h)", "Math.hypot(w, h)")
VOLUME = "export function volume(w, h, d) {\n  return area(w, h) * d;\n}\n"
EDIT = "notes.md\n```\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n```\n\n"


def listing(text: str, lead: str = "Here it is:", fence: str = "js") -> str:
    return f"{lead}\n\n```{fence}\n{text}```\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shapes.js").write_text(SHAPES)
    (tmp_path / "notes.md").write_text("old\n")
    return tmp_path


@pytest.mark.parametrize(
    ("reply", "after"),
    [
        (listing(EDGE), NEW_EDGE),
        (listing(EDGE, fence=""), NEW_EDGE),
        (listing(SKETCH), NEW_EDGE),
        (listing(WHOLE), WHOLE),
        (listing("$ node shapes.js\n12\n", "It prints:", "text") + listing(EDGE), NEW_EDGE),
        (listing(SHAPES.partition("\n\n")[2].partition("\n\n")[0] + "\n", "You have:") + listing(EDGE), NEW_EDGE),
        (listing("-  return w * h * unit;\n+  return w * h;\n", fence="diff"), SHAPES.replace("h * unit", "h", 1)),
        (listing(EDGE, "Never write `shapes.js` like this:"), NEW_EDGE),
        (listing(EDGE, "In `shapes.js`:"), NEW_EDGE),  # it needs no option, and takes no harm from it
    ],
    ids=["part", "no word", "sketch", "whole", "beside output", "beside a quote", "signs", "not meant", "named"],
)
def test_it_is_compared_with_the_file_that_is_named(folder: Path, reply: str, after: str) -> None:
    done = dovetail(folder, "apply", "-", "--yes", "--as", "shapes.js", stdin=reply)
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "shapes.js").read_text() == after


def test_a_path_counts_from_the_folder(folder: Path) -> None:
    (folder / "inner").mkdir()
    reply = folder / "inner" / "reply.md"
    reply.write_text(listing(EDGE))
    done = dovetail(folder, "apply", "-C", "inner", "--root", "..", "reply.md", "--yes", "--as", "../shapes.js")
    assert done.returncode == 0, done.stderr
    assert (folder / "shapes.js").read_text() == NEW_EDGE


def test_it_makes_a_file_that_is_not_there(folder: Path) -> None:
    assert dovetail(folder, "apply", "-", "--yes", "--as", "solid.js", stdin=listing(VOLUME)).returncode == 0
    assert (folder / "solid.js").read_text() == VOLUME


def test_a_quote_stands_already(folder: Path) -> None:
    quote = SHAPES.split("\n\n")[1] + "\n"
    done = dovetail(folder, "apply", "-", "--yes", "--as", "shapes.js", stdin=listing(quote))
    assert done.returncode == 0
    assert "stands already" in done.stdout


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (VOLUME, "Nothing says where in `shapes.js` the listing belongs."),
        ("// shapes\nconst unit = 1;\n", "it would leave little of it"),
        (
            "const a = 1;\nconst b = 2;\n// c\n// d\nconst c = 3;\n// e\nexport default a;\n",
            "it would leave little of it",
        ),
    ],
    ids=["another function", "a fraction", "nothing of it"],
)
def test_it_never_takes_a_file_away(folder: Path, text: str, why: str) -> None:
    done = dovetail(folder, "apply", "-", "--yes", "--as", "shapes.js", stdin=listing(text) + EDIT)
    assert done.returncode == 2
    assert done.stderr.startswith("error usage  Line 3 of the reply:")
    assert why in done.stderr
    assert (folder / "shapes.js").read_text() == SHAPES
    assert (folder / "notes.md").read_text() == "old\n"


def test_several_are_refused_with_their_numbers(folder: Path) -> None:
    reply = listing(EDGE) + listing(VOLUME, "Or:")
    done = dovetail(folder, "apply", "-", "--yes", "--as", "shapes.js", stdin=reply)
    assert done.returncode == 2
    assert "listings 1 (line 3) and 2 (line 11) may be `shapes.js`" in done.stderr
    assert (folder / "shapes.js").read_text() == SHAPES


@pytest.mark.parametrize("reply", [EDIT, "Nothing to do.\n"])
def test_a_reply_without_a_listing_is_refused(folder: Path, reply: str) -> None:
    done = dovetail(folder, "apply", "-", "--yes", "--as", "shapes.js", stdin=reply)
    assert done.returncode == 2
    assert "The reply has no listing to use as `shapes.js`." in done.stderr


def test_one_edit_of_it_can_be_taken_back(folder: Path) -> None:
    reply = listing(EDGE) + EDIT
    assert dovetail(folder, "apply", "-", "--yes", "--as", "shapes.js", stdin=reply).returncode == 0
    assert dovetail(folder, "undo", "--edit", "1").returncode == 0
    assert (folder / "notes.md").read_text() == "old\n"
    assert dovetail(folder, "undo", "--edit", "2").returncode == 0, "the listing stands behind the edits"
    assert (folder / "shapes.js").read_text() == SHAPES


def test_the_option_is_named_where_it_helps(folder: Path) -> None:
    (folder / "reply.md").write_text(listing(EDGE, "Never write `shapes.js` like this:"))
    done = dovetail(folder, "apply", "reply.md", "--dry-run")
    assert done.returncode == 1
    assert "To use the listing as `shapes.js`: dovetail apply reply.md --as shapes.js\n" in done.stdout
    assert dovetail(folder, "apply", "reply.md", "--as", "shapes.js", "--yes").returncode == 0
    assert (folder / "shapes.js").read_text() == NEW_EDGE


@pytest.mark.parametrize(
    ("text", "lead"),
    [(VOLUME, "In `shapes.js`:"), ("new\n", "In `notes.md`:"), ("import { w } from './w.js';\n", "Above `shapes.js`:")],
)
def test_the_option_is_not_named_where_it_would_not_help(folder: Path, text: str, lead: str) -> None:
    (folder / "notes.md").write_text("old\nolder\noldest\n")
    done = dovetail(
        folder, "apply", "-", "--dry-run", stdin=listing(text, lead, "markdown" if "notes" in lead else "js")
    )
    assert done.returncode == 1
    assert "--as" not in done.stdout


def test_the_option_is_named_for_a_listing_without_a_file(folder: Path) -> None:
    (folder / "reply.md").write_text(listing(VOLUME))
    done = dovetail(folder, "apply", "reply.md", "--dry-run")
    assert done.returncode == 3
    assert "If the listing in line 3 is meant for a file: dovetail apply reply.md --as PATH\n" in done.stdout
