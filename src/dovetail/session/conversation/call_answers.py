"""Answers to a model's calls of tools: the result of each edit, and the lines of a file that it asked to read.

The words are the same whether a call is carried out at once, as by an agent's toolbox, or at the end of a turn, when a
person has agreed. Only then "is written" may be said; before, an edit fits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dovetail.llm.tool_definitions import BY_NAME, tool_named
from dovetail.llm.values import ToolAnswer
from dovetail.model.codes import Code, Status
from dovetail.model.errors import DovetailError, UsageError
from dovetail.model.markers import Markers
from dovetail.model.results import BlockResult
from dovetail.model.text import IndexedText, split_lines
from dovetail.session.apply.applying import USERS_OWN, Prepared
from dovetail.session.apply.correction import retry_message
from dovetail.session.conversation.rounds import CallEdits
from dovetail.text.diff import diff
from dovetail.text.line_hashes import hash_of

MOST_LINES = 2_000
"""The most lines that a model is shown at once."""

_MOST_OTHER = 12  # lines of an edit that are shown because they differ from those sent
_SHOWN = 200  # characters of each

NO_EDIT = "The call holds no edit."
NO_COMMAND = "No command is run here, and nothing was written."
ASKS_AGAIN = "Send the call again with one JSON object as arguments."

OFFERED = ("read_file", "edit_file", "write_file", "insert_lines", "apply_patch")
"""The tools of a turn. Without `undo`, which is for the person to decide, and `preview`, as each turn ends with one."""

ReadLines = Callable[[Mapping[str, Any]], str]
_USERS_CHOICE = "That is for the user to decide; do not send it again."
_STATES = {
    Status.FITS: "is written",
    Status.STANDS_ALREADY: "stands already; nothing to write",
    Status.LEFT_OUT: "is left out",
    Status.FAILED: "failed",
}


@dataclass(frozen=True, slots=True)
class ShownLines:
    """Lines of a file as a model reads them. text: the lines with their numbers. first, last: from 1, included.

    count: how many lines the file has.
    """

    text: str
    first: int
    last: int
    count: int


def shown_lines(path: str, text: str, arguments: Mapping[str, Any], *, hashes: bool = True) -> ShownLines:
    """Return the lines of a file that a call of `read_file` asks for. Raises `UsageError` for invalid line numbers.

    hashes: show the hash of each line, with which `insert_lines` names it.
    """
    first, last = line_argument(arguments, "first_line", 1), line_argument(arguments, "last_line", None)
    lines = IndexedText(text).lines
    shown = lines[first - 1 : last][:MOST_LINES]
    end = first - 1 + len(shown)
    width = len(str(end))
    numbered = enumerate(shown, start=first)
    listed = "".join(f"{n:>{width}}{f':{hash_of(line)}' if hashes else ''}|{line}\n" for n, line in numbered)
    if not shown:
        listed = f"{path} has {len(lines)} lines.\n"
    elif first > 1 or end < len(lines):
        listed += f"Lines {first} to {end} of {len(lines)}.\n"
    return ShownLines(listed, first, end, len(lines))


def report(
    results: Sequence[BlockResult],
    *,
    written: bool,
    markers: Markers,
    texts: Mapping[str, str],
    held: bool,
    tool: str = "",
    after: Sequence[str] = (),
) -> str:
    """Return the answer about a call's edits: where each landed, the lines `after`, the message about failed ones.

    written: the edits that did not fail are in the files; else they only fit.
    held: edits that fit and are not written are kept until the failed ones come again; else the message asks for them,
    too. texts: the files' texts, by path.
    tool: the name that was called; if it is one of ours and its call cannot be read, its arguments end the message.
    """
    lines = []
    for result in results:
        if result.status is not Status.FAILED and (held or result.code is not Code.OTHER_FAILED):
            lines += [_state(result, written=written), *(_lines_now(result) if written else ())]
    lines += [f"  {warning.message}" for result in results for warning in result.warnings]
    lines += after
    if any(result.status is Status.FAILED or result.code is Code.UNREAD for result in results):
        some_written = written and any(result.status is Status.FITS for result in results)
        again = retry_message(results, written=some_written, held=held, markers=markers, files=texts)
        lines.append(again or "")
        if tool in BY_NAME and any(result.code is Code.MALFORMED for result in results):
            lines.append(takes(tool))
    return "\n".join(lines)


def _state(result: BlockResult, *, written: bool) -> str:
    state = "fits" if not written and result.status is Status.FITS else _STATES[result.status]
    place = ""
    if result.status is Status.FITS and result.new_start is not None and result.new_end is not None:
        first, last = result.new_start, max(result.new_start, result.new_end)
        place = f", line {first}" if first == last else f", lines {first} to {last}"
    tier = f" ({result.tier})" if written and result.tier is not None and result.status is Status.FITS else ""
    reason = f": {result.reason.rstrip('.')}" if result.reason and result.status is Status.LEFT_OUT else ""
    return f"{result.path}: edit {result.n} {state}{place}{tier}{reason}."


def _lines_now(result: BlockResult) -> list[str]:
    """Return the lines of an edit, as the file has them now, that differ from those the edit has."""
    effect, first, last = result.effect, result.new_start, result.new_end
    if effect is None or effect.whole or first is None or last is None:
        return []
    now, sent = effect.after.lines[first - 1 : last], split_lines(result.block.replace)
    # An inline edit changes a part of its lines; the model knows the rest.
    if result.block.inline and result.block.replace in "\n".join(now):
        return []
    other = [line for hunk in diff(sent, now) for line in range(hunk.b1, hunk.b2)]
    shown = [f"{first + line}|{now[line][:_SHOWN]}" for line in other[:_MOST_OTHER]]
    return [*shown, f"… {len(other) - _MOST_OTHER} more lines differ."] if len(other) > _MOST_OTHER else shown


def is_done(results: Sequence[BlockResult]) -> bool:
    """Return whether each edit of a call fits, or was in the file already."""
    return all(result.status in (Status.FITS, Status.STANDS_ALREADY) for result in results)


def refusal(error: DovetailError) -> str:
    """Return the answer to a call that cannot be carried out: the error and its hint."""
    return f"{error}\n{error.hint}" if error.hint else str(error)


def check_arguments(tool: str, arguments: Mapping[str, Any]) -> None:
    """Raise `UsageError` for arguments that a tool does not have."""
    unknown = arguments.keys() - tool_named(tool).fields.keys()
    if unknown:
        raise UsageError(f"`{tool}` has no argument {min(unknown)!r}.", hint=takes(tool))


def text_argument(arguments: Mapping[str, Any], name: str) -> str:
    """Return an argument that must be a text. Raises `UsageError` if it is missing, empty or of another type."""
    value = arguments.get(name)
    if not isinstance(value, str) or not value:
        raise UsageError(f"`{name}` is missing, or no text.", hint="Send the call again with this argument.")
    return value


def line_argument(arguments: Mapping[str, Any], name: str, default: Any) -> Any:  # noqa: ANN401 - the default's type
    """Return an argument that must be a number from 1, or the default. Raises `UsageError` for anything else."""
    value = arguments.get(name, default)
    if value is default:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise UsageError(f"`{name}` is no number from 1.", hint="Lines and limits count from 1.")
    return value


def one_of(tools: Collection[str]) -> str:
    """Return a sentence that names the tools."""
    return f"The tools are: {', '.join(sorted(tools))}"


def takes(tool: str) -> str:
    """Return a sentence that names a tool's arguments."""
    return f"The arguments of `{tool}` are: {', '.join(tool_named(tool).fields) or 'none'}"


