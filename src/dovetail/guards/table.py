"""The table of guards, which check the result of every edit.

A guard judges what an edit does to its file, never how its text is worded. Each is a function from an `Impact` to a
`Finding` or None, and a row of `GUARDS`: its code, its severity, and the trigger in new lines for which it is called.

A policy overrules a guard by naming its code in `accept`; `GUARD_CODES` lists them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from dovetail import extensions
from dovetail.guards.defined_twice import TRIGGER as DEFINITION
from dovetail.guards.defined_twice import name_defined_twice, same_definition_twice
from dovetail.guards.finding import Finding
from dovetail.guards.foreign import TRIGGER as FOREIGN
from dovetail.guards.foreign import foreign_text
from dovetail.guards.garbled import ENTITIES, INDENTED, garbled_text, recipe_without_tab, spelled_entities
from dovetail.guards.garbled import TRIGGER as GARBLED
from dovetail.guards.impact import Impact
from dovetail.guards.left_out import TRIGGER as LEFT_OUT
from dovetail.guards.left_out import left_out
from dovetail.guards.line_ends import written_line_ends
from dovetail.guards.lost import broken_off, emptied, lost_text, shrunk, still_used
from dovetail.guards.masks import PLACEHOLDER_TRIGGER, masked_value, placeholder_value
from dovetail.guards.masks import TRIGGER as MASKED
from dovetail.guards.repeats import doubled_text, repeated_closer, repeated_deeper, repeated_ends, repeated_lines
from dovetail.guards.strange_signs import BLANK, strange_blanks, strange_signs
from dovetail.guards.strange_signs import TRIGGER as STRANGE
from dovetail.guards.syntax import garbled_syntax, new_syntax_error
from dovetail.model.codes import Code


class Guard(NamedTuple):
    """One row of the table.

    code: the code of its findings. refuses: the edit fails, unless the policy accepts the code; if False, the result
    gets a warning. check: the guard. trigger: a pattern that the new lines must match, or texts of which, in lower
    case, they must contain one; () for always. whole: only for whole texts. broken: only if a line newly does not
    parse.
    """

    code: Code
    refuses: bool
    check: Callable[[Impact], Finding | None]
    trigger: re.Pattern[str] | tuple[str, ...] = ()
    whole: bool = False
    broken: bool = False

    def concerns(self, impact: Impact, new: str, lowered: str) -> bool:
        """Return whether the guard applies to an edit whose new lines are `new`, in lower case `lowered`."""
        if (self.whole and not impact.whole) or (self.broken and impact.error is None):
            return False
        if isinstance(self.trigger, tuple):
            return not self.trigger or any(text in lowered for text in self.trigger)
        return self.trigger.search(new) is not None


# An edit fails with the first refusal in this order. So guards that name a cause (a fence, a mask, `\n` written out)
# stand before those whose finding may only be its consequence (a line that does not parse).
GUARDS: tuple[Guard, ...] = (
    Guard(Code.REPEATED_LINES, True, repeated_lines),
    Guard(Code.REPEATED_LINES, True, repeated_closer),
    Guard(Code.REPEATED_LINES, True, repeated_deeper),
    Guard(Code.REPEATED_LINES, True, doubled_text, whole=True),
    Guard(Code.ELIDED, True, left_out, LEFT_OUT),
    Guard(Code.FOREIGN_TEXT, True, foreign_text, FOREIGN),
    Guard(Code.GARBLED, True, garbled_text, GARBLED),
    Guard(Code.GARBLED, True, recipe_without_tab, INDENTED),
    Guard(Code.GARBLED, False, spelled_entities, ENTITIES),
    Guard(Code.GARBLED, True, strange_signs, STRANGE),
    Guard(Code.GARBLED, False, strange_blanks, BLANK),
    Guard(Code.WRITTEN_LINE_ENDS, True, written_line_ends, (r"\n",)),
    Guard(Code.MASKED_VALUE, True, masked_value, MASKED),
    Guard(Code.MASKED_VALUE, False, placeholder_value, PLACEHOLDER_TRIGGER),
    Guard(Code.LOST_TEXT, True, lost_text, whole=True),
    Guard(Code.LOST_TEXT, True, broken_off, whole=True, broken=True),
    Guard(Code.REPEATED_LINES, True, repeated_ends, broken=True),
    Guard(Code.GARBLED, True, garbled_syntax, broken=True),
    Guard(Code.DEFINED_TWICE, True, same_definition_twice, DEFINITION),
    Guard(Code.DEFINED_TWICE, False, name_defined_twice, DEFINITION),
    Guard(Code.SHRUNK, False, shrunk, whole=True),
    Guard(Code.SHRUNK, False, emptied),
    Guard(Code.SHRUNK, False, still_used),
    Guard(Code.NEW_SYNTAX_ERROR, False, new_syntax_error, broken=True),
)


@cache
def all_guards() -> tuple[Guard, ...]:
    """Return Dovetail's guards, then those of other packages, whose findings all have the code ``added-guard``."""
    added = (row._replace(code=Code.ADDED_GUARD) for _, row in extensions.added("dovetail.guards", Guard))
    return (*GUARDS, *added)
