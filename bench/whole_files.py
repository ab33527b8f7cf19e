"""Sends real files as models send them, and counts what is refused or warned of: each must arrive byte for byte.

    python bench/whole_files.py FOLDER… [--count 2000] [--seed 1] [--ending .py] [--way new-call] [--code garbled]

Files are taken at random from folders of your machine, as many of each ending as there are of the others. Each is sent
in every way: as a new file (`new-call`, `new-listing`), over an older variant of itself that lacks some of its lines or
has other words in them (`over-call`, `over-listing`), and as the edits that lead from that variant to it (`edit-call`,
`search-replace`, `diff`, `apply-patch`). Prints the refusals and warnings of each way by their codes. Exit status: 1
where anything else than the file was written; else 0.
"""
# ruff: noqa: S311 — seeded, so that a seed is a list of cases

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from case_files import Case
from engine import answers

LARGEST = 60_000  # bytes of a file that is sent
NEAR = 2  # lines of context that an edit quotes
FARTHEST = 40  # lines of context that are tried
SPOTS = 3  # places at which a variant differs, at most
_WORD = re.compile(r"[A-Za-z]{3,}|\d+")


def texts_of(folders: Sequence[Path], ending: str | None) -> Iterator[tuple[Path, str]]:
    """Files that hold text of a size that a model sends, each content once, in turn from each ending."""
    by_ending: dict[str, list[Path]] = defaultdict(list)
    for folder in folders:
        for home, inner, names in os.walk(folder):
            inner[:] = sorted(name for name in inner if name not in (".git", "__pycache__"))
            for name in sorted(names):
                path = Path(home, name)
                kind = path.suffix or (name if name in ("Makefile", "Dockerfile") else "")
                if (ending is None or kind == ending) and not path.is_symlink():
                    by_ending[kind].append(path)
    shuffled = Random(0)
    for paths in by_ending.values():
        shuffled.shuffle(paths)
    seen: set[str] = set()
    queues = [paths for _, paths in sorted(by_ending.items())]
    while queues:
        queues = [paths for paths in queues if paths]
        for paths in queues:
            path = paths.pop()
            text = read(path)
            if text is not None and text not in seen:
                seen.add(text)
                yield path, text


def read(path: Path) -> str | None:
    """A file's text; None where no model sends it so: it is empty, long, binary, or with other line ends."""
    try:
        if not path.is_file() or not 0 < path.stat().st_size <= LARGEST:
            return None
        text = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    return text if text.strip() and text.endswith("\n") and "\r" not in text and "\0" not in text else None


