"""Which proxy a request takes, by the environment's usual variables.

``HTTPS_PROXY``, ``HTTP_PROXY``, ``ALL_PROXY`` and ``NO_PROXY``, in lower case first, as curl reads them. As in Go's
net/http, a loopback address never takes a proxy, so that a local model works where everything else is proxied.
Pure: the environment is handed in and no name is looked up.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from urllib.parse import unquote, urlsplit

from dovetail.llm.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy's place; `authorization` is the value of its header, or empty."""

    host: str
    port: int
    authorization: str = field(default="", repr=False)


def proxy_for(scheme: str, host: str, port: int, environ: Mapping[str, str]) -> Proxy | None:
    """The proxy for one address, or None to go there directly."""
    address = _variable(environ, f"{scheme}_proxy") or _variable(environ, "all_proxy")
    if not address or is_loopback(host) or _excepted(host, port, _variable(environ, "no_proxy")):
        return None
    return _read(address)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, by its name alone."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _variable(environ: Mapping[str, str], name: str) -> str:
    return (environ.get(name) or environ.get(name.upper()) or "").strip()


def _read(address: str) -> Proxy:
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
        parts = urlsplit("")
    if not host or parts.scheme != "http":
        raise ConfigurationError(
            "The proxy that the environment names is none that can be used.",
            hint="A proxy's address begins with http:// and names a host, such as http://proxy.example:3128",
        )
    authorization = ""
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = "Basic " + base64.b64encode(pair.encode()).decode()
    return Proxy(host, port or 80, authorization)


def _excepted(host: str, port: int, exceptions: str) -> bool:
    return any(_covers(entry.strip().lower(), host.lower(), port) for entry in exceptions.split(",") if entry.strip())


def _covers(entry: str, host: str, port: int) -> bool:
    """One entry of ``NO_PROXY``: ``*``, a domain with all below it, an address, a network, any with ``:port``."""
    if entry == "*":
        return True
    name, colon, number = entry.rpartition(":")
    if colon and number.isdigit() and (name.endswith("]") or ":" not in name):
        if int(number) != port:
            return False
        entry = name
    entry = entry.strip("[]")
    try:
        return ip_address(host) in ip_network(entry, strict=False)
    except ValueError:
        domain = entry.lstrip("*").lstrip(".")
        return host == domain or host.endswith("." + domain)
