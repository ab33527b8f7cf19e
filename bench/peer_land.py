"""Adapters for recorded cases that say what the files are afterwards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dovetail.formats import parse
from dovetail.formats.table import AUTO
from dovetail.model.blocks import Block, Hints, Kind, Parsed
from dovetail.model.codes import OnFailure, Status
from peer_engine import (
    REFUSED,
    Adapter,
    Case,
    Comparison,
    after,
    land_blocks,
    land_reply,
    landed,
    lines,
    made,
    policy_for,
    relative,
    said,
    wanted,
)

LINE_PEERS = ("aider", "srpy")
"""Peers whose search is whole lines; the others' is a run of characters."""


def the_path(files: Mapping[str, str]) -> str:
    """The file a case without a path is about."""
    return next(iter(files), "file")


def tool_reply(path: str, edits: list[dict[str, Any]]) -> str:
    """Edits as the arguments of a function call carry them."""
    return json.dumps({"path": path, "edits": edits} if len(edits) > 1 else {"path": path, **edits[0]})


def replace(case: Case) -> Comparison:
    """One search and one replacement in one file."""
    files = relative(case["files"])
    path, search, new = the_path(files), case["search"], case["replace"]
    if case["peer"] in LINE_PEERS:
        block = Block("diff", Kind.EDIT, path, lines(search), lines(new))
        return Comparison(wanted(case), *land_blocks([block], files, policy_for(case)))
    edit = {"old_string": search, "new_string": new, "replace_all": bool(case.get("replace_all"))}
    got = land_reply(tool_reply(path, [edit]), files, policy_for(case), "tool-call")
    return Comparison(wanted(case), *got)


def multi(case: Case) -> Comparison:
    """Several searches and replacements in one file."""
    files = relative(case["files"])
    got = land_reply(tool_reply(the_path(files), list(case["edits"])), files, policy_for(case), "tool-call")
    return Comparison(wanted(case), *got)


def apply(case: Case) -> Comparison:
    """A reply in the peer's own format."""
    files = relative(case["files"])
    if case["peer"] == "cline":
        path = the_path(files)
        reply = f"<replace_in_file>\n<path>{path}</path>\n<diff>\n{case['reply']}\n</diff>\n</replace_in_file>\n"
        got = land_reply(reply, files, policy_for(case), "cline")
    elif case["peer"] == "aider":
        got = land_reply(case["reply"], files, policy_for(case))
    elif case["peer"] == "roo":
        got = landed(with_line(case, as_call(case, files), "roo"), files, policy_for(case))
    else:
        got = landed(with_line(case, case["reply"]), files, policy_for(case))
    if case.get("dry_run"):
        return Comparison(wanted(case), REFUSED if got[0] == REFUSED else files, got[1])
    return Comparison(wanted(case), *got)


def as_call(case: Case, files: Mapping[str, str]) -> str:
    """A diff as the argument of the call that carries it beside its path."""
    path = the_path(files)
    diff = case["reply"].removeprefix(path + "\n")
    return f"<apply_diff>\n<path>{path}</path>\n<diff>\n{diff}\n</diff>\n</apply_diff>\n"


def with_line(case: Case, reply: str, named: str = AUTO) -> Parsed:
    """The blocks of a reply, the start line that the tool call carries beside them told to the first."""
    parsed = parse(reply, format=named)
    line = case.get("start_line") or case.get("options", {}).get("start_line")
    if line is None or not parsed.blocks:
        return parsed
    first, *others = parsed.blocks
    return Parsed((hinted(first, line), *others), parsed.diagnostics)


def hinted(block: Block, line: int) -> Block:
    """A block with a line number."""
    return Block(
        block.format, block.kind, block.path, block.search, block.replace, readings=block.readings, hints=Hints(line)
    )


def apply_patch(case: Case) -> Comparison:
    """A patch between its Begin and End lines."""
    got = land_reply(case["reply"], relative(case["files"]), policy_for(case), "apply-patch")
    if case["expect"].get("exit"):
        return Comparison(REFUSED, *got)
    return Comparison(wanted(case), *got)


def chunk_lines(chunk: Mapping[str, Any]) -> list[str]:
    """One chunk as a patch writes it."""
    header = "@@" if chunk["changeContext"] is None else f"@@ {chunk['changeContext']}"
    old = ["-" + line for line in chunk["oldLines"]]
    new = ["+" + line for line in chunk["newLines"]]
    return [header, *old, *new, *(["*** End of File"] if chunk["isEndOfFile"] else [])]


