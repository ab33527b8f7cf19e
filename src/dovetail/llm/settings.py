"""Where models are asked and with which key: providers' addresses, from the usual variables or from a config.

Owns names and defaults of addresses. Reads no file: the environment and the config's values are handed in. What the
environment says wins over the config; a key never appears in a `repr` or a message. So a value that cannot be used is
named by where it stands, and never quoted: whatever it is, a key may be in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit

from dovetail.llm.errors import ConfigurationError, shown

ANTHROPIC_PREFIX = "anthropic/"
_SHORTEST_SECRET = 8  # characters; a local server's key may be any word, and is none
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # a token, as RFC 9110 has it


class Protocol(StrEnum):
    """How an address speaks."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address and its key; an empty key is not sent. `headers` are added to every request."""

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
    def is_default(self) -> bool:
        """Whether this is the provider's own address, which answers nobody without a key."""
        return self.base_url.rstrip("/") == DEFAULT_ADDRESSES[self.protocol]


DEFAULT_ADDRESSES = {
    Protocol.OPENAI: "https://api.openai.com/v1",
    Protocol.ANTHROPIC: "https://api.anthropic.com",
}

KEY_VARIABLES = {Protocol.OPENAI: "OPENAI_API_KEY", Protocol.ANTHROPIC: "ANTHROPIC_API_KEY"}
ADDRESS_VARIABLES = {Protocol.OPENAI: "OPENAI_BASE_URL", Protocol.ANTHROPIC: "ANTHROPIC_BASE_URL"}


@dataclass(frozen=True, slots=True)
class Target:
    """One model at one address, ready to be asked."""

    endpoint: Endpoint
    model: str

    def shown(self, said: str) -> str:
        """What the provider said, as a message may show it: short, and without the key that some send back."""
        secrets = (self.endpoint.key, *self.endpoint.headers.values())
        for secret in secrets:
            if len(secret) >= _SHORTEST_SECRET:
                said = said.replace(secret, "…")
        return shown(said)


@dataclass(frozen=True, slots=True)
class Settings:
    """All addresses that a session may ask. `environ` is kept for proxies."""

    endpoints: Mapping[Protocol, Endpoint]
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, environ: Mapping[str, str], config: Mapping[str, object] | None = None) -> Settings:
        """Make them from the environment and, where that is silent, from a config's values.

        `config` holds, per provider (``openai``, ``anthropic``), a table of ``base_url``, ``key`` and ``headers``.
        Raises `ConfigurationError` where a value is of the wrong kind or an address is none.
        """
        endpoints = {protocol: _endpoint(protocol, environ, config or {}) for protocol in Protocol}
        return cls(endpoints, dict(environ))

    def target(self, model: str) -> Target:
        """Find the address for a model's name. Raises `ConfigurationError` where a key is needed and missing."""
        protocol, name = Protocol.OPENAI, model
        if model.startswith(ANTHROPIC_PREFIX) and not self._through_gateway:
            protocol, name = Protocol.ANTHROPIC, model.removeprefix(ANTHROPIC_PREFIX)
        if not name.strip():
            raise ConfigurationError("No model is named.", hint="Name one: --model NAME, or --model anthropic/NAME")
        endpoint = self.endpoints[protocol]
        if endpoint.is_default and not endpoint.key:
            hint = f"Set {KEY_VARIABLES[protocol]}, or {ADDRESS_VARIABLES[protocol]} for another address."
            if protocol is Protocol.OPENAI and self.endpoints[Protocol.ANTHROPIC].key:
                hint = f"{hint} Anthropic's models have names such as {ANTHROPIC_PREFIX}{name}"
            raise ConfigurationError(
                f"There is no key for {endpoint.base_url}.",
                hint=hint,
                code="no-key",
            )
        return Target(endpoint, name)

    @property
    def _through_gateway(self) -> bool:
        """Whether Anthropic's models are asked for at a gateway that has many providers', under its names for them."""
        own, gateway = self.endpoints[Protocol.ANTHROPIC], self.endpoints[Protocol.OPENAI]
        return own.is_default and not own.key and bool(gateway.key) and not gateway.is_default


def _endpoint(protocol: Protocol, environ: Mapping[str, str], config: Mapping[str, object]) -> Endpoint:
    table = config.get(protocol.value, {})
    if not isinstance(table, Mapping):
        raise ConfigurationError(f"The config's `{protocol}` is no table.", hint="Give it `base_url` and `key`.")
    variable = ADDRESS_VARIABLES[protocol]
    stated = environ.get(variable, "")
    address = stated or _text(table, protocol, "base_url")
    key = environ.get(KEY_VARIABLES[protocol]) or _text(table, protocol, "key")
    headers = table.get("headers", {})
    if not isinstance(headers, Mapping) or not all(isinstance(v, str) for v in headers.values()):
        raise ConfigurationError(f"The config's `{protocol}.headers` is no table of texts.")
    _check_headers(protocol, key, headers)
    place = variable if stated else f"The config's `{protocol}.base_url`"
    checked = _checked_address(address or DEFAULT_ADDRESSES[protocol], place)
    return Endpoint(protocol, checked, key.strip(), dict(headers))


def _text(table: Mapping[str, object], protocol: Protocol, name: str) -> str:
    value = table.get(name, "")
    if not isinstance(value, str):
        raise ConfigurationError(f"The config's `{protocol}.{name}` is no text.")
    return value


def _check_headers(protocol: Protocol, key: str, headers: Mapping[str, str]) -> None:
    for name, value in (("key", key.strip()), *headers.items()):
        if _HEADER_NAME.fullmatch(name) is None:
            raise ConfigurationError(
                f"A header's name in the config's `{protocol}.headers` holds characters that cannot be sent.",
                hint='Write it as NAME = "VALUE", without a colon.',
            )
        if not (value.isascii() and value.isprintable()):
            raise ConfigurationError(
                f"A header for {protocol} ({shown(name)}) holds characters that cannot be sent.",
                hint="Copy the key again; a line end or a curly quote came with it.",
            )


def _checked_address(address: str, place: str) -> str:
    """An address that can be asked; `place` is where it was read."""
    address = address.strip()
    hint = "Set it to an address such as http://localhost:8080/v1"
    try:
        parts = urlsplit(address)
        port_known = parts.port is None or parts.port > 0
    except ValueError:
        raise ConfigurationError(f"{place} is no address.", hint=hint) from None  # its words quote the address
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_known:
        raise ConfigurationError(f"{place} is no address of a web server.", hint=hint)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigurationError(
            f"{place} may not hold a user's name, a query or a fragment.", hint=f"{hint}, and the key apart"
        )
    if not all(c.isascii() and c.isprintable() and c != " " for c in address):
        raise ConfigurationError(f"{place} holds characters that cannot be sent.", hint=hint)
    return address.rstrip("/")
