"""Lines → path candidates, surest first (rule 5)."""

from __future__ import annotations

import pytest

from dovetail.formats.paths.forms import Form, as_line, in_line, normalise
from dovetail.formats.paths.info import in_info

BEST = {
    "src/app.py": "src/app.py",
    "**src/app.py**": "src/app.py",
    "`src/app.py`": "src/app.py",
    "**`src/app.py`**:": "src/app.py",
    "### src/app.py": "src/app.py",
    "### File: src/app.py": "src/app.py",
    "File: `src/app.py`": "src/app.py",
    "// src/app.js": "src/app.js",
    "# app.py": "app.py",
    "/* src/a.css */": "src/a.css",
    "<!-- index.html -->": "index.html",
    "(src/app.py)": "src/app.py",
    "(shop)/cart/page.tsx": "(shop)/cart/page.tsx",
    "<file>src/app.py</file>": "src/app.py",
    "<path>src/app.py</path>": "src/app.py",
    "- src/app.py": "src/app.py",
    "2. src/app.py:": "src/app.py",
    '"src/app.py"': "src/app.py",
    "./src//app.py": "src/app.py",
    "src\\win\\app.py": "src/win/app.py",
    "C:\\code\\my app\\main.py": "C:/code/my app/main.py",
    "/home/me/app.py": "/home/me/app.py",
    "`dir with spaces/notes.txt`": "dir with spaces/notes.txt",
    "### File: my file.py": "my file.py",
    "**File: my file.py**": "my file.py",
    "**File:** `src/app.py`": "src/app.py",
    "File 2: src/app.py": "src/app.py",
    "Step 2: src/app.py": "src/app.py",
    "[src/app.py](src/app.py)": "src/app.py",
    "[app.py](src/app.py)": "src/app.py",
    "[app/(shop)/[id]/page.tsx](app/(shop)/[id]/page.tsx)": "app/(shop)/[id]/page.tsx",
    "Now in [`page.tsx`](app/(shop)/[id]/page.tsx):": "app/(shop)/[id]/page.tsx",
    "In `requirements/base.in`:": "requirements/base.in",
    "In `Pages\\Home.razor`:": "Pages/Home.razor",
    "In `src/app.py:`": "src/app.py",
    "[src/app.py](https://example.org/x/app.py)": "src/app.py",
    "📄 src/app.py": "src/app.py",
    "**📄 `src/app.py`**": "src/app.py",
    "1️⃣ src/app.py": "src/app.py",
    "(new) src/app.ts": "src/app.ts",
    "<file path='src/app.py'>": "src/app.py",
    "<file name='src/app.py'>": "src/app.py",
    '<document index="1" path="my docs/a.md">': "my docs/a.md",
    "=== src/app.py ===": "src/app.py",
    "==> src/app.py <==": "src/app.py",
    "src/app.py#L3-L9": "src/app.py",
    "src/app.py - the current code": "src/app.py",
    "src/app.py (new file)": "src/app.py",
    "src/app.py:12-20": "src/app.py",
    ".gitignore": ".gitignore",
    "config/.env.local": "config/.env.local",
    "Makefile": "Makefile",
    "LICENSE": "LICENSE",
    "__src/app.py__": "src/app.py",
    "_src/new.py_": "src/new.py",
    "__a.py__": "a.py",
    "__`a.py`__:": "a.py",
    "- _a_b.test.ts_": "a_b.test.ts",
    "### __src/Makefile__": "src/Makefile",
    "__File: src/a.py__": "src/a.py",
    "_a.py_ (new file)": "a.py",
    "Now in __src/a.py__:": "src/a.py",
    "____init__.py__": "__init__.py",
    "__init__.py": "__init__.py",
    "__main__.py": "__main__.py",
    "_private.py": "_private.py",
    "src/__init__.py": "src/__init__.py",
    "__tests__/x.js": "__tests__/x.js",
    "- __tests__/__mocks__": "__tests__/__mocks__",
    "_layouts/page_.html": "_layouts/page_.html",
    "app/(shop)/[id]/page.tsx": "app/(shop)/[id]/page.tsx",
    "app/[[...slug]]/page.tsx": "app/[[...slug]]/page.tsx",
    "`{{ box.name }}/setup.py`": "{{ box.name }}/setup.py",
    "Now update `src/app.py`:": "src/app.py",
    "Changes to Dockerfile:": "Dockerfile",
    "Changes to the .gitignore file:": ".gitignore",
    "Put this into .env.local, please:": ".env.local",
    "Now add to ./src/app.py:": "src/app.py",
    "Diff summary for `main.cpp`:": "main.cpp",
    "Datei: src/größe.py": "src/größe.py",
    "### Neue Datei: src/a.py": "src/a.py",
    "„src/a.py“": "src/a.py",
    "Fichier : « src/a.py »": "src/a.py",
    "В файле «src/a.py» замените:": "src/a.py",
    "**文件路径**：`src/a.py`": "src/a.py",
    "【src/a.py】": "src/a.py",
    "（src/a.py）": "src/a.py",
    "src/a.py：": "src/a.py",
    "\u200fالملف: `src/a.py`\u200f": "src/a.py",
    "src/a.py\u200b": "src/a.py",
}


