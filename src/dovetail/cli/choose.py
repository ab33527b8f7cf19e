"""The questions of `dovetail apply`: which place, which edits, and whether to write at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dovetail.cli import words
from dovetail.cli.diff_view import draw_hunks
from dovetail.cli.plan_view import draw_result
from dovetail.cli.screen import Screen, Style, Styled
from dovetail.cli.terminal import Terminal
from dovetail.model.results import BlockResult, FileChange
from dovetail.model.text import split_lines
from dovetail.session.applying.apply import Prepared, with_only, with_place
from dovetail.session.shown.diff import Hunk, diff_of
from dovetail.session.shown.moves import with_renames_joined
from dovetail.session.shown.own_change import hunks_of, window
from dovetail.text.telling import telling

_AROUND = 1  # lines shown above and below a place, and those to one that tells it from the others


def confirm(terminal: Terminal, prepared: Prepared) -> str:
    """``a`` to write all that lands, ``n`` for nothing, ``e`` to choose. Enter alone writes nothing.

    So does what was typed before: whoever pastes several lines, or types ahead, has not agreed to what comes up then.
    """
    terminal.forget()
    landed, failed = len(prepared.landed), len(prepared.plan.failed)
    files = words.files_of(prepared.plan.changes)
    if failed:
        lead = f"{words.count(failed, 'edit')} failed. Apply {'the other' if landed == 1 else f'the other {landed}'}"
    else:
        lead = "Apply this edit" if landed == 1 else f"Apply these {landed} edits"
    question = f"{lead} in {files}? [a]ll, [n]one, [e]dit by edit (Enter: none)"
    return terminal.ask(question, {"a": "all", "n": "none", "e": "edit by edit", "y": "yes"}, "n").replace("y", "a")


def choose_places(screen: Screen, terminal: Terminal, prepared: Prepared) -> Prepared:
    """Ask, for every edit that fits several places, which one is meant."""
    for n in [result.n for result in prepared.ambiguous]:
        result = next((r for r in prepared.ambiguous if r.n == n), None)
        if result is None:
            continue  # settled by an earlier answer
        draw_result(screen, replace(result, hint=None))  # it is for whoever writes the edit, not for who is asked
        _draw_places(screen, prepared, result)
        choices = {str(index): f"line {line}" for index, line in enumerate(result.places, 1)}
        question = f"Which place does edit {n} mean? [1-{len(choices)}], [s]kip (Enter: skip)"
        answer = terminal.ask(question, {**choices, "s": "skip"}, "s")
        screen.line()
        if answer != "s":
            prepared = with_place(prepared, n, result.places[int(answer) - 1])
    return prepared


def _draw_places(screen: Screen, prepared: Prepared, result: BlockResult) -> None:
    lines = split_lines(prepared.texts.get(result.path or "", ""))
    others = telling(lines, result.places, result.block.search.count("\n")) or result.places
    for index, (place, other) in enumerate(zip(result.places, others, strict=True), 1):
        screen.line(f"  [{index}] ", Styled(f"{result.path}:{place}", Style.PLACE))
        first, last = min(place - _AROUND, other), max(place + _AROUND, other)
        for number in range(max(1, first), min(len(lines), last) + 1):
            screen.line(f"      {number:>5} {'>' if number == place else ' '} ", lines[number - 1])


def choose_edits(screen: Screen, terminal: Terminal, prepared: Prepared) -> Prepared:
    """Ask for each edit that lands whether it is wanted, and plan again without the others.

    Where an unwanted edit was what another stood on, that one is shown as it is now and the question comes again.
    """
    wanted = _ask_each(screen, terminal, prepared)
    chosen = with_only(prepared, wanted)
    lost = [r for r in chosen.plan.results if r.n in wanted and r not in chosen.landed]
    if not lost:
        return chosen
    screen.line("Without the edits that you left out:")
    for result in lost:
        draw_result(screen, result)
    if not chosen.plan.changes or confirm(terminal, chosen) == "n":
        return with_only(prepared, ())
    return chosen


def _ask_each(screen: Screen, terminal: Terminal, prepared: Prepared) -> set[int]:
    joined = with_renames_joined(prepared.plan.changes)
    changes = {change.source: change for change in joined} | {change.path: change for change in joined}
    waiting = [result.n for result in prepared.landed]
    wanted: set[int] = set()
    for at, result in enumerate(prepared.landed):
        change = changes.get(result.path)
        draw_result(screen, result, change)
        draw_hunks(screen, _hunks_of(result, change), "  ")
        question = f"Apply edit {result.n}? [y]es, [n]o, [a]ll the rest, [d]one, none of the rest (Enter: no)"
        choices = {"y": "yes", "n": "no", "a": "all the rest", "d": "done"}
        match terminal.ask(question, choices, "n"):
            case "y":
                wanted.add(result.n)
            case "a":
                return wanted | set(waiting[at:])
            case "d":
                return wanted
            case _:
                pass
    return wanted


def _hunks_of(result: BlockResult, change: FileChange | None) -> Sequence[Hunk]:
    """What the edit alone changes; all that its file has where it is about the file and not its text."""
    seen = window(result.made) if result.made is not None else None
    if seen is not None:
        return hunks_of(seen)
    return diff_of(change) if change is not None else ()
