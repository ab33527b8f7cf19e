"""Files that a formatter has been over: the search has another layout, and tokens that the file has not."""

from __future__ import annotations

import pytest

from dovetail.match import Document, Match, Needle, locate
from dovetail.model.codes import Tier
from dovetail.model.text import apply_edits
from dovetail.syntax import default_language


def land(file: str, search: str, replace: str, path: str) -> str | None:
    outcome = locate(Document(file), Needle(search, replace), language=default_language(), path=path)
    if not isinstance(outcome, Match):
        return None
    assert outcome.tier is Tier.SYNTAX
    return apply_edits(file, outcome.edits)


ADMINS = """\
const first = 1;
const view = (
  <Select
    value={room.owners.map((owner) => owner.name())}
    onChange={(event) => {
      save({
        ...room,
        owners: event.names.map((name) => find(name)),
      });
    }}
  />
);
"""
QUOTED = """\
  <Select
    value={room.owners.map(owner => owner.name())}
    onChange={event => {
      save({ ...room, owners: event.names.map(name => find(name)) })
    }}
  />
"""


def test_kept_lines_keep_what_the_formatter_made_of_them() -> None:
    found = land(ADMINS, QUOTED, QUOTED.replace("  />", "    wide\n  />"), "a.tsx")
    assert found == ADMINS.replace("  />", "    wide\n  />")


def test_a_statement_that_is_changed_is_laid_out_as_in_the_reply() -> None:
    found = land(ADMINS, QUOTED, QUOTED.replace("find(name)", "seek(name)"), "a.tsx")
    assert found is not None
    assert "      save({ ...room, owners: event.names.map(name => seek(name)) })\n    }}\n  />\n);\n" in found
    assert found.startswith(ADMINS[: ADMINS.index("      save")])


BROKEN = """\
function view(room) {
  return (
    <ul>
      <li>{room.name}</li>
      <li>{room.size}</li>
    </ul>
  );
}
"""
PLAIN = """\
function view(room) {
  return <ul>
      <li>{room.name}</li>
      <li>{room.size}</li>
    </ul>
}
"""


def test_brackets_stay_where_the_edit_takes_what_is_inside() -> None:
    found = land(BROKEN, PLAIN, PLAIN.replace("room.size", "room.rank"), "a.jsx")
    assert found == BROKEN.replace("room.size", "room.rank")


def test_brackets_go_together() -> None:
    for old, new in (("return <ul>", "return <ol>"), ("    </ul>", "    </ol>")):
        found = land(BROKEN, PLAIN, PLAIN.replace(old, new), "a.jsx")
        assert found is not None
        assert found.count("(") == found.count(")") == BROKEN.count("(") - 1


def test_brackets_that_the_file_has_not_come_whole() -> None:
    found = land(PLAIN, BROKEN, BROKEN.replace("      <li>{room.size}</li>\n", ""), "a.jsx")
    assert found == BROKEN.replace("      <li>{room.size}</li>\n", "")


def test_a_text_between_tags_may_be_broken_elsewhere() -> None:
    file = "const note = (\n  <p>\n    one two three\n    four five <b>six</b>\n  </p>\n);\nshow(note, one, two);\n"
    search = file.replace("three\n    four", "three four")
    assert land(file, search, search.replace("show(", "hide("), "a.tsx") == file.replace("show(", "hide(")


ENDED = "const a = one(two, three);\nconst b = four(five, six);\ndone(a, b);\n"
OPEN = ENDED.replace(";", "")


def test_semicolons_that_the_ends_of_lines_make_needless_may_come_or_go() -> None:
    for file, search in ((ENDED, OPEN), (OPEN, ENDED)):
        first = "\n".join(search.split("\n")[:2]) + "\n"
        assert land(file, first, first.replace("two", "seven"), "a.js") == file.replace("two", "seven")


def test_lines_that_would_be_one_with_those_beside_them_do_not_land() -> None:
    search = ENDED.partition("\n")[2]
    assert land(OPEN, search, search.replace("const b", "[b]"), "a.js") is None
    assert land(OPEN, search, search.replace("const b", "let b"), "a.js") == OPEN.replace("const b", "let b")


@pytest.mark.parametrize(
    ("file", "search"),
    [
        ("if (ready(a, b, c)) stop(a, b);\n", "if (ready(a, b, c));\nstop(a, b);\n"),
        ("f = items.map((a) => ({ b: a, c: a }));\n", "f = items.map(\n  (a) => { b: a, c: a });\n"),
        ("f(one(a, b), (c, d), e, f);\n", "f(one(a, b),\n c, d, e, f);\n"),
        ("f = (one(a) || two(b)) && three(c);\n", "f = one(a) || two(b)\n && three(c);\n"),
        ("g = [one(a, b), two(c),,\n];\n", "g = [one(a, b),\n two(c),];\n"),
    ],
)
def test_what_means_something_else_is_another_place(file: str, search: str) -> None:
    assert land(file + "end(1)\n", search, search.replace("a", "z", 1), "a.js") is None


