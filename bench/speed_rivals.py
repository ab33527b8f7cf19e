"""The tools that Dovetail's speed is set against, each made to land one block, or a reply, in memory.

How each is called is in `judge/appliers`, which the judge shares.

Every one is called in the way that suits it best: blocks ready parsed, nothing written, nothing printed. One that
returns None did not land; what it returns is compared with the truth by the caller, and a wrong result is not a rival.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable

Land = Callable[[str, str, str], str | None]
"""Text, search, replacement; the text after, or None."""


def by_longest_run(text: str, search: str, replace: str) -> str | None:
    """`difflib` on lines: the longest run that file and search share says where the search stands."""
    whole, wanted = text.splitlines(keepends=True), search.splitlines(keepends=True)
    run = difflib.SequenceMatcher(None, whole, wanted, autojunk=False).find_longest_match()
    first = run.a - run.b
    if run.size == 0 or first < 0:
        return None
    return "".join([*whole[:first], replace, *whole[first + len(wanted) :]])


def by_windows(text: str, search: str, replace: str) -> str | None:
    """`difflib` on characters: the window of as many lines that is most like the search, at 0.8 or more."""
    whole, count = text.splitlines(keepends=True), len(search.splitlines())
    matcher = difflib.SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(search)
    best, place = 0.8, -1
    for first in range(len(whole) - count + 1):
        matcher.set_seq1("".join(whole[first : first + count]))
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (ratio := matcher.ratio()) > best:
            best, place = ratio, first
    return None if place < 0 else "".join([*whole[:place], replace, *whole[place + count :]])


def aider_reply(reply: str, files: dict[str, str]) -> dict[str, str]:
    """aider on a whole reply: parsing, then one block after another; a block that does not land changes nothing."""
    from aider.coders.editblock_coder import find_original_update_blocks

    from judge.appliers.aider import land

    return one_by_one(land, list(find_original_update_blocks(reply, valid_fnames=list(files))), files)


def one_by_one(land: Land, blocks: list[tuple[str, str, str]], files: dict[str, str]) -> dict[str, str]:
    """A tool that lands single blocks, on all of them; a block that does not land changes nothing."""
    after = dict(files)
    for path, search, replace in blocks:
        after[path] = land(after[path], search, replace) or after[path]
    return after


def rivals() -> dict[str, Land]:
    """Every tool, by name."""
    from judge.appliers import aider, apply_edit_block, codex_apply_patch, diff_match_patch, purepatch

    return {
        "aider": aider.land,
        "apply-edit-block": apply_edit_block.land,
        "purepatch": purepatch.land,
        "codex-apply-patch": codex_apply_patch.land,
        "dmp": diff_match_patch.lander(),
        "dmp-far": diff_match_patch.lander(diff_match_patch.FAR),
        "difflib-run": by_longest_run,
        "difflib-windows": by_windows,
    }
