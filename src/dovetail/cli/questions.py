"""The questions about edits at the terminal: which place, which edits, and whether to write at all.

`TerminalPerson` answers a conversation with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.cli import words
from dovetail.cli.plan_view import draw_hunks, draw_result
from dovetail.cli.screen import Screen, Styled, TextStyle
from dovetail.cli.terminal import Terminal, held_back
from dovetail.model.codes import OnFailure
from dovetail.model.results import BlockResult, FileChange
from dovetail.model.text import split_lines
from dovetail.session.apply.applying import (
    Prepared,
    with_listing,
    with_on_failure,
    with_only,
    with_place,
    without,
)
from dovetail.session.apply.diff import diff_of, edit_window, hunks_of_edit, with_renames_joined
from dovetail.session.conversation.participants import Approval, Person, StoppedError, Why
from dovetail.text.document import lines_that_tell_apart

if TYPE_CHECKING:
    from dovetail.llm.client import Retry  # it loads `ssl`, which `apply` does not need

_MOST_LINES = 12  # lines of each text to choose from
_AROUND = 1  # lines shown above and below a place, and those to one that tells it from the others
_ADD_FILE = {
    Why.ASKED: "The model asks for {path}. Add it to the chat, and send it to the model?",
    Why.WHOLE: "The model asks for more of {path}. Send it all of the file?",
    Why.EDITED: "The model edits {path}, which is not in the chat. Add it, so that the edit may be written?",
}


def confirm(terminal: Terminal, prepared: Prepared) -> str:
    """Ask whether to write; return ``a`` for all that fits, ``n`` for nothing, ``e`` to choose. Enter alone is ``n``.

    Lines that were typed before the question are dropped: whoever typed them had not seen it.
    """
    terminal.forget()
    landed, failed = len(prepared.landed), len(prepared.plan.failed)
    files = words.files_of(prepared.plan.changes)
    if failed:
        verb = words.state(prepared.plan.failed[0].status, failed)
        lead = f"{words.count(failed, 'edit')} {verb}. Apply {'the other' if landed == 1 else f'the other {landed}'}"
    elif prepared.plan.missed:
        lead = f"Part of the reply is not read. Apply {'the edit' if landed == 1 else f'the {landed} edits'}"
    else:
        lead = "Apply this edit" if landed == 1 else f"Apply these {landed} edits"
    question = f"{lead} in {files}? [a]ll, [n]one, [e]dit by edit (Enter: none)"
    return terminal.ask(question, {"a": "all", "n": "none", "e": "edit by edit", "y": "yes"}, "n").replace("y", "a")


def confirm_commands(terminal: Terminal, prepared: Prepared) -> bool:
    """Return whether to write what the reply's commands would change. Enter alone writes nothing."""
    terminal.forget()
    files = words.files_of(prepared.plan.changes)
    question = f"Dovetail runs no command. Write what they would change, in {files}? [y]es, [n]o (Enter: no)"
    return terminal.ask(question, {"y": "yes", "n": "no"}, "n") == "y"


def choose_places(screen: Screen, terminal: Terminal, prepared: Prepared) -> Prepared:
    """Ask, for every edit that fits several places, which one is meant."""
    for n in [result.n for result in prepared.ambiguous]:
        result = next((r for r in prepared.ambiguous if r.n == n), None)
        if result is None:
            continue  # resolved by an earlier answer
        draw_result(screen, replace(result, hint=None))  # the hint is for the author of the edit
        lines = split_lines(prepared.texts.get(result.path or "", ""))
        others = lines_that_tell_apart(lines, result.places, result.block.search.count("\n")) or result.places
        names = result.enclosing or ("",) * len(result.places)
        for index, (place, other, name) in enumerate(zip(result.places, others, names, strict=True), 1):
            screen.line(f"  [{index}] ", Styled(f"{result.path}:{place}", TextStyle.PLACE), f"  in {name}" * bool(name))
            first, last = min(place - _AROUND, other), max(place + _AROUND, other)
            for number in range(max(1, first), min(len(lines), last) + 1):
                screen.line(f"      {number:>5} {'>' if number == place else ' '} ", lines[number - 1])
        choices = {str(index): f"line {line}" for index, line in enumerate(result.places, 1)}
        question = f"Which place does edit {n} mean? [1-{len(choices)}], [s]kip (Enter: skip)"
        answer = terminal.ask(question, {**choices, "s": "skip"}, "s")
        screen.line()
        if answer != "s":
            prepared = with_place(prepared, n, result.places[int(answer) - 1])
    return prepared


def choose_options(screen: Screen, terminal: Terminal, prepared: Prepared) -> Prepared:
    """Ask, for edits that put several texts in one place, which of them is meant."""
    for group in prepared.options:
        for index, result in enumerate(group, 1):
            screen.line(f"  [{index}] ", f"edit {result.n}, line {result.block.line} of the reply: {result.path}")
            lines = split_lines(result.block.replace)
            for line in lines[:_MOST_LINES]:
                screen.line("      ", line)
            if len(lines) > _MOST_LINES:
                screen.line(f"      and {words.count(len(lines) - _MOST_LINES, 'more line')}")
        choices = {str(index): f"edit {result.n}" for index, result in enumerate(group, 1)}
        question = f"Which one do you want? [1-{len(group)}], [s]kip (Enter: skip)"
        answer = terminal.ask(question, {**choices, "s": "skip"}, "s")
        screen.line()
        if answer != "s":
            chosen = group[int(answer) - 1].n
            prepared = without(prepared, [result.n for result in group if result.n != chosen])
    return prepared


