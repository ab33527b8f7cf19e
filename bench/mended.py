"""Sends calls that agents' own tools refused through the hook, and compares what comes of them with `dovetail apply`.

    python bench/mended.py CALLS.jsonl [--show KIND]

CALLS holds recorded calls of agents; those with a `truth` of null and inside their root count. Each is handed to the
hook as an agent hands it that lets a hook change a call. Whatever the hook makes of it is carried out to the letter: an
old text must stand once, the parts of a patch one behind the other. Prints what became of the calls:

- mended: the call was rewritten, and the tool comes to the files of `apply`
- fits: the call was left as it is, and the tool comes to the files of `apply` (it was refused for another reason)
- refused: the model is told why, and `apply` lands nothing either
- nothing: the call asks for no change
- lost: `apply` lands it, and the tool still does not
- DIFFERENT: the tool comes to other files than `apply`

Of each refusal, the message is obeyed to the letter: the edit that it offers is sent, or the new text with the lines
that it quotes as old text, or with so many lines around a place that it names that it stands once. Exit status 1 where
a call ends differently or a message leads nowhere.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from case_files import Case, read_lines
from dovetail.formats import parse
from dovetail.hooks.exact import is_exact
from dovetail.hooks.mend import Mended, mend
from dovetail.model.codes import Code
from dovetail.model.diagnostics import Difference
from dovetail.model.results import BlockResult
from dovetail.session.apply.applying import prepare
from dovetail.session.apply.correction import failure_of
from dovetail.session.batch.cases import answer_lines

Texts = Mapping[str, str | None]

_NODE = """
const patches = []
const tools = new Proxy({}, { get: (_, name) => async (value) => (name === "apply_patch" && patches.push(value), {}) })
const text = () => {}
const run = new (Object.getPrototypeOf(async () => {}).constructor)("tools", "text", process.argv[1])
run(tools, text).catch(() => {}).finally(() => console.log(JSON.stringify(patches)))
"""


class Call(NamedTuple):
    """A call as a hook sees it: `patched` is the field with a patch, `changes` the table's word on the tool."""

    tool: str
    asked: dict[str, Any]
    patched: str
    changes: Any


def main() -> int:
    """Send all calls, print what became of them, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("calls", type=Path)
    parser.add_argument("--show", default="", metavar="KIND", help="list the calls that ended so")
    options = parser.parse_args()
    ends: dict[str, Counter[str]] = defaultdict(Counter)
    messages: Counter[str] = Counter()
    for case in read_lines(options.calls):
        if case["truth"] is None and not case["kind"].endswith("-outside"):
            end, message = ended(case)
            ends[case["kind"]][end] += 1
            messages[message] += 1
            if options.show and options.show in (end, message):
                print(case["id"], case["kind"])
    total: Counter[str] = Counter()
    for kind, counts in sorted(ends.items()):
        print(f"{kind:28}", ", ".join(f"{count} {end}" for end, count in sorted(counts.items())))
        total += counts
    print(f"{'all':28}", ", ".join(f"{count} {end}" for end, count in sorted(total.items())), f"of {total.total()}")
    print("messages obeyed:", ", ".join(f"{count} {how}" for how, count in sorted(messages.items()) if how))
    return 1 if total["DIFFERENT"] or messages["leads nowhere"] else 0


def ended(case: Case) -> tuple[str, str]:
    """What became of a call, and of its message."""
    applied = json.loads(next(answer_lines([json.dumps(case)], jobs=1)))["files"]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        _write(root, case["files"])
        calls = calls_of(case, str(root))
        if not calls:
            return "no call", ""
        own: dict[str, str | None] = dict(case["files"])
        rewritten, message = False, ""
        for call in calls:
            done = hooked(call, root)
            if done.refused:
                if applied:
                    return "lost", ""
                return "refused", obeyed(call, root, done.refused)
            rewritten |= done.asked is not None
            after = carried_out(call._replace(asked=done.asked or call.asked), own, root)
            if after is None:
                return ("lost" if applied else "nothing"), message
            own = after
            _write(root, own)
    wanted = {**case["files"], **applied}
    if any((own.get(path) or "").rstrip("\n") != (wanted.get(path) or "").rstrip("\n") for path in {*own, *wanted}):
        return "DIFFERENT", ""
    return ("mended" if rewritten else "fits"), message


def calls_of(case: Case, root: str) -> list[Call]:
    """A recorded call as its agent's hook is handed it; a program of JavaScript is one call for each of its patches."""
    was, now = (json.dumps(folder)[1:-1] for folder in (case["root"], root))
    stated = json.loads(case["reply"].replace(was, now).replace(json.dumps(was)[1:-1], json.dumps(now)[1:-1]))
    if stated.get("type") == "custom_tool_call":
        patches = [stated["input"]]
        if stated["name"] == "exec":
            words = ["node", "-e", _NODE, stated["input"]]
            patches = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
        return [Call("apply_patch", {"command": patch}, "command", {"patch": "command"}) for patch in patches]
    asked = stated.get("input") or stated.get("arguments") or stated.get("args") or stated["state"]["input"]
    name = stated.get("name") or stated["tool"]
    if "patchText" in asked:
        return [Call(name, asked, "patchText", {"patch": "patchText"})]
    return [Call(name, asked, "", [field for field in ("file_path", "filePath", "path") if field in asked])]