def chunks(case: Case) -> Comparison:
    """Chunks of a patch, written out as the patch they came from."""
    files = relative(case["files"])
    body = [line for chunk in case["chunks"] for line in chunk_lines(chunk)]
    patch = ["*** Begin Patch", f"*** Update File: {the_path(files)}", *body, "*** End Patch", ""]
    return Comparison(wanted(case), *land_reply("\n".join(patch), files, policy_for(case), "apply-patch"))


def blocks(case: Case) -> Comparison:
    """Blocks of several files, each of which the peer answers with a status."""
    files = relative(case["files"])
    inline = case["peer"] not in LINE_PEERS
    made_blocks = [stated(block, inline=inline) for block in case["blocks"]]
    only = None
    if "in_context" in case:
        only = [*case["in_context"], *(block["path"] for block in case["blocks"] if block["create"])]
    policy = policy_for(case, OnFailure.BLOCK, only)
    planned = made(Parsed(tuple(made_blocks)), files, policy)
    got: object = files if case["dry_run"] else after(planned, files)
    expected: object = relative(case["expect"]["files"])
    if "results" in case["expect"]:
        expected = (expected, [STATUS[result["status"]] for result in case["expect"]["results"]])
        got = (got, [result.status for result in planned.results])
    return Comparison(expected, got, said(planned))


STATUS = {
    "applied": Status.FITS,
    "validated": Status.FITS,
    "already_applied": Status.STANDS_ALREADY,
    "not_in_context": Status.LEFT_OUT,
    "skipped": Status.FAILED,  # what that peer will not touch: a binary file, a path that leaves
    "failed": Status.FAILED,
}


def stated(block: Mapping[str, Any], *, inline: bool) -> Block:
    """A block from its three texts."""
    if block.get("create"):
        return Block("sections", Kind.CREATE, block["path"], "", block["replace"])
    search, new = block["search"], block["replace"]
    if inline:
        return Block("tool-call", Kind.EDIT, block["path"], search, new, inline=True)
    return Block("diff", Kind.EDIT, block["path"], lines(search), lines(new))


def tool(case: Case) -> Comparison:
    """A command of an editor tool, as the function call's arguments."""
    files = relative(case["files"])
    arguments = {"command": case["command"], "path": the_path(files), **case["args"]}
    return Comparison(wanted(case), *land_reply(json.dumps(arguments), files, policy_for(case), "tool-call"))


def llm_patch(case: Case) -> Comparison:
    """A unified diff, labelled old and new lines, or the whole new text."""
    files = relative(case["files"])
    reply = case["reply"].replace("before.txt", "file")
    if not reply:
        parsed = parse(reply)
        return Comparison(wanted(case), after(made(parsed, files, policy_for(case)), files), "nothing to do")
    if not reply.startswith("---") and "LINES:" not in reply:
        return Comparison(
            wanted(case), *land_blocks([Block("whole", Kind.REWRITE, "file", "", reply)], files, policy_for(case))
        )
    return Comparison(wanted(case), *land_reply(reply, files, policy_for(case)))


def omission(case: Case) -> Comparison:
    """A replacement that leaves something out."""
    expected = REFUSED if "error" in case["expect"] else "lands"
    block = Block("tool-call", Kind.EDIT, "file", case["search"], case["replace"], inline=True)
    got, what = land_blocks([block], {"file": case["search"]}, policy_for(case))
    return Comparison(expected, got if got == REFUSED else "lands", what)


def elided_whole_file(case: Case) -> Comparison:
    """A file's whole text with comments that stand for what stays; blank lines at the ends are not compared."""
    files = relative(case["files"])
    path = the_path(files)
    got, what = land_blocks([Block("whole", Kind.REWRITE, path, "", lines(case["reply"]))], files, policy_for(case))
    expected = wanted(case)
    return Comparison(trimmed(expected), trimmed(got), what)


def trimmed(result: dict[str, str] | str) -> object:
    """A result without blank lines at the ends of its files."""
    return result if isinstance(result, str) else {path: text.strip("\n") for path, text in result.items()}


ADAPTERS: dict[str, Adapter] = {
    "replace": replace,
    "multi": multi,
    "apply": apply,
    "apply_patch": apply_patch,
    "chunks": chunks,
    "blocks": blocks,
    "tool": tool,
    "llm_patch": llm_patch,
    "omission": omission,
    "elided_whole_file": elided_whole_file,
}
