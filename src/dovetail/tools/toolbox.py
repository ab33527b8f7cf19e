"""Carries out tool calls on a folder, and remembers what the model has read.

An edit is handled like any reply: the call is read, planned, and written whole or not at all, with an operation in the
journal. The answer to a failed edit is the message that helps the model to correct it.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from dovetail.formats import parse
from dovetail.llm.tool_definitions import BY_NAME, tool_named
from dovetail.model.codes import Code
from dovetail.model.errors import DovetailError, UsageError
from dovetail.model.results import Plan
from dovetail.model.snapshot import FileText
from dovetail.session.apply import operations, records
from dovetail.session.apply.applying import Committed, commit, prepare, with_place, with_runs_held
from dovetail.session.apply.diff import patch
from dovetail.session.conversation.call_answers import (
    ASKS_AGAIN,
    NO_COMMAND,
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
from dovetail.spool.own_call import OwnCall
from dovetail.tools.call_paths import CallPaths
from dovetail.tools.known import KnownFiles
from dovetail.tools.provider_calls import Answer, ProviderCall, ToolResult, read
from dovetail.tools.recording import Recording, explained
from dovetail.tools.whole_writes import held_back, with_losses_named
from dovetail.workspace import Label, Operation, Origin, Workspace
from dovetail.workspace.arguments import folder
from dovetail.workspace.journal.undo import Intent

NO_PLACES: Mapping[int, int] = {}

_WORDS = 200  # characters of a request that the journal keeps
_NOWHERE = "\0"  # a text that no text file has
_ABOUT_PATHS = frozenset({Code.OUTSIDE_ROOT, Code.FILE_MISSING, Code.NO_PATH})
_LISTED = 20  # operations that `history` lists unless asked for more


class Toolbox:
    """The tools of one conversation on one folder.

    root: the folder; nothing outside of it is read or written.
    options: how edits are read and planned.
    tools: names of the tools that may be called; None for all. Calls of other agents' edit tools are understood as
    well, unless `tools` is given.
    allow_runs: whether files that other programs run unasked (`.envrc`, git's hooks) may be edited.
    runs_in: the folder in which the agent runs, to which the paths of its calls are relative; by default the root.
    session: the agent's id of the conversation; with it the journal records the agent's call of each operation, and
    `dovetail undo --session` takes the conversation back. agent: the agent's short name.
    others: names of the caller's own tools. Their calls are handed back, even one that looks like an edit.

    Raises `UsageError` for a root that is no folder's path, and for a tool that does not exist.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        options: ReplyOptions = DEFAULT_REPLY_OPTIONS,
        *,
        tools: Sequence[str] | None = None,
        runs_in: str | os.PathLike[str] | None = None,
        session: str | None = None,
        agent: str = "toolbox",
        others: Collection[str] = (),
        allow_runs: bool = False,
    ) -> None:
        self.root: Path = folder(root).resolve()
        self.options = options
        self.allow_runs = allow_runs
        self.tools = None if tools is None else frozenset(tool_named(name).name for name in tools)
        self._paths = CallPaths(self.root, folder(runs_in).resolve() if runs_in is not None else self.root)
        self._known = KnownFiles()
        self._operations: list[str] = []  # ids of this conversation's operations that are not undone
        self._session = None if session is None else Origin(agent, session)
        self._requests: list[str] = []
        self._others = frozenset(others)
        self._lock = Lock()
        self._actions: dict[str, Callable[[Mapping[str, Any]], ToolResult]] = {
            "read_file": self._read_file,
            "preview": self._preview,
            "undo": self._undo,
            "redo": self._redo,
            "history": self._history,
        }

    def answer(self, call: object) -> Answer | None:
        """Carry out a provider's call object and return the provider's result object.

        call: as `provider_calls.read` takes it. For a call that is not for one of these tools, and has no edit, None is
        returned, and the caller answers it.

        Raises `UsageError` if `call` is no call. Any other error is an answer to the model.
        """
        request = read(call)
        result = self.run(request)
        return None if result.unknown else Answer(request.respond(result), result)

    async def answer_async(self, call: object) -> Answer | None:
        """Do what `answer` does, in a thread; calls of one `Toolbox` are carried out one at a time."""
        return await asyncio.to_thread(self.answer, call)

    def begin_turn(self, words: str = "") -> None:
        """Note that the user sends a new request: operations from here on belong to the next turn.

        words: how the request begins, for the journal. Raises `UsageError` for a `Toolbox` without a session.
        """
        origin = self._in_session()
        self._requests.append(" ".join(words.split())[:_WORDS])
        self._session = replace(origin, prompt=len(self._requests), words=self._requests[-1])

    def undo_turn(self) -> ToolResult:
        """Take back all that the newest turn changed, in one step.

        Raises `UsageError` for a `Toolbox` without a session, `JournalError` if there is nothing to take back.
        """
        origin = self._in_session()
        with self._lock:
            wanted = Intent(origin.session, origin.prompt)
            return self._reverted(operations.undo_by_intent(self.root, wanted), "Undone")

    @contextmanager
    def recording(self, tool: str = "shell", call: str = "") -> Iterator[Recording]:
        """Record the changes of a tool of the caller's below the root, so that they can be undone like operations::

            with box.recording("bash", call["id"]):
                subprocess.run(command, cwd=root, shell=True)

        tool, call: its name, and the provider's id of the call. Files that git ignores are not kept; other changed
        files that are not kept are named in the journal.

        Raises `UsageError` for a `Toolbox` without a session, and `WorkspaceError` if the tree cannot be recorded:
        before the tool runs, or after it, if the tree has become too large meanwhile.
        """
        origin = self._in_session()
        name, found = call or secrets.token_hex(4), Recording()
        with explained(), self._lock:
            own = OwnCall(str(self.root), origin.agent, origin.session, tool, name, self._requests)
            # The lock is not held while the tool runs, so that the model's edits are answered meanwhile.
            own.begin()
        try:
            yield found
        finally:
            with explained(), self._lock:
                own.end()
                with Workspace.open(self.root) as workspace:  # opening moves the recorded events into the journal
                    recorded = [operation for operation in workspace.log() if _is_of(operation, origin, name)]
            found.operations = tuple(operation.id for operation in recorded)
            found.changed = tuple(dict.fromkeys(path for operation in recorded for path in operation.paths))

    def _in_session(self) -> Origin:
        if self._session is None:
            raise UsageError("The toolbox has no session.", hint="Give it one: Toolbox(root, session=…)")
        return self._session

    def run(self, call: ProviderCall, places: Mapping[int, int] = NO_PLACES) -> ToolResult:
        """Carry out a call; one at a time.

        places: number of an edit that fits in several places → the line at which it is meant; number of an edit that is
        held for a person's consent → 1 if the person allowed it.
        """
        offered = self.tools or frozenset(BY_NAME)
        try:
            if call.name in self._others:
                return ToolResult(f"{call.name} is a tool of the caller's.", ok=False, unknown=True)
            if self.tools is not None and call.name not in offered:
                if call.name not in BY_NAME and not parse(call.raw).has_edits:
                    raise UsageError(NO_EDIT, code=Code.NO_BLOCKS)
                raise UsageError(f"The tool {call.name!r} is not offered.", hint=one_of(offered))
            with self._lock:
                # Other agents' edit tools have their own argument names, so a call is read as a reply, and its
                # arguments are not checked against ours.
                if call.raw and call.name not in self._actions and call.name != "apply_edits":
                    return self._edit(call.raw, places, tool=call.name, call=call.id)
                if call.problem is not None:
                    raise UsageError(call.problem, hint=ASKS_AGAIN)
                check_arguments(call.name, call.arguments)
                if call.name == "apply_edits":
                    return self._edit(text_argument(call.arguments, "text"), places, call=call.id)
                return self._actions[call.name](call.arguments)
        except DovetailError as error:
            data = {"error": {"code": str(error.code), "message": str(error), "hint": error.hint}}
            # The call is not for one of our tools and has no edit, so the caller may know its tool.
            if call.name not in BY_NAME and error.code == Code.NO_BLOCKS:
                return ToolResult(f"{error}\n{one_of(offered)}", data, ok=False, unknown=True)
            return ToolResult(refusal(error), data, ok=False)

    @property
    def seen(self) -> Mapping[str, str]:
        """Path to text, of each file as the model knows it: as it was shown, with the model's own changes."""
        return self._known.texts

    def _read_file(self, arguments: Mapping[str, Any]) -> ToolResult:
        path, note = self._paths.from_root(text_argument(arguments, "path")), ""
        with Workspace.open(self.root) as workspace:
            file = workspace.snapshot([path], tree=frozenset((path,))).files.get(path)
        if file is None:
            file, note = self._taken_to_be(text_argument(arguments, "path"))
        if file.text is None:
            raise UsageError(file.detail or f"{file.path!r} cannot be read as text.", code=file.problem)
        shown = shown_lines(self._paths.shown(file.path), file.text, arguments, hashes=self._offers("insert_lines"))
        self._known.show(file.path, file.text, shown.first, shown.last)
        data = {"path": file.path, "first_line": shown.first, "last_line": shown.last, "lines": shown.count}
        return ToolResult(note + shown.text, data)

    def _taken_to_be(self, path: str) -> tuple[FileText, str]:
        """Return the file that an edit of a missing path would be applied to, and a sentence that says so.

        Raises `UsageError` with the reason if such an edit would fail.
        """
        # An edit whose old text is in no file: planning chooses its file, and then finds no match.
        edit = {"path": path, "old_string": _NOWHERE, "new_string": ""}
        reply = json.dumps({"name": "edit_file", "arguments": edit}, ensure_ascii=False)
        prepared = prepare(self.root, reply, self.options, from_root=self._paths.from_root)
        with prepared.workspace:
            (result, *_) = prepared.plan.results
        file = prepared.snapshot.files.get(result.path or "")
        if file is not None and result.code is Code.NO_MATCH:
            return file, "".join(f"{w.message}\n" for w in result.warnings if w.code is Code.PATH_GUESSED)
        if result.code is Code.OUTSIDE_ROOT:
            raise UsageError(f"{result.reason} {self._paths.root_in_words}", hint=result.hint, code=result.code)
        reason = f"There is no file {path!r}. {self._paths.root_in_words}"
        raise UsageError(reason, hint="Give the path of a file.", code=Code.FILE_MISSING)

    def _offers(self, tool: str) -> bool:
        return self.tools is None or tool in self.tools

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
        self,
        reply: str,
        places: Mapping[int, int] = NO_PLACES,
        *,
        write: bool = True,
        tool: str = "apply_edits",
        call: str = "",
    ) -> ToolResult:
        prepared = prepare(self.root, reply, self.options, seen=self.seen, from_root=self._paths.from_root)
        for result in prepared.ambiguous:
            if places.get(result.n) in result.places:
                prepared = with_place(prepared, result.n, places[result.n])
        prepared = replace(prepared, decided={**prepared.decided, **held_back(prepared.plan.results, self._known)})
        if not self.allow_runs:
            prepared = with_runs_held(prepared, {n for n, answer in places.items() if answer})
        plan = prepared.plan
        with prepared.workspace:
            if prepared.parsed.shell_suggestions and not prepared.parsed.has_edits:
                raise UsageError(NO_COMMAND, hint="Send the change as edits.", code=Code.NO_BLOCKS)
            if not plan.results:
                reasons = [diagnostic.message for diagnostic in plan.diagnostics]
                raise UsageError(" ".join(reasons) or NO_EDIT, code=Code.NO_BLOCKS)
            origin = self._session and replace(self._session, tool=tool, calls=(call,) if call else ())
            committed = commit(prepared, merge=True, origin=origin) if write else Committed(prepared, None)
        operation, plan = committed.operation, committed.plan
        results = with_losses_named(plan.results, self._known)
        if operation is not None:
            self._remember(plan, operation)
        done = operation.id if operation is not None else None
        after = [] if write else ["", *(patch(change).rstrip("\n") for change in plan.changes)]
        after += [f"Operation {done}."] if done is not None else []
        takes_fields = tool if tool != "apply_edits" else ""  # faults in its text are not about arguments
        named = [replace(r, path=self._paths.shown(r.path)) if r.path is not None else r for r in results]
        texts = {self._paths.shown(path): text for path, text in prepared.texts.items()}
        text = report(
            named, written=write, markers=prepared.markers, texts=texts, held=False, tool=takes_fields, after=after
        )
        if any(result.code in _ABOUT_PATHS for result in plan.failed):
            text = f"{text.rstrip()}\n{self._paths.root_in_words}"
        return ToolResult(
            text,
            {
                "operation": done,
                "files": [{"path": c.path, "change": records.kind_of(c)} for c in plan.changes],
                "edits": [records.of_explained(result, written=done is not None) for result in results],
                **({} if write else {"diff": "".join(map(patch, plan.changes))}),
            },
            ok=is_done(results),
        )

    def _undo(self, arguments: Mapping[str, Any]) -> ToolResult:
        wanted = text_argument(arguments, "operation") if arguments.get("operation") is not None else None
        newest = self._operations[-1] if self._operations else None
        return self._reverted(operations.undo(self.root, wanted or newest), "Undone")

    def _redo(self, _: Mapping[str, Any]) -> ToolResult:
        return self._reverted(operations.redo(self.root), "Redone")

    def _reverted(self, result: operations.UndoResult, word: str) -> ToolResult:
        for change in result.changes:
            self._known.change(change)
        if (undone := result.operation.undoes) in self._operations:
            self._operations.remove(undone)
        paths = ", ".join(self._paths.shown(change.path) for change in result.changes)
        text = "\n".join([f"{word}: {paths}.", *result.notes])
        files = [{"path": change.path, "change": records.kind_of(change)} for change in result.changes]
        return ToolResult(text, {"operation": result.operation.id, "files": files})

    def _history(self, arguments: Mapping[str, Any]) -> ToolResult:
        limit = line_argument(arguments, "limit", _LISTED)
        newest = operations.log(self.root, most=limit).operations
        lines = [f"{o.id}  {o.label}  {o.state}  {', '.join(o.paths)}" for o in newest]
        text = "\n".join(lines) if lines else "Nothing was changed with these tools so far."
        return ToolResult(text, {"operations": [records.of_operation(operation) for operation in newest]})

    def _remember(self, plan: Plan, operation: Operation) -> None:
        """Apply a written plan's changes to what the model knows of the files, and note the operation."""
        whole = {r.path for r in plan.results if r.effect is not None and r.effect.whole}
        for change in plan.changes:
            # The model knows a file that it wrote whole, though it never read it.
            if change.after is not None and change.path in whole and not self._known.is_known(change.path):
                self._known.wrote(change.path, change.after)
            else:
                self._known.change(change)
        self._operations.append(operation.id)


def _is_of(operation: Operation, origin: Origin, call: str) -> bool:
    """Return whether an operation was recorded for a call of a session."""
    made = operation.origin if operation.label is Label.RECORDED else None
    return made is not None and made.session == origin.session and call in made.calls


def answer(call: object, workspace: Toolbox | str | os.PathLike[str]) -> Answer | None:
    """Carry out a provider's tool call and return the result object that the provider takes back.

    call: one item of OpenAI's `tool_calls` or of a Responses output, Anthropic's `tool_use` block, Gemini's
    `functionCall`, MCP's `params` of `tools/call`, as a mapping or as the SDK's object; or the
    pieces of a streamed call.
    workspace: a `Toolbox`, which remembers what the model has read; or a folder, for a single call.

    None for a call of an unknown tool without an edit. Raises `UsageError` if `call` is no call, or the folder none.
    Any other error is an answer to the model.
    """
    box = workspace if isinstance(workspace, Toolbox) else Toolbox(workspace)
    return box.answer(call)
