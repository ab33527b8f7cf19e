"""Edits that name their place: where numbers are believed, and which bytes change."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from dovetail.formats import parse
from dovetail.model.codes import Code, Status
from dovetail.model.policy import DEFAULT_POLICY
from dovetail.model.results import Plan
from dovetail.session.apply.library import plan_for
from dovetail.text.line_hashes import fits, xxh32
from dovetail.text.notebook import Notebook

TEXT = "".join(f"line {n}\n}}\n" for n in range(1, 10))


def planned(call: object, files: Mapping[str, str], seen: Mapping[str, str] | None = None) -> Plan:
    return plan_for(parse(json.dumps(call)), files, DEFAULT_POLICY, seen)


def by_line(first: int, last: int, new: str) -> dict[str, object]:
    return {
        "name": "replace_lines",
        "arguments": {"path": "a.txt", "start_line": first, "end_line": last, "new_text": new},
    }


@pytest.mark.parametrize("last", [0, 1, 2, 4])
@pytest.mark.parametrize("first", range(1, 19))
def test_every_range_of_a_known_text_is_replaced_and_nothing_else(first: int, last: int) -> None:
    lines = TEXT.splitlines(keepends=True)
    end = min(first + last, len(lines))
    (change,) = planned(by_line(first, end, "new\nlines"), {"a.txt": TEXT}, {"a.txt": TEXT}).changes
    assert change.after == "".join([*lines[: first - 1], "new\nlines\n", *lines[end:]])


@pytest.mark.parametrize("line", range(19))
def test_lines_are_inserted_behind_the_line_that_is_named(line: int) -> None:
    call = {"command": "insert", "path": "a.txt", "insert_line": line, "insert_text": "}\nnew\n"}
    lines = TEXT.splitlines(keepends=True)
    (change,) = planned(call, {"a.txt": TEXT}, {"a.txt": TEXT}).changes
    assert change.after == "".join([*lines[:line], "}\nnew\n", *lines[line:]])


@pytest.mark.parametrize("seen", [None, {"other.txt": TEXT}])
def test_a_number_alone_proves_nothing(seen: Mapping[str, str] | None) -> None:
    (result,) = planned(by_line(3, 3, "x"), {"a.txt": TEXT}, seen).results
    assert (result.status, result.code) == (Status.FAILED, Code.UNPROVEN_PLACE)


def test_a_line_without_letters_is_not_proved_by_its_hash() -> None:
    byte = xxh32(b"}") & 0xFF
    edit = {"op": "append", "pos": f"4:{byte:02x}", "lines": ["new"]}
    (result,) = planned({"path": "a.txt", "edits": [edit]}, {"a.txt": TEXT}).results
    assert result.code is Code.UNPROVEN_PLACE
    assert planned({"path": "a.txt", "edits": [edit]}, {"a.txt": TEXT}, {"a.txt": TEXT}).changes


def test_a_name_that_nothing_has_is_answered_with_the_functions_and_classes_that_there_are() -> None:
    call = {"name": "replace_symbol_body", "arguments": {"name_path": "shut", "relative_path": "a.ts", "body": "x"}}
    files = {"a.ts": "type Bell = string;\nfunction ring() {\n  go();\n}\nclass Quay {\n  size = 1;\n}\n"}
    (result,) = planned(call, files).results
    assert result.reason == "`a.ts` has no definition `shut` of a function or a class. It has `ring`, `Quay`."


def test_line_ends_and_a_missing_last_newline_are_kept() -> None:
    before = TEXT.replace("\n", "\r\n").removesuffix("\r\n")
    (change,) = planned(by_line(3, 3, "new"), {"a.txt": before}, {"a.txt": before}).changes
    assert change.after == before.replace("line 2", "new")


@pytest.mark.parametrize(
    ("data", "seed", "expected"),
    [(b"", 0, 0x02CC5D05), (b"a", 0, 0x550D7456), (b"Nobody inspects the spammish repetition", 0, 0xE2293B2F)],
)
def test_the_hash_is_the_published_one(data: bytes, seed: int, expected: int) -> None:
    assert xxh32(data, seed) == expected


def test_a_hash_fits_its_line_whatever_its_blanks_and_no_other() -> None:
    shown = f"{xxh32(b'return1') & 0xFF:02x}"
    assert fits(shown, "    return 1", 3)
    assert fits(shown, "return  1  ", 8)
    assert not fits(shown, "    return 2", 3)


CELLS = [
    {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# T\n", "text"]},
    {"cell_type": "code", "execution_count": 1, "id": "b", "metadata": {}, "outputs": [], "source": "x = 1"},
]
NOTEBOOK = {"cells": CELLS, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.mark.parametrize("indent", [1, 2, 4, "\t", None], ids=str)
@pytest.mark.parametrize("cell", ["a", "b"])
@pytest.mark.parametrize("mode", ["replace", "insert", "delete"])
def test_only_the_cell_changes_however_the_notebook_is_laid_out(mode: str, cell: str, indent: int | str | None) -> None:
    before = json.dumps(NOTEBOOK, indent=indent)
    arguments = {"notebook_path": "n.ipynb", "cell_id": cell, "new_source": "y = 'é'\nz", "edit_mode": mode}
    (change,) = planned({"name": "NotebookEdit", "arguments": arguments}, {"n.ipynb": before}).changes
    after, at = json.loads(change.after or ""), "ab".index(cell)
    wanted = json.loads(before)
    if mode == "delete":
        del wanted["cells"][at]
    elif mode == "replace":
        wanted["cells"][at]["source"] = ["y = 'é'\n", "z"] if cell == "a" else "y = 'é'\nz"
    else:
        assert after["cells"][at + 1]["source"] == ["y = 'é'\n", "z"]
        wanted["cells"].insert(at + 1, after["cells"][at + 1])
    assert change.after == json.dumps(wanted, indent=indent, ensure_ascii=False)


@pytest.mark.parametrize("raw", ["", "[]", "{}", '{"cells": {}}', '{"cells": [', '{"cells": [1]}', '{"cells": [{}] x'])
def test_what_is_no_notebook_is_refused(raw: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Notebook(raw)
    arguments = {"notebook_path": "n.ipynb", "cell_id": "a", "new_source": "y"}
    made = planned({"name": "NotebookEdit", "arguments": arguments}, {"n.ipynb": raw})
    assert not made.changes
    assert made.failed
