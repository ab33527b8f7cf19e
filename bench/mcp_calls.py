"""Times `dovetail mcp` as an agent meets it: started by the SDK's client, over standard input and output.

    python bench/mcp_calls.py [--calls 1000] [--lines 1000]

Edits one file of so many lines again and again. Prints the seconds until the tools are listed, the milliseconds of an
edit, the transport included, and what the server holds after a few calls and after all of them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

EARLY = 50  # calls after which what is loaded when it is first needed is loaded


def main() -> None:
    """Time and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--lines", type=int, default=1000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(timed, Path(folder), args.calls, args.lines)


async def timed(root: Path, calls: int, lines: int) -> None:
    """Start a server on a folder of its own, and call it."""
    functions = [f"def f{n}(x):\n    return x + {n}\n\n\n" for n in range(lines // 4)]
    (root / "app.py").write_text("".join(functions))
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "dovetail", "mcp"], cwd=root, env=dict(os.environ)
    )
    begun = time.perf_counter()
    async with Client(stdio_client(command)) as client:
        await client.list_tools()
        print(f"started in {time.perf_counter() - begun:.2f} s")
        taken: list[float] = []
        held: list[str] = []
        for n in range(calls):
            f, value = n % (lines // 4), n // (lines // 4) * 1000 + n % (lines // 4)
            edit = {"path": "app.py", "old_string": f"x + {value}\n", "new_string": f"x + {value + 1000}\n"}
            begun = time.perf_counter()
            result = await client.call_tool("edit_file", edit)
            taken.append((time.perf_counter() - begun) * 1000)
            if result.is_error:
                raise SystemExit(f"call {n} on f{f} failed: {result.content}")
            if n + 1 in (EARLY, calls):
                held.append(held_by_child())
        taken.sort()
        worst = taken[int(len(taken) * 0.99)]
        print(f"edit_file: median {statistics.median(taken):.1f} ms, p99 {worst:.1f} ms, {calls} calls, {lines} lines")
        print(f"held after {EARLY} calls: {held[0]}; after {calls}: {held[-1]}")


def held_by_child() -> str:
    """Open files and memory of this process's child, where /proc tells."""
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    if not children.exists():
        return "unknown"
    child = Path("/proc") / children.read_text().split()[0]
    memory = next(line.split()[1] for line in (child / "status").read_text().splitlines() if line.startswith("VmRSS"))
    return f"{len(list((child / 'fd').iterdir()))} open files, {int(memory) / 1024:.0f} MB"


if __name__ == "__main__":
    main()
