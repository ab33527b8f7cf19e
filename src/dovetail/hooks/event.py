"""Turns one event of an agent into an event of the spool, with the state of the files at this moment.

Owns which calls an event opens and closes, and which files it looks at. It never stops the agent: every fault is a line
in a log, and the status is 0. Few modules are loaded; the journal only at the end of a turn.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress

from dovetail.hooks.exact import is_exact
from dovetail.hooks.notes import note_fault, note_seen, take_notes
from dovetail.spool.places import is_git_top, top_of
from dovetail.spool.processes import agent_process, has_ended
from dovetail.spool.record_settings import mends_in, tells_in
from dovetail.spool.spool import Spool, call_name
from dovetail.spool.tree import Looker, TooLargeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Payload = dict[str, Any]

_LARGEST = 32 << 20  # bytes of a payload
_WORDS = 80  # signs of a request that are kept
_ENDANGERING = ("gc", "prune", "repack", "filter-", ".git")  # a command with one of these may remove git's objects
_PATCHED = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def run() -> int:
    """Take one event from standard input. Always returns 0."""
    try:
        payload = json.loads(sys.stdin.buffer.read(_LARGEST))
        if isinstance(payload, dict) and (answer := take(payload)):
            sys.stdout.write(answer)
            sys.stdout.flush()
    except BaseException as error:
        note_fault(error)
    return 0


def table() -> dict[str, Any]:
    """Return the table `agents.json`: the row of each agent, by its short name."""
    with open(os.path.join(os.path.dirname(__file__), "agents.json"), encoding="utf-8") as file:
        known: dict[str, Any] = json.load(file)
    return known


def agent_of(payload: Payload, agents: dict[str, Any]) -> str | None:
    """Return the agent that sent an event, or None, by the event's fields and name.

    Several agents may read one settings file, so the installed command does not name its agent.
    """
    for name, row in agents.items():
        # A `turn_id` is Codex's, a `conversation_id` Cursor's, a `permission_mode` Qwen Code's among those with a time.
        has = all(payload.get(field) is not None for field in row["has"])
        fits = all(payload.get(field) == value for field, value in row.get("is", {}).items())
        if has and fits and payload.keys().isdisjoint(row["lacks"]) and payload["hook_event_name"] in row["events"]:
            return name
    return None


def take(payload: Payload) -> str:
    """Put an event into the spool of its root; at the end of a turn, move the spool's events into the journal.

    Return the answer to the agent, "" for none. Raises `ValueError` for an unknown agent, or a root that is too large.
    """
    agents = table()
    agent = agent_of(payload, agents)
    if agent is None:
        named = f"{payload.get('hook_event_name')}: {', '.join(sorted(payload)[:12])}"
        raise ValueError(f"No agent is known that has such an event with these fields: {named}")
    row = agents[agent]
    folders = payload.get("workspace_roots")
    if not payload.get("cwd") and isinstance(folders, list) and folders:
        payload["cwd"] = folders[0]
    kind = row["events"][payload["hook_event_name"]]
    root = root_of(payload)
    if root is None:
        raise ValueError(f"{payload.get('cwd')} is too much to look at: start the agent in a project's folder.")
    note_seen(agent, root)
    # `first` is the root where the agent works; only there edits are mended and answered.
    first, *others = _events(_Event(agent, row, kind, payload, root))
    answer, refused = "", False
    try:
        if mends_in(first.root):
            answer, refused = first.mend()
        if kind == "after" and not answer and "mend" in row and tells_in(first.root):
            answer = first.tell()
        answer = answer or first.pass_on()
    except Exception as error:
        note_fault(error)
    # A refused call is not made, so it must not be opened: no event would end it.
    for event in [] if refused else [first, *others]:
        event.take()
        if kind == "stop":
            event.name_calls()
        if kind in ("prompt", "stop"):
            settle(event.root)
    return answer


def root_of(payload: Payload) -> str | None:
    """Return the root that an event is about; None for the whole disk and the user's home, which are no projects."""
    folder = os.path.realpath(str(payload.get("cwd") or os.getcwd()))
    root, started = top_of(folder), _started()
    if started and not is_git_top(root) and folder.startswith(started + os.sep):
        root = started  # no git: the agent may have changed into a folder below
    return None if _is_too_much(root) else root


