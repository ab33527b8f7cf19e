"""Which of the files that a reply names a block is for: sentences, names with blanks, names given since the last block."""

from __future__ import annotations

import pytest

from dovetail.formats import parse
from dovetail.model.codes import Code
from dovetail.model.language import NO_SYNTAX
from dovetail.model.results import Plan
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan, wanted_paths, with_listings

T = "a = 1\nb = 2\nc = 3\n"
XY = {"src/x.py": T, "src/y.py": T}
ADD = "<<<<<<< SEARCH\n=======\nnew = 1\n>>>>>>> REPLACE\n"
EDIT = "<<<<<<< SEARCH\nb = 2\n=======\nb = 3\n>>>>>>> REPLACE\n"
EDITED = T.replace("b = 2", "b = 3")
LISTING = "z = 1\n"


def made(reply: str, files: dict[str, str]) -> Plan:
    """The plan, made from no more than the files that are wanted."""
    parsed = parse(reply)
    wanted = wanted_paths(parsed, files)
    some = Snapshot.of({path: text for path, text in files.items() if path in wanted})
    snapshot = Snapshot(some.files, frozenset(files))
    return plan(with_listings(parsed, snapshot, NO_SYNTAX), snapshot)


def after(reply: str, files: dict[str, str]) -> dict[str, str | None]:
    """The files that a reply changes."""
    return {change.path: change.after for change in made(reply, files).changes}


def codes(reply: str, files: dict[str, str]) -> list[Code | None]:
    """The code of every result."""
    return [result.code for result in made(reply, files).results]


def fenced(line: str, body: str) -> str:
    """A fence with a line above it."""
    return f"{line}\n```python\n{body}```\n"


LEADS = ["Update", "In file", "For", "Create", "Changes in", "Here is the updated", "New file", "create mode 100644"]


@pytest.mark.parametrize("lead", LEADS)
def test_a_sentence_is_never_a_path(lead: str) -> None:
    line = f"{lead} src/x.py:"
    assert after(fenced(line, EDIT), XY) == {"src/x.py": EDITED}
    assert codes(fenced(line, ADD), XY) == [Code.NO_PATH]
    assert codes(fenced(line, LISTING), XY) == [Code.UNREAD]


@pytest.mark.parametrize("lead", LEADS[:-1])
def test_a_listing_below_a_sentence_that_leads_to_a_new_file_makes_it(lead: str) -> None:
    assert after(fenced(f"{lead} src/n.py:", 2 * LISTING), XY) == {"src/n.py": 2 * LISTING}
    assert after(fenced("Put it into your src/n.py:", 2 * LISTING), XY) == {}
    assert after(fenced("From the reference src/n.py, I can see this:", 2 * LISTING), XY) == {}


@pytest.mark.parametrize("lead", LEADS[:-1])
def test_what_a_plain_sentence_ends_with_is_created(lead: str) -> None:
    assert after(fenced(f"{lead} src/n.py:", ADD), XY) == {"src/n.py": "new = 1\n"}


@pytest.mark.parametrize("line", ["see my docs/file.py:", "I write this to my file.py", "python my file.py"])
def test_where_the_name_may_be_longer_nothing_is_created(line: str) -> None:
    assert codes(fenced(line, ADD), {"x.py": T}) == [Code.NO_PATH]


@pytest.mark.parametrize("line", ["my file.py", "Release notes.txt", "日本語 メモ.md"])
def test_a_line_with_nothing_else_may_be_a_new_name_with_blanks(line: str) -> None:
    assert after(f"{FIRST}\n{fenced(line, ADD)}", XY)[line] == "new = 1\n"


SPACED = {"my file.py": T, "file.py": T, "old docs/a b.md": T, "b.md": T, "lib/one two.py": T, "two.py": T}


