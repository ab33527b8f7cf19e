"""Who may ask: every request passes `Doorkeeper` before anything else of it is read.

The dangers are another site's page in the same browser (answered by Origin, Sec-Fetch-Site and a cookie that is not
sent across sites), a name that is made to point at this machine (Host), another user of this machine (the token), and a
server on another port, which gets this one's cookie (the key, which a browser keeps apart for each port).
`Admission` decides from headers alone; `Doorkeeper` is ASGI middleware, so that event streams pass through piece by
piece. It puts the security headers on every answer and answers one request itself: the first, whose address has the
token, which it exchanges for a cookie and a key.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, Response

from dovetail.web.requests import RequestError, error_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_SINGLE = ("host", "origin", "authorization", "content-length", "content-type", "sec-fetch-site", "sec-fetch-mode")
"""Headers that a decision depends on, so a request may have each only once."""
_SAFE_METHODS = frozenset({"GET", "HEAD"})
_OWN_SITE = frozenset({"same-origin", "none"})
_STRANGER = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Dovetail</title>
<meta name="viewport" content="width=device-width">
<style nonce="{nonce}">
:root { color-scheme: light dark; font: 15px/1.55 system-ui, sans-serif; }
body { max-width: 30rem; margin: 18vh auto 0; padding: 0 1.25rem; }
h1 { font-size: 1.3rem; }
code { padding: 0 .3em; border-radius: 3px; background: light-dark(#f1efeb, #24231f); }
</style></head>
<body><h1>Dovetail</h1>
<p>This page opens at the address that <code>dovetail serve</code> printed in your terminal, with its token.</p>
<p>Each start of the server prints a new address; older ones no longer work.</p></body></html>
"""
# A page of our own leads on, and not a redirect: a browser that came from a file or another site would not send the
# cookie with a redirect. A fragment is part of no request, so the key stays in the browser.
_WELCOME = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Dovetail</title>
<meta http-equiv="refresh" content="0; url=/#key={key}"></head>
<body><p><a href="/#key={key}">Open Dovetail</a></p></body></html>
"""


def content_policy(nonce: str | None = None) -> str:
    """Return the Content-Security-Policy; `nonce` allows the styles of one page."""
    styles = "'self'" if nonce is None else f"'self' 'nonce-{nonce}'"
    return (
        f"default-src 'none'; script-src 'self'; style-src {styles}; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )


@dataclass(frozen=True, slots=True)
class Admission:
    """The rules of one server.

    port: the one it listens on. names: the hosts it goes by. any_address: it also goes by every literal IP address, as
    a server beyond loopback does (a literal address cannot be made to point elsewhere).
    token: part of the printed address. pass_word: the value of the cookie. key: what the page sends beside the cookie.
    No secret is found where another one is written.
    """

    port: int
    names: tuple[str, ...] = LOOPBACK
    any_address: bool = False
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    pass_word: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    key: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def cookie(self) -> str:
        """The cookie's name. It has the port, as cookies are shared by all ports."""
        return f"dovetail-{self.port}"

    def refusal(self, method: str, headers: Mapping[str, str]) -> RequestError | None:
        """Return why a request is not let in, whatever secret it has; None if it may go on."""
        host = headers.get("host", "")
        if not self._is_mine(host):
            return RequestError(421, "wrong-host", "This server does not go by that name.", "Open the printed address.")
        wrong_origin = RequestError(403, "wrong-origin", "Another site's page asked.", "Open the printed address.")
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return wrong_origin
        # Another port of this machine is the same site: it gets the cookie, and must not be let in with it. A link on
        # another page may open this page, which reads nothing.
        is_visit = method in _SAFE_METHODS and headers.get("sec-fetch-mode") == "navigate"
        if headers.get("sec-fetch-site", "none") not in _OWN_SITE and not is_visit:
            return wrong_origin
        if method not in _SAFE_METHODS and origin is None and not self.has_token(headers):
            return RequestError(403, "wrong-origin", "The request does not say where it comes from.")
        return None

    def is_known(self, headers: Mapping[str, str], key: str | None) -> bool:
        """Return whether a request has the cookie and the key, or the token in its header.

        key: the one of the request; None for the page's own files, which hold nothing of the user's and need none.
        """
        if self.has_token(headers):
            return True
        if key is not None and not _same(key, self.key):
            return False
        # The cookies of other ports come along, with whatever signs: a strict reader gives up at some of them.
        cookies = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
        return any(name == self.cookie and _same(value, self.pass_word) for name, _, value in cookies)

    def is_token(self, value: str) -> bool:
        """Return whether this is the token of the printed address."""
        return _same(value, self.token)

    def has_token(self, headers: Mapping[str, str]) -> bool:
        """Return whether a program sends the token in its ``Authorization`` header."""
        kind, _, value = headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and self.is_token(value.strip())

    def _is_mine(self, host: str) -> bool:
        name, colon, port = host.lower().rpartition(":")
        # `[::1]` without a port: what stands behind its last colon is no port.
        if not colon or port.endswith("]"):
            name, port = host.lower(), "80"
        if port != str(self.port):
            return False
        if name in self.names or not self.any_address:
            return name in self.names
        try:
            ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True


def _same(value: str, secret: str) -> bool:
    return secrets.compare_digest(value.encode(), secret.encode())


class Doorkeeper:
    """ASGI middleware that lets in who may ask and adds the security headers."""

    def __init__(self, app: ASGIApp, admission: Admission) -> None:
        self._app = app
        self._admission = admission

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or pass it on. Anything but HTTP is dropped."""
        if scope["type"] != "http":
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", content_policy())
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await (self._own_answer(scope) or self._app)(scope, receive, sending)

    def _own_answer(self, scope: Scope) -> Response | None:
        """Return the doorkeeper's own answer to a request; None if the request goes on."""
        headers, admission = Headers(scope=scope), self._admission
        refusal = admission.refusal(scope["method"], headers)
        if refusal is not None:
            return error_response(refusal)
        if any(len(headers.getlist(name)) > 1 for name in _SINGLE):
            return _malformed("A header that may stand once stands twice.")
        if "transfer-encoding" in headers and "content-length" in headers:
            return _malformed("The request gives its length in two ways.")
        query = parse_qs(scope["query_string"].decode("latin-1"))
        path = scope["path"]
        at_page = path == "/"
        if at_page and "token" in query:
            if not any(map(admission.is_token, query["token"])):
                return _stranger()
            answer = HTMLResponse(_WELCOME.format(key=admission.key))
            answer.set_cookie(admission.cookie, admission.pass_word, httponly=True, samesite="strict", path="/")
            return answer
        key: str | None = None
        if path.startswith("/api/"):  # a browser's stream of events can send no header of its own
            in_query = query.get("key", [""])[0] if path == "/api/events" else ""
            key = headers.get("dovetail-key") or in_query
        if admission.is_known(headers, key):
            return None
        if at_page:
            return _stranger()
        return error_response(
            RequestError(401, "no-token", "The token is missing or of another server.", "Open the printed address.")
        )


def _malformed(message: str) -> Response:
    """Return the answer to a request that programs may read in different ways; its connection is then closed."""
    answer = error_response(RequestError(400, "bad-request", message))
    answer.headers["Connection"] = "close"
    return answer


def _stranger() -> Response:
    """Return the page for somebody who has no token, or an old one."""
    nonce = secrets.token_urlsafe(16)
    headers = {"Content-Security-Policy": content_policy(nonce)}
    return HTMLResponse(_STRANGER.replace("{nonce}", nonce), status_code=401, headers=headers)
