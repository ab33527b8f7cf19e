"""Over real replies whose edits failed: does Dovetail land them, does its message teach, and what does it cost?

Usage: retries.py CORPUS [--show N]

CORPUS holds one JSON object a line; those of `kind` ``retried`` count: `reply` (some of its edits failed, in the tool
of the day), `retries` (the model's next replies), `before` (path to text, null for absent). Three figures:

(a) first replies that Dovetail lands whole, where that tool needed a retry;
(b) of the failed edits that are left: those for which the model, in its next reply, took up the file's text at or
    around the lines that Dovetail's message names: the search of a later edit stands in the file and touches the
    lines that the message quotes, and holds the line that the message names as the first that differs;
(c) tokens of all repair messages against those of the files sent again, estimated alike.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dovetail.context import estimate
from dovetail.formats import parse
from dovetail.llm.assemble import ShownFile, files_message
from dovetail.llm.retry_texts import Others, repair_message
from dovetail.model.codes import Occurrence, OnFailure, Status
from dovetail.model.policy import Policy
from dovetail.model.results import BlockResult, Plan
from dovetail.model.text import split_lines
from dovetail.plan import plan, wanted_paths
from dovetail.session.apply.correction import failure_of, likely_lines
from dovetail.session.apply.library import snapshot_of
from dovetail.syntax import default_language, language_of

# What those models had been told: the first place is taken.
POLICY = Policy(on_failure=OnFailure.BLOCK, occurrence=Occurrence.FIRST)


@dataclass(frozen=True, slots=True)
class Told:
    """One reply's repair message: its tokens, and those of the files that it speaks of sent again."""

    id: str
    failed: tuple[BlockResult, ...]
    message: str
    tokens: int
    again: int
    again_all: int


def cases(corpus: Path) -> Iterator[dict[str, Any]]:
    """The retried replies."""
    with corpus.open(encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            if case["kind"] == "retried":
                yield case


def planned(reply: str, files: Mapping[str, str]) -> Plan:
    """What Dovetail makes of a reply."""
    parsed = parse(reply)
    return plan(parsed, snapshot_of(files, wanted_paths(parsed, files)), POLICY, default_language())


def told(case: Mapping[str, Any], made: Plan, files: Mapping[str, str]) -> Told:
    """The message about what failed, as a conversation would send it."""
    failures = [failure_of(result, files.get(result.path or "")) for result in made.failed]
    landed = any(result.status in (Status.FITS, Status.STANDS_ALREADY) for result in made.results)
    message = repair_message(failures, len(made.results), Others.HELD if landed else Others.NONE)
    of_failed = {result.path for result in made.failed} & set(files)
    return Told(
        case["id"], made.failed, message, estimate(message), cost({p: files[p] for p in of_failed}), cost(files)
    )


def cost(files: Mapping[str, str]) -> int:
    """Tokens of the message that shows files."""
    if not files:
        return 0
    shown = [ShownFile(path, text, language_of(path) or "") for path, text in files.items()]
    return estimate(files_message(shown).content)


def named_lines(result: BlockResult, text: str) -> tuple[tuple[int, ...], range]:
    """The lines, from 1, that the message names as where to look, and those that it quotes."""
    nearest = result.nearest
    if nearest is not None:
        named = () if nearest.line is None else (nearest.line,)
        return named, range(nearest.start, min(nearest.end, len(split_lines(text))) + 1)
    likely = likely_lines(result, text)
    return result.places, range(0) if likely is None else range(likely.start, likely.end + 1)


def taught(result: BlockResult, retries: list[str], files: Mapping[str, str]) -> str:
    """How the model's next replies stand to what the message names; see the module."""
    text = files.get(result.path or "")
    if text is None:
        return "no such file"
    named, quoted = named_lines(result, text)
    spans = [span for retry in retries for span in found_again(retry, result.path or "", text, files)]
    if not spans:
        return "never taken up"
    if any(line in span for line in named for span in spans):
        return "named line"
    if any(set(span) & set(quoted) for span in spans):
        return "quoted lines"
    return "elsewhere" if named or quoted else "the message names no place"


def found_again(retry: str, path: str, text: str, files: Mapping[str, str]) -> Iterator[range]:
    """Lines of the file, from 1, that later edits of it quote to the letter."""
    for result in planned(retry, {**files, path: text}).results:
        if result.path == path and result.start is not None and result.end is not None:
            yield range(result.start, max(result.start, result.end) + 1)


def main() -> None:
    """Print the three figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--show", type=int, default=0, help="print so many messages, the longest first")
    asked = parser.parse_args()
    replies = landed = 0
    ways: Counter[str] = Counter()
    messages: list[Told] = []
    for case in cases(asked.corpus):
        replies += 1
        files = {path: text for path, text in case["before"].items() if text is not None}
        made = planned(case["reply"], files)
        if not made.failed:
            landed += 1
            continue
        messages.append(told(case, made, files))
        ways.update(taught(result, case["retries"], files) for result in made.failed)
    report(replies, landed, ways, messages)
    for message in sorted(messages, key=lambda m: -m.tokens)[: asked.show]:
        print(f"\n=== {message.id}: {message.tokens:,} of {message.again:,}\n{message.message}")


def report(replies: int, landed: int, ways: Counter[str], messages: list[Told]) -> None:
    """The figures as text."""
    print(f"(a) {landed} of {replies} first replies land whole where the tool of the day needed a retry")
    total = sum(ways.values())
    print(f"(b) {total} edits fail in the other {replies - landed}; what the model then corrected is")
    for way, count in ways.most_common():
        print(f"    {count:>4}  {way}")
    known = total - ways["never taken up"] - ways["no such file"]
    hit = ways["named line"] + ways["quoted lines"]
    print(f"    of {known} that the model took up again, the message names or quotes the line in {hit}")
    sent = sum(message.tokens for message in messages)
    again = sum(message.again for message in messages)
    whole = sum(message.again_all for message in messages)
    if again and whole:
        print(f"(c) all repair messages {sent:,} tokens; their files again {again:,} ({sent / again:.1%});")
        print(f"    all files of those chats again {whole:,} ({sent / whole:.1%})")


if __name__ == "__main__":
    main()
