"""Git's merges by tokens: the merge driver, and the conflicts that git left in a file.

Git merges by lines, with a conflict if both sides changed one line, or neighbouring lines. The driver also merges lines
in which the sides changed different tokens. It is stricter than the merge for undo: neighbouring lines conflict unless
`adjacent` is set, and a merge that defines a name twice or no longer parses is a conflict.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.model.text import Span, apply_edits, split_lines
from dovetail.syntax import default_language
from dovetail.text.languages import layout_is_grammar
from dovetail.text.merge import Merged, merge
from dovetail.workspace import git

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

NAME = "dovetail"
_SETTING = f"merge.{NAME}"
_ATTRIBUTE = f"* merge={NAME}"
_PROGRAM = "merge-driver --base %O --ours %A --theirs %B --path %P --marker-size %L"
# package-lock.json, yarn.lock, go.sum, app.min.js, api_pb2.py, logo.svg; not lock.py, blocks.json
_GENERATED = re.compile(
    r"(^|/)([^/]*[-.]lock(\.json|\.ya?ml|b)?|[^/]*\.lockfile|go\.sum|npm-shrinkwrap\.json|Cargo\.lock|flake\.lock"
    r"|[^/]*\.min\.(js|css)|[^/]*\.(pb|generated|g)\.[^/]+|[^/]*_pb2(_grpc)?\.pyi?|[^/]*\.svg|[^/]*\.snap)$"
)
MARKER_SIZE = 7
# <<<<<<< HEAD     ||||||| base     =======     >>>>>>> topic; seven signs, not eight
_MARKER = re.compile(r"([<|=>])\1{6}( .*)?\r?\n?$")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class DriverAnswer(NamedTuple):
    """The merged text, with git's markers around conflicts, and their number. why: what is wrong with a clean merge."""

    text: str
    conflicts: int
    why: str | None = None


def is_left_to_git(path: str) -> bool:
    """Return whether a program makes files of this name, so that merging their tokens makes no sense."""
    return _GENERATED.search(path) is not None


def merge_for_git(
    path: str, base: str, ours: str, theirs: str, *, adjacent: bool = False, marker_size: int = MARKER_SIZE
) -> DriverAnswer:
    """Merge three versions of a file; conflicts are between markers, `ours` above and `theirs` below."""
    merged = merge(base, ours, theirs, adjacent=adjacent, layout=layout_is_grammar(path), line_ends=True)
    if merged.clashes:
        return DriverAnswer(with_markers(ours, merged, marker_size), len(merged.clashes))
    text = apply_edits(ours, merged.edits)
    why = _damage(path, base, ours, theirs, text)
    return DriverAnswer(text, 0) if why is None else DriverAnswer(_both(ours, theirs, marker_size), 1, why)


def _damage(path: str, base: str, ours: str, theirs: str, merged: str) -> str | None:
    """Return what is wrong with a clean merge and neither side: a double definition, a syntax error; else None."""
    language = default_language()
    counts = [
        Counter((one.qualified, one.kind) for one in language.definitions(path, text) or ())
        for text in (base, ours, theirs, merged)
    ]
    for name, count in counts[-1].items():
        # More often than in each version: overloads, for example, are defined twice on purpose.
        if count > max(before[name] for before in counts[:-1]):
            return f"`{name[0]}` would be defined twice"
    broken = language.errors(path, merged)
    if broken and not language.errors(path, ours) and not language.errors(path, theirs):
        return f"line {broken[0]} would not parse"
    return None


def with_markers(ours: str, merged: Merged, marker_size: int = MARKER_SIZE) -> str:
    """Return `ours` with the merge's edits applied, and git's markers around each clash."""
    pieces: list[str] = []
    done = 0
    changes = [*((edit.span, edit.text) for edit in merged.edits)]
    changes += [
        (clash.ours, _marked(clash.ours.of(ours), clash.theirs, marker_size, _end_of(ours))) for clash in merged.clashes
    ]
    for span, text in sorted(changes, key=lambda change: (change[0].start, change[0].end)):
        pieces += (ours[done : span.start], text)
        done = span.end
    return "".join((*pieces, ours[done:]))


