"""The person at the terminal, as a conversation asks them: which files, which places, what to write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from dovetail.cli.choose import choose_edits, choose_places, confirm
from dovetail.cli.interrupts import held_back
from dovetail.cli.screen import Screen, Style, Styled
from dovetail.cli.terminal import Terminal
from dovetail.llm.client import Retry
from dovetail.model.codes import OnFailure
from dovetail.session.applying.apply import Prepared, with_on_failure
from dovetail.session.loop.person import Approval, StoppedError
from dovetail.session.loop.steps import Why

_QUESTIONS = {
    Why.ASKED: "The model asks for {path}. Add it to the chat, and send it to the model?",
    Why.EDITED: "The model edits {path}, which is not in the chat. Add it, so that the edit may be written?",
}


class AtTerminal:
    """Asks on a terminal. End of input and Ctrl-C raise KeyboardInterrupt."""

    def __init__(
        self,
        screen: Screen,
        terminal: Terminal,
        settle: Callable[[], None],
        on_failure: OnFailure,
    ) -> None:
        """`settle` brings whatever is being drawn to a line's end; `on_failure` is the policy in force."""
        self._screen = screen
        self._terminal = terminal
        self._settle = settle
        self._on_failure = on_failure

    def add_file(self, path: str, why: Why) -> bool:
        """Enter alone adds nothing: what is added is sent away."""
        self._settle()
        self._terminal.forget()
        return self._terminal.agrees(self._screen.rendered(_QUESTIONS[why].format(path=path)))

    def use_arrived(self) -> bool:
        """Yes: the plan says what failed, and nothing of it is written without an answer."""
        return True

    def places(self, prepared: Prepared) -> Mapping[int, int]:
        """Which place an edit means that fits several."""
        self._settle()
        chosen = choose_places(self._screen, self._terminal, prepared)
        blocks = enumerate(zip(prepared.parsed.blocks, chosen.parsed.blocks, strict=True), start=1)
        return {n: now.hints.line for n, (was, now) in blocks if now is not was and now.hints.line is not None}

    def approve(self, prepared: Prepared) -> Approval | None:
        """All, none, or edit by edit; the plan is on the screen already."""
        self._settle()
        if self._on_failure is not OnFailure.BLOCK and prepared.plan.failed:
            prepared = with_on_failure(prepared, self._on_failure)
        if not prepared.plan.changes:
            self._screen.line("A failed edit holds back the others. To write those: --on-failure block")
            return None
        answer = confirm(self._terminal, prepared)
        if answer == "a":
            return Approval(None, self._on_failure)
        if answer == "e":
            chosen = choose_edits(self._screen, self._terminal, prepared)
            if chosen.plan.changes:
                return Approval(frozenset(result.n for result in chosen.landed), self._on_failure)
        return None

    def waiting(self, retry: Retry) -> None:
        """Say that the provider is asked again."""
        self._settle()
        tell_waiting(self._screen, retry)

    @contextmanager
    def repairing(self) -> Iterator[None]:
        """Ctrl-C ends the request, and the edits that came before are asked about."""
        try:
            yield
        except KeyboardInterrupt:
            raise StoppedError from None

    def writing(self) -> AbstractContextManager[object]:
        """Ctrl-C waits until all is written."""
        return held_back()


def tell_waiting(screen: Screen, retry: Retry) -> None:
    """Write why a request is sent again, and when."""
    screen.line(Styled(f"{retry.error.message} Asking again in {retry.seconds:.1f} s.", Style.WARN))
