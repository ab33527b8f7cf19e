"""An MCP server over the tools, by the official SDK.

One server works for one client, or for several on one machine, which share the record of what was read. If the client
can ask its user, an edit that fits in several places is asked about; else it fails and lists the places.
"""

from __future__ import annotations

import hmac
import json
import secrets
import warnings
from collections.abc import Awaitable, Callable, Container, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import anyio
import anyio.to_thread
import mcp_types as types
import uvicorn
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from dovetail import __version__
from dovetail.llm.tool_definitions import BASIC, definitions
from dovetail.model.codes import Code
from dovetail.session.settings import DEFAULT_REPLY_OPTIONS, ReplyOptions

if TYPE_CHECKING:  # clients wait for the start: what carries out calls is loaded with the first of them
    from dovetail.tools import Toolbox, ToolResult
    from dovetail.tools.provider_calls import ProviderCall

PATH = "/mcp"
"""The path of the HTTP server's address."""

_INSTRUCTIONS = (
    "Read and edit the files of one project. An edit is found even where its text is quoted a little wrong, and is "
    "refused where its place is not certain. All of a call is written, or nothing. Every change can be undone."
)
_TICK = 1.0  # seconds between two notifications of progress
_PLACE = "place"  # the key of a question to the user

_CALL_IDS = ("claudecode/toolUseId", "callId")  # keys of the model's id of the call, of Claude Code and Codex
_SESSION_IDS = ("sessionId",)  # of Codex
_SHORT_NAMES = {"claude-code": "claude", "codex-mcp-client": "codex"}

_Context = ServerRequestContext[Any]
_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[Any]]
_Send = Callable[[Any], Awaitable[None]]


