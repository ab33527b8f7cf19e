"""Carries out tool calls on a folder, and remembers what the model has read.

An edit goes the way of every reply: the call is read, planned, and written whole or not at all, with an entry in the
journal. A failed edit answers with the message that helps the model to send it right.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from dovetail.llm.tool_definitions import BY_NAME, tool_named
from dovetail.model.codes import Code
from dovetail.model.errors import DovetailError, UsageError
from dovetail.model.results import FileChange
from dovetail.session.apply import history, records
from dovetail.session.apply.applying import commit, prepare, with_place
from dovetail.session.apply.diff import patch
from dovetail.session.conversation.call_answers import (
    ASKS_AGAIN,
    NO_EDIT,
    check_arguments,
    is_done,
    line_argument,
    one_of,
    refusal,
    report,
    shown_lines,
    takes,
    text_argument,
)
from dovetail.session.settings import DEFAULT_REPLY_OPTIONS, ReplyOptions
from dovetail.tools.provider_calls import Json, ProviderCall, ToolResult, read
from dovetail.workspace import Workspace
from dovetail.workspace.arguments import folder

NO_PLACES: Mapping[int, int] = {}

_LISTED = 20  # operations that `history` lists unless asked for more


class Toolbox:
    """The tools of one conversation on one folder.

    root: the folder; nothing outside of it is read or written.
    options: how edits are read and planned.
    tools: names of the tools that may be called; None for all. Calls of other agents' edit tools are understood as
    well, unless `tools` is given.
    seen: path to the text that the model has read, kept up to date with its own changes.

    Raises `UsageError` for what is no folder's path, or for a tool that does not exist.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        options: ReplyOptions = DEFAULT_REPLY_OPTIONS,
        *,
        tools: Sequence[str] | None = None,
    ) -> None:
        self.root: Path = folder(root).resolve()
        self.options = options
        self.tools = None if tools is None else frozenset(tool_named(name).name for name in tools)
        self.seen: dict[str, str] = {}
        self._lock = Lock()
        self._actions: dict[str, Callable[[Mapping[str, Any]], ToolResult]] = {
            "read_file": self._read_file,
            "preview": self._preview,
            "undo": self._undo,
            "redo": self._redo,
            "history": self._history,
        }

    def answer(self, call: object) -> Json:
        """Carry out a provider's call object and return the provider's result object.

        call: as `provider_calls.read` takes it.

        Raises `UsageError` for what is no call. Whatever else goes wrong is an answer to the model.
        """
        request = read(call)
        return request.respond(self.run(request))

    def run(self, call: ProviderCall, places: Mapping[int, int] = NO_PLACES) -> ToolResult:
        """Carry out a call; one at a time.

        places: by the number of an edit that fits in several places, the line at which it is meant.
        """
        offered = self.tools or frozenset(BY_NAME)
        try:
            if self.tools is not None and call.name not in offered:
                raise UsageError(f"The tool {call.name!r} is not offered.", hint=one_of(offered))
            with self._lock:
                if call.raw and call.name not in self._actions and call.name != "apply_edits":
                    return self._edit(call.raw, places, tool=call.name)
                if call.problem is not None:
                    raise UsageError(call.problem, hint=ASKS_AGAIN)
                check_arguments(call.name, call.arguments)
                if call.name == "apply_edits":
                    return self._edit(text_argument(call.arguments, "text"), places)
                return self._actions[call.name](call.arguments)
        except DovetailError as error:
            data = {"error": {"code": str(error.code), "message": str(error), "hint": error.hint}}
            if call.name not in BY_NAME and error.code == Code.NO_BLOCKS:
                return ToolResult(f"{error}\n{one_of(offered)}", data, ok=False)
            return ToolResult(refusal(error), data, ok=False)

    def _read_file(self, arguments: Mapping[str, Any]) -> ToolResult:
        path = self._relative(text_argument(arguments, "path"))
        with Workspace.open(self.root) as workspace:
            snapshot = workspace.snapshot([path], tree=frozenset((path,)))
        file = snapshot.files.get(path)
        if file is None:
            refused = snapshot.refused.get(path)
            code = Code.OUTSIDE_ROOT if refused else Code.FILE_MISSING
            raise UsageError(refused or f"There is no file {path!r}.", hint="Give the path of a file.", code=code)
        if file.text is None:
            raise UsageError(file.detail or f"{path!r} cannot be read as text.", code=file.problem)
        self.seen[path] = file.text
        shown = shown_lines(path, file.text, arguments)
        data = {"path": path, "first_line": shown.first, "last_line": shown.last, "lines": shown.count}
        return ToolResult(shown.text, data)

    def _preview(self, arguments: Mapping[str, Any]) -> ToolResult:
        name, fields = text_argument(arguments, "tool"), arguments.get("arguments")
        if not isinstance(fields, Mapping):
            raise UsageError("`arguments` is no JSON object.", hint=takes("preview"))
        if name == "apply_edits":
            return self._edit(text_argument(fields, "text"), write=False)
        if tool_named(name).read_only or name in self._actions:
            raise UsageError(f"`{name}` cannot be previewed.", hint=takes("preview"))
        reply = json.dumps({"name": name, "arguments": dict(fields)}, ensure_ascii=False)
        return self._edit(reply, write=False, tool=name)

    def _edit(
        self, reply: str, places: Mapping[int, int] = NO_PLACES, *, write: bool = True, tool: str = ""
    ) -> ToolResult:
        prepared = prepare(self.root, reply, self.options, seen=self.seen)
        for result in prepared.ambiguous:
            if places.get(result.n) in result.places:
                prepared = with_place(prepared, result.n, places[result.n])
        plan = prepared.plan
        with prepared.workspace:
            if not plan.results:
                reasons = [diagnostic.message for diagnostic in plan.diagnostics]
                raise UsageError(" ".join(reasons) or NO_EDIT, code=Code.NO_BLOCKS)
            operation = commit(prepared).operation if write else None
        if operation is not None:
            self._remember(plan.changes)
        done = operation.id if operation is not None else None
        after = [] if write else ["", *(patch(change).rstrip("\n") for change in plan.changes)]
        after += [f"Operation {done}."] if done is not None else []
        return ToolResult(
            report(plan.results, written=write, markers=prepared.markers, texts=prepared.texts, tool=tool, after=after),
            {
                "operation": done,
                "files": [{"path": c.path, "change": records.kind_of(c)} for c in plan.changes],
                "edits": [records.of_explained(result) for result in plan.results],
                **({} if write else {"diff": "".join(map(patch, plan.changes))}),
            },
            ok=is_done(plan.results),
        )

    def _undo(self, arguments: Mapping[str, Any]) -> ToolResult:
        wanted = text_argument(arguments, "operation") if arguments.get("operation") is not None else None
        return self._reverted(history.undo(self.root, wanted), "Undone")

    def _redo(self, _: Mapping[str, Any]) -> ToolResult:
        return self._reverted(history.redo(self.root), "Redone")

    def _reverted(self, result: history.UndoResult, word: str) -> ToolResult:
        self._remember(result.changes)
        paths = ", ".join(change.path for change in result.changes)
        text = "\n".join([f"{word}: {paths}.", *result.notes])
        files = [{"path": change.path, "change": records.kind_of(change)} for change in result.changes]
        return ToolResult(text, {"operation": result.operation.id, "files": files})

    def _history(self, arguments: Mapping[str, Any]) -> ToolResult:
        limit = line_argument(arguments, "limit", _LISTED)
        operations = history.log(self.root).operations[:limit]
        lines = [f"{o.id}  {o.label}  {o.state}  {', '.join(o.paths)}" for o in operations]
        text = "\n".join(lines) if lines else "Nothing was changed with these tools so far."
        return ToolResult(text, {"operations": [records.of_operation(operation) for operation in operations]})

    def _remember(self, changes: Sequence[FileChange]) -> None:
        """Keep what the model knows of files in step with its own changes."""
        for change in changes:
            if change.source is not None:
                self.seen.pop(change.source, None)
            if change.after is None:
                self.seen.pop(change.path, None)
            elif change.path in self.seen or change.before is None or change.source is not None:
                self.seen[change.path] = change.after

    def _relative(self, path: str) -> str:
        """A path as the workspace wants it; what lies elsewhere is the workspace's to refuse."""
        if Path(path).is_absolute() and Path(path).is_relative_to(self.root):
            return Path(path).relative_to(self.root).as_posix()
        return path.removeprefix("./")


def answer(call: object, workspace: Toolbox | str | os.PathLike[str]) -> Json:
    """Carry out a provider's tool call and return the result object that the provider takes back.

    call: one item of OpenAI's `tool_calls` or of a Responses output, Anthropic's `tool_use` block, Gemini's
    `functionCall`, MCP's `params` of `tools/call`, as a mapping or as the SDK's object; or the
    pieces of a streamed call.
    workspace: a `Toolbox`, which remembers what the model has read; or a folder, for a single call.

    Raises `UsageError` for what is no call, or no folder. Whatever else goes wrong is an answer to the model.
    """
    box = workspace if isinstance(workspace, Toolbox) else Toolbox(workspace)
    return box.answer(call)
