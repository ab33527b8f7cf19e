"""Merges three versions of texts with a known result, and says how often the merge is right.

    python bench/merges.py MERGES.jsonl [--show 20] [--results RESULTS.jsonl]
    python bench/merges.py --generated 5000     both sides change one token of random calls: none may merge

A line has `id`, `path`, `base`, `ours`, `theirs`, and `truth`: a text, or null where only a conflict is right. `also`
lists texts that are as right, `either` says that a conflict is as good. Blanks at the ends of lines do not count. The
sides are exchanged too: a merge that comes out otherwise is counted.

Exit status: 1 where a merge depends on which side is which; else 0.
"""

# ruff: noqa: S311 - seeded, so that every run tries the same

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from case_files import read_lines
from dovetail.model.text import apply_edits
from dovetail.text.languages import layout_is_grammar
from dovetail.text.merge import merge


def merged(case: dict[str, Any], ours: str, theirs: str) -> str | None:
    """Merge one case; None for a conflict."""
    made = merge(case["base"], ours, theirs, layout=layout_is_grammar(case.get("path", "")), line_ends=True)
    return None if made.clashes else apply_edits(ours, made.edits)


def verdict(case: dict[str, Any], text: str | None) -> str:
    """Say what a merge is worth."""
    if text is None:
        return "conflict right" if case["truth"] is None or case.get("either") else "conflict"
    known = [trimmed(other, case) for other in (case["truth"], *case.get("also", ())) if other is not None]
    return "right" if trimmed(text, case) in known else "WRONG"


def merged_wrongly(count: int, seed: int = 1) -> int:
    """Count random cases that merge although both sides changed the same token."""
    random, words = Random(seed), ("load", "save", "item", "count", "self", "x", "12", "3.5", '"on"')
    wrong = 0
    for _ in range(count):
        calls = [[random.choice(words) for _ in range(random.randint(2, 7))] for _ in range(random.randint(1, 4))]
        n = random.randrange(len(calls))
        k = random.randrange(1, len(calls[n]))

        def text(word: str | None, behind: str = "", *, calls: list[list[str]] = calls, n: int = n, k: int = k) -> str:
            lines = [f"{call[0]}({', '.join(call[1:])})" for call in calls]
            if word is not None:
                changed = [*calls[n][:k], word, *calls[n][k + 1 :]]
                lines[n] = f"{changed[0]}({', '.join(changed[1:])}){behind}"
            return "\n".join(lines) + "\n"

        behind = random.choice(("", ";", "  # a remark"))
        sides = [text("mine"), text("theirs", behind)]
        random.shuffle(sides)
        wrong += not merge(text(None), *sides).clashes
    return wrong


def trimmed(text: str, case: dict[str, Any]) -> list[str]:
    """The lines that count."""
    lines = re.sub(r"[ \t]+(?=\r?\n|$)", "", text).rstrip("\r\n").split("\n")
    return [line for line in lines if line.strip()] if case.get("loose") else lines


def main() -> int:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("merges", type=Path, nargs="?")
    parser.add_argument("--generated", type=int, metavar="N")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--results", type=Path)
    options = parser.parse_args()
    if options.generated is not None or options.merges is None:
        wrong_ones = merged_wrongly(options.generated or 1000)
        print(f"{wrong_ones} of {options.generated or 1000} merge")
        return 1 if wrong_ones else 0
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    answers: list[str] = []
    began = time.process_time()
    for case in read_lines(options.merges):
        text, other = merged(case, case["ours"], case["theirs"]), merged(case, case["theirs"], case["ours"])
        counts["differs from the other side"] += text != other
        found = verdict(case, text)
        counts[found] += 1
        answers.append(json.dumps({"id": case["id"], "merged": text}))
        if found == "WRONG":
            wrong.append(case["id"])
    total = sum(counts[name] for name in ("right", "conflict right", "conflict", "WRONG"))
    right = counts["right"] + counts["conflict right"]
    print(f"right {right / max(total, 1):.1%} of {total}, {time.process_time() - began:.1f} s", dict(counts))
    print(*(f"WRONG {name}" for name in wrong[: options.show]), sep="\n")
    if options.results is not None:
        options.results.write_text("\n".join(answers) + "\n", encoding="utf-8")
    return 1 if counts["differs from the other side"] else 0


if __name__ == "__main__":
    sys.exit(main())