@pytest.mark.parametrize(
    ("line", "path"),
    {
        "my file.py": "my file.py",
        "`my file.py`": "my file.py",
        "Update my file.py:": "my file.py",
        "Now in `my file.py`:": "my file.py",
        "### File: my file.py": "my file.py",
        "old docs/a b.md": "old docs/a b.md",
        "**old docs/a b.md**": "old docs/a b.md",
        "file.py": "file.py",
        "Update file.py:": "file.py",
        "Update `file.py`:": "file.py",
        "`two.py`": "two.py",
    }.items(),
)
def test_a_name_with_blanks_is_the_file_that_is_there(line: str, path: str) -> None:
    assert after(fenced(line, EDIT), SPACED) == {path: EDITED}


def test_a_base_name_with_blanks_comes_before_its_last_word() -> None:
    assert after(fenced("one two.py", EDIT), SPACED) == {"lib/one two.py": EDITED}


@pytest.mark.parametrize("line", ["File: my new file.py", "`my new file.py`", "lib/new thing.py", '"a b/c d.py"'])
def test_a_name_with_blanks_is_created_where_it_is_marked_or_its_folder_is_there(line: str) -> None:
    path = line.removeprefix("File: ").strip('`"')
    assert after(fenced(line, ADD), SPACED) == {path: "new = 1\n"}
    assert after(fenced(line, LISTING), SPACED) == {path: LISTING}


def test_what_is_appended_goes_to_the_whole_name() -> None:
    assert after(fenced("my file.py", ADD), SPACED) == {"my file.py": T + "new = 1\n"}
    assert codes(fenced("I changed my file.py", ADD), SPACED) == [Code.NO_PATH]


def test_two_paths_in_a_line_are_no_folder_and_file() -> None:
    for line in ("src/x.py and src/y.py", "src/x.py new.py"):
        assert codes(fenced(line, ADD), XY) == [Code.NO_PATH]


FIRST = fenced("src/x.py", "<<<<<<< SEARCH\na = 1\n=======\na = 9\n>>>>>>> REPLACE\n")

NEAR = [
    "### Step 2: Update `src/y.py`",
    "Now update `src/y.py`:",
    "Now update src/y.py:",
    "#### Update src/y.py",
    "**📄 `src/y.py`**",
    "**File:** `src/y.py`",
    "<file path='src/y.py'>",
    "=== src/y.py ===",
    "==> src/y.py <==",
    "[y.py](src/y.py)",
    "src/y.py (lines 2-3)",
    "Now in `y.py`:",
]


FAR = [
    "Next, update `src/y.py`.",
    "- `src/y.py`: set b",
    "Let's edit y.py now:",
    "### src/y.py\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n",
    "### Update `src/y.py`\n\nOne.\n\n```\nb\n```\n\nTwo.\n\nThree.\n",
    f"It calls `src/y.py`, {'and so on, ' * 60}.\n",
]


def test_a_sentence_with_one_name_is_that_file_whatever_the_file_in_force_holds() -> None:
    for body in (EDIT, EDIT.replace("b = 2", "b  =  2")):
        reply = f"{FIRST}\nThen `src/y.py`.\n```\n{body}```\n"
        assert after(reply, XY)["src/y.py"] == EDITED
        assert codes(reply, {**XY, "src/y.py": "y = 1\n"}) == [Code.OTHER_FAILED, Code.NO_MATCH]


@pytest.mark.parametrize("words", ["\n", "\nOne.\n", "\nOne.\n\nTwo.\n"])
@pytest.mark.parametrize("line", ["src/gone.py", "`gone.py`", "src/gone.py (excerpt)", "### src/gone.py - the core"])
def test_a_name_alone_further_up_never_gives_way_to_the_file_before(line: str, words: str) -> None:
    reply = f"{FIRST}\n{line}\n{words}\n{fenced('', EDIT)}"
    assert codes(reply, {"src/x.py": T}) == [Code.OTHER_FAILED, Code.FILE_MISSING]


