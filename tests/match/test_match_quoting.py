"""Strings on a line: which marks make one, and what they are where the file has others."""

from __future__ import annotations

import pytest

from dovetail.text.strings import marked, other_marks, same_in_other_marks, strings

STRINGS = {
    "open(\"till\", 'r')": ["till", "r"],
    "x = ''": [""],
    '"""Open the shop."""': ["Open the shop."],
    '"""Open the shop.': [],
    '"""': [],
    'the shop."""': [],
    r'say("a \"till\"")': [r"a \"till\""],
    "don't say 'x'": ["x"],
    "the clerks' own 'x'": ["x"],
    "'it''s'": [],
    "r'a' f\"b\" rb'c'": ["a", "b", "c"],
    "say(`a 'till'`)": ["a 'till'"],
    "say “hi” and ‘x’": ["hi", "x"],
}


@pytest.mark.parametrize("line", STRINGS)
def test_the_strings_of_a_line(line: str) -> None:
    assert [string.text for string in strings(line)] == STRINGS[line]


MARKED = {
    "a plain string": ("open('till')", 'open("till")'),
    "a letter before it": ("open(b'till')", 'open(b"till")'),
    "one that holds the other mark": ("say('\"till\"')", "say('\"till\"')"),
    "one that is filled in": ("say(f'{till}')", "say(f'{till}')"),
    "one with a backslash": (r"say('\n')", r"say('\n')"),
    "one inside another": ("say(`a 'till'`)", "say(`a 'till'`)"),
    "three marks": ("say('''till''')", "say('''till''')"),
    "no string": ("it isn't", "it isn't"),
}


@pytest.mark.parametrize("name", MARKED)
def test_a_string_is_marked_otherwise_where_it_says_the_same(name: str) -> None:
    line, after = MARKED[name]
    assert marked(line, {"'": '"'}) == after


TOLD = {
    "one kind for the other": ([("f('a')", 'f("a")'), ("g('b')", 'g("b")')], {"'": '"'}),
    "both kinds for one": ([("f('a')", 'f("a")'), ("g('b')", "g('b')")], {}),
    "each for the other": ([("f('a', \"b\")", "f(\"a\", 'b')")], {"'": '"', '"': "'"}),
    "lines that say something else": ([("f('a')", 'f("b")')], {}),
    "a string that says something else in other marks": ([("f('$a')", 'f("$a")')], {}),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_marks_the_file_has_for_those_of_the_search(name: str) -> None:
    pairs, expected = TOLD[name]
    assert other_marks(pairs) == expected


def test_lines_that_differ_in_marks_alone() -> None:
    assert same_in_other_marks("f('a', \"b\")", "f(\"a\",  'b')")
    assert same_in_other_marks("f('a')", 'f("a");')
    assert not same_in_other_marks("f('a')", 'f("b")')
    assert not same_in_other_marks("f('$a')", 'f("$a")')
