"""The grammar of the commands that work with a model: ask, chat, prompt, context, new."""

from __future__ import annotations

import argparse

from dovetail.model.codes import OnFailure


def consent(parser: argparse.ArgumentParser) -> None:
    """Whether what is planned is written."""
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--yes", "-y", action="store_true", help="write without asking")
    either.add_argument("--dry-run", "-n", action="store_true", help="show the plan and write nothing")


def _files(parser: argparse.ArgumentParser, purpose: str) -> None:
    parser.add_argument("files", nargs="*", default=[], metavar="FILE", help=purpose)


def _file_tokens(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--file-tokens", type=int, metavar="N", help="most tokens for one file; 0: all of it (default: 4000)"
    )


def _chatting(parser: argparse.ArgumentParser) -> None:
    """What `ask` and `chat` share."""
    parser.add_argument(
        "--read-only", metavar="FILE", action="append", default=[], help="show this file, and let no edit change it"
    )
    asking = parser.add_argument_group("asking the model")
    asking.add_argument("--model", metavar="NAME", help="NAME, or anthropic/NAME (docs/providers.md)")
    asking.add_argument("--format", metavar="NAME", help="edit format to teach the model (default: diff)")
    asking.add_argument("--architect", action="store_true", help="plan in prose first, then turn the plan into edits")
    asking.add_argument("--editor-model", metavar="NAME", help="model that turns the plan into edits")
    outline = asking.add_mutually_exclusive_group()
    outline.add_argument("--map-tokens", type=int, metavar="N", help="most tokens for the repository's map")
    outline.add_argument("--no-map", action="store_true", help="show no map of the repository")
    _file_tokens(asking)
    asking.add_argument("--no-shell", action="store_true", help="ask for no commands")
    asking.add_argument(
        "--max-rounds", type=int, metavar="N", help="how often failed edits go back to the model (default: 3)"
    )
    asking.add_argument("--max-tokens", type=int, metavar="N", help="longest reply (default: the provider's)")
    asking.add_argument("--budget", type=int, metavar="N", help="most tokens for everything that is sent")


def ask(parser: argparse.ArgumentParser) -> None:
    """`dovetail ask`."""
    parser.add_argument("request", metavar="REQUEST", help="what you want; - is standard input")
    _files(parser, "file that the model sees and may edit")
    consent(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object, and nothing while it streams")
    parser.add_argument(
        "--on-failure",
        choices=[*map(str, OnFailure)],
        help="a failed edit holds back all (default with --yes), its file, or itself",
    )
    parser.add_argument(
        "--template", metavar="NAME", help="begin with a copy of this template in the folder; auto: choose one"
    )
    _chatting(parser)


def chat(parser: argparse.ArgumentParser) -> None:
    """`dovetail chat`."""
    _files(parser, "file that the model sees and may edit")
    parser.add_argument(
        "--resume", metavar="ID", nargs="?", const="", help="go on with a conversation; without ID: with the newest"
    )
    parser.add_argument("--replay", metavar="FILE", help="play a transcript again, without a model")
    parser.add_argument("--yes", "-y", action="store_true", help="with --replay: write without asking")
    _chatting(parser)


def prompt(parser: argparse.ArgumentParser) -> None:
    """`dovetail prompt`."""
    parser.add_argument("format", metavar="FORMAT", nargs="?", help="edit format; without it, the formats are listed")
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--reminder", action="store_true", help="print the reminder that closes a request instead")
    either.add_argument("--examples", action="store_true", help="print the worked examples behind the system text")
    parser.add_argument("--fence", metavar="FENCE", help="fence to teach (default: three backticks)")
    parser.add_argument("--no-shell", action="store_true", help="ask for no commands")
    parser.add_argument("--json", action="store_true", help="print one JSON object with system, examples and reminder")


def context(parser: argparse.ArgumentParser) -> None:
    """`dovetail context`."""
    _files(parser, "file to show")
    parser.add_argument("--map", action="store_true", help="show the repository's map as well")
    parser.add_argument("--grep", metavar="PATTERN", help="show the lines that match, with what encloses them")
    parser.add_argument("--ignore-case", "-i", action="store_true", help="with --grep: let case not count")
    parser.add_argument("--read-only", metavar="FILE", action="append", default=[], help="show this file as reference")
    parser.add_argument("--copy", action="store_true", help="put it on the clipboard instead of printing it")
    _file_tokens(parser)
    parser.add_argument("--tokens", type=int, metavar="N", help="most tokens for all of it")


def new(parser: argparse.ArgumentParser) -> None:
    """`dovetail new`."""
    parser.add_argument("template", metavar="TEMPLATE", nargs="?", help="template; without it, they are listed")
    parser.add_argument("folder", metavar="DIR", nargs="?", help="folder to make; it must be new or empty")
    parser.add_argument("--var", metavar="NAME=VALUE", action="append", default=[], help="set a template's variable")
    parser.add_argument("--from", dest="source", metavar="DIR|URL", help="take the template from a folder or git URL")
    parser.add_argument("--no-git", action="store_true", help="make no git repository")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def serve(parser: argparse.ArgumentParser) -> None:
    """`dovetail serve`."""
    parser.add_argument("--port", type=int, metavar="N", default=0, help="port to listen on (default: any free one)")
    parser.add_argument(
        "--host", metavar="H", default="127.0.0.1", help="address to listen on (default: this machine alone)"
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address and open nothing")
    parser.add_argument("--model", metavar="NAME", help="NAME, or anthropic/NAME (docs/providers.md)")


COMMANDS = {
    "ask": ("ask a model for a change: stream, locate, repair, show, write", ask),
    "chat": ("work with a model in the terminal", chat),
    "prompt": ("print the system prompt that teaches a model an edit format", prompt),
    "context": ("print the message that shows files to a model", context),
    "new": ("copy a starter template", new),
    "serve": ("open the local page", serve),
}
