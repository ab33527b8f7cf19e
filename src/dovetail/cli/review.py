"""`dovetail review`: the page, opened at what agents did, or at the commits of a range."""

from __future__ import annotations

import argparse

from dovetail.cli.inputs import location_of
from dovetail.cli.output import Exit
from dovetail.cli.serve import serve_page
from dovetail.model.errors import UsageError
from dovetail.session.apply.operations import intent_of
from dovetail.session.apply.recorded import Wanted, review


def review_command(args: argparse.Namespace) -> Exit:
    """`dovetail review [--session ID | --since TIME | GIT-RANGE]`; by default the newest session."""
    if sum(word is not None for word in (args.session, args.since, args.range)) > 1:
        raise UsageError("--session, --since and a range of commits say each what is reviewed.", hint="Give one.")
    session = "" if args.since is None and args.range is None and args.session is None else args.session
    moment = None if args.since is None else intent_of(None, None, None, args.since, ()).since
    review(location_of(args).root, Wanted(session, None, moment, commits=args.range))  # raises if there is nothing
    return serve_page(args, {"session": session, "since": args.since, "commits": args.range})
