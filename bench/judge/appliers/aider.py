"""aider: its own coders, each with its own reader of replies, without a model and without a repository."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aider.coders.editblock_coder import EditBlockCoder, do_replace, find_similar_lines
from aider.coders.patch_coder import PatchCoder
from aider.coders.udiff_coder import UnifiedDiffCoder
from aider.coders.wholefile_coder import WholeFileCoder
from aider.io import InputOutput

FENCE = ("```", "```")
CODERS = {"diff": EditBlockCoder, "udiff": UnifiedDiffCoder, "apply-patch": PatchCoder, "whole": WholeFileCoder}


def write(case: Mapping[str, Any], folder: Path) -> bool:
    """Read the reply and write the files, as the coder of the reply's format does."""
    coder = CODERS[case["format"]].__new__(CODERS[case["format"]])
    coder.io = InputOutput(pretty=False, yes=True, fancy_input=False)
    coder.root, coder.fence, coder.shell_commands, coder.abs_root_path_cache = str(folder), FENCE, [], {}
    coder.abs_fnames = {str(folder / path) for path in case["files"]}
    coder.partial_response_content = case["patch"] if case["format"] == "apply-patch" else case["reply"]
    coder.multi_response_content = ""
    edits = coder.get_edits()
    coder.apply_edits(edits)
    return bool(edits)


def land(text: str, search: str, replace: str) -> str | None:
    """One replacement and, as there, the similar lines that a miss is reported with."""
    after: str | None = do_replace("file.py", text, search, replace, FENCE)
    if after is None:
        find_similar_lines(search, text)
    return after
