"""Short ways to write blocks, snapshots and expectations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dovetail.model.blocks import Block, Kind, Reading
from dovetail.model.codes import Code, Status
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.policy import DEFAULT_POLICY, Policy
from dovetail.model.results import BlockResult, Plan
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.plan import plan


def edit(path: str | None, search: str, replace: str, form: str = "diff", **more: object) -> Block:
    return Block(form, Kind.EDIT, path, search, replace, **more)  # type: ignore[arg-type]


def whole(path: str, text: str) -> Block:
    return Block("whole", Kind.REWRITE, path, "", text)


def new_file(path: str, text: str) -> Block:
    return Block("sections", Kind.CREATE, path, "", text)


def delete(path: str, quoted: str = "") -> Block:
    return Block("udiff" if quoted else "apply-patch", Kind.DELETE, path, quoted, "")


def rename(path: str, destination: str) -> Block:
    return Block("apply-patch", Kind.RENAME, path, "", "", destination=destination)


def read_in(path: str, *readings: tuple[str, str]) -> Block:
    """An edit with several readings."""
    made = tuple(Reading(*reading) for reading in readings)
    return Block("diff", Kind.EDIT, path, made[0].search, made[0].replace, readings=made)


def planned(files: Mapping[str, str] | Snapshot, *blocks: Block, **policy: object) -> Plan:
    snapshot = files if isinstance(files, Snapshot) else Snapshot.of(files)
    return plan(blocks, snapshot, Policy(**policy) if policy else DEFAULT_POLICY)  # type: ignore[arg-type]


def seen_as(path: str, seen: str, text: str) -> Snapshot:
    """One file that was changed since the model saw it."""
    return Snapshot({path: FileText(path, text, seen=seen)}, frozenset({path}))


def after(files: Mapping[str, str] | Snapshot, made: Plan) -> dict[str, str]:
    """Every file as the plan leaves it."""
    if isinstance(files, Snapshot):
        files = {path: file.text for path, file in files.files.items() if file.text is not None}
    result: dict[str, str | None] = {**files, **{change.path: change.after for change in made.changes}}
    return {path: text for path, text in result.items() if text is not None}


def said(results: Sequence[BlockResult]) -> list[tuple[Status, Code | None]]:
    """Status and code of each result."""
    return [(result.status, result.code) for result in results]


def codes(warnings: Sequence[Diagnostic]) -> list[Code]:
    return [warning.code for warning in warnings]


OK = (Status.FITS, None)
DONE = (Status.STANDS_ALREADY, None)
TWIN = (Status.STANDS_ALREADY, Code.DUPLICATE)


def bad(code: Code) -> tuple[Status, Code]:
    return (Status.FAILED, code)