def _both(ours: str, theirs: str, marker_size: int) -> str:
    """Return a text with both sides between markers, from the first line in which they differ to the last."""
    mine, new = _LINE.findall(ours), _LINE.findall(theirs)
    least = min(len(mine), len(new))
    head = next((n for n in range(least) if mine[n] != new[n]), least)
    tail = next((n for n in range(least - head) if mine[-1 - n] != new[-1 - n]), least - head)
    inside = _marked(
        "".join(mine[head : len(mine) - tail]), "".join(new[head : len(new) - tail]), marker_size, _end_of(ours)
    )
    return "".join((*mine[:head], inside, *mine[len(mine) - tail :]))


def _marked(ours: str, theirs: str, size: int, end: str) -> str:
    closed = [text if not text or text.endswith(("\n", "\r")) else text + end for text in (ours, theirs)]
    theirs_here = "\n".join([*split_lines(closed[1]), ""]).replace("\n", end) if closed[1] else ""
    return f"{'<' * size} ours{end}{closed[0]}{'=' * size}{end}{theirs_here}{'>' * size} theirs{end}"


def _end_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def install(root: Path, command: str) -> list[str]:
    """Make git merge this clone's files with `command`; returns the lines that were set. Changes no tracked file."""
    attributes = _attributes(root)
    git.run(root, "config", "--local", f"{_SETTING}.name", "merge by tokens (dovetail)")
    git.run(root, "config", "--local", f"{_SETTING}.driver", f"{command} {_PROGRAM}")
    text = attributes.read_text(encoding="utf-8") if attributes.exists() else ""
    if _ATTRIBUTE not in text.splitlines():
        attributes.parent.mkdir(exist_ok=True)
        attributes.write_text(_ATTRIBUTE + "\n" + text, encoding="utf-8")  # first, as later lines override it
    return [f"{_SETTING}.driver = {command} {_PROGRAM}", f"{attributes}: {_ATTRIBUTE}"]


def remove(root: Path) -> bool:
    """Remove what `install` set; return whether there was anything."""
    attributes = _attributes(root)
    was = git.ask(root, "config", "--local", f"{_SETTING}.driver") is not None
    if was:
        git.run(root, "config", "--local", "--remove-section", _SETTING)
    if attributes.exists():
        lines = attributes.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if line.strip() != _ATTRIBUTE]
        was = was or kept != lines
        attributes.write_text("".join(kept), encoding="utf-8") if kept else attributes.unlink()
    return was


def _attributes(root: Path) -> Path:
    named = git.ask(root, "rev-parse", "--git-path", "info/attributes")
    if named is None:
        raise UsageError(f"`{root}` is in no git work tree.", hint="Go to a clone, or name one with -C.")
    return root / named


class GitConflict(NamedTuple):
    """One conflict between git's markers: its span in the file, the text that both sides began from, and both sides.

    merged: the result of a merge by tokens; None if both sides changed the same tokens, or `base` is not known.
    is_clear: the sides are known; False if several lines could divide them.
    """

    span: Span
    base: str | None
    ours: str
    theirs: str
    merged: str | None
    is_clear: bool = True


def conflicted_files(root: Path) -> list[str]:
    """Return the paths of unmerged files, relative to the root."""
    printed = git.run(root, "diff", "--name-only", "--diff-filter=U", "-z", "--relative")
    return [name for name in printed.decode("utf-8", "surrogateescape").split("\0") if name]


