"""Tries an installation as a person would: applies the example's reply, takes it back, opens the page.

Run it with the Python that has Dovetail: `python tools/smoke.py`. It stops at the first thing that is not as it should
be. Uses the standard library only, as it runs in fresh environments on every system.
"""

from __future__ import annotations

import http.client
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
DOVETAIL = (sys.executable, "-m", "dovetail")


def main() -> int:
    """Try everything; print a line for each part."""
    with tempfile.TemporaryDirectory(prefix="dovetail-smoke-", ignore_cleanup_errors=True) as scratch:
        project = Path(scratch) / "project"
        shutil.copytree(EXAMPLES / "project", project)
        before = _files(project)
        where = ("-C", str(project), "--root", ".")
        _run("apply", str(EXAMPLES / "reply.md"), *where, "--yes")
        if len(changed := _files(project).items() - before.items()) != 4:
            raise SystemExit(f"Four files were to change: {sorted(name for name, _ in changed)}")
        _run("undo", *where)
        if _files(project) != before:
            raise SystemExit("Undo did not bring every byte back.")
        print("Applied a reply to 4 files, and took it back.")
        _open_page(where)
        print("Served the page.")
    return 0


def _run(*words: str) -> None:
    done = subprocess.run([*DOVETAIL, *words], capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode:
        raise SystemExit(f"dovetail {words[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def _files(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file() and ".dovetail" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _open_page(where: tuple[str, ...]) -> None:
    command = [*DOVETAIL, "serve", "--no-browser", *where]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as server:
        try:
            address = urlsplit(server.stdout.readline().strip() if server.stdout is not None else "")
            if address.port is None:
                raise SystemExit("dovetail serve printed no address.")
            with closing(http.client.HTTPConnection("127.0.0.1", address.port, timeout=20)) as browser:
                _, cookie = _fetch(browser, f"/?{address.query}")
                page, _ = _fetch(browser, "/", cookie)
                script = re.search(r'src="(/assets/[^"]+\.js)"', page)
                if script is None:
                    raise SystemExit(f"The page names no script:\n{page}")
                _fetch(browser, script[1], cookie)
        finally:
            server.terminate()


def _fetch(browser: http.client.HTTPConnection, path: str, cookie: str = "") -> tuple[str, str]:
    """The body at a path, and the cookie that came with it."""
    browser.request("GET", path, headers={"Cookie": cookie})
    response = browser.getresponse()
    body = response.read().decode()
    if response.status != http.client.OK:
        raise SystemExit(f"GET {path.partition('?')[0]} answered {response.status}:\n{body}")
    return body, (response.getheader("set-cookie") or "").partition(";")[0]


if __name__ == "__main__":
    sys.exit(main())
