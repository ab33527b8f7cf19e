"""The page's models: their addresses and keys, from the environment, the config, or the user for this session alone.

A key that is given here stays in memory. It is in no record, no message and no log.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING

from dovetail.llm.client import Client
from dovetail.llm.errors import ConfigurationError
from dovetail.llm.settings import ADDRESS_VARIABLES, KEY_VARIABLES, Addresses, Protocol
from dovetail.web.requests import RequestError

if TYPE_CHECKING:
    from dovetail.llm.client import Retry
    from dovetail.llm.transport import Cancellation
    from dovetail.llm.values import Delta, Request
    from dovetail.session.conversation.chat_state import Options

PROVIDERS = tuple(str(protocol) for protocol in Protocol)


class Provider:
    """The model of a page's session; other addresses and keys count from the next request on."""

    def __init__(self, environ: Mapping[str, str], config: Mapping[str, object]) -> None:
        """Raises `ConfigurationError` if an address or a key cannot be used."""
        self._take(dict(environ), config)

    def _take(self, environ: dict[str, str], config: Mapping[str, object]) -> None:
        self.addresses = Addresses.of(environ, config)
        self._environ, self._config, self._client = environ, config, Client(self.addresses)

    def connect(self, provider: Protocol, key: str | None, address: str | None) -> None:
        """Use a key, an address or both until the server ends; None leaves what there is.

        Another address gets no key and no header that was meant for the one before. Raises `ConfigurationError`; then
        nothing changes.
        """
        known = self.addresses.endpoints[provider].base_url
        moved = address is not None and address.strip().rstrip("/") != known
        variables = {
            KEY_VARIABLES[provider]: "" if moved and key is None else key,
            ADDRESS_VARIABLES[provider]: address,
        }
        environ = self._environ | {name: value for name, value in variables.items() if value is not None}
        config = {name: table for name, table in self._config.items() if not moved or name != provider}
        self._take(environ, config)

    def ready(self, options: Options) -> RequestError | None:
        """Return why no model can be asked, None if one can."""
        if not options.model:
            return RequestError(409, "no-model", "No model is named.", "Name one in the settings.")
        try:
            self.addresses.target(options.model)
        except ConfigurationError as error:
            return RequestError(409, error.code, error.message, error.hint)
        return None

    def models(self, provider: Protocol) -> list[str]:
        """Ask a provider which models it has. Raises `ModelError`."""
        return self._client.models(provider)

    def stream(
        self,
        request: Request,
        *,
        cancel: Cancellation | None = None,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> Generator[Delta, None, None]:
        """Yield the reply's deltas as they come, as `Client.stream`."""
        return self._client.stream(request, cancel=cancel, on_retry=on_retry)