PYTHON = """\
def owed(items, rate):
    if (
        items.ready
        and rate.known
    ):
        return sum(item.price for item in items)
    return None
"""
FLAT = PYTHON.replace("if (\n        items.ready\n        and rate.known\n    ):", "if items.ready and rate.known:")


def test_brackets_around_a_condition_may_come_or_go() -> None:
    assert land(PYTHON, FLAT, FLAT.replace("None", "0"), "a.py") == PYTHON.replace("None", "0")
    assert land(FLAT, PYTHON, PYTHON.replace("None", "0"), "a.py") == FLAT.replace("None", "0")
    for file, search in ((PYTHON, FLAT), (FLAT, PYTHON)):
        wanted = search.replace("rate.known", "rate.fixed")
        assert land(file, search, wanted, "a.py") == wanted


@pytest.mark.parametrize(
    ("file", "search"),
    [
        ("x = [(f(a, b) for a in c)]\n", "x = [\n    f(a, b) for a in c\n]\n"),
        ("x = one(a, b) in (two(c) or d)\n", "x = one(a,\n    b) in two(c) or d\n"),
        ("x = (one(a, b), (two(c),), d)\n", "x = (one(a, b),\n    (two(c)), d)\n"),
        ("assert (one(a, b), two(c, d))\n", "assert one(a, b), \\\n    two(c, d)\n"),
    ],
)
def test_brackets_that_mean_something_count(file: str, search: str) -> None:
    assert land(file + "end(1)\n", search, search.replace("a", "z"), "a.py") is None


COMPONENT = """\
<template>
  <p class="note">{{ title }}</p>
</template>

<script setup lang="ts">
import { ref } from "vue";

const props = defineProps({
  title: { type: String, required: false },
  rows: { type: Array, default: () => [] },
});
const chosen = ref(props.rows[0]);
</script>

<style scoped>
.note {
  color: #ffaa00;
  margin: 0.5em;
}
</style>
"""
SCRIPT = """\
  const props = defineProps({ title: { type: String, required: false }, rows: { type: Array, default: () => [] } })
  const chosen = ref(props.rows[0])
"""
STYLE = ".note {\n    color: #FFAA00; margin: .5em }\n"


def test_a_script_inside_of_markup_is_code() -> None:
    found = land(COMPONENT, SCRIPT, SCRIPT + "  const other = ref(null)\n", "a.vue")
    assert found == COMPONENT.replace("</script>", "const other = ref(null)\n</script>")


def test_a_script_inside_of_markup_that_says_something_else_is_no_place() -> None:
    other = SCRIPT.replace("rows[0]", "rows[1]")
    assert land(COMPONENT, other, other + "  const other = ref(null)\n", "a.vue") is None


def test_a_style_inside_of_markup_is_code() -> None:
    found = land(COMPONENT, STYLE, STYLE + ".other { color: red }\n", "a.vue")
    assert found == COMPONENT.replace("}\n</style>", "}\n.other { color: red }\n</style>")


SHELL = """\
set -e
if [ -f "$1" ]; then
  echo "one file"
  count=1
fi
exit 0
"""
WRITTEN = """\
if [ -f "$1" ]
then
    echo 'one file'; count=1
fi
"""


def test_a_semicolon_and_the_end_of_a_line_part_commands_alike() -> None:
    assert land(SHELL, WRITTEN, WRITTEN + "echo done\n", "a.sh") == SHELL.replace("fi\n", "fi\necho done\n")


def test_words_of_one_command_are_not_two_commands() -> None:
    joined = SHELL.replace('"one file"\n  count', '"one file" count')
    assert land(joined, WRITTEN, WRITTEN + "echo done\n", "a.sh") is None


LISTS = """\
<?php
function rows() {
    return ["id" => 1, "name" => "", "rows" => []];
}
"""


def test_a_list_has_two_names() -> None:
    search = "    return array(\n        'id' => 1,\n        'name' => '',\n        'rows' => array(),\n    );\n"
    found = land(LISTS, search, "    check();\n" + search, "a.php")
    assert found == LISTS.replace("    return", "    check();\n    return")


def test_a_list_that_the_search_has_by_its_other_name_keeps_the_files() -> None:
    search = "    return array(\n        'id' => 1,\n        'name' => '',\n        'rows' => array(),\n    );\n"
    file = search.replace("array(", "[").replace("),\n    )", "],\n    ]").replace("'", '"')
    assert land(f"<?php\n{file}", search, search.replace("return array(", "yield array("), "a.php") == (
        f"<?php\n{file}".replace("return", "yield")
    )


def test_texts_of_few_tokens_prove_a_place_by_their_words() -> None:
    file = "- name: 'Copy the file of each host to its folder'\n  when: ready\n- name: Other\n"
    search = '- name: "Copy the file of each host to its folder"\n  when: ready\n'
    assert land(file, search, search + "  become: true\n", "a.yml") == file.replace(
        "ready\n", "ready\n  become: true\n"
    )
