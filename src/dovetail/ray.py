"""Answers many replies on a Ray cluster: `answer` for a dataset, `answer_files` for `dovetail batch --engine ray`.

A task takes a piece of the cases and hands them to a process of its own, as the engine on one machine does. So a case
that ends its process costs one row, and not the task. If Ray loses a task's worker, it runs the task again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from io import BufferedReader
from typing import Any, BinaryIO
from uuid import uuid4

import fsspec
import pyarrow as pa

# Under `uv run` Ray would send the folder to the workers and install it anew; they have this environment already. Ray
# reads the variable when it is imported.
os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")

import ray
import ray.data
from fsspec.implementations.arrow import ArrowFSWrapper
from pyarrow.fs import FileSystem

from dovetail.model.errors import DovetailError, UsageError
from dovetail.session.batch import parquet as batch_parquet
from dovetail.session.batch.cases import GIVEN
from dovetail.session.batch.files import case_lines, is_parquet, is_unanswered
from dovetail.session.batch.worker import Worker

_PIECE = (1 << 20, 32 << 20)  # the least and the most bytes of cases in a task of `answer_files`
_PIECES = 256  # tasks between these bounds
_STORE = 100 * 1024 * 1024  # bytes of Ray's object store here, which has only the descriptions of pieces
_ROWS = 64  # cases that `answer` holds at once
_SPLITS = 8  # the most pieces of a row group: each task also decodes the rows before its own
_LINES = (".jsonl", ".ndjson", ".json")
_MANIFEST = "_cases.json"


def answer(
    dataset: ray.data.Dataset,
    *,
    give: Sequence[str] = GIVEN,
    batch_size: int = _ROWS,
    **options: Any,  # noqa: ANN401
) -> ray.data.Dataset:
    """Answer the cases of a dataset, lazily.

    Its columns are the keys of a case (docs/reference/json.md); `files`, `truth`, `seen` and `policy` may be maps,
    structs or JSON texts. The columns of the result are `batch_parquet.ANSWERS`; those that `give` does not name are
    null. Further options go to `Dataset.map_batches`, such as `num_cpus`, `memory` and `concurrency`.
    """
    names = {"give": tuple(give)}
    return dataset.map_batches(_answer_rows, fn_kwargs=names, batch_format="pyarrow", batch_size=batch_size, **options)


def _answer_rows(cases: pa.Table, give: tuple[str, ...]) -> pa.Table:
    return batch_parquet.answers_table(_worker(give).answers(batch_parquet.row_lines(cases)))


@cache
def _worker(give: tuple[str, ...]) -> Worker:
    """Return the process that answers cases for this worker of Ray; it ends with the worker."""
    return Worker(give)


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of `answer_files`: cases answered, those of them with an error, the part of all bytes (0 to 1)."""

    answered: int
    unanswered: int
    part: float


