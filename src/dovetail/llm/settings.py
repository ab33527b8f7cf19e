"""The addresses, keys and proxies of models, from the usual environment variables or from a config.

Reads no file and looks up no name: the environment and the config's values are arguments. The environment wins over the
config. A key never appears in a `repr` or a message; therefore a value that cannot be used is named by where it stands
and never quoted, as a key may be in it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import ip_address, ip_network
from urllib.parse import unquote, urlsplit

from dovetail.llm.errors import ConfigurationError, shown

ANTHROPIC_PREFIX = "anthropic/"
_SHORTEST_SECRET = 8  # characters; a local server's key may be any word, and is no secret
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # a token of RFC 9110


class Protocol(StrEnum):
    """The API that an address offers."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"


DEFAULT_ADDRESSES = {
    Protocol.OPENAI: "https://api.openai.com/v1",
    Protocol.ANTHROPIC: "https://api.anthropic.com",
}
KEY_VARIABLES = {Protocol.OPENAI: "OPENAI_API_KEY", Protocol.ANTHROPIC: "ANTHROPIC_API_KEY"}
ADDRESS_VARIABLES = {Protocol.OPENAI: "OPENAI_BASE_URL", Protocol.ANTHROPIC: "ANTHROPIC_BASE_URL"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address and its key. An empty key is not sent; `headers` are added to every request."""

    protocol: Protocol
    base_url: str
    key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def url(self) -> str:
        """The full address of chat requests."""
        base = self.base_url.rstrip("/")
        if self.protocol is Protocol.OPENAI:
            return f"{base}/chat/completions"
        return f"{base}/messages" if base.endswith("/v1") else f"{base}/v1/messages"

    @property
    def models_url(self) -> str:
        """The full address of the list of models."""
        base = self.base_url.rstrip("/")
        return f"{base}/models" if self.protocol is Protocol.OPENAI or base.endswith("/v1") else f"{base}/v1/models"

    @property
    def is_default(self) -> bool:
        """Return whether this is the provider's own address, which answers nobody without a key."""
        return self.base_url.rstrip("/") == DEFAULT_ADDRESSES[self.protocol]


@dataclass(frozen=True, slots=True)
class ModelTarget:
    """One model at one address, ready to be asked."""

    endpoint: Endpoint
    model: str

    def shown(self, text: str) -> str:
        """Return a provider's text as a message may show it: short, and without the key that some send back."""
        for secret in (self.endpoint.key, *self.endpoint.headers.values()):
            if len(secret) >= _SHORTEST_SECRET:
                text = text.replace(secret, "…")
        return shown(text)


@dataclass(frozen=True, slots=True)
class Addresses:
    """All addresses that a session may ask. `environ` is kept for `proxy_for`."""

    endpoints: Mapping[Protocol, Endpoint]
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, environ: Mapping[str, str], config: Mapping[str, object] | None = None) -> Addresses:
        """Read the addresses from the environment, then from a config.

        config: for each provider (``openai``, ``anthropic``) a table of ``base_url``, ``key`` and ``headers``.
        Raises `ConfigurationError` if a value has the wrong kind or an address cannot be used.
        """
        return cls({protocol: _endpoint(protocol, environ, config or {}) for protocol in Protocol}, dict(environ))

    def target(self, model: str) -> ModelTarget:
        """Return where a model is asked. Raises `ConfigurationError` if a key is needed and missing."""
        protocol, name = Protocol.OPENAI, model
        openai, anthropic = self.endpoints[Protocol.OPENAI], self.endpoints[Protocol.ANTHROPIC]
        # A gateway has the models of many providers under its own names for them, and takes the name whole.
        has_gateway = bool(openai.key) and not openai.is_default
        through_gateway = has_gateway and anthropic.is_default and not anthropic.key
        if model.startswith(ANTHROPIC_PREFIX) and not through_gateway:
            protocol, name = Protocol.ANTHROPIC, model.removeprefix(ANTHROPIC_PREFIX)
        if not name.strip():
            raise ConfigurationError("No model is named.", hint="Name one: --model NAME, or --model anthropic/NAME")
        endpoint = self.endpoints[protocol]
        if endpoint.is_default and not endpoint.key:
            hint = f"Set {KEY_VARIABLES[protocol]}, or {ADDRESS_VARIABLES[protocol]} for another address."
            if protocol is Protocol.OPENAI and anthropic.key:
                hint = f"{hint} Anthropic's models have names such as {ANTHROPIC_PREFIX}{name}"
            raise ConfigurationError(f"There is no key for {endpoint.base_url}.", hint=hint, code="no-key")
        return ModelTarget(endpoint, name)


