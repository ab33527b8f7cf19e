"""Runs the server: one socket, one desk, until Ctrl-C.

Listens on loopback unless told otherwise. The socket is bound before anything is printed, so the printed address is
one that answers.
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

from dovetail.llm.client import Client
from dovetail.llm.settings import Addresses
from dovetail.model.errors import UsageError
from dovetail.web.admission import LOOPBACK, Admission
from dovetail.web.app import make_app
from dovetail.web.desk import Desk
from dovetail.web.page_files import PageFiles
from dovetail.web.settings import options_of, readiness

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dovetail.session.settings import Settings

DEFAULT_HOST = "127.0.0.1"
_GRACE = 3  # seconds that open answers may take when the server ends


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line says. Port 0 takes any that is free."""

    root: Path
    host: str = DEFAULT_HOST
    port: int = 0
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """What may be told once the socket listens: why no model can be asked, and what was made whole."""

    address: str
    loopback: bool
    problem: str | None
    recovery: str | None


def make_desk(wanted: Wanted, settings: Settings, environ: Mapping[str, str]) -> Desk:
    """The session over a root. Raises `WorkspaceError`, `UsageError`."""
    addresses = Addresses.of(environ, settings.models.providers)
    desk = Desk(wanted.root, options_of(settings, wanted.model), Client(addresses), readiness(addresses))
    with desk.open() as workspace:  # what was interrupted is made whole now, and a folder that is none is said now
        desk.recovery = workspace.recovery
    return desk


def serve(
    wanted: Wanted,
    settings: Settings,
    environ: Mapping[str, str],
    page: PageFiles,
    begun: Callable[[Begun], None],
) -> None:
    """Serve until SIGINT or SIGTERM. `begun` is told the address. Raises `UsageError` where the port is taken."""
    desk = make_desk(wanted, settings, environ)
    with closing(listening_socket(wanted.host, wanted.port)) as listening:
        port = int(listening.getsockname()[1])
        admission = admission_for(wanted.host, port)
        problem = desk.ready(desk.options)
        server = _Server(desk, uvicorn.Config(make_app(desk, admission, page), **CONFIG))
        shown = f"[{wanted.host}]" if ":" in wanted.host else wanted.host
        address = f"http://{shown}:{port}/?token={admission.token}"
        begun(
            Begun(
                address,
                is_loopback(wanted.host),
                problem.message if problem is not None else None,
                desk.recovery.message if desk.recovery is not None else None,
            )
        )
        try:
            server.run([listening])
        except KeyboardInterrupt:
            return  # uvicorn raises it again after a clean end
        finally:
            desk.close()


CONFIG: dict[str, Any] = {
    "ws": "none",
    "http": "h11",
    "lifespan": "off",
    "loop": "asyncio",
    "log_config": None,
    "access_log": False,
    "server_header": False,
    "proxy_headers": False,
    "timeout_graceful_shutdown": _GRACE,
    "h11_max_incomplete_event_size": 65_536,
}
"""How uvicorn runs: quiet, without what this server does not need."""


def admission_for(host: str, port: int) -> Admission:
    """The rules for a server that listens there."""
    if is_loopback(host):
        return Admission(port)
    names = (*LOOPBACK, host.lower(), socket.gethostname().lower())
    return Admission(port, names, any_address=True)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    return host in ("localhost", "::1") or host.startswith("127.")


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises `UsageError` where it cannot."""
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
        raise UsageError(f"{host}:{port} cannot be listened on: {error.strerror}.", hint=hint) from error
    return listening


class _Server(uvicorn.Server):
    """Ends event streams, which never end by themselves, before it waits for open answers."""

    def __init__(self, desk: Desk, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._desk = desk

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end."""
        self._desk.close()
        super().handle_exit(sig, frame)