def test_a_file_announced_and_not_there_is_made() -> None:
    assert after(f"{FIRST}\n{fenced('### Step 2: Create `src/n.py`', ADD)}", XY)["src/n.py"] == "new = 1\n"


STAYS = [
    "And in the same file:",
    "And in `src/x.py`:",
    "It is like `src/y.py`.\n\nNow `src/x.py` again.",
    "It works in Node.js too:",
    "As in `missing.py`:",
    "That calls `y.update`:",
    "Then run `python src/x.py`.",
]


QUOTING = [
    "src/x.py:30-31",
    "src/x.py (lines 30-31)",
    "src/x.py (before)",
    "`src/x.py` (excerpt)",
    "src/x.py - current code",
]


@pytest.mark.parametrize("line", QUOTING)
def test_a_piece_that_is_quoted_is_no_listing(line: str) -> None:
    assert parse(fenced(line, LISTING)).blocks == ()
    assert parse(fenced(line, LISTING), format="whole").blocks == ()
    assert after(fenced(line, EDIT), XY) == {"src/x.py": EDITED}
    assert codes(fenced(line, ADD), XY) == [Code.NO_PATH]


@pytest.mark.parametrize("line", ["src/x.py (with the fix)", "### src/x.py - the core"])
def test_a_listing_under_another_remark_replaces_nothing(line: str) -> None:
    assert codes(fenced(line, LISTING), XY) == [Code.UNREAD]
    assert after(fenced(line.replace("x.py", "n.py"), 2 * LISTING), XY) == {"src/n.py": 2 * LISTING}


@pytest.mark.parametrize(
    "line", ["src/x.py (updated)", "`src/x.py` (new version)", "src/x.py - full file", "src/x.py:"]
)
def test_a_listing_under_a_remark_that_its_text_is_new_replaces_the_file(line: str) -> None:
    assert after(fenced(line, LISTING), XY) == {"src/x.py": LISTING}


@pytest.mark.parametrize(
    ("files", "path"), [({"src/a.ts": T}, "src/a.ts"), ({"@src/a.ts": T}, "@src/a.ts"), ({"src/b.ts": T}, "src/a.ts")]
)
def test_the_sign_of_a_mention_is_no_part_of_a_path(files: dict[str, str], path: str) -> None:
    assert list(after(fenced("@src/a.ts", ADD), files)) == [path]


def test_such_a_sign_stays_where_neither_a_file_nor_a_folder_has_the_name_without_it() -> None:
    files = {"src/b.ts": T}
    assert list(after(fenced("@scope/a.ts", ADD), files)) == ["@scope/a.ts"]


ODD = [
    "app/[...slug]/page.tsx",
    "what's new.md",
    "notes & ideas.md",
    "{{ box.name }}/setup.py",
    "data/day=1/a.csv",
    "a;b.py",
    "C#.md",
    "100%.md",
    "a|b.md",
    "list~",
    "<x>.py",
]


@pytest.mark.parametrize("name", ODD)
def test_a_line_that_is_a_files_path_names_it(name: str) -> None:
    files = {"src/x.py": T, name: T}
    reply = f"{fenced('src/x.py', EDIT)}\n{fenced(name, EDIT)}"
    assert after(reply, files) == {"src/x.py": EDITED, name: EDITED}


@pytest.mark.parametrize("name", ODD)
def test_a_nearer_name_counts_more_than_such_a_line(name: str) -> None:
    files = {"src/x.py": T, name: T}
    assert after(f"{name}\n\nsrc/x.py\n{fenced('', EDIT)}", files) == {"src/x.py": EDITED}
    assert after(f"{fenced(name, EDIT)}\n{fenced('src/x.py', EDIT)}", files) == {name: EDITED, "src/x.py": EDITED}


def test_catch_alls_and_placeholders_are_names_like_any_other() -> None:
    for name in ("app/[[...slug]]/page.tsx", "{{ box.name }}/new.py"):
        assert after(fenced(name, LISTING), XY) == {name: LISTING}
        assert after(fenced(name, ADD), XY) == {name: "new = 1\n"}