class Handlers:
    """The handlers of the server's requests.

    root: the folder of the project. None: the roots that the client names, or else `fallback`.
    runs_in: the folder in which the client started the server; paths are relative to it if it is inside the root.
    tools: names of the tools that are offered; None for all.
    allow_runs: files that other programs run unasked may be edited without a question to the user.
    """

    def __init__(
        self,
        root: Path | None,
        fallback: Path,
        runs_in: Path,
        options: ReplyOptions = DEFAULT_REPLY_OPTIONS,
        tools: Sequence[str] | None = BASIC,
        *,
        allow_runs: bool = False,
    ) -> None:
        self._allow_runs = allow_runs
        self._root = root
        self._fallback = fallback
        self._runs_in = runs_in
        self._options = options
        self._tools = tools
        self._session = secrets.token_hex(4)  # for a client that does not send its own
        self._boxes: dict[Path, Toolbox] = {}
        self._last: Path | None = None

    async def list_tools(self, _: _Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """Return the definitions of the offered tools in MCP's form."""
        return types.ListToolsResult.model_validate({"tools": definitions("mcp", self._tools)})

    async def call_tool(
        self, context: _Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Carry out a call in a thread, with progress; ask the user about edits that need it, if the client can."""
        from dovetail.tools.provider_calls import read

        box = await self._toolbox(context, params)
        meta = dict(params.meta or {})
        call = read({"name": params.name, "arguments": params.arguments or {}, "call_id": _told(meta, _CALL_IDS)})
        places = _places_chosen(params)
        while True:
            result = await _with_progress(context, box, call, places)
            question = _question(result, places) if _can_ask(context) and not _declined(params) else None
            if question is None:
                return types.CallToolResult.model_validate(call.respond(result))
            n, form = question
            if context.protocol_version in MODERN_PROTOCOL_VERSIONS:  # the client asks, and sends the call again
                state = json.dumps({"n": n, "places": places})
                return types.InputRequiredResult(
                    input_requests={_PLACE: types.ElicitRequest(params=form)}, request_state=state
                )
            answer = await context.session.elicit_form(form.message, form.requested_schema, context.request_id)
            places[n] = _line_of(answer) or 0  # 0: the user chose none

    async def _toolbox(self, context: _Context, params: types.CallToolRequestParams) -> Toolbox:
        """Return the `Toolbox` of the root that a call is about.

        That is the root that has an absolute path of the call in it; without paths the root of the last call; else the
        first one.
        """
        roots = [self._root] if self._root is not None else await _roots(context) or [self._fallback]
        if len(roots) == 1:
            root = roots[0]
        else:
            named = _paths_in(params.arguments or {})
            holding = (root for path in named if path.is_absolute() for root in roots if path.is_relative_to(root))
            root = next(holding, self._last if self._last in roots and not named else roots[0])
        self._last = root
        if root not in self._boxes:
            from dovetail.tools import Toolbox

            runs_in = self._runs_in if self._runs_in.is_relative_to(root) else root
            self._boxes[root] = Toolbox(
                root,
                self._options,
                tools=self._tools,
                runs_in=runs_in,
                session=_told(dict(params.meta or {}), _SESSION_IDS) or self._session,
                agent=_agent_of(context),
                allow_runs=self._allow_runs,
            )
        return self._boxes[root]


def _paths_in(arguments: Mapping[str, Any]) -> list[Path]:
    """Return the paths that a call names: its argument `path`, or those of the edits in its text."""
    inner = arguments.get("arguments")  # of a preview
    if isinstance(inner, Mapping):
        arguments = inner
    if isinstance(path := arguments.get("path"), str):
        return [Path(path)]
    from dovetail.formats import parse

    text = arguments.get("text", arguments.get("patch"))
    return [Path(path) for path in parse(text).paths] if isinstance(text, str) else []


def _agent_of(context: _Context) -> str:
    """Return the short name of the agent that is the client, or the name that it sends."""
    params = context.session.client_params
    name = params.client_info.name if params is not None else "mcp"
    return _SHORT_NAMES.get(name, name)


def _told(meta: Mapping[str, Any], keys: Sequence[str]) -> str:
    """Return the first text that a client's own metadata of a call has under some keys; "" for none."""
    return next((value for key in keys if isinstance(value := meta.get(key), str)), "")


async def _roots(context: _Context) -> list[Path]:
    """Return the folders that the client names as its roots; none if it has none, or cannot be asked."""
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.roots is None or not context.session.can_send_request:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer protocols have no roots; older clients still name them
        listed = await context.session.list_roots()
    addresses = [urlsplit(str(root.uri)) for root in listed.roots]
    return [Path(unquote(address.path)).resolve() for address in addresses if address.scheme == "file"]


async def _with_progress(context: _Context, box: Toolbox, call: ProviderCall, places: Mapping[int, int]) -> ToolResult:
    """Run a call in a thread; notify a client that asked for progress once a second."""

    async def tick() -> None:
        seconds = 0
        while True:
            await anyio.sleep(_TICK)
            seconds += 1
            await context.session.report_progress(seconds, message=f"{call.name} is at work.")

    async with anyio.create_task_group() as group:
        group.start_soon(tick)
        result = await anyio.to_thread.run_sync(box.run, call, places)
        group.cancel_scope.cancel()
    return result


def _can_ask(context: _Context) -> bool:
    capabilities = context.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def _question(result: ToolResult, asked: Container[int]) -> tuple[int, types.ElicitRequestFormParams] | None:
    """Return the number of the first edit to ask about, and the form to ask with; None if there is none.

    That is an edit not in `asked` that fits in several places, or is held for the user's consent.
    """
    for edit in result.data.get("edits", ()):
        if edit["code"] == Code.AMBIGUOUS and edit["places"] and edit["n"] not in asked:
            field = {"type": "string", "title": "Line", "enum": [str(line) for line in edit["places"]]}
            return edit["n"], types.ElicitRequestFormParams(
                message=f"Edit {edit['n']} of {edit['path']} fits in several places. At which line is it meant?",
                requested_schema={"type": "object", "properties": {"line": field}, "required": ["line"]},
            )
        if edit["code"] == Code.RUN_BY_OTHERS and edit["n"] not in asked:
            allow = {"type": "boolean", "title": "Write it", "default": False}
            return edit["n"], types.ElicitRequestFormParams(
                message=f"{edit['reason']} Edit {edit['n']} would change it. Is it to be written?",
                requested_schema={"type": "object", "properties": {"allow": allow}, "required": ["allow"]},
            )
    return None


def _line_of(answer: object) -> int | None:
    """Return the line that the user chose, or 1 for consent; None if the question was declined."""
    content = answer.content if isinstance(answer, types.ElicitResult) and answer.action == "accept" else None
    if (content or {}).get("allow") is True:
        return 1
    line = str((content or {}).get("line", ""))
    return int(line) if line.isdecimal() else None


def _declined(params: types.CallToolRequestParams) -> bool:
    return params.input_responses is not None and _line_of(params.input_responses.get(_PLACE)) is None


def _places_chosen(params: types.CallToolRequestParams) -> dict[int, int]:
    """Return the lines that the user has chosen so far, by edit number, from the state that the client sends back."""
    line = _line_of((params.input_responses or {}).get(_PLACE))
    try:
        state = json.loads(params.request_state or "{}")
        places = {int(n): int(chosen) for n, chosen in state.get("places", {}).items()}
        return places | ({int(state["n"]): line} if line is not None else {})
    except (AttributeError, KeyError, TypeError, ValueError):
        return {}


def server_of(handlers: Handlers) -> Server[Any]:
    """Return the SDK's server for some handlers."""
    return Server(
        "dovetail",
        version=__version__,
        title="Dovetail",
        instructions=_INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
    )


def serve_stdio(handlers: Handlers) -> None:
    """Serve one client over standard input and output, until it closes them."""
    server = server_of(handlers)

    async def run() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)


def serve_http(handlers: Handlers, port: int, token: str, show: Callable[[int], None]) -> None:
    """Serve over streamable HTTP on this machine alone, until Ctrl-C.

    token: each request must have it as ``Authorization: Bearer TOKEN``.
    port: 0 takes any free one. show: called with the port once it is open.
    """
    config = http_config(handlers, port, token)
    socket = config.bind_socket()
    show(socket.getsockname()[1])
    uvicorn.Server(config).run(sockets=[socket])


def http_config(handlers: Handlers, port: int, token: str) -> uvicorn.Config:
    """Return the configuration of the server over HTTP; arguments as in `serve_http`."""
    from dovetail.serving import BoundedProtocol  # a client over standard input does not wait for it

    app = _with_token(server_of(handlers).streamable_http_app(streamable_http_path=PATH), token)
    return uvicorn.Config(
        app, host="127.0.0.1", port=port, log_level="error", lifespan="on", ws="none", http=BoundedProtocol
    )


def _with_token(app: Callable[..., Awaitable[None]], token: str) -> Callable[..., Awaitable[None]]:
    """Return an ASGI application that passes on only requests with the token."""
    wanted = f"Bearer {token}".encode()

    async def guarded(scope: _Scope, receive: _Receive, send: _Send) -> None:
        tokens = [value for name, value in scope.get("headers", ()) if name == b"authorization"]
        if scope["type"] == "lifespan" or (len(tokens) == 1 and hmac.compare_digest(tokens[0], wanted)):
            await app(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b"Send the token: Authorization: Bearer TOKEN\n"})

    return guarded
