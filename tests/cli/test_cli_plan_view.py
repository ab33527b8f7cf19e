"""A plan as a person sees it, against golden files: change one only after reading what it says."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from dovetail.cli.plan_view import draw_plan
from dovetail.cli.screen import Screen
from dovetail.cli.words import tally
from dovetail.model.blocks import Block, DatabaseAction, Kind, ShellSuggestion
from dovetail.model.codes import Code, Severity, Status, Tier
from dovetail.model.diagnostics import Diagnostic, Difference, Nearest
from dovetail.model.results import BlockResult, FileChange, Plan

GOLDEN = Path(__file__).parent / "golden"

BEFORE = "import sys\nfrom tally.words import count\n\n\ndef main():\n\treturn count(sys.stdin.read())\n"
AFTER = "import sys\nfrom tally.words import count, top\n\n\ndef main():\n\treturn top(count(sys.stdin.read()), 10)"


def edit(path: str | None = "tally/cli.py", line: int = 7) -> Block:
    return Block("diff", Kind.EDIT, path, "a\n", "b\n", line=line)


LANDED = Plan(
    results=(
        BlockResult(1, edit(), "tally/cli.py", Status.FITS, tier=Tier.EXACT, score=1.0, start=2, end=2),
        BlockResult(
            2,
            edit(line=15),
            "tally/cli.py",
            Status.FITS,
            tier=Tier.FUZZY,
            score=0.934,
            start=5,
            end=6,
            warnings=(
                Diagnostic(
                    Code.NEW_SYNTAX_ERROR,
                    "Line 6 no longer parses.",
                    Severity.WARNING,
                    "tally/cli.py",
                    6,
                    "Look at it.",
                ),
            ),
        ),
        BlockResult(
            3, Block("sections", Kind.CREATE, "notes.md", "", "hello\n\x1b[2J", line=30), "notes.md", Status.FITS
        ),
        BlockResult(4, Block("whole", Kind.DELETE, "old.py", "", "", line=40), "old.py", Status.FITS),
        BlockResult(5, edit("tally/words.py", 44), "tally/words.py", Status.STANDS_ALREADY, start=8, end=9),
        BlockResult(6, edit(line=50), "tally/cli.py", Status.LEFT_OUT, Code.DRAFT, "It stands in a reasoning section."),
    ),
    changes=(
        FileChange("notes.md", None, "hello\n\x1b[2J"),
        FileChange("old.py", "x\n", None),
        FileChange("tally/cli.py", BEFORE, AFTER),
    ),
    shell_suggestions=(ShellSuggestion("pip install rich\npytest", 60),),
    database_actions=(
        DatabaseAction("migration", "create table t (\n  n int\n);\x1b[2J", 62, "supabase/migrations/t.sql"),
        DatabaseAction("query", "select 1", 66),
    ),
    diagnostics=(
        Diagnostic(Code.STRAY_MARKER, "A divider stands outside any block.", Severity.WARNING, None, 58, "Remove it."),
    ),
)

MISSED = Plan(
    results=(
        BlockResult(
            1,
            edit(),
            "tally/cli.py",
            Status.FAILED,
            Code.NO_MATCH,
            "The search text is not in the file.",
            "Copy the lines as the file has them.",
            nearest=Nearest(
                10,
                14,
                0.92,
                Difference.MISREMEMBERED,
                11,
                "    def count(words, *, top=None):",
                "    def count(words, top=None):",
                "…",
            ),
        ),
        BlockResult(
            2,
            edit(line=20),
            "tally/cli.py",
            Status.FAILED,
            Code.AMBIGUOUS,
            "The search text stands at 14 places.",
            "Add a line that only the right place has.",
            places=tuple(range(3, 45, 3)),
        ),
        BlockResult(3, edit(None, 30), None, Status.FAILED, Code.MALFORMED, "The block names no file."),
        BlockResult(4, edit("tally/words.py", 40), "tally/words.py", Status.LEFT_OUT, Code.OTHER_FAILED),
    ),
    changes=(),
)


@pytest.mark.parametrize(("name", "plan"), [("landed", LANDED), ("missed", MISSED)])
def test_a_plan_reads_as_the_golden_file(name: str, plan: Plan) -> None:
    stream = io.StringIO()
    screen = Screen(stream, colour=False)
    draw_plan(screen, plan)
    screen.line(tally(plan.results))
    assert stream.getvalue() == (GOLDEN / f"{name}.txt").read_bytes().decode()
