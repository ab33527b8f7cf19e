r"""Golden cases: each folder under `cases/<package>/` is a reply, the files before and after, and what is expected.

Small cases of one kind stand in one file, `cases/<package>/<kind>.txt`. A line that begins with `%% ` begins a case or
a part of it: `%% case NAME`, `%% reply`, `%% before PATH`, `%% after PATH`, `%% expect`. Without any `after` the files
stay as they are; what stands above the first case says what they have in common. A case with a file that has other line
ends, or no last newline, needs a folder.

`expect.json` holds `results`, one per block, of which each key must be so (`tier`, `code`, `status`, `path`,
`nearest`, …), and perhaps: `policy`, `format`, `diagnostics` (the codes that are told beside those of the results:
these and no other), `shell` (commands suggested), `seen` (what the model saw of a file, where that differs),
`problems` (why a file cannot be edited), and, where a case does not go through one of the proofs as it stands, what
that one expects instead:

- `twice`: ``same`` (nothing changes any more, the default), ``refused`` (the same, because it fails: what is gone
  cannot be found), or ``again`` (there is another place for it, so it changes something once more);
- `rewrite`: the result's line ends and last newline are the reply's, so that the two proofs about them do not hold;
- `any_of`: further values that a result's key may have.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dovetail.formats import FORMATS, Stream, check, parse
from dovetail.model.blocks import Parsed
from dovetail.model.codes import ALL_TIERS, Code, Status
from dovetail.model.policy import Policy
from dovetail.model.results import BlockResult, Plan
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.plan import plan, with_commands, with_listings
from dovetail.session.apply import applying, operations
from dovetail.session.settings import Settings
from dovetail.syntax import default_language

ROOT = Path(__file__).with_name("cases")
KEYS = frozenset(
    ("results", "policy", "format", "diagnostics", "shell", "seen", "problems", "twice", "rewrite", "any_of")
)
PIECE = 16

Files = dict[str, str]


@dataclass(frozen=True)
class Case:
    """One folder."""

    name: str
    reply: str
    before: Files
    after: Files
    expect: Mapping[str, Any]

    @property
    def policy(self) -> Policy:
        """The policy the case asks for."""
        return Policy(**self.expect.get("policy", {}))

    def parsed(self, reply: str | None = None) -> Parsed:
        """The reply's blocks."""
        return parse(self.reply if reply is None else reply, format=self.expect.get("format", "auto"))

    def snapshot(self, files: Files) -> Snapshot:
        """The files, with what is odd about them."""
        made = Snapshot.of(files)
        odd = {path: self.odd(made.files[path]) for path in files}
        return dataclasses.replace(made, files=odd)

    def odd(self, file: FileText) -> FileText:
        """A file with its problem, or with what the model saw of it."""
        problem = self.expect.get("problems", {}).get(file.path)
        unread = problem in (Code.BINARY, Code.ENCODING, Code.UNREADABLE)
        seen = self.expect.get("seen", {}).get(file.path)
        return dataclasses.replace(
            file, problem=Code(problem) if problem else None, text=None if unread else file.text, seen=seen
        )

    def plan(self, reply: str | None = None, files: Files | None = None) -> Plan:
        """What Dovetail makes of it."""
        snapshot = self.snapshot(self.before if files is None else files)
        parsed = with_listings(self.parsed(reply), snapshot, default_language())
        parsed = with_commands(parsed, snapshot, self.policy.commands)
        return plan(parsed, snapshot, self.policy, default_language())


def write(root: Path, files: Files) -> None:
    """Put files into a folder."""
    for path, content in as_bytes(files).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)


def as_bytes(files: Files) -> dict[str, bytes]:
    """The files as they are on disk."""
    return {path: text.encode() for path, text in files.items()}


def tree(root: Path) -> dict[str, bytes]:
    """Every file of a folder, the journal's left out."""
    found = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(".dovetail/")}


def read(folder: Path) -> Files:
    """Every file under a folder; an absent folder holds none."""
    return {name: content.decode() for name, content in tree(folder).items()}


def load(folder: Path) -> Case:
    """One case."""
    expect = json.loads((folder / "expect.json").read_text(encoding="utf-8"))
    reply = (folder / "reply.md").read_bytes().decode()
    name = folder.relative_to(ROOT).as_posix()
    return checked(Case(name, reply, read(folder / "before"), read(folder / "after"), expect))


def checked(case: Case) -> Case:
    """A case whose every expectation is looked at."""
    assert case.expect.keys() <= KEYS, f"{case.name} expects what nobody looks at: {case.expect.keys() - KEYS}"
    return case


