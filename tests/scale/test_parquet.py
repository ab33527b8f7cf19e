"""Parquet in and out on one machine: the answers of JSON Lines, in every shape of column, also after an interruption."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import answers, batch, case, done, lines
from dovetail.model.errors import UsageError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

CASES = [
    {**case("text"), "seen": None, "policy": None, "root": None},
    {
        **case("policy"),
        "seen": {"a.txt": "before\n"},
        "policy": {"on_failure": "block", "tiers": ["exact"]},
        "root": "/w",
    },
    {**case("wrong"), "seen": None, "policy": {"format": "nonsense"}, "root": None},
]
TEXTS = pa.map_(pa.string(), pa.string())
POLICY = pa.struct({"on_failure": pa.string(), "tiers": pa.list_(pa.string()), "format": pa.string()})
SHAPES = {
    "maps": {"files": TEXTS, "seen": TEXTS, "policy": POLICY},
    "structs": {"files": pa.struct({"a.txt": pa.string(), "none.txt": pa.string()}), "policy": POLICY},
    "JSON": {"files": pa.string(), "seen": pa.string(), "policy": pa.string()},
}


def table(cases: list[dict[str, Any]], shapes: dict[str, Any]) -> pa.Table:
    def shaped(name: str, value: object) -> object:
        if value is None or name not in shapes:
            return value
        if shapes[name] == pa.string():
            return json.dumps(value)
        return list(value.items()) if shapes[name] == TEXTS and isinstance(value, dict) else value

    columns = {name: [shaped(name, one.get(name)) for one in cases] for name in cases[0]}
    return pa.table({name: pa.array(values, type=shapes.get(name)) for name, values in columns.items()})


def rows(path: Path) -> list[dict[str, Any]]:
    """Answers in Parquet, as they are in JSON Lines."""
    found = []
    for row in pq.read_table(path).to_pylist(maps_as_pydicts="strict"):
        answer = {key: value for key, value in row.items() if key == "id" or (value is not None and key != "seconds")}
        texts = ("results", "shell_suggestions", "diagnostics")
        found.append({**answer, **{key: json.loads(answer[key]) for key in texts if key in answer}})
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_answers_are_those_of_json_lines_whatever_the_shape_of_the_columns(
    watched: Path, tmp_path: Path, shape: str
) -> None:
    cases = [{key: one[key] for key in one if shape != "structs" or key != "seen"} for one in CASES]
    (tmp_path / "cases.jsonl").write_text(lines(cases))
    pq.write_table(table(cases, SHAPES[shape]), tmp_path / "cases.parquet")
    for given in ("jsonl", "parquet"):
        for made in ("jsonl", "parquet"):
            words = ["--in", tmp_path / f"cases.{given}", "--out", tmp_path / f"{given}.{made}", "--jobs", "2"]
            assert done(batch(watched, *words)) == "1 line could not be answered; the `error` of each says why.\n"
    expected = answers([tmp_path / "jsonl.jsonl"])
    assert [answer.get("files") for answer in expected[:2]] == [
        {"a.txt": CASES[0]["files"]["a.txt"].replace("line 7 of text", "changed")},
        {"a.txt": CASES[1]["files"]["a.txt"].replace("line 7 of policy", "changed")},
    ]
    assert answers([tmp_path / "parquet.jsonl"]) == expected
    assert rows(tmp_path / "jsonl.parquet") == rows(tmp_path / "parquet.parquet") == expected
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".jsonl"] * 3 + [".parquet"] * 3


def test_an_interrupted_file_is_resumed_to_the_same_answers(watched: Path, tmp_path: Path) -> None:
    cases = [*(case(f"n{n}") for n in range(1100)), case("waits"), case("last")]
    pq.write_table(table(cases, SHAPES["maps"]), tmp_path / "cases.parquet")
    out = tmp_path / "out.parquet"
    (watched / "go").unlink(missing_ok=True)
    running = batch(watched, "--in", tmp_path / "cases.parquet", "--out", out, "--jobs", "2")
    end = time.monotonic() + 60
    while not (first := list(tmp_path.glob("out.parquet.parts/part-*1.parquet"))):
        assert time.monotonic() < end
        time.sleep(0.02)
    running.kill()
    running.communicate()
    assert not out.exists()
    kept = first[0].read_bytes()
    (watched / "go").touch()
    done(batch(watched, "--in", tmp_path / "cases.parquet", "--out", out, "--jobs", "2", "--resume"))
    assert [row["id"] for row in rows(out)] == [one["id"] for one in cases]
    assert pq.ParquetFile(out).read_row_group(1) == pq.read_table(pa.BufferReader(kept))
    assert not list(tmp_path.glob("*.parts"))
    before = out.read_bytes()
    done(batch(watched, "--in", tmp_path / "cases.parquet", "--out", out, "--resume"))
    assert rows(out)[-1]["id"] == "last"
    assert pq.read_table(out) == pq.read_table(pa.BufferReader(before))


def test_what_parquet_cannot_hold_is_an_error_of_its_row(watched: Path, tmp_path: Path) -> None:
    surrogate = {
        "id": 7,
        "files": {"a.txt": "old \ud800\nx\n"},
        "reply": "a.txt\n```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n",
    }
    (tmp_path / "cases.jsonl").write_text(lines([surrogate, {**surrogate, "id": [1, "\ud800"]}, case({"a": 1})]))
    done(batch(watched, "--in", tmp_path / "cases.jsonl", "--out", tmp_path / "out.parquet"))
    first, second, third = rows(tmp_path / "out.parquet")
    assert first == {"id": "7", "error": "The answer has a lone surrogate, which no column of texts can hold."}
    assert second["id"] == '[1, "\\ud800"]'
    assert (third["id"], list(third["files"])) == ('{"a": 1}', ["a.txt"])


@pytest.mark.parametrize("made", ["out.jsonl", "out.parquet"])
def test_a_file_without_cases_gives_one_without_answers(watched: Path, tmp_path: Path, made: str) -> None:
    pq.write_table(table(CASES, SHAPES["JSON"]).slice(0, 0), tmp_path / "cases.parquet")
    done(batch(watched, "--in", tmp_path / "cases.parquet", "--out", tmp_path / made))
    assert (rows(tmp_path / made) if made.endswith("parquet") else answers([tmp_path / made])) == []


def test_a_file_that_is_no_parquet_or_has_no_cases_is_refused(watched: Path, tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("text")
    pq.write_table(pa.table({"reply": ["x"]}), tmp_path / "columns.parquet")
    for name, said in (("text", "no Parquet file that can be read"), ("columns", "has no column `files`.")):
        refused = batch(watched, "--in", tmp_path / f"{name}.parquet", "--out", tmp_path / "out.jsonl")
        assert said in refused.communicate()[1]
        assert refused.returncode == 2


READ: list[bytes] = []
"""What `Told` was given to read, as a type that unpickles would be."""


class Told(pa.ExtensionType):  # type: ignore[misc]
    """A type that a program registered: Arrow hands it the bytes of a file's schema."""

    def __init__(self) -> None:
        super().__init__(pa.string(), "dovetail.tests.told")

    def __arrow_ext_serialize__(self) -> bytes:
        return b"bytes of a file"

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> Told:
        READ.append(serialized)
        return cls()


