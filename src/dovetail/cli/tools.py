"""`dovetail tools`: the definitions of the tools, for a program that offers them to a model."""

from __future__ import annotations

import argparse
import json
import sys

from dovetail.cli.output import Exit
from dovetail.tools import definitions


def tools_command(args: argparse.Namespace) -> Exit:
    """`dovetail tools --for PROVIDER [NAME ...]`."""
    sys.stdout.write(json.dumps(definitions(args.provider, args.names or None), indent=2) + "\n")
    return Exit.OK