def choose_listings(screen: Screen, terminal: Terminal, prepared: Prepared) -> Prepared:
    """Ask for each unread listing whether to use it as the text of the file that it seems to be for."""
    for line, path in _wanted_listings(screen, terminal, prepared).items():
        prepared = with_listing(prepared, line, path)
    return prepared


def _wanted_listings(screen: Screen, terminal: Terminal, prepared: Prepared) -> dict[int, str]:
    wanted: dict[int, str] = {}
    for line, path, _, result, change in prepared.usable_listings:
        _draw_edit(screen, result, change)
        terminal.forget()
        if terminal.agrees(f"The listing in line {line} of the reply is no edit by itself. Use this as `{path}`?"):
            wanted[line] = path
        screen.line()
    return wanted


def choose_edits(screen: Screen, terminal: Terminal, prepared: Prepared) -> Prepared:
    """Ask for each edit that fits whether it is wanted, and plan again without the others.

    If a wanted edit depended on an unwanted one, it is shown as it is without that, and the question comes again.
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
    wanted: set[int] = set()
    for at, result in enumerate(prepared.landed):
        _draw_edit(screen, result, changes.get(result.path))
        question = f"Apply edit {result.n}? [y]es, [n]o, [a]ll the rest, [d]one, none of the rest (Enter: no)"
        choices = {"y": "yes", "n": "no", "a": "all the rest", "d": "done"}
        match terminal.ask(question, choices, "n"):
            case "y":
                wanted.add(result.n)
            case "a":
                return wanted | {later.n for later in prepared.landed[at:]}
            case "d":
                return wanted
            case _:
                pass
    return wanted


def _draw_edit(screen: Screen, result: BlockResult, change: FileChange | None) -> None:
    """Write one edit with the diff of that edit alone."""
    draw_result(screen, result, change)
    window = edit_window(result.effect) if result.effect is not None else None
    if window is not None:
        draw_hunks(screen, hunks_of_edit(window), "  ")
    elif change is not None:  # the edit creates, deletes or moves the file
        draw_hunks(screen, diff_of(change), "  ")


class TerminalPerson(Person):
    """Answers a conversation's questions at a terminal. End of input and Ctrl-C raise KeyboardInterrupt."""

    decides_commands = True

    def __init__(self, screen: Screen, terminal: Terminal, settle: Callable[[], None], on_failure: OnFailure) -> None:
        """settle: ends the line that is being drawn. on_failure: the policy in force."""
        super().__init__()
        self._screen = screen
        self._terminal = terminal
        self._settle = settle
        self._on_failure = on_failure

    def add_file(self, path: str, why: Why) -> bool:
        """Return whether the person adds the file; Enter alone is no, as an added file is sent to the provider."""
        self._settle()
        self._terminal.forget()
        return self._terminal.agrees(self._screen.rendered(_ADD_FILE[why].format(path=path)))

    def use_arrived(self) -> bool:
        """Return True: the plan says what failed, and nothing of it is written without an answer."""
        return True

    def places(self, prepared: Prepared) -> Mapping[int, int]:
        """Ask which place an edit means that fits several."""
        self._settle()
        chosen = choose_places(self._screen, self._terminal, prepared)
        blocks = enumerate(zip(prepared.parsed.blocks, chosen.parsed.blocks, strict=True), start=1)
        return {n: now.hints.line for n, (was, now) in blocks if now is not was and now.hints.line is not None}

    def listings(self, prepared: Prepared) -> Mapping[int, str]:
        """Ask for each usable listing whether to use it, and show what it would change."""
        self._settle()
        return _wanted_listings(self._screen, self._terminal, prepared)

    def approve(self, prepared: Prepared) -> Approval | None:
        """Ask for all, none, or edit by edit; the plan is on the screen already."""
        self._settle()
        if self._on_failure is not OnFailure.BLOCK and prepared.plan.failed:
            prepared = with_on_failure(prepared, self._on_failure)
        if not prepared.plan.changes:
            self._screen.line("A failed edit holds back the others. To write those: --on-failure block")
            return None
        if prepared.of_commands:
            return Approval() if confirm_commands(self._terminal, prepared) else None
        answer = confirm(self._terminal, prepared)
        if answer == "a":
            return Approval(None, self._on_failure)
        if answer == "e":
            chosen = choose_edits(self._screen, self._terminal, prepared)
            if chosen.plan.changes:
                return Approval(frozenset(result.n for result in chosen.landed), self._on_failure)
        return None

    def waiting(self, retry: Retry) -> None:
        """Write that the provider is asked again."""
        self._settle()
        draw_waiting(self._screen, retry)

    @contextmanager
    def repairing(self) -> Iterator[None]:
        """Let Ctrl-C end only the request, so that the edits that came before are still asked about."""
        try:
            yield
        except KeyboardInterrupt:
            raise StoppedError from None

    def writing(self) -> AbstractContextManager[object]:
        """Hold back Ctrl-C until all is written."""
        return held_back()


def draw_waiting(screen: Screen, retry: Retry) -> None:
    """Write why a request is sent again, and when."""
    screen.line(Styled(f"{retry.error.message} Asking again in {retry.seconds:.1f} s.", TextStyle.WARN))