def told(texts: list[str]) -> pa.Array:
    return pa.ExtensionArray.from_storage(Told(), pa.array(texts))


@pytest.fixture
def registered() -> Iterator[None]:
    pa.register_extension_type(Told())
    READ.clear()
    yield
    pa.unregister_extension_type("dovetail.tests.told")


@pytest.mark.parametrize("nested", [False, True])
def test_extension_types_are_refused_before_anything_reads_their_bytes(
    registered: None, tmp_path: Path, nested: bool
) -> None:
    from dovetail.session.batch.parquet import ParquetAnswers, open_parquet, row_lines

    column = pa.StructArray.from_arrays([told(["x"])], ["inner"]) if nested else told(["x"])
    cases = pa.table({"files": pa.array(["{}"]), "reply": column})
    path = tmp_path / "cases.parquet"
    pq.write_table(cases, path)
    READ.clear()
    with path.open("rb") as file, pytest.raises(UsageError, match="has an extension type"):
        open_parquet(file, "cases.parquet")
    with pytest.raises(UsageError, match="has an extension type"):
        ParquetAnswers(path, resume=True)
    with pytest.raises(UsageError, match="The column `reply` has an extension type"):
        list(row_lines(cases))
    assert READ == []


def test_an_arrow_schema_that_stands_otherwise_than_arrow_writes_it_is_refused(tmp_path: Path) -> None:
    from dovetail.session.batch.parquet import refuse_extension_types

    path = tmp_path / "cases.parquet"
    pq.write_table(pa.table({"files": pa.array(["{}"]), "reply": pa.array(["x"])}), path)
    whole = path.read_bytes()
    with path.open("rb") as file:
        refuse_extension_types(file, "as it is written")
    at = whole.index(b"ARROW:schema") + len(b"ARROW:schema")
    for changed in (
        whole[:at] + b"\x08" + whole[at + 1 :],
        whole[:at] + b"\x18\x05" + whole[at + 2 :],
        whole[:-4] + b"PARE",
    ):
        path.write_bytes(changed)
        with path.open("rb") as file, pytest.raises(UsageError):
            refuse_extension_types(file, "changed")