def answer_files(
    cases: str,
    answers: str,
    *,
    address: str | None = None,
    jobs: int | None = None,
    resume: bool = False,
    give: Sequence[str] = GIVEN,
    shard: int | None = None,
) -> Iterator[Progress]:
    """Answer the cases of files into the folder `answers`, a part for each piece, in the order of the cases.

    Args:
        cases: a file, folder or glob of JSON Lines or Parquet, as a path or as an address that Arrow or fsspec opens.
        answers: the folder, which every worker must reach. Its ending says the format of the parts, else the cases do.
        address: the cluster to join, by default that of `RAY_ADDRESS`. Without any, Ray runs here until the end.
        jobs: tasks that run at once, by default one for each processor.
        resume: keep the parts that exist, which must be of the same cases.
        give: the parts of an answer; see `dovetail.session.batch.cases.GIVES`.
        shard: bytes of cases for a part; by default between 1 and 32 MB, and so that there are 256 parts.

    Yields at the beginning and after each piece. Raises `UsageError` if there are no cases, and for a folder that has
    parts already or, with `resume`, those of other cases.
    """
    source, names = _found(cases)
    target, folder = _filesystem(answers)
    parquet = is_parquet(folder) or (is_parquet(names[0]) and not folder.endswith(_LINES))
    pieces = [{"number": number, **piece} for number, piece in enumerate(_pieces(source, names, shard))]
    done = _begin(target, folder, [parquet, list(give), *pieces], resume=resume)
    remaining = [piece for piece in pieces if _name(piece["number"], parquet) not in done]
    total = sum(piece["size"] for piece in pieces)
    left = sum(piece["size"] for piece in remaining)
    answered = unanswered = 0
    yield Progress(answered, unanswered, 1 - left / max(total, 1))
    if not remaining:
        return
    with _joined(address, jobs):
        data = ray.data.from_items(remaining, override_num_blocks=len(remaining))
        where = {"cases": cases, "answers": answers, "parquet": parquet, "give": tuple(give)}
        for piece in data.map(_answer_piece, fn_kwargs=where, num_cpus=1, concurrency=jobs).iter_rows():
            answered += piece["answered"]
            unanswered += piece["unanswered"]
            left -= piece["size"]
            yield Progress(answered, unanswered, 1 - left / total)
    for name in target.glob(f"{folder}/_part-*"):  # of workers that were lost
        target.rm_file(name)


def _filesystem(address: str) -> tuple[fsspec.AbstractFileSystem, str]:
    """Return the file system of an address, and the path in it."""
    if "://" in address:
        with suppress(pa.ArrowInvalid, NotImplementedError):  # not one of Arrow's own
            filesystem, path = FileSystem.from_uri(address)
            return ArrowFSWrapper(filesystem), path.rstrip("/")
    try:
        filesystem, path = fsspec.core.url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise UsageError(f"`{address}` cannot be opened: {error}", hint="Install what opens such addresses.") from None
    return filesystem, path.rstrip("/")


def _found(cases: str) -> tuple[fsspec.AbstractFileSystem, Sequence[str]]:
    """Return the file system and the files of cases, at least one, all of one format. Raises `UsageError`."""
    filesystem, path = _filesystem(cases)
    if filesystem.isfile(path):
        return filesystem, [path]
    named = sorted(filesystem.find(path) if filesystem.isdir(path) else filesystem.glob(path))
    named = [name for name in named if not name.rpartition("/")[2].startswith(("_", "."))]
    names = [name for name in named if is_parquet(name) or name.endswith(_LINES)]
    if not names:
        raise UsageError(f"`{cases}` holds no JSON Lines and no Parquet.", hint="Name a file, a folder or a glob.")
    if len({is_parquet(name) for name in names}) > 1:
        raise UsageError(f"`{cases}` holds both JSON Lines and Parquet.", hint="Name those of one format by a glob.")
    return filesystem, names


