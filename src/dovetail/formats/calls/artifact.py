r"""The format `artifact`: actions in tags, in order.

Grammar::

    artifact = "<boltArtifact" id title ">" action* "</boltArtifact>"
    action   = "<boltAction" type [filePath] [operation] ">" content "</boltAction>"
    type     = "file" | "edit" | "shell" | "start" | "build" | "supabase"

The content of `file` streams; one fence or CDATA section around it is taken off, and entities are decoded if it has no
plain `<` or `>`. An action of another type is malformed: a block if it names a file, else a diagnostic. The content of
`edit` is a reply of its own, a path line and search/replace blocks, and is read when the action closes. Tags may stand
anywhere in a line. An action that is not closed ends where a line begins with the next one, and is malformed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats import faults
from dovetail.formats.around import Place
from dovetail.formats.calls.xml_call import outdented, unwrapped
from dovetail.formats.events import ActionClosed, ActionOpened, ArtifactClosed, ArtifactOpened
from dovetail.formats.faults import Fault
from dovetail.formats.fences import unfenced
from dovetail.formats.paths.forms import normalise
from dovetail.formats.scanner import ByInterest
from dovetail.model.blocks import Block, DatabaseAction, Kind, ShellSuggestion
from dovetail.model.codes import Code
from dovetail.model.text import closed
from dovetail.text.languages import language_of
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from dovetail.formats.scanner import GiveBack, Scanner
    from dovetail.model.diagnostics import Diagnostic

# A line with one of the tags anywhere. Possessive, and a `<` that begins no `<bolt` is passed over, so that minified
# HTML is read once.
_TAG = pattern(r"(?i)\n[^\n<]*+(?:<(?!/?bolt)[^\n<]*+)*+</?bolt(?:Artifact|Action)")
# In an action a closing tag may stand anywhere in a line, an opening one only at its start: a file may quote
# `<boltAction`.
_ACTION_END = pattern(
    r"(?i)\n(?:[ \t]*+<bolt(?:Artifact|Action)\b|[^\n<]*+(?:<(?!/bolt)[^\n<]*+)*+</bolt(?:Action|Artifact)>)"
)
_TAGS = pattern(r"(?i)<bolt(?:Artifact|Action)\b[^<>]{0,2000}>|</bolt(?:Action|Artifact)>")
_ATTRIBUTE = pattern(r"([\w-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
SHELLS = ("shell", "start", "build")
_WORK_FOLDER = "/home/project/"  # where the format's prompts say that the project stands
_UNKNOWN = Fault(
    "The artifact has an action of the unknown type {kind!r}.", "Use one of: file, edit, shell, start, build, supabase"
)
_NOT_CLOSED = Fault(
    "The action is not closed before the next one begins in line {at}.",
    "Close each action with </boltAction> before the next one begins.",
    Code.NESTED_START,
)
_NOT_OPENED = Fault(
    "An action ends here that has no opening tag.",
    "Open each action with <boltAction> and its type, on a line of its own.",
)
_QUOTED = Fault(
    "The action stands behind {mark!r}, and so does each line of its text.",
    "Send the action as it is, in no quotation and no table.",
)
_NO_BLOCKS = Fault(
    "The edit action holds no search/replace block.", "Write the path on its first line and the blocks behind it."
)


class Artifact(ByInterest):
    """One artifact, or a lone action outside any.

    action: the attributes of the open action; None between actions. n: the number of its block in the stream, 0 for
    none.
    content: its text so far. fresh: no content has come yet; if the rest of the tag's line is blank, it is none.
    before: the text before its tag on the line.
    """

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.parent = scanner.state
        self.interest = _TAG
        self.id = self.title = ""
        self.open = False
        self.number = 0
        self.action: dict[str, str] | None = None
        self.action_line = 0
        self.content: list[str] = []
        self.n = 0
        self.fresh = False
        self.before = ""

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Lines without a tag: text of the open action, or text between actions."""
        if self.action is None:
            self.scanner.sink.text(text, line)
        else:
            self._content(text)
        return None

    def _content(self, text: str) -> None:
        if self.fresh:
            self.fresh = False
            head, newline, rest = text.partition("\n")
            text = rest if newline and not head.strip(" \t:") else text  # the content begins behind the tag's line
        if text:
            self.content.append(text)
            if self.n:
                self.scanner.sink.lines(self.n, "replace", text)

    def line(self, text: str, line: int) -> GiveBack | None:
        """Take a line tag by tag. The artifact may end in it."""
        at = 0
        for tag in _TAGS.finditer(text):
            opens, before = not tag[0].startswith("</"), text[at : tag.start()]
            if self.action is not None:
                if opens and (before.strip() or at):
                    continue  # in an action, an opening tag counts only at the start of a line
                if before and not opens:
                    # The last line of the text ends where the tag closes, and a file's line has an end.
                    self._content(before if not before.strip() else before + "\n")
                self._close_action(line, nested=opens)
            else:
                self.scanner.sink.text(before, line)
                self.before = before.strip()
                if not opens and "action" in tag[0].lower() and self.open and not self.scanner.sink.draft:
                    self.scanner.spoiled("artifact", None, tag[0], line, _NOT_OPENED.at(line))
            if opens:
                self._open(tag, line)
            elif "artifact" in tag[0].lower():
                self._close_artifact(line)
            at = tag.end()
        rest = text[at:]
        if self.action is not None:
            self._content(rest)
        else:
            self.scanner.sink.text(rest if rest.strip() or not at else "", line)
            self.scanner.state = self if self.open else self.parent
        return None

    def _open(self, tag: re.Match[str], line: int) -> None:
        """Begin the artifact or the action of an opening tag."""
        sink = self.scanner.sink
        from html import unescape  # 2 ms that few replies need

        attributes = {m[1].lower(): unescape(m[2] if m[2] is not None else m[3]) for m in _ATTRIBUTE.finditer(tag[0])}
        # `<boltArtifact` has 13 characters: a title may hold the word, too.
        if "artifact" in tag[0][:13].lower():
            self.open, self.number = True, 0
            self.id, self.title = attributes.get("id", ""), attributes.get("title", "")
            sink.event(ArtifactOpened(self.id, self.title, line))
            return
        self.number += 1
        self.action, self.action_line, self.content, self.fresh = attributes, line, [], True
        self.interest = _ACTION_END
        kind, path = attributes.get("type", ""), self._path()
        sink.event(ActionOpened(self.id, self.title, self.number, kind, line, path))
        sink.counts["artifact", "start"] += 1
        self.n = sink.open("artifact", line, path) if kind == "file" else 0

    def _path(self) -> str | None:
        action = self.action or {}
        named = action.get("filepath", "").strip()
        path = normalise(named).removeprefix(_WORK_FOLDER) if named else None
        return path.lstrip("/") if path is not None and action.get("type") == "supabase" else path

    def end(self) -> GiveBack | None:
        """The reply ends inside the artifact: an open action is malformed."""
        if self.action is not None:
            self._close_action(self.scanner.number, cut_off=True)
        self._close_artifact(self.scanner.number)
        self.scanner.state = self.parent
        return None

    def _close_artifact(self, line: int) -> None:
        if self.open:
            self.open = False
            self.scanner.sink.event(ArtifactClosed(self.id, self.title, line, self.number))

    def _close_action(self, line: int, *, cut_off: bool = False, nested: bool = False) -> None:
        """Pass the action's content to the sink, by its type. nested: the next action begins before it is closed."""
        action, path, sink, first = self.action or {}, self._path(), self.scanner.sink, self.action_line
        kind, content = action.get("type", ""), "".join(self.content)
        fault = _NOT_CLOSED.at(first, at=line) if nested else None
        if cut_off:
            fault = faults.NO_END.at(first, format="artifact")
        broken = fault is not None
        match kind:
            case "file":
                block = self._block(Kind.REWRITE, _file_text(content, path), path)
                sink.close(self.n, block, fault or self._file_fault(content, path))
            case "edit":
                # The blocks inside are added to the same sink, so that those behind this number are the action's.
                before = len(sink.blocks)
                self.scanner.inside(content, first, Place(path, format="artifact"), "artifact")
                if len(sink.blocks) == before:
                    self.scanner.spoiled("artifact", path, content, first, _NO_BLOCKS.at(first))
                path = path or next((block.path for block in sink.blocks[before:] if block.path is not None), None)
            case "supabase":
                operation = action.get("operation", "query")
                sink.database(DatabaseAction(operation, content.strip(), first, path))
                if operation == "migration" and path is not None:
                    text = closed(outdented(content).lstrip("\n").rstrip(" \t"))
                    sink.whole(faults.spoil(self._block(Kind.CREATE, text, path), fault))
            case "shell" | "start" | "build":
                if content.strip():
                    sink.suggest(ShellSuggestion(content.strip(), first, kind))
            case _ if path is not None:
                self.scanner.spoiled("artifact", path, content, first, _UNKNOWN.at(first, kind=kind))
            case _:
                sink.diagnose(_UNKNOWN.at(first, kind=kind))
        # An action that is cut off has no end, and must not look balanced.
        sink.counts["artifact", "end"] += not broken
        sink.event(ActionClosed(self.id, self.title, self.number, kind, line, path))
        self.action, self.content, self.interest, self.n = None, [], _TAG, 0

    def _file_fault(self, content: str, path: str | None) -> Diagnostic | None:
        if path is None:
            return faults.no_path(self.action_line, "artifact")
        # `</boltActon>`: the real end was misspelt, and the text goes on to the next tag or the end of the reply.
        if content.rstrip().rpartition("\n")[2].lstrip().startswith("</bolt"):  # its closing tag is garbled
            return faults.NO_END.at(self.action_line, format="artifact")
        # `> <boltAction …>` in a quotation: each line has the `>`, which would be written into the file.
        quoted = self.before and all(line.startswith(self.before) for line in content.strip().split("\n"))
        return _QUOTED.at(self.action_line, mark=self.before[:60]) if quoted else None

    def _block(self, kind: Kind, text: str, path: str | None) -> Block:
        return Block("artifact", kind, path, "", text, raw="".join(self.content), line=self.action_line)


def _file_text(content: str, path: str | None) -> str:
    """Return the text of a file from an action's content, without one fence or CDATA section around it, and with
    entities decoded if the text has no plain `<` or `>`."""
    content = outdented(content)
    inner = unwrapped(content)
    text = unfenced(closed((content if inner == content else inner.removeprefix("\n")).rstrip(" \t")), path)
    # All `<` are escaped, none is plain: the model escaped the text for the tag. With both, the entities are the file's
    # own.
    escaped = ("&lt;" in text or "&gt;" in text) and "<" not in text and ">" not in text
    if escaped and language_of(path or "") != "markdown":
        text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    return text
