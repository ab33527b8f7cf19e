"""Makes cases for the judge: random edits of random files, quoted as models misquote them, in four formats.

    python bench/judge/generate.py [--seed 1] [--cases 2] > CASES.jsonl

They are `fuzz.py`'s. `kind` is how the edit is quoted, `group` whether its place is in the file (`placed`) or only a
twin of it, where nothing but a refusal is right (`twin`). All texts are made here, so anyone may publish them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from code_samples import STYLES
from fuzz import KINDS, said_in

FORMATS = ("diff", "tool-call", "apply-patch", "udiff")


def cases(seed: int, count: int) -> Iterator[dict[str, Any]]:
    """`count` cases of each kind, style and format, less those that a kind or a format cannot make."""
    for kind, make in KINDS.items():
        for style in STYLES:
            for number in range(seed, seed + count):
                case = make(style, Random(f"{kind}/{style}/{number}"))  # noqa: S311 - seeded
                for name in FORMATS if case is not None else ():
                    reply = said_in(name, case)
                    if reply is not None:
                        yield {
                            "id": f"{kind}/{style}/{number}/{name}",
                            "kind": kind,
                            "group": "twin" if kind.startswith("twin") else "placed",
                            "files": {case.path: case.text},
                            "reply": reply,
                            "truth": {case.path: case.truth},
                        }


def main() -> None:
    """Print the cases."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=2, help="of each kind, style and format")
    options = parser.parse_args()
    for case in cases(options.seed, options.cases):
        print(json.dumps(case))


if __name__ == "__main__":
    main()
