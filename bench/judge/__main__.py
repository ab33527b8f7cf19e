"""Judges tools that apply models' edits: which results are right, which refused, which WRONG, and how long they take.

    python bench/judge CASES.jsonl… [--only dovetail,aider] [--by kind] [--show TOOL]
    python bench/judge CASES.jsonl… --applier mine='node apply.mjs' --reads diff,udiff

Cases are those of `dovetail batch` with a `truth` (`case_files.py`). Each tool of `appliers.toml` is installed into an
environment of its own, once. `docs/judge.md` explains the measure and the rules.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from case_files import Case  # noqa: E402 - the benchmarks are scripts in a folder, no package
from judge.cases import handed, prepared  # noqa: E402
from replay import difference  # noqa: E402
from verdicts import Verdict, files_after, judge, truths_of  # noqa: E402

REFUSALS = (Verdict.REFUSED, Verdict.HELD, Verdict.MISSING)
HEADS = ("tool", "reads", "cases", "right", "part", "refused", "**WRONG**", "only in blanks", "ms", "not its format")


@dataclass(frozen=True, slots=True)
class Applier:
    """One tool: which formats it reads, what of a case it needs, and how it is run."""

    name: str
    reads: tuple[str, ...]
    needs: str = "reply"
    install: tuple[str, ...] = ()
    python: str = ""
    command: tuple[str, ...] = ()

    def can_read(self, case: Case) -> bool:
        """Return whether a case is in the tool's scope."""
        return ("*" in self.reads or case["format"] in self.reads) and case.get(self.needs) is not None


def known_appliers() -> dict[str, Applier]:
    """The tools of `appliers.toml`."""
    rows = tomllib.loads((HERE / "appliers.toml").read_text("utf-8"))
    return {
        name: Applier(name, tuple(row["reads"]), row["needs"], tuple(row.get("install", ())), row.get("python", ""))
        for name, row in rows.items()
    }


def interpreter(least: str) -> str | None:
    """A Python of at least a version, None if there is none on PATH."""
    wanted = tuple(map(int, least.split("."))) if least else (0,)
    for name in (sys.executable, "python3.14", "python3.13", "python3.12"):
        path = shutil.which(name)
        words = [path or "", "-c", "import sys; print(*sys.version_info[:2])"]
        done = subprocess.run(words, capture_output=True, text=True, check=False) if path else None
        if done is not None and done.returncode == 0 and tuple(map(int, done.stdout.split())) >= wanted:
            return path
    return None


def installed(applier: Applier, environments: Path) -> list[str] | None:
    """The command that runs a tool's worker, its environment made if need be; None if that cannot be made."""
    if applier.command:
        return list(applier.command)
    worker = [str(HERE / "worker.py"), applier.name.replace("-", "_")]
    if not applier.install:
        return [sys.executable, *worker]
    folder = environments / applier.name
    stamp, python = folder / "installed", folder / "bin" / "python"
    if not stamp.exists() or stamp.read_text("utf-8").split() != list(applier.install):
        base = interpreter(applier.python)
        if base is None:
            print(f"judge: {applier.name} needs Python {applier.python} on PATH, and is left out.", file=sys.stderr)
            return None
        make = [base, "-m", "venv", "--clear", folder]
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *applier.install]
        if any(subprocess.run(words, check=False).returncode for words in (make, pip)):
            print(f"judge: {applier.name} could not be installed, and is left out.", file=sys.stderr)
            return None
        stamp.write_text("\n".join(applier.install), "utf-8")
    return [str(python), *worker]


def answers_of(command: Sequence[str], cases: Sequence[Case], name: str) -> dict[str, dict[str, Any]]:
    """Run a tool on cases. A case on which the tool's process dies is refused, and the next starts another process."""
    answers: dict[str, dict[str, Any]] = {}
    rest = list(cases)
    while rest:
        lines = "".join(json.dumps(handed(case)) + "\n" for case in rest)
        done = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", check=False)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        answers |= {answer["id"]: answer for answer in found}
        rest = [case for case in rest if case["id"] not in answers]
        if not answers:
            print(f"judge: {name} answers nothing:\n{done.stderr[-800:]}", file=sys.stderr)
            return {}
        if rest:
            answers[rest[0]["id"]] = {"id": rest[0]["id"], "files": None, "reason": "its process ended", "seconds": 0.0}
            del rest[0]
    return answers


def verdict(case: Case, answer: Mapping[str, Any] | None) -> Verdict:
    """Judge an answer; a refusal left the files as they were."""
    if answer is None or answer["files"] is None:
        return judge(case, {"files": {}})
    gone = dict.fromkeys(case["files"])
    return judge(case, {"files": {**gone, **answer["files"]}})