def load_several(file: Path) -> Iterator[Case]:
    """The cases that stand in one file."""
    _, *cases = re.split(r"^%% case ", file.read_bytes().decode(), flags=re.MULTILINE)
    for part_of_file in cases:
        name, *parts = re.split(r"^%% ", part_of_file, flags=re.MULTILINE)
        reply, expect = "", "{}"
        before: Files = {}
        after: Files = {}
        for part in parts:
            head, _, text = part.partition("\n")
            match head.split():
                case ["reply"]:
                    reply = text
                case ["expect"]:
                    expect = text
                case ["before", path]:
                    before[path] = text
                case ["after", path]:
                    after[path] = text
                case _:
                    raise AssertionError(f"{file} has a part that nobody reads: {head}")
        full_name = f"{file.parent.name}/{file.stem}/{name.strip()}"
        yield checked(Case(full_name, reply, before, after or before, json.loads(expect)))


CASES = sorted(
    [
        *(load(path.parent) for path in ROOT.glob("*/*/expect.json")),
        *(case for path in ROOT.glob("*/*.txt") for case in load_several(path)),
    ],
    key=lambda case: case.name,
)
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
without_rewrites = pytest.mark.parametrize(
    "case", [case for case in CASES if not case.expect.get("rewrite")], ids=lambda case: case.name
)


def carried_out(done: Plan, before: Files) -> Files:
    """The files after a plan."""
    changed = {change.path: change.after for change in done.changes}
    return {path: text for path, text in {**before, **changed}.items() if text is not None}


def shape(result: BlockResult) -> dict[str, Any]:
    """What `expect.json` may ask of a result."""
    asked = {name: getattr(result, name) for name in ("status", "tier", "code", "path", "start", "end")}
    near = result.nearest
    nearest = None if near is None else {"line": near.line, "found": near.found}
    return {
        **asked,
        "format": result.block.format,
        "places": list(result.places),
        "enclosing": list(result.enclosing),
        "nearest": nearest,
        "warnings": [warning.code for warning in result.warnings],
    }


def said(done: Plan) -> str:
    """Every result on a line, for the message of a failing test."""
    return "\n".join(f"{r.n}: {r.status} {r.tier} {r.code} {r.path} {r.reason}" for r in done.results)


def as_expected(case: Case, done: Plan) -> None:
    """Assert that every result is as `expect.json` has it."""
    wanted = case.expect["results"]
    assert len(done.results) == len(wanted), said(done)
    others = case.expect.get("any_of", {})
    for result, asked in zip(done.results, wanted, strict=True):
        got = shape(result)
        for key, value in asked.items():
            assert got[key] in (value, *others.get(key, ())), f"{key} of block {result.n}\n{said(done)}"


def failures(done: Plan) -> set[Code]:
    """The codes of the results themselves."""
    return {result.code for result in done.results if result.code is not None}


def told(case: Case, done: Plan) -> set[Code]:
    """Every code that is told anywhere: by checking the reply, or by planning it."""
    checked = [found.code for found in check(case.reply, format=case.expect.get("format", "auto")).diagnostics]
    warnings = [warning.code for result in done.results for warning in result.warnings]
    return {*checked, *warnings, *failures(done), *(found.code for found in done.diagnostics)}


@every_case
def test_whole(case: Case) -> None:
    """The reply gives the files after, with the results, diagnostics and suggestions that are expected."""
    done = case.plan()
    as_expected(case, done)
    assert carried_out(done, case.before) == case.after, said(done)
    assert told(case, done) - failures(done) == set(case.expect.get("diagnostics", ())) - failures(done)
    if "shell" in case.expect:
        assert [suggestion.command for suggestion in done.shell_suggestions] == case.expect["shell"]


def fed(case: Case, pieces: Iterator[str]) -> Parsed:
    """The blocks of a reply that arrives in pieces."""
    parser = Stream(format=case.expect.get("format", "auto"))
    for piece in pieces:
        parser.feed(piece)
    parser.close()
    return parser.parsed


def pieces(reply: str, first: int) -> Iterator[str]:
    """A reply in pieces of one length, behind a shorter one."""
    yield reply[:first]
    for start in range(first, len(reply), PIECE):
        yield reply[start : start + PIECE]


@every_case
def test_split_anywhere(case: Case) -> None:
    """A reply that arrives one character at a time, or in longer pieces that are cut anywhere, says the same.

    A stream takes whole lines, whatever the pieces were: so one reading tries many cuts.
    """
    whole = case.parsed()
    assert fed(case, iter(case.reply)) == whole
    for first in range(1, PIECE + 1):
        assert fed(case, pieces(case.reply, first)) == whole, f"cut at {first} and each {PIECE} characters behind"


def crlf(text: str) -> str:
    """A text with other line ends."""
    return text.replace("\n", "\r\n")


@every_case
def test_crlf_reply(case: Case) -> None:
    """A reply with CRLF says what it says with LF."""
    done = case.plan(crlf(case.reply))
    as_expected(case, done)
    assert carried_out(done, case.before) == case.after, said(done)


