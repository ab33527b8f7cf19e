"""Runs the server: one socket, one session, until Ctrl-C.

Listens on loopback unless told otherwise. The socket is bound before anything is printed, so the printed address is one
that answers.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn

from dovetail.llm import prompts
from dovetail.model.errors import UsageError
from dovetail.serving import BoundedProtocol
from dovetail.session.conversation.chat_state import Options
from dovetail.web.admission import LOOPBACK, Admission
from dovetail.web.app import PageFiles, make_app
from dovetail.web.conversations import remove_sample
from dovetail.web.kept_turns import KeptTurns, restore
from dovetail.web.page_session import PageSession
from dovetail.web.provider import Provider
from dovetail.web.watch import Watcher

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dovetail.session.apply.records import Record
    from dovetail.session.settings import Settings

DEFAULT_HOST = "127.0.0.1"
CONFIG: dict[str, Any] = {
    "ws": "none",
    "http": BoundedProtocol,
    "lifespan": "off",
    "loop": "asyncio",
    "log_config": None,
    "access_log": False,
    "server_header": False,
    "proxy_headers": False,
    "timeout_graceful_shutdown": 3,
    "h11_max_incomplete_event_size": 65_536,
}
"""Arguments of uvicorn: quiet, and without features that this server does not need."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The options of the command line. Port 0 takes any free port. opens: what a tab shows first, see `PageSession`."""

    root: Path
    host: str = DEFAULT_HOST
    port: int = 0
    model: str | None = None
    opens: Record | None = None


@dataclass(frozen=True, slots=True)
class Started:
    """The state of a server once its socket listens.

    problem: why no model can be asked. recovery: which interrupted operation was completed.
    """

    address: str
    loopback: bool
    problem: str | None
    recovery: str | None


def make_session(wanted: ServeOptions, settings: Settings, environ: Mapping[str, str]) -> PageSession:
    """Return the session over a root. Raises `WorkspaceError`, `UsageError`."""
    provider = Provider(environ, settings.models.providers)
    options = Options.of(settings, wanted.model)
    prompts.check_format(options.format)
    session = PageSession(wanted.root, options, provider, provider.ready, provider, opens=wanted.opens)
    # Before the socket listens, so that an error about the root is shown in the terminal.
    with session.open() as workspace:  # completes an interrupted operation, and refuses a root that is not a folder
        session.recovery = workspace.recovery
    session.keeper = KeptTurns()
    with session.lock:
        restore(session)
    return session


def serve(
    wanted: ServeOptions,
    settings: Settings,
    environ: Mapping[str, str],
    page: PageFiles,
    started: Callable[[Started], None],
) -> None:
    """Serve until SIGINT or SIGTERM. `started` gets the address. Raises `UsageError` if the port is taken."""
    session = make_session(wanted, settings, environ)
    with closing(listening_socket(wanted.host, wanted.port)) as listening:
        port = int(listening.getsockname()[1])
        admission = admission_for(wanted.host, port)
        problem = session.ready(session.options)
        server = _Server(session, uvicorn.Config(make_app(session, admission, page), **CONFIG))
        host = f"[{wanted.host}]" if ":" in wanted.host else wanted.host
        started(
            Started(
                f"http://{host}:{port}/?token={admission.token}",
                is_loopback(wanted.host),
                problem.message if problem is not None else None,
                session.recovery.message if session.recovery is not None else None,
            )
        )
        watcher = Watcher(session)
        watcher.start()
        try:
            server.run([listening])
        except KeyboardInterrupt:
            return  # uvicorn raises it again after a clean end
        finally:
            watcher.stop()
            session.close()
            remove_sample(session)


def admission_for(host: str, port: int) -> Admission:
    """Return the rules for a server that listens on a host and a port."""
    if is_loopback(host):
        return Admission(port)
    names = (*LOOPBACK, host.lower(), socket.gethostname().lower())
    return Admission(port, names, any_address=True)


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host."""
    return host in ("localhost", "::1") or host.startswith("127.")


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises `UsageError` if it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        unknown = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
        hint = (
            "Name an address of this machine: --host 127.0.0.1" if unknown else "Take another port: --port 0 finds one"
        )
        raise UsageError(f"The server cannot listen on {host}:{port}: {error.strerror}.", hint=hint) from error
    return listening


class _Server(uvicorn.Server):
    """Ends event streams, which never end by themselves, before it waits for open answers."""

    def __init__(self, session: PageSession, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._session = session

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin the shutdown: end the event streams, then handle the signal as uvicorn does."""
        self._session.close()
        super().handle_exit(sig, frame)
