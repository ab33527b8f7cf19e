"""Twenty replies of seven files and more, in four formats, are walked over by `j` and decided by keys alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from reading import paste, states
from replies import edit
from served import OpenPage, serving_folder
from walking import AT, BARS, decide, open_review, walk

LINES = [f"line {n}\n" for n in range(1, 121)]
FOLDERS = ("", "web/", "web/parts/", "core/", "core/a-longer-name-of-a-folder/", "docs/")


def hunk(line: int) -> str:
    """Lines of a diff that change one line."""
    return f" line {line - 1}\n-line {line}\n+line {line}, changed\n line {line + 1}\n"


def reply_of(seed: int, names: list[str]) -> str:
    """A reply that edits each of these files once to three times, in a format that its number decides."""
    parts, form = ["What I change:\n"], seed % 4
    for at, name in enumerate(names):
        changed = [10 + 3 * seed + at, 60, 61][: 1 + (seed + at) % 2]
        if form == 0:
            # The second stands above the first, which is known when the file is drawn; the last puts the next file afar.
            behind = [("line 2\n", "line 2\none\n"), ("line 2\none\n", "line 2\ntwo\none\n")]
            long = LINES[19:69]
            pairs = [*behind, ("".join(long), "".join(line.replace("\n", ", changed\n") for line in long))]
            parts += [edit(name, old, new) for old, new in pairs]
        elif form == 1:
            hunks = "".join(f"@@ -{line - 1},3 +{line - 1},3 @@\n{hunk(line)}" for line in changed[:2])
            parts.append(f"```diff\n--- a/{name}\n+++ b/{name}\n{hunks}```\n")
        elif form == 2:
            hunks = "".join(f"@@\n{hunk(line)}" for line in changed[:2])
            parts.append(f"*** Begin Patch\n*** Update File: {name}\n{hunks}*** End Patch\n")
        else:
            text = "".join(line.replace("\n", ", changed\n") if n in changed else line for n, line in enumerate(LINES))
            parts.append(f"**{name}**\n\n```\n{text}```\n")
    failing = edit(names[-1], "no such line\nnor this one\n", "none\n")
    return "\n".join([*parts, failing, edit(f"new/of_{seed}.txt", "", "new\n"), "That is all.\n"])


@pytest.mark.parametrize("first", [0, 5, 10, 15])
def test_each_edit_of_twenty_replies_is_visited_once(folder: Path, open_page: OpenPage, first: int) -> None:
    for seed in range(first, first + 5):
        root = folder / str(seed)
        names = [f"{FOLDERS[(seed + at) % 6]}r{seed}_{at}.txt" for at in range(7 + seed % 2)]
        for name in names:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("".join(LINES))
        with serving_folder(root) as served:
            page = open_page(served, reduced_motion="reduce")
            paste(page, reply_of(seed, names))
            page.locator('article.edit[data-state="failed"]').first.wait_for()
            count = len(states(page))
            open_review(page)
            assert sorted(map(int, walk(page))) == list(range(1, count + 1)), f"reply {seed}: each of them once"
            if seed == 1:
                for _ in range(count):
                    page.keyboard.press("k")
                assert page.evaluate(AT) == page.evaluate(BARS)[0][0]
                assert decide(page) <= count, "a key decides an edit and leads on to the next"
                assert {state for _, state in page.evaluate(BARS)} == {"written", "left-out"}
                assert all(", changed" in (root / name).read_text() for name in names)
            page.context.close()