@pytest.mark.parametrize(("line", "path"), BEST.items(), ids=BEST.keys())
def test_the_best_candidate_of_a_line(line: str, path: str) -> None:
    assert in_line(line)[0].path == path


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "}",
        "{",
        "};",
        "Here is the change.",
        "First, second and third.",
        "***",
        "x" * 500,
        "Now call `handle.click`:",
        "Set `user.theme` to `dark`:",
        "Change all .py files and the license:",
        "And so on ... until then.",
        "</answer>",
        "  </old_text>",
    ],
)
def test_what_is_no_path_gives_no_candidate(line: str) -> None:
    assert in_line(line) == ()


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("python", Form.LANGUAGE),
        ("data/day=1/a.csv", Form.ODD),
        ("Example", Form.WORD),
        ("html/css", Form.WORD),
        ("SEARCH/REPLACE", Form.WORD),
        ("DOCS/README", Form.STRONG),
        ("docker/Dockerfile", Form.STRONG),
        ("`cache`", Form.NAMED),
        ("File: CNAME", Form.SPACED),
        ("<file path='hooks'>", Form.SPACED),
        ("see `a/b.py` and more", Form.INSIDE),
        ("Here is main.py:", Form.MENTION),
        ("a/b.py", Form.STRONG),
        ("git.1", Form.STRONG),
        ("v1.2.3", Form.WORD),
        ("《a/b.py》", Form.STRONG),
        ("`my file.py`", Form.SPACED),
        ("a/b.py (new file)", Form.SPACED),
        ("a/b.py (updated)", Form.SPACED),
        ("a/b.py (new function)", Form.REMARKED),
        ("**a/b.py** – updated imports:", Form.REMARKED),
        ("a/b.py - full version", Form.SPACED),
        ("a/b.py - the main entry", Form.REMARKED),
        ("a/b.py:30-31", Form.QUOTED),
        ("a/b.py#L30", Form.QUOTED),
        ("a/b.py (lines 30-31)", Form.QUOTED),
        ("a/b.py (before)", Form.QUOTED),
        ("a/b.py (updated section)", Form.QUOTED),
        ("#### `a/b.py` (excerpt)", Form.QUOTED),
        ("$ cat src/a.ts", Form.MENTION),
    ],
)
def test_how_sure_a_form_is(line: str, form: Form) -> None:
    assert in_line(line)[0].form is form


@pytest.mark.parametrize(
    "path",
    [
        "cafe\u0301.txt",
        "\u0939\u093f\u0928\u094d\u0926\u0940.txt",
        "\u0e14\u0e35\u0e48.txt",
        "src/e\u0301",
        "a/\u05e2\u05b4\u05d1\u05b0.md",
    ],
)
def test_accents_and_vowel_signs_that_stand_alone_are_parts_of_a_name(path: str) -> None:
    for line in (path, f"`{path}`", f"### File: {path}", f"**{path}**:"):
        assert in_line(line)[0].path == path
        assert in_line(line)[0].form >= (Form.ODD if "\u0e14" in path and line == path else Form.SPACED)
    assert in_line("\u2699\ufe0f a.py")[0].path == "a.py"