def older(text: str, random: Random) -> str:
    """The text before somebody changed it: some lines are not there yet, or say something else."""
    lines = text.splitlines(keepends=True)
    words = sorted(set(_WORD.findall(text)))
    for _ in range(random.randint(1, SPOTS)):
        at = random.randrange(len(lines))
        many = random.randint(1, 6)
        if random.random() < 0.5 and len(lines) > 2 * many:
            del lines[at : at + many]
        else:
            for n in range(at, min(len(lines), at + many // 2 + 1)):
                lines[n] = _WORD.sub(lambda _: random.choice(words), lines[n], count=1)
    return "".join(lines)


def fence_for(text: str) -> str:
    """A fence longer than any in the text."""
    return "`" * max(3, 1 + max((len(run) for run in re.findall(r"`{3,}", text)), default=0))


def call(name: str, **fields: object) -> str:
    """A tool call as it stands in a message."""
    return json.dumps({"type": "tool_use", "id": "toolu_01", "name": name, "input": fields})


def hunks(before: str, after: str) -> list[tuple[str, str]]:
    """Old and new text of each change, with as many lines around as make the old text stand there once.

    Empty where there are none that say all: an old text that alone begins with a line end is read as keeping it.
    """
    was, now = before.splitlines(keepends=True), after.splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(None, was, now, autojunk=False)
    for near in range(NEAR, FARTHEST):
        groups = [(group[0], group[-1]) for group in matcher.get_grouped_opcodes(near)]
        found = [("".join(was[a[1] : b[2]]), "".join(now[a[3] : b[4]])) for a, b in groups]
        if all(before.count(old) == 1 and (old[0] == "\n") <= (new[:1] == "\n") for old, new in found):
            return found
    return []


def edit_calls(path: str, before: str, after: str) -> str:
    """A call for each change."""
    return "\n".join(call("Edit", file_path=path, old_string=old, new_string=new) for old, new in hunks(before, after))


def search_replace(path: str, before: str, after: str) -> str:
    """A block between markers for each change."""
    fence = fence_for(before + after)
    blocks = (
        f"{path}\n{fence}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n{fence}\n"
        for old, new in hunks(before, after)
    )
    return "\n".join(blocks)


def diff(path: str, before: str, after: str) -> str:
    """A unified diff."""
    was, now = before.splitlines(keepends=True), after.splitlines(keepends=True)
    lines = difflib.unified_diff(was, now, f"a/{path}", f"b/{path}", n=3)
    return "".join(lines)


def apply_patch(path: str, before: str, after: str) -> str:
    """A patch without line numbers."""
    body = re.sub(r"(?m)^@@ .*$", "@@", diff(path, before, after).split("\n", 2)[2])
    return f"*** Begin Patch\n*** Update File: {path}\n{body}*** End Patch\n"


def listing(path: str, text: str) -> str:
    """A listing under the file's path."""
    fence = fence_for(text)
    return f"{path}\n{fence}\n{text}{fence}\n"


Way = Callable[[str, str, str], str]
NEW: dict[str, Way] = {
    "new-call": lambda path, _, after: call("Write", file_path=path, content=after),
    "new-listing": lambda path, _, after: listing(path, after),
}
OVER: dict[str, Way] = {
    "over-call": lambda path, _, after: call("Write", file_path=path, content=after),
    "over-listing": lambda path, _, after: listing(path, after),
    "edit-call": edit_calls,
    "search-replace": search_replace,
    "diff": diff,
    "apply-patch": apply_patch,
}


def cases(options: argparse.Namespace) -> Iterator[Case]:
    """Every file in every way."""
    for number, (source, text) in enumerate(texts_of(options.folders, options.ending)):
        if number == options.count:
            return
        path = f"{source.parent.name}/{source.name}".replace(" ", "_")
        before = older(text, Random(f"{options.seed} {source}"))
        for way, write in (NEW | OVER).items():
            asked = options.way in (None, way) and (way in NEW or before != text)
            if reply := write(path, before, text) if asked else "":
                files = {} if way in NEW else {path: before}
                yield {"id": f"{way} {source}", "files": files, "reply": reply, "truth": {path: text}}


def judged(case: Case, answer: dict[str, Any]) -> tuple[str, list[tuple[str, str]]]:
    """The verdict, and each code with its reason."""
    if "error" in answer:
        return "raised", [("raised", answer["error"][-300:])]
    told = [
        (d["code"], d["message" if "message" in d else "reason"])
        for r in answer["results"]
        for d in (*([r] if r["code"] else []), *r["warnings"])
    ]
    told += [(d["code"], d["message" if "message" in d else "reason"]) for d in answer["diagnostics"]]
    path, truth = next(iter(case["truth"].items()))
    after = {**case["files"], **answer["files"]}.get(path)
    if after == truth and set(answer["files"]) <= {path}:
        return "right", told
    changed = any(text != case["files"].get(name) for name, text in answer["files"].items())
    return ("WRONG", [("WRONG", ""), *told]) if changed else ("refused", told or [("unread", "")])


def main() -> int:
    """Send the files; print what became of them."""
    options = arguments()
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    codes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    shown: Counter[tuple[str, str]] = Counter()
    sent = list(cases(options))
    for case, answer in zip(sent, answers(sent, options.jobs), strict=True):
        way = case["id"].split(" ")[0]
        verdict, told = judged(case, answer)
        verdicts[way][verdict] += 1
        for code in {code for code, _ in told}:
            codes[way, verdict][code] += 1
            shown[verdict, code] += 1
            if shown[verdict, code] <= options.show and options.code in (None, code):
                reason = next(reason for other, reason in told if other == code)
                print(f"{verdict} {code}: {case['id']}\n    {str(reason)[:300]}")
    for way, counts in verdicts.items():
        print(f"{way:16}", dict(counts))
    for (way, verdict), found in sorted(codes.items()):
        print(f"{way:16} {verdict:8}", dict(found.most_common()))
    return int(any(counts["WRONG"] or counts["raised"] for counts in verdicts.values()))


def arguments() -> argparse.Namespace:
    """The command line's options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--ending")
    parser.add_argument("--way", choices=(*NEW, *OVER))
    parser.add_argument("--code", help="show cases of this code alone")
    parser.add_argument("--show", type=int, default=3)
    parser.add_argument("--jobs", type=int)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
