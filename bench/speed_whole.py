"""Parsing alone, and whole processes from start to end."""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

from clock import median, once
from code_samples import code
from dovetail.formats import Stream, parse
from speed_cases import block_text, changed, function_block, reply
from speed_engine import planned
from speed_tables import Line, Table, milliseconds

MEGABYTE = 1_000_000
PARSE_FLOOR = 20.0
VERSION_LIMIT, APPLY_LIMIT = 4.0, 10.0
HOOK_LIMIT, EDIT_LIMIT = 2.5, 4.0


def pieces(text: str, size: int) -> Iterator[str]:
    """A text in pieces of one size."""
    return (text[start : start + size] for start in range(0, len(text), size))


def fed(text: str, size: int) -> int:
    """Feed a text in pieces; how many blocks came of it."""
    parser = Stream()
    for piece in pieces(text, size):
        parser.feed(piece)
    parser.close()
    return len(parser.parsed.blocks)


def parsing() -> Table:
    """Megabytes a second, by the size of the pieces, and that single characters cost the same each."""
    text = reply("exact").text
    big = text * (4 * MEGABYTE // len(text))
    lines = []
    for name, sample, size in (
        ("whole", big, len(big)),
        ("64 KB pieces", big, 65_536),
        ("1 KB pieces", big, 1_024),
        ("single characters, 0.25 MB", big[: MEGABYTE // 4], 1),
        ("single characters, 0.5 MB", big[: MEGABYTE // 2], 1),
        ("single characters, 1 MB", big[:MEGABYTE], 1),
    ):
        seconds = median(lambda sample=sample, size=size: fed(sample, size))  # type: ignore[misc]
        speed = len(sample) / seconds / MEGABYTE
        lines.append(
            Line((name, f"{speed:.1f} MB/s", milliseconds(seconds)), speed >= PARSE_FLOOR if size > 1 else None)
        )
    return Table("Parsing (at least 20 MB/s in pieces of 1 KB or more)", ("pieces", "speed", "time"), tuple(lines))


def reading() -> Table:
    """Megabytes of one text a second, by what it is written in."""
    block = function_block(code("python", 200, Random(1)), 0.5)  # noqa: S311 - seeded
    new, path = changed(block), "src/app.py"
    edit = {"file_path": path, "old_string": block, "new_string": new}
    call = json.dumps({"type": "tool_use", "id": "toolu_1", "name": "Edit", "input": edit})
    hunk = "".join(f"-{line}\n" for line in block.splitlines()) + "".join(f"+{line}\n" for line in new.splitlines())
    words = "I looked at `src/app.py`, and it reads the file twice. The change below keeps what it has read.\n\n"
    one = f"{path}\n```python\n{block}```\n\n"
    patch = f"*** Begin Patch\n*** Update File: {path}\n" + f"@@\n{hunk}" * 100 + "*** End Patch\n"
    kinds = {
        "blocks": block_text(path, block, new) * 300,
        "blocks among words": (words * 3 + block_text(path, block, new)) * 300,
        "listings": (words + one) * 300,
        "a diff": f"--- a/{path}\n+++ b/{path}\n" + f"@@ -1,9 +1,9 @@\n{hunk}" * 300,
        "a patch": patch,
        "an edit in a call": call,
        "a patch in a call": json.dumps({"name": "apply_patch", "input": patch}),
    }
    lines = []
    for name, text in kinds.items():
        seconds = median(lambda text=text: parse(text))  # type: ignore[misc]
        cells = (name, f"{len(text) / 1000:,.1f} KB", f"{len(text) / seconds / MEGABYTE:.1f} MB/s")
        lines.append(Line((*cells, milliseconds(seconds))))
    return Table("Reading, by what a text is written in", ("text", "size", "speed", "time"), tuple(lines))


def seconds_of_children() -> float:
    """Processor seconds of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def command_seconds(
    words: Sequence[str], folder: Path, before: Callable[[], None] = lambda: None, given: bytes = b""
) -> float:
    """Median processor seconds of a process, of nine runs; `before` runs ahead of each and is not timed.

    Bytecode is cached, as it is wherever Dovetail is installed, in a folder of this benchmark's own.
    """

    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["XDG_STATE_HOME"] = str(folder.with_name(folder.name + ".state"))
    env["PYTHONPYCACHEPREFIX"] = str(folder.with_name(folder.name + ".pyc"))

    def run() -> None:
        done = subprocess.run(words, cwd=folder, check=False, capture_output=True, input=given, env=env)
        if done.returncode:
            raise SystemExit(f"{' '.join(words)} failed:\n{done.stderr.decode()}{done.stdout.decode()}")

    seconds = []
    before()
    run()  # writes the bytecode
    for _ in range(9):
        before()
        seconds.append(once(run, seconds_of_children)[0])
    return statistics.median(seconds)


def event(folder: Path, name: str, tool: str, **fields: str) -> bytes:
    """An event as Claude Code hands it to a hook."""
    about = {"session_id": "s", "cwd": str(folder), "transcript_path": "/t", "permission_mode": "default"}
    called = {"hook_event_name": name, "tool_name": tool, "tool_use_id": "t1", "tool_input": fields}
    return json.dumps({**about, **called}).encode()


def starting() -> Table:
    """Whole processes against `python -c pass`; the engine's own share of an apply, and the disk's."""
    command = str(Path(sys.executable).with_name("dovetail"))
    case = reply("exact", blocks=4, files=2, lines=60)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "project"
        folder.mkdir()

        def fresh() -> None:
            shutil.rmtree(folder / "src", ignore_errors=True)
            shutil.rmtree(folder / ".dovetail", ignore_errors=True)
            for path, text in case.files.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, encoding="utf-8")
            (folder / "reply.md").write_text(case.text, encoding="utf-8")

        fresh()
        base = command_seconds([sys.executable, "-c", "pass"], folder)
        version = command_seconds([command, "--version"], folder)
        dry = command_seconds([command, "apply", "reply.md", "--dry-run"], folder)
        applied = command_seconds([command, "apply", "reply.md", "--yes"], folder, fresh)
        (folder / ".git").mkdir()
        path, search, replace = case.blocks[0]
        nothing = command_seconds([command, "hook"], folder, given=event(folder, "PostToolUse", "Read"))
        fields = {"file_path": str(folder / path), "old_string": search, "new_string": replace}
        edited = command_seconds(
            [command, "hook"],
            folder,
            lambda: shutil.rmtree(folder.with_name(folder.name + ".state"), ignore_errors=True),
            event(folder, "PreToolUse", "Edit", **fields),
        )
    engine = median(lambda: planned(parse(case.text), case.files))
    bounded = (
        ("`dovetail --version`", version, VERSION_LIMIT),
        ("`dovetail apply --yes`", applied, APPLY_LIMIT),
        ("`dovetail apply --dry-run`", dry, APPLY_LIMIT),
        ("`dovetail hook`, nothing to write", nothing, HOOK_LIMIT),
        ("`dovetail hook`, an exact edit", edited, EDIT_LIMIT),
    )
    lines = (
        Line(("`python -c pass`", milliseconds(base), "1.0 ×", "")),
        *(
            Line((name, milliseconds(one), f"{one / base:.1f} ×", f"{limit:g} ×"), one <= limit * base)
            for name, one, limit in bounded
        ),
        Line(("the engine's part of an `apply`", milliseconds(engine), "", "")),
        Line(("writing and the journal (`--yes` less `--dry-run`)", milliseconds(max(0.0, applied - dry)), "", "")),
    )
    return Table("Starting, and a small reply", ("process", "time", "ratio", "target"), lines)
