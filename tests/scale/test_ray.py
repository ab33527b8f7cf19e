"""A batch on a real cluster of two workers on this machine: the same answers as here, whatever ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import answers, batch, case, done, lines

pytest.importorskip("ray.data")
import pyarrow as pa
import pyarrow.parquet as pq
from ray.cluster_utils import Cluster

from dovetail.model.errors import UsageError
from dovetail.ray import answer_files
from dovetail.session.batch.cases import answer_lines

pytestmark = pytest.mark.filterwarnings("default")  # Ray's own are not this project's to mend
NODE = {"num_cpus": 1, "object_store_memory": 80 * 1024 * 1024}


@pytest.fixture(scope="module")
def cluster(watched: Path) -> Iterator[Cluster]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTHONPATH", str(watched))
        patched.setenv("RAY_USAGE_STATS_ENABLED", "0")
        started = Cluster()
        try:
            for node in ({**NODE, "num_cpus": 0, "include_dashboard": False}, NODE, NODE):
                add(started, node)
            yield started
        finally:
            started.shutdown()


def add(cluster: Cluster, node: dict[str, Any]) -> None:
    """Add a node. Ray gives each 30 seconds to start, which is too short while the machine is busy."""
    for tries in range(3):
        try:
            cluster.add_node(**node)
        except Exception:
            if tries == 2:
                raise
        else:
            return


@pytest.fixture(autouse=True)
def nothing_waits(watched: Path) -> None:
    forget(watched)


def forget(watched: Path) -> None:
    for file in (*watched.glob("waits-*"), watched / "go"):
        file.unlink(missing_ok=True)


def waiting(watched: Path) -> int:
    """The process that has come to a case named `waits`."""
    end = time.monotonic() + 300  # a machine may be busy with anything else
    while time.monotonic() < end:
        if files := list(watched.glob("waits-*")):
            return int(files[0].name.partition("-")[2])
        time.sleep(0.02)
    raise AssertionError("no process came to a case that waits")


def started_by(process: int) -> Iterator[int]:
    """The process, the one that started it, and so on."""
    while process > 1:
        yield process
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*"))


def rows(folder: Path) -> list[dict[str, Any]]:
    """Answers in Parquet, as they are in JSON Lines."""
    found = []
    for part in parts(folder):
        for row in pq.read_table(part).to_pylist(maps_as_pydicts="strict"):
            answer = {
                key: value for key, value in row.items() if key == "id" or (value is not None and key != "seconds")
            }
            texts = ("results", "shell_suggestions", "diagnostics")
            found.append({**answer, **{key: json.loads(answer[key]) for key in texts if key in answer}})
    return found


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two files, each of several tasks, with lines of every kind."""
    folder = tmp_path_factory.mktemp("cases")
    odd = [
        "not JSON",
        "",
        case("a policy", policy={"format": "udiff"}),
        case("deadly"),
        {"id": "no reply", "files": {}},
    ]
    (folder / "one.jsonl").write_text("\ufeff" + lines([*(case(f"a{n}") for n in range(90)), *odd]))
    (folder / "two.jsonl").write_text(lines([*(case(f"b{n}") for n in range(80)), case("waits")]))
    with (folder / "two.jsonl").open("ab") as two:
        two.write(b'{"reply": "\xff"}')
    (folder / "_ignored.jsonl").write_text("not a case\n")
    return folder


