"""Git's merges by tokens: what the merge driver answers, and the conflicts that git left in a file.

Git merges by lines and conflicts where both sides changed one line, or lines that touch. The driver merges what git
would, and lines of which the sides changed other tokens. It is stricter than the merge that undo uses: lines that only
touch conflict unless asked, and a merge that defines something twice or parses no more is a conflict.
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
    """The merged text, with git's markers around what conflicts; `conflicts` says how many there are."""

    text: str
    conflicts: int
    why: str | None = None


def is_left_to_git(path: str) -> bool:
    """Return whether a file is made by a program, so that a merge of its tokens says nothing."""
    return _GENERATED.search(path) is not None


def merge_for_git(
    path: str, base: str, ours: str, theirs: str, *, adjacent: bool = False, marker_size: int = MARKER_SIZE
) -> DriverAnswer:
    """Merge three versions of a file; what conflicts stands between markers, `ours` above and `theirs` below."""
    merged = merge(base, ours, theirs, adjacent=adjacent, layout=layout_is_grammar(path), line_ends=True)
    if merged.clashes:
        return DriverAnswer(with_markers(ours, merged, marker_size), len(merged.clashes))
    text = apply_edits(ours, merged.edits)
    why = _damage(path, base, ours, theirs, text)
    return DriverAnswer(text, 0) if why is None else DriverAnswer(_both(ours, theirs, marker_size), 1, why)


def _damage(path: str, base: str, ours: str, theirs: str, merged: str) -> str | None:
    """What is wrong with a clean merge and with neither side: a name defined twice, a line that no longer parses."""
    language = default_language()
    counts = [
        Counter((one.qualified, one.kind) for one in language.definitions(path, text) or ())
        for text in (base, ours, theirs, merged)
    ]
    for name, count in counts[-1].items():
        # More often than in any version: overloads and the like stand twice on purpose.
        if count > max(before[name] for before in counts[:-1]):
            return f"`{name[0]}` would be defined twice"
    broken = language.errors(path, merged)
    if broken and not language.errors(path, ours) and not language.errors(path, theirs):
        return f"line {broken[0]} would not parse"
    return None


def with_markers(ours: str, merged: Merged, marker_size: int = MARKER_SIZE) -> str:
    """`ours` with the merge's edits made, and git's markers around each clash."""
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
    """Both sides between markers, from the first line in which they differ to the last."""
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
        attributes.write_text(_ATTRIBUTE + "\n" + text, encoding="utf-8")  # first, so that any other line wins over it
    return [f"{_SETTING}.driver = {command} {_PROGRAM}", f"{attributes}: {_ATTRIBUTE}"]


def remove(root: Path) -> bool:
    """Take back what `install` set; returns whether there was anything."""
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
    """One conflict between git's markers: its span in the file, both sides, and what both began from.

    merged: what a merge by tokens makes of it; None where both changed the same tokens, or `base` is not known.
    is_clear: whether the sides are known: not where several lines could be the one that divides them.
    """

    span: Span
    base: str | None
    ours: str
    theirs: str
    merged: str | None
    is_clear: bool = True


def conflicted_files(root: Path) -> list[str]:
    """The files that git has as unmerged, from the root."""
    printed = git.run(root, "diff", "--name-only", "--diff-filter=U", "-z", "--relative")
    return [name for name in printed.decode("utf-8", "surrogateescape").split("\0") if name]


def conflicts_of(root: Path, path: str, text: str) -> list[GitConflict]:
    """The conflicts that stand in a file, in order. What the sides began from is git's, from its index."""
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
    """Git's versions of an unmerged file: 1 the base, 2 ours, 3 theirs. Those that it has not are left out."""
    found: dict[int, bytes] = {}
    for stage in (1, 2, 3):
        with suppress(WorkspaceError):
            found[stage] = git.run(root, "show", f":{stage}:./{path}")
    return found


def _bases(root: Path, stages: Mapping[int, bytes]) -> Mapping[tuple[str, str], str]:
    """What both sides of each conflict began from, by the sides, as git tells it with its three versions."""
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
    """The parts of a conflict; base: only in git's style `diff3`."""

    ours: str
    base: str | None
    theirs: str


def _between_markers(text: str, stages: Mapping[int, bytes]) -> Iterator[tuple[Span, _Sides | None]]:
    """Each conflict's span and its sides. One that is not whole is left alone.

    A heading may be underlined just as git divides the sides. Of several dividers the one counts that gives parts of
    git's own versions; there are no sides where none does, or more than one.
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
    """What the sides are by each line that may divide them; `inside` has the lines, each with its marker."""
    lines = [line for _, line in inside]
    for at, (mark, _) in enumerate(inside):
        if mark == "=":
            bar = next((n for n in range(at) if inside[n][0] == "|"), None)
            base = None if bar is None else "".join(lines[bar + 1 : at])
            yield _Sides("".join(lines[: at if bar is None else bar]), base, "".join(lines[at + 1 :]))


def _are_gits(sides: _Sides, stages: Mapping[int, bytes]) -> bool:
    """Whether each part of a conflict stands in git's version of it, as whole lines."""
    for stage, part in ((1, sides.base), (2, sides.ours), (3, sides.theirs)):
        if part and stage not in stages:
            return False
        whole = stages.get(stage, b"").decode("utf-8", "replace").replace("\r\n", "\n")
        if part and "\n" + part.replace("\r\n", "\n") not in f"\n{whole}\n":
            return False
    return True