def _pieces(filesystem: fsspec.AbstractFileSystem, names: Sequence[str], shard: int | None) -> Iterator[dict[str, Any]]:
    """Yield the piece of each task: the lines that begin in a range of bytes of a file, or rows of a row group.

    The same files always have the same pieces. `size` is in bytes.
    """
    sizes = [filesystem.size(name) for name in names]
    most = shard or max(_PIECE[0], min(sum(sizes) // _PIECES, _PIECE[1]))
    for name, size in zip(names, sizes, strict=True):
        if not is_parquet(name):
            for begin in range(0, size, most):
                end = min(begin + most, size)
                yield {"path": name, "group": None, "begin": begin, "end": end, "size": end - begin}
            continue
        with filesystem.open(name, "rb") as file:
            metadata = batch_parquet.open_parquet(file, name).metadata
        for group in range(metadata.num_row_groups):
            rows = metadata.row_group(group).num_rows
            unpacked = metadata.row_group(group).total_byte_size
            step = math.ceil(rows / min(math.ceil(unpacked / most), _SPLITS))
            for begin in range(0, rows, step):
                end = min(begin + step, rows)
                size = unpacked * (end - begin) // rows
                yield {"path": name, "group": group, "begin": begin, "end": end, "size": size}


def _name(number: int, parquet: bool) -> str:
    return f"part-{number:06}.{'parquet' if parquet else 'jsonl'}"


def _begin(target: fsspec.AbstractFileSystem, folder: str, planned: object, *, resume: bool) -> set[str]:
    """Prepare the folder for the answers; return the names of the parts that exist already. Raises `UsageError`."""
    try:
        target.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise UsageError(f"`{folder}` cannot be written: {error}", hint="Name a folder.") from None
    there = {name.rpartition("/")[2] for name in target.ls(folder, detail=False)}
    done = {name for name in there if name.startswith("part-")}
    manifest = {"pieces": hashlib.sha256(json.dumps(planned).encode()).hexdigest()}
    if done and not resume:
        raise UsageError(f"`{folder}` holds answers already.", hint="Add --resume, or name another folder.")
    if done and (_MANIFEST not in there or json.loads(target.cat_file(f"{folder}/{_MANIFEST}")) != manifest):
        raise UsageError(f"The answers in `{folder}` are those of other cases.", hint="Name another folder.")
    target.pipe_file(f"{folder}/{_MANIFEST}", json.dumps(manifest).encode())
    return done


@contextmanager
def _joined(address: str | None, jobs: int | None) -> Iterator[None]:
    """Join a cluster while the block runs; do nothing if this process has joined one already."""
    if ray.is_initialized():
        yield
        return
    where = address or os.environ.get("RAY_ADDRESS") or "local"
    here: dict[str, Any] = {}
    if where == "local":
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        # Ray gives its workers 15 by default, so that any other process of the machine goes first.
        system = {"worker_niceness": 0}
        here = {"_system_config": system, "num_cpus": jobs, "object_store_memory": _STORE, "include_dashboard": False}
    try:
        ray.init(address=where, logging_level=logging.ERROR, **here)
    except ConnectionError as error:
        raise UsageError(f"No Ray cluster answers at `{where}`: {error}", hint="See `ray status` there.") from None
    except Exception as error:  # Ray has no narrower class for a node that does not start within its 30 seconds
        hint = "Try again when the machine has less to do, or name a cluster with --address."
        raise DovetailError(f"Ray does not start here: {error}", hint=hint, code="no-worker") from error
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = context.print_on_execution_start = False
    try:
        yield
    finally:
        ray.shutdown()


def _answer_piece(
    piece: Mapping[str, Any], cases: str, answers: str, parquet: bool, give: tuple[str, ...]
) -> Mapping[str, int]:
    """Answer a piece into its part, which gets its final name when it is complete; return the counts."""
    source, _ = _filesystem(cases)
    target, folder = _filesystem(answers)
    name = _name(piece["number"], parquet)
    unfinished = f"{folder}/_{name}-{uuid4().hex}"  # a lost worker's task may run twice for a while
    answered = unanswered = 0
    with source.open(piece["path"], "rb") as file, target.open(unfinished, "wb") as part:

        def counted() -> Iterator[bytes]:
            nonlocal answered, unanswered
            for line in _worker(give).answers(_cases(file, piece)):
                answered += 1
                unanswered += is_unanswered(line)
                yield line

        if parquet:
            batch_parquet.write_parquet(part, batch_parquet.tables_of(counted()))
        else:
            part.writelines(counted())
    target.mv(unfinished, f"{folder}/{name}")
    return {"answered": answered, "unanswered": unanswered, "size": piece["size"]}


def _cases(file: BinaryIO, piece: Mapping[str, Any]) -> Iterator[bytes]:
    begin, end = piece["begin"], piece["end"]
    if piece["group"] is None:
        return case_lines(BufferedReader(file, 1 << 20), begin, end)  # type: ignore[type-var]
    opened = batch_parquet.open_parquet(file, piece["path"])
    return batch_parquet.parquet_rows(opened, [int(piece["group"])], begin, end)
