"""Stands before every address: lets in who may ask, and puts the security headers on every answer.

ASGI middleware, so that event streams pass through piece by piece. The one request that it answers itself is the
first: an address with the right token is exchanged for a cookie.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dovetail.web.faults import RequestError, error_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from dovetail.web.admission import Admission

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}

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
<p>Each time the server is started it prints a new one; an older address does not open any more.</p></body></html>
"""


def policy(nonce: str | None = None) -> str:
    """The Content-Security-Policy; `nonce` lets one page's editor add its styles."""
    styles = "'self'" if nonce is None else f"'self' 'nonce-{nonce}'"
    return (
        f"default-src 'none'; script-src 'self'; style-src {styles}; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )


class Doorkeeper:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, admission: Admission) -> None:
        self._app = app
        self._admission = admission

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or hand on one request. Anything that is not HTTP is hung up on."""
        if scope["type"] != "http":
            return
        answer = self._answered(scope)
        await (answer or self._app)(scope, receive, _with_headers(send))

    def _answered(self, scope: Scope) -> Response | None:
        """The answer to a request that goes no further."""
        headers = Headers(scope=scope)
        refusal = self._admission.refusal(scope["method"], headers)
        if refusal is not None:
            return error_response(refusal)
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if scope["path"] == "/" and "token" in query:
            return self._exchanged(query["token"])
        if self._admission.knows(headers):
            return None
        if scope["path"] == "/":
            return _stranger()
        return error_response(
            RequestError(401, "no-token", "The token is missing or of another server.", "Open the printed address.")
        )

    def _exchanged(self, given: Iterable[str]) -> Response:
        if not any(self._admission.is_token(token) for token in given):
            return _stranger()
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(self._admission.cookie, self._admission.pass_word, httponly=True, samesite="strict", path="/")
        return answer


def _stranger() -> Response:
    """What somebody sees who has no token, or an old one."""
    nonce = secrets.token_urlsafe(16)
    headers = {"Content-Security-Policy": policy(nonce)}
    return HTMLResponse(_STRANGER.replace("{nonce}", nonce), status_code=401, headers=headers)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("Content-Security-Policy", policy())
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
