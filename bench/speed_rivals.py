"""The tools that Dovetail's speed is set against, each made to land one block, or a reply, in memory.

Every one is called in the way that suits it best: blocks ready parsed, nothing written, nothing printed. One that
returns None did not land; what it returns is compared with the truth by the caller, and a wrong result is not a rival.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from functools import lru_cache

FENCE = ("```", "```")

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


def aider() -> tuple[str, Land]:
    """aider's own replacement of one block, and, as there, the similar lines that a miss is reported with."""
    from aider.coders.editblock_coder import do_replace, find_similar_lines

    def land(text: str, search: str, replace: str) -> str | None:
        after: str | None = do_replace("file.py", text, search, replace, FENCE)
        if after is None:
            find_similar_lines(search, text)
        return after

    return "aider", land


def diff_match_patch() -> Iterator[tuple[str, Land]]:
    """diff-match-patch without a position: as it comes, and told that any distance is as good as none."""
    from diff_match_patch import diff_match_patch as engine

    for name, distance in (("dmp", None), ("dmp-far", 1 << 40)):
        tool = engine()
        if distance is not None:
            tool.Match_Distance = distance

        def land(text: str, search: str, replace: str, tool: engine = tool) -> str | None:
            after, landed = tool.patch_apply(tool.patch_make(search, replace), text)
            return after if all(landed) else None

        yield name, land


def apply_edit_block() -> tuple[str, Land]:
    """apply-edit-block on one block."""
    from apply_edit_block import Edit, apply_edit

    def land(text: str, search: str, replace: str) -> str | None:
        result = apply_edit(text, Edit(search, replace))
        after: str | None = result.text if result.ok else None
        return after

    return "apply-edit-block", land


def purepatch() -> tuple[str, Land]:
    """purepatch's edit of one block."""
    from purepatch import PatchError, apply_edit

    def land(text: str, search: str, replace: str) -> str | None:
        try:
            after: str = apply_edit(text, search, replace)
        except PatchError:
            return None
        return after

    return "purepatch", land


def codex_apply_patch() -> tuple[str, Land]:
    """A port of Codex's `apply_patch` to Rust; it is handed the block as a patch."""
    from codex_apply_patch import apply_patch_in_memory

    @lru_cache(maxsize=4)
    def patch(search: str, replace: str) -> str:
        lines = [f"-{line}" for line in search.splitlines()] + [f"+{line}" for line in replace.splitlines()]
        return "\n".join(("*** Begin Patch", "*** Update File: file.py", "@@", *lines, "*** End Patch"))

    def land(text: str, search: str, replace: str) -> str | None:
        try:
            after: str = apply_patch_in_memory(patch(search, replace), {"file.py": text}).files["file.py"]
        except RuntimeError:
            return None
        return after

    return "codex-apply-patch", land


def aider_reply(reply: str, files: dict[str, str]) -> dict[str, str]:
    """aider on a whole reply: parsing, then one block after another; a block that does not land changes nothing."""
    from aider.coders.editblock_coder import do_replace, find_original_update_blocks

    after = dict(files)
    for path, search, replace in find_original_update_blocks(reply, valid_fnames=list(files)):
        after[path] = do_replace(path, after[path], search, replace, FENCE) or after[path]
    return after


def one_by_one(land: Land, blocks: list[tuple[str, str, str]], files: dict[str, str]) -> dict[str, str]:
    """A tool that lands single blocks, on all of them; a block that does not land changes nothing."""
    after = dict(files)
    for path, search, replace in blocks:
        after[path] = land(after[path], search, replace) or after[path]
    return after


def rivals() -> dict[str, Land]:
    """Every tool that is installed, by name."""
    return {
        **dict([aider(), apply_edit_block(), purepatch(), codex_apply_patch()]),
        **dict(diff_match_patch()),
        "difflib-run": by_longest_run,
        "difflib-windows": by_windows,
    }