def test_a_file_whose_name_hardly_looks_like_one_takes_what_quotes_nothing() -> None:
    assert after(fenced("`a=b.csv`", ADD), {"a=b.csv": ""}) == {"a=b.csv": "new = 1\n"}


def test_a_diff_creates_a_file_of_whatever_name() -> None:
    reply = "```diff\n--- /dev/null\n+++ b/data/day=1/a.csv\n@@ -0,0 +1 @@\n+1\n```\n"
    assert after(reply, XY) == {"data/day=1/a.csv": "1\n"}


def test_of_a_file_that_has_the_new_text_alone_nobody_says_that_it_has_the_search() -> None:
    block = "```\n<<<<<<< SEARCH\nold line\n=======\nnew fine line\n>>>>>>> REPLACE\n```\n"
    files = {"src/x.py": T, "src/y.py": f"{T}new fine line\n"}
    (result,) = plan(parse(f"src/x.py\n{block}"), Snapshot.of(files)).results
    assert "The new text stands in `src/y.py`" in (result.hint or "")
    (result,) = plan(
        parse(f"src/x.py\n{block.replace('new fine line', 'pass')}"), Snapshot.of({**files, "a.py": "pass\n"})
    ).results
    assert "a.py" not in (result.hint or "")


BARE = ["python", "Json", "bash", "HTML/CSS", "SEARCH/REPLACE", "Done", "config", "### python", "**Python:**", "`sql`"]
ABOVE = {
    "no fence": "Here is the new file:\n\n{0}\n{1}",
    "a fence": "Here is the new file:\n\n{0}\n```\n{1}```\n",
    "inside the fence": "Here is the new file:\n\n```\n{0}\n{1}```\n",
}


@pytest.mark.parametrize("above", ABOVE.values(), ids=ABOVE.keys())
@pytest.mark.parametrize("word", BARE)
def test_a_bare_word_is_no_path_of_a_new_file(word: str, above: str) -> None:
    assert codes(above.format(word, ADD), XY) in ([Code.NO_PATH], [Code.MALFORMED])
    assert after(above.format(word, ADD), XY) == {}


@pytest.mark.parametrize("word", ["python", "json", "HTML/CSS", "SEARCH/REPLACE", "Done"])
def test_a_bare_word_is_no_path_of_a_search(word: str) -> None:
    (result,) = made(f"{word}\n{EDIT}", XY).results
    assert (result.code, result.reason) == (Code.NO_PATH, f"Nothing says that `{word}` is a file's name.")


OTHERS = {
    "anchored": "go\n<<<<<<< EDIT\n-------\n=======\nnew\n-------\n>>>>>>>\n",
    "guillemet": "go\n««« EDIT\n═══════ REPL\nnew\n»»» EDIT END\n",
    "udiff": "go\n```diff\n@@ -2 +2 @@\n-b = 2\n+b = 3\n```\n",
    "edit-fence": f"```edit:go\n{ADD}```\n",
}


@pytest.mark.parametrize("reply", OTHERS.values(), ids=OTHERS.keys())
def test_a_language_is_no_path_in_any_format(reply: str) -> None:
    assert codes(reply, XY) == [Code.NO_PATH]


def test_no_listing_is_written_to_a_language() -> None:
    for reply in ("```python:go\nx\n```\n", "### HTML/CSS\n```css\nx\n```\n", "json\n```\n{}\n```\n"):
        assert after(reply, XY) == {}


@pytest.mark.parametrize("word", ["go", "make", "main", "AND/OR"])
def test_a_bare_word_is_the_file_of_that_name(word: str) -> None:
    assert after(f"{word}\n{EDIT}", {**XY, word: T}) == {word: EDITED}
    assert after(fenced(word, ADD), {**XY, word: T}) == {word: T + "new = 1\n"}
    assert after(f"In `src/x.py` is no more to do.\n\n{word}\n{EDIT}", {"src/x.py": "", word: T}) == {word: EDITED}


