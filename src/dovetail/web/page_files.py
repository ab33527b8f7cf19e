"""The built page's files: what Vite made, and nothing else of the disk.

Read once, when the server starts, so that no path of a request ever reaches the file system.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from starlette.responses import HTMLResponse, Response

from dovetail.web.doorkeeper import policy

STATIC = Path(__file__).parent / "static"
INDEX = "index.html"
_NONCE = "__CSP_NONCE__"
_LARGEST = 20_000_000

_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class PageFiles:
    """Bytes by address, without the leading slash."""

    files: dict[str, bytes]

    @classmethod
    def read(cls, folder: Path = STATIC) -> PageFiles:
        """Everything that was built, of the kinds that a page is made of."""
        found: dict[str, bytes] = {}
        for file in sorted(folder.rglob("*")) if folder.is_dir() else ():
            if file.suffix in _KINDS and file.is_file() and file.stat().st_size <= _LARGEST:
                found[file.relative_to(folder).as_posix()] = file.read_bytes()
        return cls(found)

    @property
    def complete(self) -> bool:
        """Whether there is a page."""
        return INDEX in self.files

    def index(self) -> Response | None:
        """The page itself, with a nonce of its own for the styles that its editor adds."""
        if not self.complete:
            return None
        nonce = secrets.token_urlsafe(16)
        text = self.files[INDEX].decode("utf-8").replace(_NONCE, nonce)
        return HTMLResponse(text, headers={"Content-Security-Policy": policy(nonce)})

    def answer(self, path: str) -> Response | None:
        """One file; None where there is none. What has a hash in its name may be kept for good."""
        data = self.files.get(path)
        if data is None or path == INDEX:
            return None
        keep = "private, max-age=31536000, immutable" if path.startswith("assets/") else "no-cache"
        suffix = "." + path.rpartition(".")[2]
        return Response(data, headers={"Content-Type": _KINDS[suffix], "Cache-Control": keep})