SENTENCES = {
    "Update src/x.py:": "src/x.py",
    "In file src/n.py:": "src/n.py",
    "**Here is the updated src/a.ts**": "src/a.ts",
    "create mode 100644 src/a.ts": "src/a.ts",
    "# Changes in src/x.py (lines 3-9)": "src/x.py",
    "my file.py": "file.py",
    "Now edit `my file.py`:": "file.py",
    "Run `python main.py`:": "main.py",
    "dir with spaces/notes.txt": "spaces/notes.txt",
}


@pytest.mark.parametrize(("line", "word"), SENTENCES.items(), ids=SENTENCES.keys())
def test_words_with_blanks_may_be_a_sentence_that_ends_with_a_path(line: str, word: str) -> None:
    first, second = in_line(line)
    assert (first.path, first.form) == (word, Form.MENTION)
    assert second.form is Form.PHRASE
    assert second.path.endswith(f" {word}")


@pytest.mark.parametrize(
    "path", ["a.py", "my docs/a b.txt", "make notes/x.md", "php", "Makefile", "config", "my file.py"]
)
def test_a_line_for_a_path_is_read_back(path: str) -> None:
    assert in_line(as_line(path))[0].path == path


def test_other_spellings_are_kept_behind_the_best() -> None:
    assert [c.path for c in in_line("# notes.md")] == ["notes.md"]
    assert [c.path for c in in_line("odd\\name.txt")] == ["odd/name.txt", "odd\\name.txt"]
    assert "#notes.md" in [c.path for c in in_line("#notes.md")]


INFO = {
    "": ("", None),
    "python": ("python", None),
    "python:src/a.py": ("python", "src/a.py"),
    "edit:src/a.py": ("edit", "src/a.py"),
    "src/a.py": ("", "src/a.py"),
    "python src/a.py": ("python", "src/a.py"),
    'js title="src/a.js"': ("js", "src/a.js"),
    'js title="Example"': ("js", None),
    'sh title="In a terminal"': ("sh", None),
    'js title="Example" file="src/a.js"': ("js", "src/a.js"),
    'dockerfile title="Dockerfile"': ("dockerfile", "Dockerfile"),
    'text filename="notes"': ("text", "notes"),
    "tsx filename=app/(x)/page.tsx": ("tsx", "app/(x)/page.tsx"),
    'js classname="src/a.js"': ("js", None),
    'js data-file="src/a.js"': ("js", None),
    "js {path=src/a.js}": ("js", "src/a.js"),
    "{.js file=src/a.js, lines=3}": ("js", "src/a.js"),
    "tsx path={src/a.tsx}": ("tsx", "src/a.tsx"),
    "ts path=src/{{name}}.ts": ("ts", "src/{{name}}.ts"),
    "js {title=}": ("js", None),
    'python src/a.py linenums="1" hl_lines="2 3"': ("python", "src/a.py"),
    "js src/a.js {1,3-5}": ("js", "src/a.js"),
    "js {1,3-5}": ("js", None),
    "C++": ("c++", None),
    "python {1,3}": ("python", None),
    "python (src/a.py)": ("python", "src/a.py"),
    "python src/a.py (new)": ("python", "src/a.py"),
    "python src/a.py (lines 3-9)": ("python", "src/a.py"),
    "ts:src/a.ts:3-9": ("ts", "src/a.ts"),
    "src/a.ts#L3-L9": ("", "src/a.ts"),
    "12:15:src/a.ts": ("", "src/a.ts"),
    'ts title="src/a.ts:3"': ("ts", "src/a.ts"),
    "ts:14": ("ts", None),
    "Dockerfile": ("dockerfile", None),
    "dockerfile Dockerfile": ("dockerfile", "Dockerfile"),
    "makefile python": ("makefile", None),
    "text the output": ("text", None),
}


@pytest.mark.parametrize(("info", "expected"), INFO.items(), ids=lambda value: str(value))
def test_info_strings(info: str, expected: tuple[str, str | None]) -> None:
    assert in_info(info) == expected


@pytest.mark.parametrize(
    ("path", "clean"), [("./a//b/./c.py", "a/b/c.py"), ("/a/b", "/a/b"), ("..\\a", "../a"), (" a ", "a"), ("", "")]
)
def test_separators_are_made_one(path: str, clean: str) -> None:
    assert normalise(path) == clean


def test_a_label_before_a_colon_of_any_width_is_no_part_of_a_name() -> None:
    assert in_info("python：a/b.py") == ("python", "a/b.py")
