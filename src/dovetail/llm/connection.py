"""A connected socket to an address: directly or through a proxy, with TLS where the address says so.

Owns names, sockets and certificates; knows no HTTP but the proxy's CONNECT. Each step may take as long as the whole is
said to, and can be stopped from another thread once a name is resolved. What fails is raised as an error of the tree,
with the address and the next act.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from contextlib import ExitStack
from dataclasses import dataclass
from urllib.parse import urlsplit

from dovetail.llm.cancellation import Cancellation
from dovetail.llm.deadline import WatchedSocket
from dovetail.llm.errors import ModelError, TimedOutError, UnreachableError
from dovetail.llm.heads import read_head
from dovetail.llm.proxies import Proxy, is_loopback

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a request goes: `path` begins with ``/``, `url` is the whole."""

    scheme: str
    host: str
    port: int
    path: str
    url: str

    @classmethod
    def of(cls, url: str) -> Address:
        """Take an address apart."""
        parts = urlsplit(url)
        return cls(parts.scheme, parts.hostname or "", parts.port or _PORTS[parts.scheme], parts.path or "/", url)

    @property
    def place(self) -> str:
        """Host and port as a person reads them, and as HTTP's CONNECT wants them."""
        return f"{self._bracketed}:{self.port}"

    @property
    def host_header(self) -> str:
        """The place without a port that goes without saying."""
        return self._bracketed if self.port == _PORTS[self.scheme] else self.place

    @property
    def _bracketed(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def connect(
    address: Address, proxy: Proxy | None, timeout: float, cancel: Cancellation, tls: ssl.SSLContext | None
) -> socket.socket:
    """Return a connected socket that `cancel` watches. Raises `UnreachableError` and `TimedOutError`."""
    host, port = (proxy.host, proxy.port) if proxy is not None else (address.host, address.port)
    try:
        with ExitStack() as unfinished:
            sock = _open(host, port, timeout, cancel, unfinished)
            if address.scheme == "https":
                if proxy is not None:
                    _tunnel(sock, address, proxy, timeout)
                sock = _secure(sock, address.host, tls, cancel, unfinished)
            unfinished.pop_all()
            return sock
    except (OSError, http.client.HTTPException, UnicodeError) as error:
        raise _explained(error, address, proxy, timeout) from error


def _guard(sock: socket.socket, cancel: Cancellation, unfinished: ExitStack) -> None:
    """Close a socket, after it is no longer watched, unless the connection is finished."""
    unfinished.callback(sock.close)
    unfinished.callback(cancel.watch, None)
    cancel.watch(sock)


def _open(host: str, port: int, timeout: float, cancel: Cancellation, unfinished: ExitStack) -> socket.socket:
    """Connect to the first of a host's addresses that answers."""
    failed: OSError | None = None
    for family, kind, protocol, _, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        try:
            with ExitStack() as attempt:
                sock = socket.socket(family, kind, protocol)
                _guard(sock, cancel, attempt)
                sock.settimeout(timeout)
                sock.connect(place)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                cancel.watch(sock)  # once more: before it was connected there was nothing to shut down
                unfinished.push(attempt.pop_all())
                return sock
        except OSError as error:
            failed = error
    raise failed or OSError(f"{host} has no address")


def _tunnel(sock: socket.socket, address: Address, proxy: Proxy, timeout: float) -> None:
    """Ask a proxy to pass bytes on."""
    lines = [f"CONNECT {address.place} HTTP/1.1", f"Host: {address.place}"]
    if proxy.authorization:
        lines.append(f"Proxy-Authorization: {proxy.authorization}")
    sock.sendall("".join(line + "\r\n" for line in [*lines, ""]).encode("ascii"))
    answer = read_head(WatchedSocket(sock, timeout), "CONNECT")
    status = answer.status
    answer.close()
    if status != 200:
        raise refused_by(proxy, address, status)


def refused_by(proxy: Proxy, address: Address, status: int) -> UnreachableError:
    """The error for a proxy that does not let a request pass."""
    return UnreachableError(
        f"The proxy {proxy.host}:{proxy.port} does not pass requests to {address.place} on ({status}).",
        hint=f"Check {address.scheme.upper()}_PROXY and its name and password, or add the host to NO_PROXY.",
        code="proxy-refused",
        transient=status >= 500,
    )


def _secure(
    sock: socket.socket, host: str, tls: ssl.SSLContext | None, cancel: Cancellation, unfinished: ExitStack
) -> socket.socket:
    context = tls if tls is not None else ssl.create_default_context()
    cancel.watch(None)
    wrapped = context.wrap_socket(sock, server_hostname=host, do_handshake_on_connect=False)
    _guard(wrapped, cancel, unfinished)
    wrapped.do_handshake()
    return wrapped


def _explained(error: Exception, address: Address, proxy: Proxy | None, timeout: float) -> ModelError:
    where = address.place if proxy is None else f"{address.place} (by the proxy {proxy.host}:{proxy.port})"
    match error:
        case TimeoutError():
            return TimedOutError(
                f"No connection to {where} within {timeout:g} s.", hint="Check the network and the address."
            )
        case socket.gaierror() | UnicodeError():  # the latter for names that cannot be ones, such as `a..b`
            return UnreachableError(
                f"There is no host {(proxy or address).host}, or its name cannot be looked up.",
                hint="Check the address and the network.",
                transient=isinstance(error, OSError) and error.errno == socket.EAI_AGAIN,
            )
        case ssl.SSLCertVerificationError():
            return UnreachableError(
                f"The certificate of {where} cannot be trusted: {error.verify_message}.",
                hint="Where your network adds its own certificate, name its file in SSL_CERT_FILE.",
                code="certificate",
                transient=False,
            )
        case ssl.SSLError():
            return UnreachableError(
                f"{where} does not speak TLS as expected.",
                hint="Check whether its address begins with http:// or https://",
                transient=False,
            )
    hint = "Start the local model's server, or check the port." if is_loopback(address.host) else "Check the network."
    reason = error.strerror if isinstance(error, OSError) else None
    return UnreachableError(f"No connection to {where}: {reason or 'it was closed'}.", hint=hint)