def _is_too_much(root: str) -> bool:
    home = os.path.realpath(os.path.expanduser("~"))
    # The home, `/` (its own parent), or a folder above the home, such as /home.
    return root in (home, os.path.dirname(root)) or home.startswith(root + os.sep)


def _events(here: _Event) -> list[_Event]:
    """Return the event for each root that it is about: one, or two.

    An agent may have changed into another repository inside the one it was started in. An edit belongs to the root that
    its file is in, the end of a call to the root where it began, and requests and the ends of turns to both.
    """
    started = _started()
    top = top_of(started) if started else here.root
    if top == here.root or _is_too_much(top) or not here.root.startswith(top + os.sep):
        return [here]
    there = _Event(here.agent, here.row, here.kind, here.payload, top)
    # The file of an edit may lie in the outer root alone; then the call begins there.
    if here.kind == "before":
        return [there if here.begins() is None and there.begins() is not None else here]
    if here.kind == "after":
        return [there if there.is_open() and not here.is_open() else here]
    return [here, there]


def _started() -> str:
    """Return the folder in which the agent was started; "" if it does not say."""
    started = os.environ.get("CLAUDE_PROJECT_DIR", "")
    return os.path.realpath(started) if os.path.isabs(started) else ""


def settle(root: str) -> None:
    """Move the spool's events into the journal, unless another process holds its lock."""
    from dovetail.workspace.workspace import Workspace

    with Workspace.open(root, patience=0.5):
        pass


def _decision(means: str, name: str, asked: Payload | None, refused: str) -> str:
    """Return the answer that rewrites a call to `asked`, or refuses it, in the agent's form `means`; "" for neither."""
    if asked is None and not refused:
        return ""
    denied: Payload = {"permissionDecision": "deny", "permissionDecisionReason": refused}
    answer: Payload
    match means:
        case "args":  # our own plugins
            answer = {"refused": refused} if refused else {"args": asked}
        case "merge":
            specific = {"hookEventName": name, "tool_input": asked}
            answer = {"decision": "deny", "reason": refused} if refused else {"hookSpecificOutput": specific}
        case "modified":
            answer = denied if refused else {"permissionDecision": "allow", "modifiedArgs": asked}
        case "permission":
            denied = {"permission": "deny", "agent_message": refused, "user_message": "The edit does not fit."}
            answer = denied if refused else {"permission": "allow", "updated_input": asked}
        case _:
            specific = denied if refused else {"permissionDecision": "allow", "updatedInput": asked}
            answer = {"hookSpecificOutput": {"hookEventName": name, **specific}}
    return json.dumps(answer)


def _beside(means: str, name: str, said: str) -> str:
    """Return the answer that adds a text to a call's result, in the agent's form `means`."""
    answer: Payload
    match means:
        case "args":  # our own plugins
            answer = {"context": said}
        case "modified":
            answer = {"additionalContext": said}
        case "permission":
            answer = {"additional_context": said}
        case _:
            answer = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": said}}
    return json.dumps(answer)


def _name_of(tool: str, at: str, asked: Any) -> str:  # noqa: ANN401 - JSON of another program
    return f"{tool} {at} {call_name(at, json.dumps(asked, sort_keys=True))[:8]}"