def answer_to(call_edits: CallEdits, prepared: Prepared, texts: Mapping[str, str], read: ReadLines) -> ToolAnswer:
    """Answer a call of a turn's newest reply, whose edits are planned and not written.

    call_edits: the call, its line and edits as `prepared` counts them, from 1 for the whole turn.
    texts: the files that its edits were located in. read: the lines that a call of `read_file` asks for.
    """
    call = call_edits.call
    found = [r for r in prepared.plan.results if r.n in call_edits.edits and r.code is not Code.UNREAD]
    # A call that cannot be read has no edit; its line shows which finding is about it.
    found += [r for r in prepared.plan.unread if r.block.line == call_edits.line]
    own = [replace(result, n=n) for n, result in enumerate(found, start=1)]
    decided = [result for result in own if result.status is Status.FAILED and result.code in USERS_OWN]
    lines = [f"{result.path}: edit {result.n} is left out: {result.reason} {_USERS_CHOICE}" for result in decided]
    rest = [result for result in own if result not in decided]
    if rest:
        lines.append(report(rest, written=False, markers=prepared.markers, texts=texts, held=True, tool=call.name))
    if lines:
        return ToolAnswer(call.id, "\n".join(lines), ok=is_done(own))
    try:
        if not isinstance(call.fields, dict):
            raise UsageError("The arguments are no JSON object.", hint=ASKS_AGAIN)
        if call.name == "read_file":
            check_arguments(call.name, call.fields)
            return ToolAnswer(call.id, read(call.fields))
        if call.name in OFFERED:
            raise UsageError(NO_EDIT, hint=takes(call.name))
        raise UsageError(f"There is no tool {call.name!r}.", hint=one_of(OFFERED))
    except DovetailError as error:
        return ToolAnswer(call.id, refusal(error), ok=False)
