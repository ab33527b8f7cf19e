"""Replies and files that are costly to read or to match: a table of shapes, each a function of a size.

`SHAPES` maps a name to a function that takes a number of characters and gives a reply of about that length, and the
files that it is planned against. The names say what is repeated. Nothing here is random, so a size gives one case.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Case:
    """A reply, the files by path, and the texts that the model saw where they are not the files'."""

    reply: str
    files: dict[str, str] = field(default_factory=dict)
    seen: dict[str, str] | None = None


Maker = Callable[[int], Case]

FILES = 100  # of a case with many files
_NUMBERED = "    value_{0} = compute(value_{0}, offset={0})\n"


def _filled(unit: str, size: int) -> str:
    """A text of about `size` characters: `unit` again and again, with a count in place of ``{0}``."""
    if "{0}" not in unit:
        return unit * max(1, size // len(unit))
    each = len(unit) + 2
    return "".join(unit.replace("{0}", str(n)) for n in range(max(1, size // each)))


def _repeated(unit: str, before: str = "", after: str = "") -> Maker:
    """A reply that holds nothing but `unit`, again and again."""

    def make(size: int) -> Case:
        return Case(before + _filled(unit, size) + after, {"a.py": _filled(_NUMBERED, 20_000)})

    return make


def block(search: str, replace: str, path: str = "a.py") -> str:
    """One block as a model writes it."""
    return f"{path}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n\n"


def _one_block(search: str, file: str, replace: str = "changed = True\n") -> Case:
    return Case(block(search, replace), {"a.py": file})


def _blocks(make_one: Callable[[int], tuple[str, str, str]], size: int, path: str = "a.py") -> Case:
    """As many blocks of one file as the size has room for.

    make_one: gives search and replacement of a block by its number, and the lines of the file that it is about.
    """
    reply: list[str] = []
    file: list[str] = []
    length = 0
    while length < size:
        search, replace, lines = make_one(len(reply))
        reply.append(block(search, replace, path))
        file.append(lines)
        length += len(reply[-1])
    return Case("".join(reply), {path: "".join(file)})


def _function(n: int) -> str:
    return (
        f"def compute_{n}(alpha, beta):\n    total_{n} = alpha * {n}\n    for item in beta:\n"
        f"        total_{n} += item\n    return total_{n}\n\n\n"
    )


def _elisions(size: int) -> Case:
    """One search of many pieces with a mark for left-out lines between each two."""
    search = _filled("line_{0} = {0}\n...\n", size // 2)
    file = _filled("line_{0} = {0}\nmore_{0} = 1\n", size // 2)
    return _one_block(search, file, search.replace("line_0 =", "line_x =", 1))


def _equal_elisions(size: int) -> Case:
    search = _filled("    item()\n    ...\n", size // 2)
    return _one_block(search, _filled("    item()\n    other()\n", size // 2), search + "    last()\n")


def _elisions_anywhere(size: int) -> Case:
    search = "first()\n...\nlast()\n"
    reply = block(search, search.replace("last", "final")) * (size // 90)
    return Case(reply, {"a.py": "first()\nlast()\n" * 500})


def _alternating(size: int) -> Case:
    """Two lines by turns, in the search as in the file, with one that differs at the end."""
    return _one_block(_filled("alpha()\nbeta()\n", size // 2) + "gamma()\n", _filled("alpha()\nbeta()\n", size // 2))


def _alternating_shifted(size: int) -> Case:
    search = _filled("  alpha()\n  beta()\n", size // 3)
    return _one_block(search, _filled("alpha()\nbeta()\n", size), search + "  gamma()\n")


def _alternating_replacement(size: int) -> Case:
    return _one_block(
        _filled("alpha()\nbeta()\n", size // 2),
        _filled("alpha( )\nbeta( )\n", size // 2),
        _filled("beta()\nalpha()\n", size // 2),
    )


def _alternating_blocks(size: int) -> Case:
    reply = block("alpha()\nbeta()\n" * 20 + "gamma()\n", "delta()\n") * (size // 400)
    return Case(reply, {"a.py": "alpha()\nbeta()\n" * 3_000})


def _same_line(size: int) -> Case:
    return _one_block("same()\n" * (size // 14) + "other()\n", "same()\n" * (size // 7))


def _blank_lines(size: int) -> Case:
    return _one_block("\n" * (size // 2) + "x = 1\n" + "\n" * (size // 2), "\n" * size + "x = 2\n" + "\n" * size)


def _braces(size: int) -> Case:
    return _one_block("}\n" * (size // 4), " }\n" * (size // 2))


def _common_words(size: int) -> Case:
    search = "return the value of the item\n" * (size // 60)
    return _one_block(search + "and the value\n", "return  the value of  the item\n" * (size // 30))


def _misspelt_paths(size: int) -> Case:
    paths = [f"src/package_{n % 30}/module_number_{n}.py" for n in range(3_000)]
    reply = "".join(
        block(f"value_{n} = {n}\n", "x = 1\n", f"src/pakage_{n % 30}/modul_numbr_{n}.py") for n in range(size // 110)
    )
    return Case(reply, dict.fromkeys(paths, "x = 1\n"))


def _misspelt_long_paths(size: int) -> Case:
    files = {"/".join([f"folder_{n}_{k}" for k in range(10)]) + "/file.py": "x = 1\n" for n in range(FILES)}
    reply = "".join(
        block("value = 1\n", "value = 2\n", "/".join([f"foldr_{n}_{k}" for k in range(10)]) + "/fil.py")
        for n in range(size // 180)
    )
    return Case(reply, files)


def _candidate_paths(size: int) -> Case:
    """A block below a sentence that names many files."""
    sentence = " ".join(f"src/module_{n}.py" for n in range(30))
    reply = f"See {sentence}:\n" + block("value = 1\n", "value = 2\n", "In `a.py`:")
    return Case(reply * (size // len(reply) + 1), {f"src/module_{n}.py": f"value = {n}\n" for n in range(FILES)})


def _typos(size: int) -> Case:
    """Each block misspells a word of a line that it does not change."""
    return _blocks(
        lambda n: (
            _function(n).replace("item in", "itm in").strip() + "\n",
            _function(n).replace("item in", "itm in").replace("+= item", "-= item").strip() + "\n",
            _function(n),
        ),
        size,
    )


def _typos_in_short_blocks(size: int) -> Case:
    def one(n: int) -> tuple[str, str, str]:
        file = f"def f_{n}(x):\n    y = x + {n}\n    return y\n"
        search = file.replace("return", "retrun")
        return search, search.replace("x +", "x -"), file

    return _blocks(one, size)


def _shifted_blocks(size: int) -> Case:
    def one(n: int) -> tuple[str, str, str]:
        search = "".join("    " + line for line in _function(n).splitlines(keepends=True)[:5])
        return search, search.replace("+=", "-="), _function(n)

    return _blocks(one, size)


def _exact_blocks(size: int) -> Case:
    return _blocks(lambda n: (_function(n), _function(n).replace("+=", "-="), _function(n)), size)


def _exact_backwards(size: int) -> Case:
    case = _exact_blocks(size)
    file = "".join(reversed(case.files["a.py"].split("\n\n\n")))
    return Case(case.reply, {"a.py": file})


def _missing_blocks(size: int) -> Case:
    return _blocks(lambda n: (_function(n + 1_000_000), "pass\n", _function(n)), size)


def _alike_blocks(size: int) -> Case:
    """Each block is nearly any definition of the file, and exactly none."""
    return _blocks(
        lambda n: (_function(7).replace("total_7", f"sum_{n}"), "pass\n", _function(n).replace(f"_{n}", "_one")), size
    )


def _without_path(size: int) -> Case:
    case = _missing_blocks(size)
    files = {f"src/m{n}.py": "".join(_function(k) for k in range(n, n + 50)) for n in range(FILES)}
    return Case(case.reply.replace("a.py\n", "\n"), files)


def _elsewhere(size: int) -> Case:
    """Each block names one file and has the text of another."""
    files = {f"src/m{n}.py": _function(n) * 20 for n in range(FILES)}
    reply = "".join(
        block(_function(n % FILES) + _function(n), "pass\n", f"src/m{(n + 1) % FILES}.py") for n in range(size // 330)
    )
    return Case(reply, files)


def _equal_blocks(size: int) -> Case:
    return _blocks(lambda _: ("count += 1\n", "count += 2\n", "count += 1\n"), size)


def _blocks_in_pairs(size: int) -> Case:
    """Two blocks quote each text, and make different things of its two places."""
    numbers = range(size // 160)
    reply = "".join(block(f"step_{n} = 1\n", f"step_{n} = {new}\n") for n in numbers for new in (2, 3))
    return Case(reply, {"a.py": "".join(f"step_{n} = 1\n" * 2 for n in numbers)})


def _equal_blocks_one_place(size: int) -> Case:
    return Case(block("count += 1\n", "count += 2\n") * (size // 70), {"a.py": "count += 1\n" + "x = 1\n" * 2_000})


def _uneven_unparsed(size: int) -> Case:
    """Each block finds its lines at two shifts, in a file that does not parse."""

    def one(n: int) -> tuple[str, str, str]:
        search = f"    try:\n        call_{n}()\n    except Error:\n        warn()\n"
        file = f"try:\n    call_{n}()\n    except Error:\n        warn()\n"
        return search, search.replace("warn()", "stop()"), file

    return _blocks(one, size)


def _ambiguous_blocks(size: int) -> Case:
    reply = "".join(block("count += 1\n", f"count += {n}\n") for n in range(size // 75))
    return Case(reply, {"a.py": "count += 1\n" * 5_000})


def _ambiguous_shifted(size: int) -> Case:
    reply = "".join(block("    count += 1\n", f"    count += {n}\n") for n in range(size // 80))
    return Case(reply, {"a.py": "if True:\n  count += 1\n" * 2_000})


def _chained_blocks(size: int) -> Case:
    """Each block edits what the one before it brings in."""
    reply = "".join(block(f"step = {n}\n", f"step = {n + 1}\n") for n in range(size // 70))
    return Case(reply, {"a.py": "step = 0\n" + _filled(_NUMBERED, 100_000)})


def _chained_shifted(size: int) -> Case:
    reply = "".join(block(f"  step = {n}\n", f"  step = {n + 1}\n") for n in range(size // 75))
    return Case(reply, {"a.py": "step = 0\n" + _filled(_NUMBERED, 100_000)})


def _growing(size: int) -> Case:
    reply = "".join(block("end()\n", f"line_{n}()\nend()\n") for n in range(size // 75))
    return Case(reply, {"a.py": "end()\n"})


def _applied_blocks(size: int) -> Case:
    return _blocks(lambda n: (_function(n), _function(n).replace("+=", "-="), _function(n).replace("+=", "-=")), size)


def _deleted_blocks(size: int) -> Case:
    return _blocks(lambda n: (_function(n), "", "" if n % 2 else _function(n)), size)


def _appended(size: int) -> Case:
    reply = "".join(block("", f"line_{n} = {n}\n") for n in range(size // 60))
    return Case(reply, {"a.py": "x = 1\n"})


def _long_line(size: int) -> Case:
    """One line as long as the reply, a part of which is searched, and stands in it often."""
    return _one_block("alpha, beta\n", "alpha, beta, " * (size // 13) + "\n")


def _long_line_call(size: int) -> Case:
    call = {"name": "str_replace", "arguments": {"path": "a.py", "old_string": "alpha, beta", "new_string": "gamma"}}
    return Case(json.dumps(call), {"a.py": "alpha, beta, " * (size // 13) + "\n"})


def _long_line_call_blanks(size: int) -> Case:
    call = {"name": "str_replace", "arguments": {"path": "a.py", "old_string": "alpha,  beta", "new_string": "gamma"}}
    return Case(json.dumps(call), {"a.py": "alpha, beta, " * (size // 13) + "\n"})


def _long_line_typo(size: int) -> Case:
    words = _filled("word{0}, ", size)
    return _one_block(words.replace("word7,", "wrod7,") + "\n", words + "\n", words.replace("word9,", "new9,") + "\n")


def _long_line_changed(size: int) -> Case:
    words = _filled("word{0}, ", size // 2)
    return _one_block(words + "\n", "  " + words.replace(", ", ",") + "\n", words.replace("word9,", "new9,") + "\n")


def _long_line_rewritten(size: int) -> Case:
    words = _filled("word{0}, ", size // 2)
    return _one_block(words + "\n", "  " + words + "\n", " ".join(reversed(words.split())) + "\n")


def _long_equal_words(size: int) -> Case:
    words = "0, 1, " * (size // 12)
    return _one_block(words + "\n", "  " + words + "\n", "1, 0, " * (size // 12) + "\n")


def _long_lines(size: int) -> Case:
    line = _filled("word{0} ", 20_000)
    return _one_block(
        f"{line}\n" * (size // 40_000 + 1) + "x\n",
        f"{line} y\n" * (size // 20_000 + 1),
        f"{line} z\n" * (size // 40_000 + 1),
    )


def _rewritten(size: int) -> Case:
    """A search whose every line is in the replacement, elsewhere."""
    lines = [f"line_{n % 50} = {n % 7}\n" for n in range(size // 26)]
    return _one_block("".join(lines), "".join("  " + line for line in lines), "".join(reversed(lines)))


def _rewrites(size: int) -> Case:
    listing = "a.py\n```python\n" + "".join(_function(n) for n in range(5)) + "```\n\n"
    return Case(listing * (size // len(listing)), {"a.py": "x = 1\n"})


def _elided_listing(size: int) -> Case:
    file = "".join(_function(n) for n in range(size // 130))
    listing = "".join(_function(n) + "# ... rest of the code ...\n" for n in range(0, size // 130, 3))
    return Case(f"a.py\n```python\n{listing}```\n", {"a.py": file})


def _listings(size: int) -> Case:
    listing = "Then the function becomes:\n```python\n" + _function(3) + "```\n\n"
    return Case(listing * (size // len(listing)), {"a.py": "".join(_function(n) for n in range(500))})


def _patch(body: str, path: str = "a.py") -> str:
    return f"*** Begin Patch\n*** Update File: {path}\n{body}*** End Patch\n"


def _patch_chunks(size: int) -> Case:
    chunks = "".join(
        f"@@ def compute_{n}(alpha, beta):\n-        total_{n} += item\n+        total_{n} -= item\n"
        for n in range(size // 90)
    )
    return Case(_patch(chunks), {"a.py": "".join(_function(n) for n in range(size // 90))})


def _patch_equal_chunks(size: int) -> Case:
    return Case(_patch("@@\n-count += 1\n+count += 2\n" * (size // 30)), {"a.py": "count += 1\n" * (size // 30)})


def _patch_context_chunks(size: int) -> Case:
    return Case(_patch("@@\n count += 1\n" * (size // 15)), {"a.py": "count += 1\n" * 3_000})


def _patch_nested_scopes(size: int) -> Case:
    chunk = "@@ class A:\n@@   def f():\n-    y = 1\n+    y = 2\n"
    return Case(_patch(chunk * (size // len(chunk))), {"a.py": "class A:\n  def f():\n    y = 1\n" * 1_000})


def _udiff_hunks(size: int) -> Case:
    hunks = "".join(
        f"@@ -{n * 7 + 1},5 +{n * 7 + 1},5 @@\n def compute_{n}(alpha, beta):\n     total_{n} = alpha * {n}\n"
        f"     for item in beta:\n-        total_{n} += item\n+        total_{n} -= item\n"
        for n in range(size // 170)
    )
    return Case("--- a/a.py\n+++ b/a.py\n" + hunks, {"a.py": "".join(_function(n) for n in range(size // 170))})


def _udiff_equal_hunks(size: int) -> Case:
    hunks = "".join(f"@@ -{n + 5},1 +{n + 5},1 @@\n-count += 1\n+count += {n}\n" for n in range(size // 60))
    return Case("--- a/a.py\n+++ b/a.py\n" + hunks, {"a.py": "count += 1\n" * (size // 60)})


def _udiff_one_hunk(size: int) -> Case:
    body = "".join(f"-old_{n}\n+new_{n}\n" for n in range(size // 16))
    file = "".join(f"old_{n} \n" for n in range(size // 16))
    return Case(f"--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n{body}", {"a.py": file})


def _many_readings(size: int) -> Case:
    """A block with many lines that may be its divider."""
    inside = "".join(f"Title {n}\n=======\n" for n in range(12))
    reply = "".join(block(inside + f"tail {n}\n", "changed\n") for n in range(size // 300))
    return Case(reply, {"a.py": inside * 50})


def _dividers(size: int) -> Case:
    return _one_block("text\n=======\n" * (size // 26), "text\n" * (size // 10), "more\n=======\n" * (size // 26))


def _anchors(size: int) -> Case:
    reply = "".join(
        f"a.py\n<<<<<<< EDIT\nalpha()\n-------\nbeta_{n}()\n=======\ngamma()\n-------\ndelta()\n>>>>>>>\n\n"
        for n in range(size // 90)
    )
    return Case(reply, {"a.py": "alpha()\nbeta()\ndelta()\n" * 2_000})


def _calls(arguments: Callable[[int], dict[str, object]], name: str, file: str, size: int) -> Case:
    reply: list[str] = []
    length = 0
    while length < size:
        reply.append(json.dumps({"name": name, "arguments": {"path": "a.py", **arguments(len(reply))}}) + "\n")
        length += len(reply[-1])
    return Case("".join(reply), {"a.py": file})


def _edit_calls(size: int) -> Case:
    file = "".join(_function(n) for n in range(size // 110))
    return _calls(
        lambda n: {"old_string": f"total_{n} += item", "new_string": f"total_{n} -= item"}, "str_replace", file, size
    )


def _ambiguous_calls(size: int) -> Case:
    return _calls(
        lambda n: {"old_string": "count", "new_string": f"sum_{n}"}, "str_replace", "count += 1\n" * 5_000, size
    )


def _everywhere_calls(size: int) -> Case:
    def arguments(n: int) -> dict[str, object]:
        return {
            "old_string": "count" if n % 2 else "sum",
            "new_string": "sum" if n % 2 else "count",
            "replace_all": True,
        }

    return _calls(arguments, "str_replace", "count += 1\n" * 5_000, size)


def _overlapping_calls(size: int) -> Case:
    return _calls(lambda _: {"old_string": "aaaa", "new_string": "b"}, "str_replace", "a" * 100_000 + "\n", size)


def _line_calls(size: int) -> Case:
    file = "".join(_function(n) for n in range(300))
    return _calls(lambda n: {"insert_line": n % 2_000, "insert_text": f"x = {n}\n"}, "insert", file, size)


def _one_call(text: str, file: str) -> Case:
    call = {"name": "str_replace", "arguments": {"path": "a.py", "old_string": text, "new_string": "changed"}}
    return Case(json.dumps(call), {"a.py": file})


def _escaped_search(size: int) -> Case:
    lines = "".join(f'print("{n}\\\\n")\n' for n in range(size // 20))
    return _one_call(lines.replace("\n", "\\n").replace('"', '\\"'), lines)


def _curly_quotes(size: int) -> Case:
    file = _filled("say('it {0}')\n", size)
    return _one_block(file.replace("'", "\u2019") + "x\n", file, "y\n")


def _entities(size: int) -> Case:
    return _one_block("a &lt; b &amp;&amp; c &gt; d\n" * (size // 30), "a < b && c > d\n" * (size // 30) + "x\n")


def _numbered_lines(size: int) -> Case:
    lines = [f"value_{n} = {n}\n" for n in range(size // 25)]
    search = "".join(f"{n + 1:>6}| {line}" for n, line in enumerate(lines))
    return _one_block(search, "".join(lines) + "x\n", search.replace("value_3 ", "value_x "))


def _combining(size: int) -> Case:
    return _one_block("e\u0301 " * (size // 6) + "\n", "\u00e9 " * (size // 3) + "x\n")


def _deep_indent(size: int) -> Case:
    lines = [" " * n + f"if a{n}:\n" for n in range(int((size * 2) ** 0.5))]
    return _one_block("".join(lines), "".join("\t" + line for line in lines), "".join(lines) + "x\n")


def _wrapped_code(size: int) -> Case:
    """Code whose line breaks differ from the file's."""
    search = _filled("call_{0}(alpha, beta)\n", size)
    return _one_block(search, search.replace("(", "(\n    "), search.replace("beta", "gamma"))


def _many_definitions(size: int) -> Case:
    file = "".join(_function(n) for n in range(size // 115))
    search = _function(5).replace("total_5", "sum_of_all").replace("beta", "items")
    return Case(block(search, "pass\n") * 10, {"a.py": file})


def _lost_definitions(size: int) -> Case:
    """Each block deletes a definition; the other files use them all."""
    case = _blocks(lambda n: (_function(n), "", _function(n)), size)
    uses = "".join(f"compute_{n}(1, [])\n" for n in range(200))
    return Case(case.reply, {**case.files, **{f"use_{n}.py": uses for n in range(FILES)}})


def _masks(size: int) -> Case:
    return _blocks(lambda n: (f"key_{n} = 'abcdef{n}'\n", f"key_{n} = '***'\n", f"key_{n} = 'abcdef{n}'\n"), size)


def _move(n: int, source: str, target: str) -> str:
    return (
        f"*** Begin Patch\n*** Update File: {source}.py\n*** Move to: {target}.py\n"
        f"@@\n-x = {n}\n+x = {n + 1}\n*** End Patch\n"
    )


def _moves(size: int) -> Case:
    reply = "".join(_move(n, "ab"[n % 2], "ba"[n % 2]) for n in range(size // 110))
    return Case(reply, {"a.py": "x = 0\n" + "y = 1\n" * 1_000})


def _move_chain(size: int) -> Case:
    reply = "".join(_move(n, f"f{n}", f"f{n + 1}") for n in range(size // 110))
    return Case(reply, {"f0.py": "x = 0\n" + "y = 1\n" * 1_000})


def _created_and_deleted(size: int) -> Case:
    patch = "*** Begin Patch\n*** Add File: new.py\n+x = 1\n*** Delete File: new.py\n*** End Patch\n"
    return Case(patch * (size // len(patch)), {})


def _new_files(size: int) -> Case:
    return Case("".join(block("", "x = 1\n", f"src/p{n // 50}/m{n}.py") for n in range(size // 75)), {})


def _nested_folders(size: int) -> Case:
    reply = "".join(block("", "x = 1\n", "d/" * (n % 200) + f"m{n}.py") for n in range(size // 270))
    return Case(reply, {})


def _stale(size: int) -> Case:
    case = _exact_blocks(size)
    now = "".join(
        line + ("\n# changed\n" if n % 5 == 0 else "\n") for n, line in enumerate(case.files["a.py"].split("\n"))
    )
    return Case(case.reply, {"a.py": now}, case.files)


def _stale_rewrite(size: int) -> Case:
    seen = "".join(f"line {n % 9}\n" for n in range(size // 8))
    reply = f"a.py\n```python\n{seen.replace('line 3', 'line x')}```\n"
    return Case(reply, {"a.py": seen.replace("line 5", "line y")}, {"a.py": seen})


def _brackets(size: int) -> Case:
    return _one_block("x = 1\n", "x = 1\n" + "(" * size + "\n", "x = 2\n")


def _any_files(size: int) -> Case:
    """Blocks of every kind, over a hundred files."""
    files = {f"src/m{n}.py": "".join(_function(k) for k in range(n, n + 60)) for n in range(FILES)}
    kinds = (
        lambda n: (_function(n), _function(n).replace("+=", "-=")),
        lambda n: (_function(n).replace("item", "itm"), _function(n).replace("item", "itm").replace("+=", "-=")),
        lambda n: (_function(n + 9_999), "pass\n"),
        lambda _: ("    return total\n", "    return None\n"),
    )
    reply = "".join(block(*kinds[n % 4](n % FILES + n % 60), f"src/m{n % FILES}.py") for n in range(size // 300))
    return Case(reply, files)


def _json_nested(size: int) -> Case:
    return Case('{"name": "edit", "arguments": ' + '{"a":' * (size // 5), {"a.py": "x\n"})


def _json_string(size: int) -> Case:
    return Case('{"name": "edit", "arguments": {"old_string": "' + '\\"' * (size // 2), {"a.py": "x\n"})


SHAPES: dict[str, Maker] = {
    # What is read and holds no edit, or none that is whole.
    "fences": _repeated("```\n"),
    "fences with a language": _repeated("```python\n"),
    "fences with a path": _repeated("```python src/a{0}.py\n"),
    "fences of tildes and backticks": _repeated("```\n~~~~\n"),
    "fences of more and more": lambda size: Case("".join("`" * n + "\n" for n in range(3, int((2 * size) ** 0.5)))),
    "indented fences": _repeated("   ```\n\t```py\n"),
    "tags as fences": _repeated("<source>\n"),
    "backslashes in one line": _repeated("\\"),
    "backslashes": _repeated("\\\\\\\\\n"),
    "backslashes before a fence": _repeated("\\```\n"),
    "start markers": _repeated("<<<<<<< SEARCH\n"),
    "start markers with paths": _repeated("a{0}.py\n<<<<<<< SEARCH\n"),
    "start markers with text": _repeated("<<<<<<< SEARCH\nvalue_{0} = 1\n"),
    "dividers": _repeated("=======\n"),
    "end markers": _repeated(">>>>>>> REPLACE\n"),
    "starts and dividers": _repeated("<<<<<<< SEARCH\n=======\n"),
    "dividers in one block": _dividers,
    "starts inside a block": _repeated("<<<<<<< SEARCH\n", "a.py\n<<<<<<< SEARCH\n", "=======\n>>>>>>> REPLACE\n"),
    "markers of five to nine signs": _repeated("<<<<< SEARCH\n<<<<<<<<< SEARCH\n=====\n=========\n>>>>> REPLACE\n"),
    "readings": _many_readings,
    "thoughts": _repeated("<think>\n"),
    "thoughts with blocks": _repeated("<think>\n" + block("x\n", "y\n") + "</think>\n"),
    "tags of calls": _repeated('<invoke name="edit">\n'),
    "tags of parameters": _repeated('<parameter name="path">\n', '<invoke name="edit">\n'),
    "tags in one line": _repeated('<invoke name="edit">'),
    "angle brackets": _repeated("<"),
    "artifact tags": _repeated('<boltArtifact id="a" title="b">\n'),
    "action tags": _repeated('<boltAction type="edit" filePath="a.py">\n', '<boltArtifact id="a" title="b">\n'),
    "open tags of cline": _repeated("<replace_in_file>\n<path>a.py</path>\n<diff>\n------- SEARCH\n"),
    "nested objects": _json_nested,
    "nested lists": _repeated('[{"tool_calls":', '{"name": "edit", "arguments": '),
    "open strings": _json_string,
    "objects that are no calls": _repeated('{"value": {0}}\n'),
    "cut calls": _repeated('{"name": "edit", "arguments": {"path": "a.py", "old_string": "a\n'),
    "braces": _repeated("{"),
    "brackets": _repeated("["),
    "calls in Python": _repeated('edit(path="a.py", old_string="""\n'),
    "open parentheses": _repeated("edit("),
    "calls in JavaScript": _repeated("const p{0} = `*** Begin Patch\n"),
    "here-documents": _repeated("apply_patch <<'EOF{0}'\n*** Begin Patch\n"),
    "call tokens": _repeated("<|tool_call_begin|>edit<|tool_sep|>\n"),
    "patches begun": _repeated("*** Begin Patch\n"),
    "sections of a patch": _repeated("*** Update File: a{0}.py\n", "*** Begin Patch\n"),
    "scopes": _repeated("@@ def f{0}():\n", "*** Begin Patch\n*** Update File: a.py\n"),
    "heads of a diff": _repeated("--- a/a{0}.py\n+++ b/a{0}.py\n"),
    "old heads of a diff": _repeated("--- a/a{0}.py\n"),
    "git heads": _repeated("diff --git a/a{0}.py b/b{0}.py\nrename from a{0}.py\n"),
    "hunk heads": _repeated("@@ -{0},1 +{0},1 @@\n", "--- a/a.py\n+++ b/a.py\n"),
    "headings": _repeated("### File: src/a{0}.py\n"),
    "anchored starts": _repeated("<<<<<<< EDIT\n-------\n"),
    "guillemets": _repeated("\u00ab\u00ab\u00ab EDIT\n"),
    "squares": _repeated("\U0001f7e7\U0001f7e7\U0001f7e7 EDIT\n"),
    "inline commands": _repeated("`rm -rf src/a{0}` "),
    "shell fences": _repeated("```bash\nrm a{0}\n```\n"),
    "paths in prose": _repeated("see `src/a{0}.py` and "),
    "lines of paths": _repeated("src/folder/module_{0}.py\n"),
    "slashes": _repeated("/"),
    "dots": _repeated("."),
    "stars": _repeated("*"),
    "backticks": _repeated("`"),
    "quotes": _repeated("'\""),
    "quote marks": _repeated("> "),
    "dashes": _repeated("- "),
    "letters": _repeated("a"),
    "spaces": _repeated(" ", "", "x\n"),
    "blank lines": _repeated("\n"),
    "carriage returns": _repeated("\r"),
    "line separators": _repeated("\u2028"),
    "combining marks": _repeated("\u0301"),
    "entities": _repeated("&amp;"),
    "marks for left-out lines": _repeated("# ... rest of the code ...\n"),
    "listings": _listings,
    # One edit that is costly to place.
    "elisions": _elisions,
    "equal elisions": _equal_elisions,
    "two lines by turns": _alternating,
    "two lines by turns, shifted": _alternating_shifted,
    "two lines by turns, replaced": _alternating_replacement,
    "one line again and again": _same_line,
    "nothing but blank lines": _blank_lines,
    "closing braces": _braces,
    "common words": _common_words,
    "a long line, part of it searched": _long_line,
    "a long line, part of it called": _long_line_call,
    "a long line, part of it called, blanks": _long_line_call_blanks,
    "a long line misspelt": _long_line_typo,
    "a long line changed": _long_line_changed,
    "a long line rewritten": _long_line_rewritten,
    "a long line of two words": _long_equal_words,
    "long lines": _long_lines,
    "lines in another order": _rewritten,
    "an elided listing": _elided_listing,
    "escapes": _escaped_search,
    "curly quotes": _curly_quotes,
    "entities in a search": _entities,
    "numbers before lines": _numbered_lines,
    "accents in two forms": _combining,
    "deep indentation": _deep_indent,
    "other line breaks": _wrapped_code,
    "a diff of one hunk": _udiff_one_hunk,
    "a stale file, rewritten": _stale_rewrite,
    "open brackets in a file": _brackets,
    # Many edits of one file, or of many.
    "blocks, exact": _exact_blocks,
    "blocks, backwards": _exact_backwards,
    "blocks, shifted": _shifted_blocks,
    "blocks, misspelt": _typos,
    "blocks, misspelt and short": _typos_in_short_blocks,
    "blocks, missing": _missing_blocks,
    "blocks, like any place": _alike_blocks,
    "blocks, without a path": _without_path,
    "blocks of other files": _elsewhere,
    "blocks, equal": _equal_blocks,
    "blocks, equal, with one place": _equal_blocks_one_place,
    "blocks in pairs": _blocks_in_pairs,
    "blocks, uneven, in a file that does not parse": _uneven_unparsed,
    "blocks, ambiguous": _ambiguous_blocks,
    "blocks, ambiguous and shifted": _ambiguous_shifted,
    "blocks, each on the one before": _chained_blocks,
    "blocks, each on the one before, shifted": _chained_shifted,
    "blocks that grow at one place": _growing,
    "blocks made already": _applied_blocks,
    "blocks that delete": _deleted_blocks,
    "blocks that append": _appended,
    "blocks with an elision": _elisions_anywhere,
    "blocks of two lines by turns": _alternating_blocks,
    "blocks of stale files": _stale,
    "blocks with anchors": _anchors,
    "misspelt paths": _misspelt_paths,
    "misspelt long paths": _misspelt_long_paths,
    "paths in a sentence": _candidate_paths,
    "definitions": _many_definitions,
    "definitions lost": _lost_definitions,
    "masked values": _masks,
    "rewrites": _rewrites,
    "chunks": _patch_chunks,
    "chunks, equal": _patch_equal_chunks,
    "chunks of context": _patch_context_chunks,
    "chunks in scopes": _patch_nested_scopes,
    "hunks": _udiff_hunks,
    "hunks, equal": _udiff_equal_hunks,
    "calls": _edit_calls,
    "calls, ambiguous": _ambiguous_calls,
    "calls of every place": _everywhere_calls,
    "calls with places that overlap": _overlapping_calls,
    "calls by line": _line_calls,
    "moves to and fro": _moves,
    "moves in a chain": _move_chain,
    "files made and deleted": _created_and_deleted,
    "new files": _new_files,
    "nested folders": _nested_folders,
    "every kind, a hundred files": _any_files,
}
