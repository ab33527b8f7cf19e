"""`dovetail context`: files, excerpts and the repository's map, as a message to a model."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable

from dovetail.cli.modelled import file_limit
from dovetail.cli.screen import visible
from dovetail.cli.standing import tell_recovery
from dovetail.cli.stated import place_of
from dovetail.cli.status import Exit
from dovetail.context import TreeContext, estimate
from dovetail.llm.assemble import map_message
from dovetail.llm.fences import fence_around
from dovetail.model.errors import UsageError
from dovetail.session.loop.held_files import HeldFiles, check_readable, show_held
from dovetail.session.loop.kept_map import DEFAULT_TOKENS, KeptMap
from dovetail.session.place import Place
from dovetail.workspace import Workspace

_MOST_FOUND = 200  # files that a pattern is shown in
_FOUND_SAID = "These are the lines that match `{pattern}`, with what encloses them:"


def context_command(stated: argparse.Namespace) -> Exit:
    """`dovetail context FILE…`."""
    if stated.grep == "":
        raise UsageError("--grep has no pattern.", hint="For example --grep 'def main'")
    if not (stated.files or stated.read_only or stated.map or stated.grep):
        raise UsageError("Nothing to show was named.", hint="Name files, or use --map or --grep PATTERN")
    if stated.ignore_case and stated.grep is None:
        raise UsageError("--ignore-case needs --grep.", hint="Add --grep PATTERN")
    if stated.file_tokens is not None and stated.grep is not None:
        raise UsageError(
            "--grep shows no whole file, so --file-tokens is without effect.", hint="Leave one of them out."
        )
    if stated.tokens is not None and stated.tokens <= 0:
        raise UsageError("--tokens must be above 0.", hint="For example --tokens 8000")
    place = place_of(stated)
    with Workspace.open(place.root) as workspace:
        text = _message(stated, place, workspace)
        tell_recovery(workspace.recovery)
    if stated.copy:
        from dovetail.cli.clipboard import write_clipboard

        write_clipboard(text)
        sys.stderr.write(f"About {estimate(text):,} tokens are on the clipboard.\n")
    else:
        sys.stdout.write(
            "".join(visible(line) + "\n" for line in text.removesuffix("\n").split("\n"))
            if sys.stdout.isatty()
            else text
        )
    return Exit.OK


def _message(stated: argparse.Namespace, place: Place, workspace: Workspace) -> str:
    """All that was asked for, within the budget: files first, then excerpts, then the map in what is left."""
    held = HeldFiles()
    for read_only, names in ((False, stated.files), (True, stated.read_only)):
        for path in _named(workspace, place, names):
            held = held.adding(path, read_only=read_only)
    if stated.grep is None:
        parts, shown = _files(workspace, held, stated), held.paths
    else:
        excerpts = _grepped(stated, workspace, held)
        parts, shown = [_FOUND_SAID.format(pattern=stated.grep), *excerpts.values()], tuple(excerpts)
    text = "\n\n".join(parts)
    _check_budget(text, stated.tokens)
    if not stated.map:
        return text + "\n"
    around = estimate(text) + estimate(map_message("").content)
    left = DEFAULT_TOKENS if stated.tokens is None else max(0, stated.tokens - around)
    kept, tree = KeptMap(workspace), workspace.tree()
    view = kept.view(left, stated.grep or "", shown, tree, estimate)
    if view.text:
        parts.append(map_message(view.text).content)
    elif left < DEFAULT_TOKENS and kept.view(DEFAULT_TOKENS, stated.grep or "", shown, tree, estimate).text:
        _tell_left_out(stated.tokens, alone=not parts)
    elif not parts:
        raise UsageError(f"No file under {place.root} defines a name, so there is no map.", hint="Name files.")
    return "\n\n".join(part for part in parts if part) + "\n"


def _tell_left_out(budget: int, *, alone: bool) -> None:
    """The map does not fit at all: an error where it is all that was asked for, a word where files are shown."""
    if alone:
        raise UsageError(f"Nothing of the map fits {budget:,} tokens.", hint="Allow more tokens.")
    sys.stderr.write("The map is left out: --tokens leaves no room for it.\n")


def _named(workspace: Workspace, place: Place, names: Iterable[str]) -> tuple[str, ...]:
    paths = tuple(dict.fromkeys(place.in_root(name) for name in names))
    for path in paths:
        check_readable(workspace, path)
    return paths


def _files(workspace: Workspace, held: HeldFiles, stated: argparse.Namespace) -> list[str]:
    """The files, each whole up to its limit; where they do not fit the budget, each in its share of it."""
    budget = stated.tokens
    if not held.paths:
        return []
    for limit in _limits(file_limit(stated.file_tokens), budget, len(held.paths)):
        shown = show_held(workspace, held, limit, estimate)
        parts = shown.messages
        if budget is None or estimate("\n\n".join(parts)) <= budget:
            break
    _check_budget("\n\n".join(parts), budget)
    whole = "--file-tokens 0" if budget is None else "--file-tokens 0, without --tokens"
    for file in (*shown.editable, *shown.read_only):
        if file.excerpt:
            sys.stderr.write(f"{visible(file.path)} is shown in part. To show all of it: {whole}\n")
    return parts


def _limits(most: int | None, budget: int | None, files: int) -> list[int | None]:
    if budget is None:
        return [most]
    shares = (int(budget * share / files) for share in (0.9, 0.6, 0.3, 0.1))
    return [most, *(share if most is None else min(most, share) for share in shares)]


def _grepped(stated: argparse.Namespace, workspace: Workspace, held: HeldFiles) -> dict[str, str]:
    """The excerpts of files in which the pattern is found, by their paths."""
    try:
        re.compile(stated.grep)
    except re.error as error:
        raise UsageError(
            f"--grep is no regular expression: {error}.", hint="Escape signs that stand for themselves."
        ) from None
    found: dict[str, str] = {}
    for path in held.paths or sorted(workspace.tree()):
        file = workspace.snapshot([path], tree=frozenset()).files.get(path)
        if file is None or file.text is None:
            continue
        shown = TreeContext(path, file.text, line_number=False)
        if not shown.grep(stated.grep, stated.ignore_case):
            continue
        shown.add_lines_of_interest(shown.lines_of_interest)
        shown.add_context()
        text = shown.format()
        found[path] = f"{path}\n{fence_around([text]).around(text)}"
        if len(found) == _MOST_FOUND:
            sys.stderr.write(f"The pattern is shown in {_MOST_FOUND} files, and in no further one.\n")
            break
    if not found:
        raise UsageError(f"Nothing matches `{stated.grep}`.", hint="Check the pattern, or name other files.")
    return found


def _check_budget(text: str, budget: int | None) -> None:
    """Raises `UsageError` where a text does not fit."""
    if budget is not None and estimate(text) > budget:
        raise UsageError(
            f"What was asked for is about {estimate(text):,} tokens, above {budget:,}.",
            hint="Name fewer files, or allow more tokens.",
        )