@without_rewrites
def test_crlf_files(case: Case) -> None:
    """In files with CRLF the edits land as they do with LF, and what they bring has CRLF; new files keep LF."""
    seen = {path: crlf(text) for path, text in case.expect.get("seen", {}).items()}
    other = dataclasses.replace(case, expect={**case.expect, "seen": seen})
    before = {path: crlf(text) for path, text in case.before.items()}
    done = other.plan(files=before)
    as_expected(case, done)
    old = set(before) | {change.path for change in done.changes if change.source}
    after = {path: crlf(text) if path in old else text for path, text in case.after.items()}
    assert carried_out(done, before) == after, said(done)


@without_rewrites
def test_without_last_newline(case: Case) -> None:
    """Files that end without a newline take the edits, and still end without one."""
    before = {path: text.removesuffix("\n") for path, text in case.before.items()}
    done = case.plan(files=before)
    as_expected(dataclasses.replace(case, expect=without_places(case.expect)), done)
    after = carried_out(done, before)
    assert {path: text.removesuffix("\n") for path, text in after.items()} == {
        path: text.removesuffix("\n") for path, text in case.after.items()
    }, said(done)
    touched = {change.path for change in done.changes if change.before is not None or change.source}
    assert not [path for path in touched & set(after) if after[path].endswith("\n")], said(done)


def without_places(expect: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is expected, whatever the tier: a file without its last newline may want a looser one."""
    loose = [{key: value for key, value in asked.items() if key != "tier"} for asked in expect["results"]]
    return {**expect, "results": loose}


@every_case
def test_twice(case: Case) -> None:
    """A reply that was applied changes nothing when it is applied again."""
    again = case.plan(files=case.after)
    changes = carried_out(again, case.after) != case.after
    match case.expect.get("twice", "same"):
        case "same":
            assert not changes, f'if it is right to change it again, expect {{"twice": "again"}}:\n{said(again)}'
            assert not again.failed, f'if it is right to refuse it, expect {{"twice": "refused"}}:\n{said(again)}'
        case "refused":
            assert not changes and again.failed, said(again)
        case "again":
            assert changes, said(again)
        case other:
            pytest.fail(f"{other} is no word for what happens the second time")


def in_memory_only(case: Case) -> bool:
    """Whether the case is about what no plain folder shows: another version seen, or a file with a problem."""
    return "seen" in case.expect or "problems" in case.expect


@pytest.mark.parametrize("case", [case for case in CASES if not in_memory_only(case)], ids=lambda case: case.name)
def test_undone(case: Case, tmp_path: Path) -> None:
    """Applied to a real folder the reply gives the files after; undone, every byte is as before; redone, as after."""
    write(tmp_path, case.before)
    settings = Settings(policy=case.policy, format=case.expect.get("format", "auto"))
    done = applying.commit(applying.prepare(tmp_path, case.reply, settings))
    assert tree(tmp_path) == as_bytes(case.after), said(done.plan)
    if done.operation is not None:
        operations.undo(tmp_path)
        assert tree(tmp_path) == as_bytes(case.before)
        operations.redo(tmp_path)
        assert tree(tmp_path) == as_bytes(case.after)


def test_names_are_names_of_one_case() -> None:
    """No case hides another of its name."""
    assert len({case.name for case in CASES}) == len(CASES)


def test_every_format_has_a_case() -> None:
    """No format is without a case of its own."""
    shown = {block.format for case in CASES for block in case.parsed().blocks}
    assert set(FORMATS) - shown == set()


@pytest.fixture(scope="module")
def plans() -> list[tuple[Case, Plan]]:
    """What becomes of each case."""
    return [(case, case.plan()) for case in CASES]


def test_every_tier_has_a_case(plans: list[tuple[Case, Plan]]) -> None:
    """No tier is without a case that lands at it."""
    shown = {result.tier for _, done in plans for result in done.results}
    assert set(ALL_TIERS) - shown == set()


def test_every_code_has_a_case(plans: list[tuple[Case, Plan]]) -> None:
    """No code is without a case in which it is told; what writing alone finds out is told by no plan.

    What is too large takes seconds, too long for each of the proofs here: `tests/plan/test_plan_work.py` has it. What a
    model was shown only an agent's tools know: `tests/tools/test_known_files.py`. What another package's guards find:
    `tests/test_extensions.py`.
    """
    elsewhere = {Code.TOO_LARGE, Code.UNSEEN_LINES, Code.NOT_IN_LOG, Code.ADDED_GUARD}
    shown = {code for case, done in plans for code in told(case, done)} | elsewhere
    assert {code for code in set(Code) - shown if not code.startswith("journal-")} == set()


def test_every_status_has_a_case(plans: list[tuple[Case, Plan]]) -> None:
    """No status is without a case. A plan's edits are not written yet."""
    shown = {result.status for _, done in plans for result in done.results}
    assert set(Status) - shown == {Status.WRITTEN}
