"""What the changed lines stand in is read in place of the whole text: it may miss an error, and never makes one up."""

from pathlib import Path
from random import Random

from dovetail.model.text import Span
from dovetail.syntax import default_language
from dovetail.syntax.window import Window

ROOT = Path(__file__).parents[2]
FOLDERS = ("src/dovetail/plan", "src/dovetail/templates", "src/dovetail/web", "page/src", "page/tests")
ENDINGS = {".py", ".ts", ".tsx", ".css", ".html", ".json", ".js", ".toml"}
LONGEST = 8_000  # characters of a file; longer ones show the same, and each edit reads its file whole
MOST_MISSED = 0.05


def broken(random: Random, lines: list[str]) -> list[str]:
    """Some lines as a hasty edit may leave them."""
    lines, at = list(lines), random.randrange(len(lines))
    match random.choice(("lost line", "lost character", "order", "sign", "cut off")):
        case "lost line":
            lines.pop(at)
        case "lost character" if lines[at].strip():
            here = random.randrange(len(lines[at]) - 1)
            lines[at] = lines[at][:here] + lines[at][here + 1 :]
        case "order":
            random.shuffle(lines)
        case "sign":
            lines[at] = lines[at].rstrip("\n") + random.choice("{}()[]:\"'") + "\n"
        case _:
            lines = lines[: len(lines) // 2]
    return lines


def test_random_edits_of_real_files_get_no_error_that_the_whole_text_does_not_have() -> None:
    random, language = Random(4), default_language()  # noqa: S311 - seeded, so that every run tries the same
    errors = missed = 0
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in ENDINGS):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        sound = len(lines) > 1 and len(text) <= LONGEST and language.errors(path.name, text) == ()
        for _ in range(4 if sound else 0):
            first = random.randrange(len(lines) - 1)
            end = first + random.randint(1, min(8, len(lines) - first))
            head, new = "".join(lines[:first]), "".join(broken(random, lines[first:end]))
            after = head + new + "".join(lines[end:])
            whole = language.new_error(path.name, text, after, ())
            near = language.new_error(path.name, text, after, [Span(len(head), len(head) + len(new))])
            # where the grammar sees nothing near the edit, Python's compiler may, and names a line of its own
            assert near in (None, whole) or (path.suffix == ".py" and whole is not None), (path, first, new)
            errors += whole is not None
            missed += whole is not None and near is None
    assert errors > 100
    assert missed < MOST_MISSED * errors


CODE = """\
import { a } from "a";

export function shown(
  one: string,
) {
  const other = one;
  if (one) {
    first();
    second();
  } else if (other) {
    third();
  }
  return one ? (
    <b>{one}</b>
  ) : (
    <i>{other}</i>
  );
}

export const rest = 1;
"""
AROUND_SECOND = """\
export function shown(
) {
  if (one) {
    second();
  } else if (other) {
  }
}
"""
AROUND_OTHER = """\
export function shown(
) {
  return one ? (
    <b>{one}</b>
  ) : (
    <i>{other}</i>
  );
}
"""


def first_piece(line: str) -> str:
    start = CODE.index(line)
    span = Span(start, start + len(line))
    return next(Window(CODE, span).pieces(span))


def test_a_piece_has_the_statement_and_the_heads_and_ends_around_it() -> None:
    assert first_piece("    second();\n") == AROUND_SECOND
    assert first_piece("    <i>{other}</i>\n") == AROUND_OTHER
    assert first_piece("export const rest = 1;\n") == "export const rest = 1;\n"


def test_the_whole_text_is_read_only_for_an_edit_whose_piece_does_not_parse() -> None:
    language = default_language()
    after = CODE.replace("second", "last").replace("rest = 1", "rest = ")  # the second error is not at the edit
    start = after.index("last")
    assert language.new_error("a.tsx", CODE, after, [Span(start, start + 4)]) is None
    assert language.new_error("a.tsx", CODE, after, ()) == 20
    spoiled = CODE.replace("second();", "second(;")
    start = spoiled.index("second")
    assert language.new_error("a.tsx", CODE, spoiled, [Span(start, start + 8)]) == 9


def test_a_piece_of_code_between_tags_is_read_as_code() -> None:
    text = "<?php\nfunction f() {\n    return 1;\n}\n" + "$a = 1;\n" * 5
    after = text.replace("return 1;", "return (;")
    start = after.index("return")
    assert default_language().new_error("a.php", text, after, [Span(start, start + 9)]) == 3


def test_a_string_that_ends_elsewhere_breaks_what_stands_below_it() -> None:
    before = 'TEXT = """\n    one\nIt isn\'t code.\n"""\n'
    after = before.replace("    one\n", '    one\n    """\n')
    at = after.index('    """')
    assert default_language().new_error("a.py", before, after, [Span(at, at + 8)]) == 4


def test_python_that_only_its_compiler_refuses_is_compiled_by_its_block() -> None:
    before = "def f():\n    return 1\n\n\nx = 2\n"
    for after, line in ((before.replace("x = 2", "return 2"), 5), (before.replace("    return 1", "\treturn 1"), None)):
        at = after.index("return 2") if line else after.index("\treturn")
        assert default_language().new_error("a.py", before, after, [Span(at, at + 8)]) == line
    mixed = before.replace("    return 1\n", "        a = 1\n\treturn a\n")
    at = mixed.index("\treturn")
    assert default_language().new_error("a.py", before, mixed, [Span(at, at + 10)]) == 3


def test_definitions_near_a_span_are_read_without_the_rest_of_the_text() -> None:
    text = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n\n\ndef h(:\n"
    at = text.index("return 2")
    near = default_language().definitions_near("a.py", text, [Span(at, at + 8)])
    assert near is not None
    assert [(one.qualified, line) for one, line in near] == [("A", "class A:"), ("A.g", "    def g(self):")]
    at = text.index("def h")
    assert default_language().definitions_near("a.py", text, [Span(at, at + 7)]) is None


def test_a_document_has_no_error_whatever_its_grammar_says() -> None:
    before, after = "# a\n", "| a |\n|--\n\n***\n[x](\n<div\n"
    assert default_language().errors("a.md", after)
    assert default_language().new_error("a.md", before, after, ()) is None
