"""Who may ask: decides from a request's headers alone, before anything of it is read.

The dangers: another site's page in the same browser (Origin, Sec-Fetch-Site, a cookie that is not sent across sites),
a name that is made to point at this machine (Host), another user of this machine (the token). Pure: headers in, a
refusal or None out.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address

from dovetail.web.faults import RequestError

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_SAFE_METHODS = frozenset({"GET", "HEAD"})
_OWN_SITE = frozenset({"same-origin", "none"})


@dataclass(frozen=True, slots=True)
class Admission:
    """The rules for one server.

    port: the one it listens on. names: hosts it goes by; `any_address` lets in every literal IP address too, for a
    server that listens on more than loopback (a literal address cannot be pointed elsewhere).
    token: stands in the printed address. pass_word: what the cookie holds, so that the two are never the same.
    """

    port: int
    names: tuple[str, ...] = LOOPBACK
    any_address: bool = False
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    pass_word: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def cookie(self) -> str:
        """The cookie's name; cookies do not know ports, so the name does."""
        return f"dovetail-{self.port}"

    def refusal(self, method: str, headers: Mapping[str, str]) -> RequestError | None:
        """Why a request is not let in, whatever it knows; None where it may go on. Names are in lower case."""
        host = headers.get("host", "")
        if not self._is_mine(host):
            return RequestError(421, "wrong-host", "This server does not go by that name.", "Open the printed address.")
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return RequestError(403, "wrong-origin", "Another site's page asked.", "Open the printed address.")
        # Another port of this machine is the same site: it gets the cookie, and must not be let in with it.
        if headers.get("sec-fetch-site", "none") not in _OWN_SITE and not self._is_visit(method, headers):
            return RequestError(403, "wrong-origin", "Another site's page asked.", "Open the printed address.")
        if method not in _SAFE_METHODS and origin is None and not self.has_header(headers):
            return RequestError(403, "wrong-origin", "The request does not say where it comes from.")
        return None

    def knows(self, headers: Mapping[str, str]) -> bool:
        """Whether a request has the cookie, or the token in its header."""
        return self.has_header(headers) or self._has_cookie(headers)

    def is_token(self, given: str) -> bool:
        """Whether this is the token of the printed address."""
        return _same(given, self.token)

    def has_header(self, headers: Mapping[str, str]) -> bool:
        """Whether a program says the token in its ``Authorization`` header."""
        kind, _, given = headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and self.is_token(given.strip())

    def _has_cookie(self, headers: Mapping[str, str]) -> bool:
        jar = SimpleCookie()
        try:
            jar.load(headers.get("cookie", ""))
        except CookieError:
            return False
        return self.cookie in jar and _same(jar[self.cookie].value, self.pass_word)

    def _is_visit(self, method: str, headers: Mapping[str, str]) -> bool:
        """A link on another page that leads here opens a page and reads nothing."""
        return method in _SAFE_METHODS and headers.get("sec-fetch-mode") == "navigate"

    def _is_mine(self, host: str) -> bool:
        name, port = _split(host)
        if port != str(self.port):
            return False
        return name in self.names or (self.any_address and _is_address(name))


def _split(host: str) -> tuple[str, str]:
    name, colon, port = host.lower().rpartition(":")
    return (name, port) if colon and not port.endswith("]") else (host.lower(), "80")


def _is_address(name: str) -> bool:
    try:
        ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def _same(given: str, known: str) -> bool:
    return secrets.compare_digest(given.encode(), known.encode())