def _endpoint(protocol: Protocol, environ: Mapping[str, str], config: Mapping[str, object]) -> Endpoint:
    table = config.get(protocol.value, {})
    if not isinstance(table, Mapping):
        raise ConfigurationError(f"The config's `{protocol}` is not a table.", hint="Give it `base_url` and `key`.")
    texts = {name: table.get(name, "") for name in ("base_url", "key")}
    for name, value in texts.items():
        if not isinstance(value, str):
            raise ConfigurationError(f"The config's `{protocol}.{name}` is not a text.")
    headers = table.get("headers", {})
    if not isinstance(headers, Mapping) or not all(isinstance(v, str) for v in headers.values()):
        raise ConfigurationError(f"The config's `{protocol}.headers` is not a table of texts.")
    key = (environ.get(KEY_VARIABLES[protocol]) or texts["key"]).strip()
    for name, value in (("key", key), *headers.items()):
        if _HEADER_NAME.fullmatch(name) is None:
            raise ConfigurationError(
                f"The name of a header in the config's `{protocol}.headers` has characters that cannot be sent.",
                hint='Write it as NAME = "VALUE", without a colon.',
            )
        if not (value.isascii() and value.isprintable()):
            raise ConfigurationError(
                f"A header for {protocol} ({shown(name)}) has characters that cannot be sent.",
                hint="Copy the key again; a line end or a curly quote came with it.",
            )
    variable = ADDRESS_VARIABLES[protocol]
    from_environ = environ.get(variable, "")
    place = variable if from_environ else f"The config's `{protocol}.base_url`"
    address = _checked_address(from_environ or texts["base_url"] or DEFAULT_ADDRESSES[protocol], place)
    return Endpoint(protocol, address, key, dict(headers))


def _checked_address(address: str, place: str) -> str:
    """Return an address that can be asked; `place` says where it was read."""
    address = address.strip()
    hint = "Set it to an address such as http://localhost:8080/v1"
    try:
        parts = urlsplit(address)
        port_known = parts.port is None or parts.port > 0
    except ValueError:
        raise ConfigurationError(f"{place} is not an address.", hint=hint) from None  # its words quote the address
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_known:
        raise ConfigurationError(f"{place} is not the address of a web server.", hint=hint)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigurationError(
            f"{place} may not hold a user's name, a query or a fragment.", hint=f"{hint}, and the key apart"
        )
    if not all(c.isascii() and c.isprintable() and c != " " for c in address):
        raise ConfigurationError(f"{place} has characters that cannot be sent.", hint=hint)
    return address.rstrip("/")


# --- Proxies


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy's place; `authorization` is the value of its header, or empty."""

    host: str
    port: int
    authorization: str = field(default="", repr=False)


def proxy_for(scheme: str, host: str, port: int, environ: Mapping[str, str]) -> Proxy | None:
    """Return the proxy for one address, or None to go there directly.

    Reads ``HTTPS_PROXY``, ``HTTP_PROXY``, ``ALL_PROXY`` and ``NO_PROXY``, in lower case first, as curl does. As in Go's
    net/http, a loopback address never takes a proxy, so a local model works where everything else is proxied. Raises
    `ConfigurationError` if the proxy's address cannot be used.
    """

    def variable(name: str) -> str:
        return (environ.get(name) or environ.get(name.upper()) or "").strip()

    address = variable(f"{scheme}_proxy") or variable("all_proxy")
    exceptions = [entry.strip().lower() for entry in variable("no_proxy").split(",") if entry.strip()]
    if not address or is_loopback(host) or any(_covers(entry, host.lower(), port) for entry in exceptions):
        return None
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        proxy_host, proxy_port = parts.hostname, parts.port
    except ValueError:
        parts, proxy_host, proxy_port = urlsplit(""), None, None
    if not proxy_host or parts.scheme != "http":
        raise ConfigurationError(
            "The proxy that the environment names cannot be used.",
            hint="A proxy's address begins with http:// and names a host, such as http://proxy.example:3128",
        )
    authorization = ""
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = "Basic " + base64.b64encode(pair.encode()).decode()
    return Proxy(proxy_host, proxy_port or 80, authorization)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine, judged by its name alone."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _covers(entry: str, host: str, port: int) -> bool:
    """Return whether an entry of ``NO_PROXY`` covers a host.

    An entry is ``*``, a domain with all below it, an address or a network, each with or without ``:port``.
    """
    if entry == "*":
        return True
    # example.com:8080 and [::1]:8080 have a port, ::1 has none.
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