def test_a_bare_word_gives_way_to_what_looks_like_a_path() -> None:
    assert after(f"Create `src/n.py`:\n\npython\n{ADD}", XY) == {"src/n.py": "new = 1\n"}
    assert after(f"src/n.py\n\nDone\n{ADD}", XY) == {"src/n.py": "new = 1\n"}


@pytest.mark.parametrize("line", ["Makefile", "LICENSE", "docker/Dockerfile", "bin/run", "`hooks`", "File: CNAME"])
def test_a_name_that_is_known_or_marked_is_created(line: str) -> None:
    path = line.removeprefix("File: ").strip("`")
    assert after(fenced(line, ADD), XY) == {path: "new = 1\n"}


PAGES = [
    "python\nCopy\nEdit\n",
    "Copy\nDownload\n",
    "Copy code\n",
    "python\n\nCopy\n\nEdit\n\n",
    "```\nsql\nCopy\n",
    "Edit\n```\n",
]


def test_what_a_page_writes_is_the_file_of_that_name_where_nothing_else_is_named() -> None:
    assert after(f"Copy\nEdit\n{EDIT}", {**XY, "Edit": T}) == {"Edit": EDITED}


@pytest.mark.parametrize("line", ["__x.py__", "_x.py_"])
def test_of_a_name_with_and_without_underscores_the_files_decide(line: str) -> None:
    assert after(fenced(line, EDIT), {"x.py": T}) == {"x.py": EDITED}
    assert after(fenced(line, EDIT), {line: T}) == {line: EDITED}
    assert after(fenced(line, EDIT), {"x.py": "", line: T}) == {line: EDITED}
    assert after(fenced(line, ADD), XY) == {"x.py": "new = 1\n"}


TITLES = [
    "### 2. Update `src/n.py`",
    "**Step 2: create `src/n.py`**",
    "## Changes in src/n.py",
    "### `src/n.py` from now on",
]


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("words", ["\nIt holds the new rule, see `other.call()`.\n\n", "\nFirst.\n\nSecond.\n\n", "\n"])
def test_a_title_counts_before_the_path_in_force(title: str, words: str) -> None:
    before = f"src/x.py\n{EDIT}\n"
    assert after(f"{before}{title}\n{words}```python\n{ADD}```\n", XY) == {"src/x.py": EDITED, "src/n.py": "new = 1\n"}
    told = f"{before}{title.replace('src/n', 'src/y')}\n{words}```python\n{EDIT}```\n"
    assert after(told, XY) == {"src/x.py": EDITED, "src/y.py": EDITED}


def test_a_title_below_a_section_s_heading_says_no_other_file() -> None:
    reply = f"### File: src/n.py\n\n#### As in `src/x.py`\n\nThe same.\n\n```python\n{ADD}```\n"
    assert after(reply, XY) == {"src/n.py": "new = 1\n"}


@pytest.mark.parametrize("empty", ["", "\n", " \n\n"])
def test_a_sentence_is_enough_to_fill_a_file_without_text(empty: str) -> None:
    files = {**XY, "src/e.py": empty}
    (path,) = after(fenced("Now in `src/e.py`:", ADD), files)
    assert path == "src/e.py"
    assert after(fenced("The file `src/e.py` stays empty; run:", LISTING), files) == {}


def test_a_listing_that_a_person_chose_is_an_edit() -> None:
    parsed = parse("Not to be used as `src/x.py` yet:\n\n```python\na = 9\nb = 2\nc = 3\n```\n")
    snapshot = Snapshot.of(XY)
    (listing,) = with_listings(parsed, snapshot, NO_SYNTAX).unread
    chosen = with_listings(parsed, snapshot, NO_SYNTAX, {listing.line: "src/y.py"})
    assert chosen.unread == ()
    assert plan(chosen, snapshot).files_modified == ("src/y.py",)