def hooked(call: Call, root: Path) -> Mended:
    """What the hook makes of a call."""
    if is_exact(call.changes, call.asked, str(root)):
        return Mended()
    return mend(str(root), call.tool, call.asked, call.patched, "")


def carried_out(call: Call, texts: Texts, root: Path) -> dict[str, str | None] | None:
    """The files after a call that is taken to the letter; None where a tool refuses it."""
    if call.patched:
        return _patched(str(call.asked[call.patched]), texts, root)
    asked = call.asked
    path = _named(asked.get("file_path") or asked.get("filePath") or asked["path"], root)
    if "content" in asked:
        return {**texts, path: asked["content"]}
    edits = asked.get("edits") or [asked]
    text = texts.get(path)
    for edit in edits:
        old, new = (edit.get(f"{w}_string", edit.get(f"{w}String", edit.get(f"{w}Text"))) for w in ("old", "new"))
        every = edit.get("replace_all") or edit.get("replaceAll")
        if text is None or not old or old == new or not (text.count(old) == 1 or (every and old in text)):
            return None
        text = text.replace(old, new)
    return {**texts, path: text}


def _patched(patch: str, texts: Texts, root: Path) -> dict[str, str | None] | None:
    """The files after a patch; each part is looked for behind the one before."""
    after = dict(texts)
    lines = patch.strip().split("\n")
    if lines[0] != "*** Begin Patch" or lines[-1] != "*** End Patch":
        return None
    path, target, text, at = "", "", [""], 0
    old: list[str] = []
    new: list[str] = []
    for line in [*lines[1:-1], "*** End"]:
        if line.startswith(("@@", "*** ")) and (old or new):
            where = next((n for n in range(at, len(text)) if text[n : n + len(old)] == old), None) if old else len(text)
            if where is None:
                return None
            text[where : where + len(old)] = new
            at = where + len(new)
            old, new = [], []
        if line.startswith("*** ") and path and line not in ("*** End of File", f"*** Move to: {line[13:]}"):
            after[path] = None
            after[target] = "\n".join(text) + "\n"
            path = ""
        if line.startswith("*** Update File: "):
            path = target = _named(line[17:], root)
            if after.get(path) is None:
                return None
            text, at = (after[path] or "").removesuffix("\n").split("\n"), 0
        elif line.startswith("*** Add File: "):
            path = target = _named(line[14:], root)
            text, at = [], 0
        elif line.startswith("*** Delete File: "):
            after[_named(line[17:], root)] = None
        elif line.startswith("*** Move to: "):
            target = _named(line[13:], root)
        elif line.startswith("@@ ") and path:
            found = next((n for n in range(at, len(text)) if text[n].strip() == line[3:].strip()), None)
            if found is None:
                return None
            at = found + 1
        elif not line.startswith(("@@", "*** ")):
            old += [line[1:]] if line[:1] in (" ", "-", "") else []
            new += [line[1:]] if line[:1] in (" ", "+", "") else []
    return after


def obeyed(call: Call, root: Path, message: str) -> str:
    """What comes of a message that is obeyed to the letter, for each edit that it says has failed."""
    reply = str(call.asked[call.patched]) if call.patched else json.dumps({"name": call.tool, "arguments": call.asked})
    prepared = prepare(root, reply)
    with prepared.workspace:
        for result in prepared.plan.failed:
            text = prepared.texts.get(result.path or "")
            failure = failure_of(result, text, prepared.markers)
            if result.nearest is not None and result.nearest.difference is Difference.ALREADY_APPLIED:
                continue  # the message says that the file has it, and to leave the edit out
            if failure.corrected is not None:
                if failure.corrected.rstrip("\n") not in message or not _lands(root, failure.corrected):
                    return "leads nowhere"
            elif result.code is Code.AMBIGUOUS and text is not None:
                if not all(_once(text, result, place) for place in result.places):
                    return "leads nowhere"
            elif failure.lines is not None and text is not None:
                quoted = failure.lines.text
                if (quoted.rstrip("\n") not in message and len(quoted) < 6000) or text.count(quoted) != 1:
                    return "leads nowhere"
            else:
                return f"no place to name ({result.code})"
    return "leads there"


def _lands(root: Path, reply: str) -> bool:
    prepared = prepare(root, reply)
    with prepared.workspace:
        return bool(parse(reply).blocks) and not prepared.plan.failed


def _once(text: str, result: BlockResult, place: int) -> bool:
    """Whether an edit at a place can be told from the others by lines around it."""
    lines = text.split("\n")
    size = result.block.search.rstrip("\n").count("\n") + 1
    first, last = place - 1, place - 1 + size
    while first > 0 or last < len(lines):
        first, last = max(0, first - 1), min(len(lines), last + 1)
        if text.count("\n".join(lines[first:last])) == 1:
            return True
    return False


def _named(path: object, root: Path) -> str:
    return str(path).strip().removeprefix(f"{root}/")


def _write(root: Path, texts: Texts) -> None:
    for path, text in texts.items():
        target = root / path
        if text is None:
            target.unlink(missing_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())


if __name__ == "__main__":
    raise SystemExit(main())
