"""Comments that alone stand where code stood."""

from __future__ import annotations

import pytest
from plan_builders import OK, bad, edit, planned, said, whole

from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Code

SUM = "def total(basket):\n    amount = 0\n    for item in basket:\n        amount += item.price\n    return amount\n"
SHOWN = SUM.replace("total(basket)", "total(basket, start)").replace("= 0", "= start")
LOOP = "    for item in basket:\n        amount += item.price\n"


def _shown(comment: str) -> str:
    return SHOWN.replace(LOOP, f"    {comment}\n")


@pytest.mark.parametrize(
    "comment", ["# loop stays here", "# existing sums", "# the loop", "# ditto", "# wie oben auch"]
)
def test_a_comment_alone_in_the_place_of_code_stands_for_it(comment: str) -> None:
    made = planned({"shop.py": SUM}, edit("shop.py", SUM, _shown(comment)))
    assert said(made.results) == [bad(Code.ELIDED)]
    assert comment in (made.results[0].reason or "")


@pytest.mark.parametrize(
    "comment",
    ["# the loop was removed", "# summing moved to the till", "# TODO: sum the items", "# amount += item.price"],
)
def test_a_comment_may_say_that_code_goes(comment: str) -> None:
    assert said(planned({"shop.py": SUM}, edit("shop.py", SUM, _shown(comment))).results) == [OK]


@pytest.mark.parametrize(
    "new",
    [
        "    # as one sum\n    amount = sum(item.price for item in basket)\n",  # new code stands there
        "    # the amount is given\n",  # about the line below
    ],
)
def test_a_comment_about_code_beside_it_is_a_comment(new: str) -> None:
    made = planned({"shop.py": SUM}, edit("shop.py", SUM, SHOWN.replace(LOOP, new)))
    assert said(made.results) == [OK], made.results[0].reason


def test_a_comment_may_take_the_place_of_one_above_the_code_that_goes() -> None:
    file = SUM.replace(LOOP, f"    # prices are summed\n{LOOP}")
    made = planned({"shop.py": file}, edit("shop.py", file, _shown("# no prices yet")))
    assert said(made.results) == [OK], made.results[0].reason


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.ts", "  _count = 0;\n", "  #count = 0;\n"),
        ("a.m", "@class Foo;\n", '#import "Foo.h"\n'),
        ("a.cs", "using System;\nusing System.Linq;\n", "#nullable enable\n"),
        ("a.rs", "extern crate serde;\nextern crate log;\n", "#![deny(warnings)]\n"),
        ("a.sh", "set -e\nset -u\n", "#!/bin/bash -eu\n"),
        ("a.css", ".main,\n.other,\n", "#main,\n"),
        ("a.scss", "  color: red;\n  margin: 0;\n", "  #{$side}: 0;\n"),
        ("b.scss", "  color: red;\n  margin: 0;\n", "  --#{$prefix}side: 0;\n"),
        ("a.php", "  $n = $n - 1;\n  run();\n", "  --$n;\n"),
        ("notes.org", "buy bread\nbuy milk\n", "* Shopping\n"),
    ],
)
def test_what_no_language_has_for_a_comment_but_some_have_for_code_is_code(path: str, old: str, new: str) -> None:
    assert said(planned({path: f"{old}\nend\n"}, edit(path, old, new)).results) == [OK]
    assert said(planned({path: f"{old}end\n"}, edit(path, f"{old}end\n", f"{new}end\n")).results) == [OK]


def test_a_glued_comment_that_is_rewritten_was_no_code() -> None:
    assert said(planned({"a.py": "#sums\nrun()\n"}, edit("a.py", "#sums\n", "# Sums\n")).results) == [OK]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from __future__ import division\n", "# SPDX-License-Identifier: MIT\n"),
        ("    close()\n    stop()  # Private\n", "    # Private\n"),
        ("    log(error)\n    raise\n", "    # ignore\n"),
        ("    Count the prices.\n    Nothing else.\n", "    # Prices\n"),
    ],
)
def test_a_comment_may_stand_for_itself(old: str, new: str) -> None:
    assert said(planned({"shop.py": f"{old}end()\n"}, edit("shop.py", old, new)).results) == [OK]


def test_a_comment_that_the_file_has_stands_for_no_lines() -> None:
    file = "<a>\n<b>one</b>\n<b>two</b>\n<!-- end of the list -->\n</a>\n"
    old, new = file.replace("<!--", "&lt;!--").replace("-->", "--&gt;"), file.replace("<b>one</b>\n<b>two</b>\n", "")
    assert said(planned({"page.html": file}, edit("page.html", old, new)).results) == [OK]
    swap = edit("a.py", "# ends\n", "run()\n"), edit("a.py", "run()\n", "# ends\n")
    assert said(planned({"a.py": "# ends\nx = 1\nrun()\n"}, *swap).results) == [OK, OK]


def test_a_whole_text_is_judged_alike() -> None:
    assert said(planned({"shop.py": SUM}, whole("shop.py", _shown("# the loop"))).results) == [bad(Code.ELIDED)]
    assert said(planned({"shop.py": SUM}, whole("shop.py", _shown("# loop removed"))).results) == [OK]


@pytest.mark.parametrize("comment", ["# nothing to be done for now", "# fine as it stands\n# so leave it", "# ok"])
def test_comments_alone_take_no_codes_place(comment: str) -> None:
    named = Block("udiff", Kind.EDIT, "shop.py", SUM, f"{comment}\n")
    for block in (whole("shop.py", f"{comment}\n"), edit("shop.py", SUM, f"{comment}\n"), named):
        assert said(planned({"shop.py": SUM + "\n\nrun()\n"}, block).results) == [bad(Code.ELIDED)]
    gone = "".join(f"# {line}\n" for line in SUM.splitlines())
    assert said(planned({"shop.py": SUM}, edit("shop.py", SUM, gone)).results) == [OK]
    assert said(planned({"notes.md": "Buy bread.\n"}, whole("notes.md", "# To buy\n")).results) == [OK]