def is_wrong(case: Case, answer: Mapping[str, Any] | None) -> bool:
    """Return whether the tool wrote something that is not wanted."""
    return verdict(case, answer) is Verdict.WRONG


def table(appliers: Sequence[Applier], cases: Sequence[Case], answers: Mapping[str, Mapping[str, Any]]) -> None:
    """Print what became of cases, a row for each tool, as Markdown."""
    print("| " + " | ".join(HEADS) + " |\n|" + " --- |" * len(HEADS))
    for applier in appliers:
        mine = [case for case in cases if applier.can_read(case)]
        if not mine:
            continue
        counts = Counter(verdict(case, answers[applier.name].get(case["id"])) for case in mine)
        times = [found["seconds"] for case in mine if (found := answers[applier.name].get(case["id"])) is not None]
        refused = sum(counts[kind] for kind in REFUSALS)
        reads = "all" if "*" in applier.reads else ", ".join(applier.reads)
        wrong = [case for case in mine if is_wrong(case, answers[applier.name].get(case["id"]))]
        blanks = sum(
            not is_wrong({**case, "compare": "no-blanks"}, answers[applier.name][case["id"]]) for case in wrong
        )
        numbers = (len(mine), counts[Verdict.RIGHT], counts[Verdict.PART], refused, len(wrong), blanks)
        cells = (applier.name, reads, *numbers, f"{median(times) * 1e3:.2f}" if times else "", len(cases) - len(mine))
        print("| " + " | ".join(map(str, cells)) + " |")


def show(name: str, cases: Sequence[Case], answers: Mapping[str, Any]) -> Iterator[str]:
    """Each WRONG case of a tool: its reply, and the truth against what it wrote."""
    for case in cases:
        if is_wrong(case, answers.get(case["id"])):
            after = files_after({"files": {}}, answers[case["id"]])
            yield f"== {name}: {case['id']}\n{case['reply']}"
            for truth in truths_of(case)[:1]:
                for path in sorted(set(truth) | set(after)):
                    if truth.get(path) != after.get(path):
                        yield difference(truth.get(path), after.get(path), (f"truth {path}", f"written {path}"))


def main(argv: Sequence[str] | None = None) -> int:
    """Judge and print. Exit status 1 if Dovetail is WRONG on a case, else 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cases", type=Path, nargs="+", help="JSON Lines of cases with a truth")
    parser.add_argument("--only", help="names of tools, joined by commas")
    parser.add_argument(
        "--applier", metavar="NAME=COMMAND", help="judge this program, too; its protocol is worker.py's"
    )
    parser.add_argument("--reads", default="*", help="the formats that it reads, joined by commas (all)")
    parser.add_argument("--by", help="also a table for each value of this key of the cases, for example format")
    parser.add_argument("--compare", default="loose-end", help="how texts are compared: exact, loose-end, no-blanks")
    parser.add_argument("--show", metavar="TOOL", help="print each WRONG case of a tool")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write each tool's answers here")
    parser.add_argument("--environments", type=Path, default=HERE / ".environments", help="where tools are installed")
    options = parser.parse_args(argv)
    known = known_appliers()
    names = list(known) if options.only is None else options.only.split(",")
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no tool {', '.join(unknown)}; there are {', '.join(known)}")
    chosen = [known[name] for name in names]
    if options.applier:
        name, sign, command = options.applier.partition("=")
        if not sign:
            parser.error("--applier takes NAME=COMMAND")
        chosen.append(Applier(name, tuple(options.reads.split(",")), command=tuple(shlex.split(command))))
    cases = prepared(options.cases, options.compare)
    answers: dict[str, dict[str, Any]] = {}
    for applier in chosen:
        mine = [case for case in cases if applier.can_read(case)]
        command = installed(applier, options.environments) if mine else None
        if command is not None and (found := answers_of(command, mine, applier.name)):
            answers[applier.name] = found
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        for name, found in answers.items():
            lines = (json.dumps(answer) + "\n" for answer in found.values())
            (options.out / f"{name}.jsonl").write_text("".join(lines), "utf-8")
    ran = [applier for applier in chosen if applier.name in answers]
    table(ran, cases, answers)
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in cases if options.by else ():
        groups[str(case.get(options.by, "-"))].append(case)
    for group, some in groups.items():
        print(f"\n{options.by} {group}:\n")
        table(ran, some, answers)
    for line in show(options.show, cases, answers[options.show]) if options.show in answers else ():
        print(line)
    ours = answers.get("dovetail", {})
    return int(any(is_wrong(case, ours.get(case["id"])) for case in cases))


if __name__ == "__main__":
    sys.exit(main())
