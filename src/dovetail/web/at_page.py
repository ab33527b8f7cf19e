"""The person at the page, as a conversation asks them: questions that any tab may answer.

A plan is never approved here. The turn ends with nothing written, and the page decides on its edits afterwards, one
way for pasted replies and for the model's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from dovetail.llm.errors import CancelledError
from dovetail.session.participants import Nobody, Why
from dovetail.web.questions import Question, holds

if TYPE_CHECKING:
    from dovetail.llm.client import Retry
    from dovetail.session.applying import Prepared
    from dovetail.web.desk import Desk


class AtPage(Nobody):
    """Asks through the desk, about the turn that runs.

    Approves nothing, and stops a turn by its cancellation alone; the page then shows what had come.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def add_file(self, path: str, why: Why) -> bool:
        """Whether a file may be sent, or edited. Not asked about one that was held, or left out, since."""
        running = self._desk.running
        with self._desk.lock:
            if holds(self._desk.held, path, why):
                return True
            if running is not None and why is Why.EDITED and path in running.left_out:
                running.leave_out(path)
                return False
            question = self._put({"kind": "add-file", "path": path, "why": str(why)})
        agrees = self._answer(question) is True
        if running is not None and why is Why.EDITED and not agrees:
            running.leave_out(path)
        return agrees

    def places(self, prepared: Prepared) -> Mapping[int, int]:
        """Which places are meant; not asked where the model is not asked again either, for then the plan shows it."""
        running = self._desk.running
        if running is None or running.options.max_rounds == 0:
            return {}
        numbers = running.unclear(prepared)
        places = {numbers[result.n]: result.places for result in prepared.ambiguous if result.n in numbers}
        answer = self._answer(self._put({"kind": "places", "edits": sorted(numbers.values())}, places))
        if not isinstance(answer, dict):
            return {}
        return {mine: answer[shown] for mine, shown in numbers.items() if shown in answer}

    def waiting(self, retry: Retry) -> None:
        """Say that the provider is asked again."""
        running = self._desk.running
        told = {"n": retry.n, "limit": retry.limit, "seconds": round(retry.seconds, 1), "message": retry.error.message}
        with self._desk.lock:
            self._desk.publish("waiting", {"turn": running.turn.id if running is not None else None, **told})

    def _put(self, about: dict[str, Any], places: Mapping[int, Collection[int]] | None = None) -> Question:
        """Show a question in every tab."""
        desk, running = self._desk, self._desk.running
        if running is None:
            raise CancelledError("The turn was cancelled.")
        with desk.lock:
            desk.asked += 1
            question = Question({"id": f"q{desk.asked}", "turn": running.turn.id, **about}, places)
            desk.questions[question.id] = question
            desk.publish("question", {"question": question.record})
        if running.cancel.cancelled:  # before the question could be closed with the others
            question.close()
        return question

    def _answer(self, question: Question) -> object:
        """Sleep until somebody answers. Raises `CancelledError` where nobody will."""
        desk, answer = self._desk, question.wait()
        with desk.lock:
            del desk.questions[question.id]
            desk.publish("question-closed", {"id": question.id})
        if answer is None:
            raise CancelledError("The turn was cancelled.")
        return answer