@pytest.fixture(scope="module")
def expected(watched: Path, cases: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the engine of this machine answers."""
    tmp_path = tmp_path_factory.mktemp("expected")
    (tmp_path / "joined.jsonl").write_bytes(
        b"\n".join((cases / name).read_bytes() for name in ("one.jsonl", "two.jsonl"))
    )
    (watched / "go").touch()
    done(batch(watched, "--in", tmp_path / "joined.jsonl", "--out", tmp_path / "here.jsonl"))
    found = answers([tmp_path / "here.jsonl"])
    assert [answer["id"] for answer in found if "error" in answer] == [None, "deadly", "no reply", None]
    forget(watched)
    return found


def test_a_lost_node_and_a_case_that_ends_its_process_lose_no_other(
    cluster: Cluster, watched: Path, cases: Path, expected: list[dict[str, Any]], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    running = batch(watched, "--engine", "ray", "--address", cluster.address, "--in", cases, "--out", out)
    ancestors = set(started_by(waiting(watched)))
    (lost,) = [node for node in cluster.worker_nodes if node.all_processes["raylet"][0].process.pid in ancestors]
    cluster.remove_node(lost, allow_graceful=False)
    (watched / "go").touch()
    said = done(running)
    add(cluster, NODE)
    assert said == "4 lines could not be answered; the `error` of each says why.\n"
    assert answers(parts(out)) == expected
    assert len(parts(out)) > 3
    assert {path.name for path in out.iterdir()} - {path.name for path in parts(out)} == {"_cases.json"}


def test_a_run_that_was_killed_is_resumed_to_the_same_answers(
    cluster: Cluster, watched: Path, cases: Path, expected: list[dict[str, Any]], tmp_path: Path
) -> None:
    out = tmp_path / "out.parquet"
    words = ["--engine", "ray", "--address", cluster.address, "--in", f"{cases}/[ot]*.jsonl", "--out", out]
    running = batch(watched, *words)
    waiting(watched)
    while not parts(out):
        time.sleep(0.02)
    running.kill()
    running.communicate()
    before = {part: part.stat().st_mtime_ns for part in parts(out)}
    again = batch(watched, *words)
    assert "holds answers already" in again.communicate()[1]
    (watched / "go").touch()
    done(batch(watched, *words, "--resume"))
    assert before.items() <= {part: part.stat().st_mtime_ns for part in parts(out)}.items()
    assert rows(out) == expected
    words[5] = str(cases / "one.jsonl")
    other = batch(watched, *words, "--resume")
    assert "are those of other cases" in other.communicate()[1]


def test_row_groups_are_divided_and_a_dataset_is_answered_lazily(
    cluster: Cluster, watched: Path, tmp_path: Path
) -> None:
    texts = [case(f"n{n}") for n in range(150)]
    columns = {key: [json.dumps(one[key]) if key == "files" else one[key] for one in texts] for key in texts[0]}
    pq.write_table(pa.table(columns), tmp_path / "cases.parquet")  # one row group
    expected = [json.loads(line) for line in answer_lines([json.dumps(one) for one in texts], jobs=1)]
    expected = [{key: value for key, value in one.items() if key != "seconds"} for one in expected]
    address = (tmp_path / "cases.parquet").as_uri()
    words = ["--engine", "ray", "--address", cluster.address, "--in", address]
    done(batch(watched, *words, "--out", (tmp_path / "out").as_uri()))
    assert rows(tmp_path / "out") == expected
    assert len(parts(tmp_path / "out")) > 2
    program = f"""
import ray, dovetail.ray
ray.init(address={cluster.address!r}, log_to_driver=False)
cases = ray.data.read_parquet({str(tmp_path / "cases.parquet")!r})
dovetail.ray.answer(cases, batch_size=20, give=["files", "score"]).write_parquet({str(tmp_path / "answered")!r})
"""
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, timeout=300)
    found = pq.read_table(tmp_path / "answered").to_pylist(maps_as_pydicts="strict")
    assert {row["id"]: row["files"] for row in found} == {row["id"]: row["files"] for row in expected}
    assert {json.loads(row["score"])["parts"]["landed"] for row in found} == {1.0}
    assert {row["results"] for row in found} == {None}


def test_without_an_address_ray_starts_here_and_ends(watched: Path, tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(lines([case(1), case("niceness"), "nonsense"]))
    running = batch(watched, "--engine", "ray", "--jobs", "1", "-C", tmp_path, "--in", "cases.jsonl", "--out", "out")
    assert done(running) == "1 line could not be answered; the `error` of each says why.\n"
    assert [answer["id"] for answer in answers(parts(tmp_path / "out"))] == [1, "niceness", None]
    assert (watched / "niceness").read_text() == str(os.nice(0))


@pytest.mark.parametrize(
    ("cases", "out", "said"),
    [
        ("none", "out", "holds no JSON Lines and no Parquet"),
        ("both", "out", "holds both JSON Lines and Parquet"),
        ("both/b.parquet", "out", "has no column `files` and `reply`"),
        ("empty.parquet", "out", "no Parquet file that can be read"),
        ("nowhere://x/y", "out", "cannot be opened"),
        ("a.jsonl", "a.jsonl", "cannot be written"),
    ],
)
def test_bad_use(tmp_path: Path, cases: str, out: str, said: str) -> None:
    (tmp_path / "both").mkdir()
    for name in ("both/a.jsonl", "a.jsonl", "empty.parquet"):
        (tmp_path / name).write_text("")
    pq.write_table(pa.table({"id": [1]}), tmp_path / "both" / "b.parquet")
    with pytest.raises(UsageError, match=said):
        next(answer_files(cases if "://" in cases else str(tmp_path / cases), str(tmp_path / out)))


def test_standard_streams_are_no_files_of_a_cluster(watched: Path) -> None:
    refused = batch(watched, "--engine", "ray", "--in", "-", "--out", "out")
    assert "Ray reads and writes files." in refused.communicate()[1]
    assert refused.returncode == 2


def test_nothing_but_the_module_for_ray_loads_ray() -> None:
    program = (
        "import sys, dovetail, dovetail.cli.batch; dovetail.apply; assert not {'ray', 'pyarrow'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