def conflicts_of(root: Path, path: str, text: str) -> list[GitConflict]:
    """Return the conflicts in a file's text, in order. Bases that the text does not show are from git's index."""
    stages = _stages(root, path)
    bases = _bases(root, stages)
    found: list[GitConflict] = []
    for span, sides in _between_markers(text, stages):
        if sides is None:
            found.append(GitConflict(span, None, "", "", None, is_clear=False))
            continue
        ours, theirs = sides.ours, sides.theirs
        base = sides.base if sides.base is not None else bases.get((ours, theirs))
        merged = None if base is None else merge(base, ours, theirs, layout=layout_is_grammar(path), line_ends=True)
        proposal = apply_edits(ours, merged.edits) if merged is not None and not merged.clashes else None
        found.append(GitConflict(span, base, ours, theirs, proposal))
    return found


def _stages(root: Path, path: str) -> Mapping[int, bytes]:
    """Return git's versions of an unmerged file: 1 the base, 2 ours, 3 theirs; missing ones are left out."""
    found: dict[int, bytes] = {}
    for stage in (1, 2, 3):
        with suppress(WorkspaceError):
            found[stage] = git.run(root, "show", f":{stage}:./{path}")
    return found


def _bases(root: Path, stages: Mapping[int, bytes]) -> Mapping[tuple[str, str], str]:
    """Return (ours, theirs) → base of each conflict, from a merge of the three versions by git."""
    import tempfile  # only where git merges

    if len(stages) < 3:
        return {}
    with tempfile.TemporaryDirectory() as scratch:
        names = [Path(scratch) / str(stage) for stage in (2, 1, 3)]
        for name in names:
            name.write_bytes(stages[int(name.name)])
        printed = git.run_anyhow(root, "merge-file", "-p", "--diff3", "--", *map(str, names))
    every = (sides for _, sides in _between_markers(printed.decode("utf-8", "replace"), stages) if sides is not None)
    return {(sides.ours, sides.theirs): sides.base for sides in every if sides.base is not None}


class _Sides(NamedTuple):
    """The parts of a conflict. base: None unless git's style is `diff3`."""

    ours: str
    base: str | None
    theirs: str


def _between_markers(text: str, stages: Mapping[int, bytes]) -> Iterator[tuple[Span, _Sides | None]]:
    """Yield each whole conflict's span and its sides; None for sides that are not clear.

    A text may have lines like git's divider (an underlined heading). Of several dividers that one counts which gives
    parts of git's versions, if exactly one does.
    """
    start = at = 0
    inside: list[tuple[str, str]] | None = None
    for line in _LINE.findall(text):
        found = _MARKER.match(line)
        sign = found[1] if found is not None else ""
        if sign == "<":
            start, inside = at, []
        elif inside is not None and sign == ">" and any(mark == "=" for mark, _ in inside):
            readings = list(_readings(inside))
            if len(readings) > 1:
                readings = [sides for sides in readings if _are_gits(sides, stages)]
            yield Span(start, at + len(line)), readings[0] if len(readings) == 1 else None
            inside = None
        elif inside is not None:
            inside.append((sign, line))
        at += len(line)


def _readings(inside: Sequence[tuple[str, str]]) -> Iterator[_Sides]:
    """Yield the sides for each line that may divide them. inside: (marker's sign or "", line) of each line."""
    lines = [line for _, line in inside]
    for at, (mark, _) in enumerate(inside):
        if mark == "=":
            bar = next((n for n in range(at) if inside[n][0] == "|"), None)
            base = None if bar is None else "".join(lines[bar + 1 : at])
            yield _Sides("".join(lines[: at if bar is None else bar]), base, "".join(lines[at + 1 :]))


def _are_gits(sides: _Sides, stages: Mapping[int, bytes]) -> bool:
    """Return whether git's versions have the parts of a conflict, as whole lines."""
    for stage, part in ((1, sides.base), (2, sides.ours), (3, sides.theirs)):
        if part and stage not in stages:
            return False
        whole = stages.get(stage, b"").decode("utf-8", "replace").replace("\r\n", "\n")
        if part and "\n" + part.replace("\r\n", "\n") not in f"\n{whole}\n":
            return False
    return True
