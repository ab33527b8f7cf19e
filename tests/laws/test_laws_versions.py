"""Edits between two versions of a folder, as the fuzzer takes them: told to the letter, each makes its part of the newer."""
# ruff: noqa: S311 — seeded, so that a seed is a case

from __future__ import annotations

from pathlib import Path
from random import Random

import versions
from code_samples import STYLES, units
from dovetail import apply

MANY = 40


def test_edits_between_two_versions_are_made_as_they_were(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for style, (extension, _) in STYLES.items():
        rng = Random(style)
        pieces = units(style, 12, rng)
        fewer = [piece.replace("1", "17") for number, piece in enumerate(pieces) if number % 5]
        for folder, text in ((old, "".join(pieces)), (new, "".join(fewer))):
            (folder / style).mkdir(parents=True)
            (folder / style / f"file.{extension}").write_text(text, encoding="utf-8", newline="")
    (old / "image.png").write_bytes(b"\x89PNG\r\n")
    found = versions.pairs(old, new)
    assert [pair.path.split("/")[0] for pair in found] == sorted(STYLES)
    cases = [case for seed in range(MANY) if (case := versions.scenario(found, Random(seed))) is not None]
    assert len(cases) > MANY // 4
    for case in cases:
        assert apply(case.reply, {case.path: case.text}).files == {case.path: case.truth}
