"""Adapters for recorded cases that say what a reply holds, before any file is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dovetail.formats import Stream, parse
from dovetail.model.blocks import Block, Hints, Kind, Parsed
from dovetail.model.codes import Severity
from peer_engine import REFUSED, Adapter, Case, Comparison, lines, made, policy_for, said

Halves = tuple[str | None, str, str]


def halves(block: Block) -> Halves:
    """What a recorded parse says of a block."""
    return block.path, block.search, block.replace


def whole(blocks: Iterable[Block]) -> list[Block]:
    """The blocks that parsed."""
    return [block for block in blocks if block.malformed is None and not block.draft]


def in_doubt(parsed: Parsed) -> bool:
    """Whether anything in the reply opened and did not parse, or has no path."""
    return not parsed.blocks or any(block.malformed is not None or block.path is None for block in parsed.blocks)


def told(parsed: Parsed) -> str:
    """Every diagnostic, one a line."""
    found = [*parsed.diagnostics, *(b.malformed for b in parsed.blocks if b.malformed is not None)]
    return "\n".join(f"{d.severity} {d.code} line {d.line}: {d.message}" for d in found)


def read(case: Case) -> Comparison:
    """The blocks of a reply. A reading that the peer has and Dovetail keeps among its own counts as agreed."""
    if case["peer"] == "roo-patch":
        return patch(case)
    parsed = parse(case["reply"], format="diff")
    if "error" in case["expect"]:
        return Comparison(
            REFUSED, REFUSED if in_doubt(parsed) else [halves(b) for b in whole(parsed.blocks)], told(parsed)
        )
    expected = [tuple(edit) for edit in case["expect"]["edits"] if edit[0] is not None]
    ours = whole(parsed.blocks)
    if case.get("valid_fnames"):
        return Comparison(expected, resolved(ours, case), told(parsed))
    if len(ours) == len(expected):
        return Comparison(expected, [kept(b, want) for b, want in zip(ours, expected, strict=True)], told(parsed))
    return Comparison(expected, [halves(block) for block in ours], told(parsed))


def kept(block: Block, want: tuple[str, str, str]) -> Halves:
    """The peer's reading where it is one of the block's, else the block's first."""
    for reading in block.readings:
        if (block.path, reading.search, reading.replace) == want:
            return want
    return halves(block)


def resolved(blocks: list[Block], case: Case) -> list[Halves]:
    """The blocks with the paths of files that exist, each of which holds every search."""
    files = {path: "".join(block.search for block in blocks) for path in case["valid_fnames"]}
    planned = made(Parsed(tuple(blocks)), files, policy_for(case))
    return [(r.path, r.block.search, r.block.replace) for r in planned.results]


def patch(case: Case) -> Comparison:
    """The hunks of a patch between its Begin and End lines."""
    parsed = parse(case["reply"], format="apply-patch")
    if "error" in case["expect"]:
        return Comparison(REFUSED, REFUSED if in_doubt(parsed) else [b.path for b in parsed.blocks], told(parsed))
    expected = [hunk for stated in case["expect"]["hunks"] for hunk in expected_hunks(stated)]
    return Comparison(expected, [our_hunk(block) for block in whole(parsed.blocks)], told(parsed))


def expected_hunks(hunk: Mapping[str, Any]) -> Iterable[tuple[object, ...]]:
    """A recorded hunk in the words of a block: kind, path, texts, scope, whether at the file's end, destination."""
    match hunk["type"]:
        case "AddFile":
            yield Kind.CREATE, hunk["path"], "", hunk["contents"], (), False, None
        case "DeleteFile":
            yield Kind.DELETE, hunk["path"], "", "", (), False, None
        case _:
            for chunk in hunk["chunks"]:
                scope = () if chunk["changeContext"] is None else (chunk["changeContext"],)
                old, new = ("".join(line + "\n" for line in chunk[side]) for side in ("oldLines", "newLines"))
                yield Kind.EDIT, hunk["path"], old, new, scope, chunk["isEndOfFile"] and bool(old), hunk["movePath"]


def our_hunk(block: Block) -> tuple[object, ...]:
    """A block in the same words; an insertion that quotes nothing stands at the end, whether that is said or not."""
    hints: Hints = block.hints
    said_end = hints.at_end and bool(block.search)
    return block.kind, block.path, block.search, block.replace, hints.scope, said_end, block.destination


def parse_acdc(case: Case) -> Comparison:
    """A stream in emoji markers, fed in the recorded pieces."""
    parser = Stream(format="guillemet")
    for piece in case["chunks"]:
        parser.feed(piece)
    parser.close()
    parsed = parser.parsed
    expected = [(path, lines(old), lines(new)) for path, old, new in case["expect"]["edits"]]
    broken = [block for block in parsed.blocks if block.malformed is not None]
    return Comparison(
        (expected, len(case["expect"]["incomplete"])),
        ([halves(b) for b in whole(parsed.blocks)], len(broken)),
        told(parsed),
    )


def parse_udiff(case: Case) -> Comparison:
    """The hunks of a unified diff."""
    expected = [(path, side(hunk, "-"), side(hunk, "+")) for path, hunk in case["expect"]["hunks"]]
    parsed = parse(case["reply"], format="udiff")
    return Comparison(expected, [halves(block) for block in whole(parsed.blocks)], told(parsed))


def side(hunk: Iterable[str], sign: str) -> str:
    """One side of a hunk's lines."""
    return "".join(line[1:] for line in hunk if line[0] in (" ", sign))


def validate(case: Case) -> Comparison:
    """Whether the markers of a reply are in order."""
    parsed = parse("file.ts\n" + case["diff"] + "\n", format="roo")
    errors = [d for d in parsed.diagnostics if d.severity is Severity.ERROR]
    expected = REFUSED if "error" in case["expect"] else "in order"
    return Comparison(expected, REFUSED if errors or in_doubt(parsed) else "in order", told(parsed))


def filename(case: Case) -> Comparison:
    """The path that lines before a block name, where some files exist. The expected one alone holds the search."""
    fence, expected = "```", case["expect"]["path"]
    above = "\n".join(case["lines"])
    reply = f"{above}\n<<<<<<< SEARCH\nhere\n=======\nthere\n>>>>>>> REPLACE\n{fence}\n"
    files = {path: "here\n" if path == expected else "elsewhere\n" for path in case["valid_fnames"]}
    planned = made(parse(reply), files, policy_for(case))
    paths = [result.path or result.block.path for result in planned.results]
    return Comparison([expected], paths, said(planned))


def strip_wrapping(case: Case) -> Comparison:
    """A text that is wrapped in its file's name and a fence, as a whole-file reply."""
    parsed = parse(case["text"], format="whole")
    got = [block.replace for block in parsed.blocks]
    return Comparison([case["expect"]["text"]], got, told(parsed))


ADAPTERS: dict[str, Adapter] = {
    "parse": read,
    "parse_acdc": parse_acdc,
    "parse_udiff": parse_udiff,
    "validate": validate,
    "filename": filename,
    "strip_wrapping": strip_wrapping,
}