class _Event:
    """An event on its way into the spool."""

    def __init__(self, agent: str, row: Payload, kind: str, payload: Payload, root: str) -> None:
        self.agent, self.row, self.kind, self.payload, self.root = agent, row, kind, payload, root
        self.session = str(payload[row.get("session", "session_id")])
        self.thread = str(payload.get("agent_id") or "")
        self.spool = Spool.make(root)
        self.call = str(payload.get(row.get("call", "tool_use_id")) or "") or self._unnamed()
        self.looker = Looker(self.spool)
        self.tier = ""  # the tier at which an edit that was rewritten matched
        self.event: Payload = {
            "agent": agent, "session": self.session, "thread": self.thread, "time": int(time.time()),
            "request": str(payload.get(row["request"]) or self._request()), "opens": None, "closes": [],
            "files": {}, "was": {},
        }  # fmt: skip

    def _request(self) -> str:
        """Return a name for a new request if the agent gives none; "" for other events, which are the newest one's."""
        return str(self.payload.get("timestamp") or time.time()) if self.kind == "prompt" else ""

    def _unnamed(self) -> str:
        """Return a name for a call if the agent gives it none: an end belongs to the tool's call that began first."""
        tool = str(self.payload.get("tool_name") or "")
        if self.kind == "before":
            at = str(self.payload.get("timestamp") or time.time())  # the same for each install of the hooks
            return _name_of(tool, at, self.payload.get("tool_input"))
        if self.kind != "after":
            return ""
        changes = self._changes()
        paths = [] if changes in (None, "tree") else self._named(changes)
        calls = self.spool.open_calls().values()
        begun = [call for call in calls if call["session"] == self.session and call["tool"] == tool]
        # A name begins with the tool and the time (`_name_of`), so the least one of a tool began first.
        return min((call["call"] for call in begun if call["paths"] == paths), default="")

    def mend(self) -> tuple[str, bool]:
        """Return the answer about an edit that the agent's own tool would fail at, and whether the edit is refused."""
        means = self.row.get("mend")
        if self.kind == "before" and means not in (None, "context"):
            changes, asked = self._changes(), self.payload.get("tool_input")
            if changes in (None, "tree") or not isinstance(asked, dict):
                return "", False
            folder = os.path.realpath(str(self.payload.get("cwd") or self.root))
            if is_exact(changes, asked, folder):
                return "", False
            from dovetail.hooks.mend import mend

            self.name_calls()  # first, as the engine opens the workspace, which moves events into the journal
            patched = changes["patch"] if isinstance(changes, dict) else ""
            below = os.path.relpath(folder, self.root).replace(os.sep, "/")
            tool, below = str(self.payload["tool_name"]), "" if below == "." else below
            done = mend(self.root, tool, asked, patched, below, rewrites=means != "deny")
            if done.asked is not None:
                self.payload["tool_input"], self.tier = done.asked, done.tier
                self.call = str(self.payload.get(self.row.get("call", "tool_use_id")) or "") or self._unnamed()
            return _decision(means, self.payload["hook_event_name"], done.asked, done.refused), bool(done.refused)
        failed = self._failed() if self.kind == "batch" and means == "context" else []
        if failed:
            from dovetail.hooks.mend import explain

            said = explain(self.root, failed)
            specific = {"hookEventName": self.payload["hook_event_name"], "additionalContext": said}
            return (json.dumps({"hookSpecificOutput": specific}) if said else ""), False
        return "", False

    def _failed(self) -> list[tuple[str, Payload]]:
        """Return (tool, input) of the edits of a batch that the agent's tool refused, and that do not match exactly."""
        tools, folder = self.row["tools"], os.path.realpath(str(self.payload.get("cwd") or self.root))
        return [
            (str(call["tool_name"]), call["tool_input"])
            for call in self.payload.get("tool_calls") or ()
            if isinstance(fields := tools.get(call.get("tool_name")), list)
            and str(call.get("tool_response") or "").startswith("<tool_use_error>")
            and isinstance(call.get("tool_input"), dict)
            and not is_exact(fields, call["tool_input"], folder)
        ]

    def name_calls(self) -> None:
        """Give calls the ids of the agent's log, if its events have none, before the journal takes the events."""
        if not self.row.get("log_ids"):
            return
        from dovetail.hooks.log_ids import logged_calls

        try:
            known = list(logged_calls(str(self.payload.get("transcript_path") or "")))
        except (OSError, ValueError) as error:
            note_fault(error)
            return
        for name in self.spool.names("events"):
            path = os.path.join("events", name)
            event = self.spool.read_json(path)
            call = event.get("call") if isinstance(event, dict) else None
            # Two blanks mark a name that `_unnamed` made: tool, time, digest.
            if not isinstance(call, dict) or call["session"] != self.session or call["call"].count(" ") != 2:
                continue
            at = call["call"].split(" ")[1]
            found = {logged for named, asked, logged in known if _name_of(named, at, asked) == call["call"]}
            # Two calls of the same tool with the same arguments cannot be told apart, and keep their own names.
            if len(found) == 1:
                call["call"] = found.pop()
                self.spool.write_json(path, event)

    def tell(self) -> str:
        """Return the answer after an edit: where it is now, what else changed since, new syntax errors; "" for none."""
        call = self.spool.open_calls().get(call_name(self.session, self.call))
        asked = self.payload.get("tool_input")
        if call is None or "was" not in call or self.payload.get("error") or not isinstance(asked, dict):
            return ""
        texts: dict[str, tuple[str | None, str]] = {}
        for path, digest in call["was"].items():
            before = self.spool.bytes_of(digest) if digest is not None else None
            with suppress(OSError, ValueError), open(os.path.join(self.root, path), "rb") as file:
                now = file.read(_LARGEST).decode()
                if before is not None or digest is None:
                    texts[path] = (before.decode() if before is not None else None, now)
        if not texts:
            return ""
        from dovetail.hooks.tell import told

        said = told(texts, asked, call["tier"])
        return _beside(self.row["mend"], self.payload["hook_event_name"], said) if said else ""

    def pass_on(self) -> str:
        """Return, once, the notes that the person left for this session (edits were taken back); "" for none."""
        means = self.row.get("mend")
        # Not to a subagent, which would keep it to itself. Agents of the last three forms take texts only after a call.
        if self.thread or means is None or self.kind not in ("prompt", "after"):
            return ""
        if self.kind == "prompt" and means in ("args", "modified", "permission"):
            return ""
        said = "\n\n".join(take_notes(self.root, self.session))
        return _beside(means, self.payload["hook_event_name"], said) if said else ""

    def take(self) -> None:
        calls = self.spool.open_calls()
        tree = next((call for call in calls.values() if call["base"]), None)
        if tree is not None:
            self.looker.use(tree["base"])
        mine = {name: call for name, call in calls.items() if call["session"] == self.session}
        name = call_name(self.session, self.call)
        begun: Payload | None = None
        closes: list[str] = []
        if self.kind == "prompt":
            text = str(self.payload.get("prompt") or "")
            machine = self.row.get("machine")
            # A prompt of a person ends what the agent did before. One that the agent writes for itself (a background
            # command is done) ends only the calls that it names.
            if not self.thread and not (machine and text.lstrip().startswith(machine)):
                self.event["words"] = " ".join(text[: 8 * _WORDS].split())[:_WORDS]
                closes = [n for n, call in mine.items() if not call["thread"] and not call["background"]]
            closes += [n for n, call in mine.items() if call["background"] and call["background"] in text]
        elif self.kind == "before":
            begun = self.begins()
            if begun is None:
                return
            closes = self._ended_before({n: call for n, call in mine.items() if n != name})
        elif self.kind == "after":
            if name in mine:
                self._end(name, mine[name], closes)
            elif self._changes() is None:
                return
        elif self.kind == "batch":
            ended = {call_name(self.session, str(c.get("tool_use_id"))) for c in self.payload.get("tool_calls") or ()}
            closes = [
                # `done`: the call has its result, but stayed open until its batch ends, as a formatter may still change
                # its file.
                n for n, call in mine.items()
                if not call["background"] and (n in ended or (call["thread"] == self.thread and call["done"]))
            ]  # fmt: skip
        elif self.kind == "stop":
            running = self.payload.get("background_tasks")
            for n, call in mine.items():
                if call["background"] and running is not None:
                    # The list has a form of the agent's; the id is in it as long as the task runs.
                    if call["background"] not in json.dumps(running):
                        closes.append(n)
                elif call["thread"] == self.thread:
                    closes.append(n)
        elif self.kind == "end":
            closes = list(mine)
        closes += [n for n, call in calls.items() if n not in mine and has_ended(call["process"], call["since"])]
        # These events only end calls, so without one to end nothing is recorded.
        if self.kind in ("batch", "end") and not closes:
            return
        self._look(calls, begun, look_at_tree=self._needs_tree(calls, closes, begun))
        if begun is not None:
            if begun["paths"] and tells_in(self.root):
                sides = {path: self.event["files"].get(path) for path in begun["paths"]}
                begun["was"] = {path: side and side[0] for path, side in sides.items() if side is None or side[2]}
                begun["tier"] = self.tier
            self.spool.open_call(name, begun)
            self.event["opens"] = name
            self.event["call"] = begun
        self.event["closes"] = closes
        self.spool.add_event(self.event)
        for closed in closes:
            self.spool.close_call(closed)

    def is_open(self) -> bool:
        """Return whether the event's call began in this root and has not ended."""
        return call_name(self.session, self.call) in self.spool.names("open")

    def _changes(self) -> Any:  # noqa: ANN401 - as the table has it
        """Return the table's entry on what the event's tool may change; None for nothing."""
        tool, tools = str(self.payload.get("tool_name") or ""), self.row["tools"]
        if tool in tools:
            return tools[tool]
        # `mcp__github__push` falls under `mcp__*`, and any other tool that has no row under `*`.
        prefix, sign, _ = tool.partition("__")
        return tools.get(f"{prefix}__*" if sign else "*", tools.get("*"))

    def begins(self) -> Payload | None:
        """Return the call that the event begins; None if the tool changes no files under this root."""
        changes = self._changes()
        if changes is None or not self.call:
            return None
        paths: list[str] = []
        if changes != "tree":
            paths = self._named(changes)
            if not paths:
                return None
        return {
            "agent": self.agent, "session": self.session, "thread": self.thread, "call": self.call,
            "tool": str(self.payload["tool_name"]), "request": self.event["request"], "paths": paths,
            "base": "", "tree": changes == "tree", "done": False, "background": "",
            "process": agent_process(), "since": self.event["time"],
        }  # fmt: skip

    def _named(self, changes: Any) -> list[str]:  # noqa: ANN401 - as the table has it
        """Return the files under the root that a call names, relative to it."""
        asked = self.payload.get("tool_input")
        if not isinstance(asked, dict):
            return []
        if isinstance(changes, dict):
            lines = str(asked.get(changes["patch"]) or "").split("\n")
            named = [line[len(sign) :].strip() for line in lines for sign in _PATCHED if line.startswith(sign)]
        else:
            named = [str(asked[field]) for field in changes if asked.get(field)]
        folder = os.path.realpath(str(self.payload.get("cwd") or self.root))
        paths: list[str] = []
        for path in named:
            at = os.path.join(folder, os.path.expanduser(path))
            # Links on the way are resolved, the last component is not: it and a link's target are two paths.
            at = os.path.join(os.path.realpath(os.path.dirname(at)), os.path.basename(at))
            # Some agents write through a link, others replace it by a file, so both paths are named.
            for each in dict.fromkeys((at, os.path.realpath(at))):
                relative = os.path.relpath(each, self.root).replace(os.sep, "/")
                if not relative.startswith("../") and not os.path.isabs(relative):
                    paths.append(relative)
        return paths

    def _ended_before(self, mine: dict[str, Payload]) -> list[str]:
        """Return the names of the calls of the same conversation that are over when another one begins."""
        in_turn = self.row.get("in_turn", False)
        return [
            name
            for name, call in mine.items()
            if call["thread"] == self.thread and not call["tree"] and (call["done"] or in_turn)
        ]

    def _end(self, name: str, call: Payload, closes: list[str]) -> None:
        """End a call: at once, or with its batch if a formatter may still run, or when its background command ends.

        closes: gets the name of a call that ends now.
        """
        value: Any = self.payload
        for field in self.row.get("background") or ("",):
            value = value.get(field) if isinstance(value, dict) else None
        if value:
            call["background"] = str(value)
            self.spool.open_call(name, call)
        elif self.row.get("batches") and not call["tree"]:
            call["done"] = True
            self.spool.open_call(name, call)
        else:
            closes.append(name)

    def _needs_tree(self, calls: dict[str, Payload], closes: list[str], begun: Payload | None) -> bool:
        """Return whether to look at the whole tree: a call that may change it begins, ends, or ran on."""
        if begun is not None:
            return bool(begun["tree"])
        if self.kind == "after":
            return bool(calls.get(call_name(self.session, self.call), {}).get("tree"))
        return any(calls[name]["tree"] for name in closes) or (
            self.kind in ("prompt", "stop") and any(call["tree"] for call in calls.values())
        )

    def _look(self, calls: dict[str, Payload], begun: Payload | None, *, look_at_tree: bool) -> None:
        """Record in the event the files that open calls and the new one name, and if asked for the whole tree."""
        looker, event = self.looker, self.event
        named = {path: None for call in calls.values() for path in call["paths"]}
        named.update(dict.fromkeys(begun["paths"] if begun is not None else ()))
        new = begun is not None and begun["tree"]
        try:
            asked = str(self.payload.get("tool_input")) if new else ""
            endangered = any(word in asked for word in _ENDANGERING)
            event |= looker.look(list(named), whole=look_at_tree, new=new, endangered=endangered)
        except (OSError, TooLargeError) as error:
            # The tree is too large or git too slow: the named files are recorded, changes elsewhere are not.
            event |= looker.look(list(named), whole=False)
            note_fault(error)
        if begun is not None and new:
            begun["base"] = looker.name
