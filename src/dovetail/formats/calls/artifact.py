r"""The format `artifact`: actions in tags, in order.

Grammar::

    artifact = "<boltArtifact" id title ">" action* "</boltArtifact>"
    action   = "<boltAction" type [filePath] [operation] ">" content "</boltAction>"
    type     = "file" | "edit" | "shell" | "start" | "build" | "supabase"

The content of `file` streams; one fence or CDATA section around it is taken off, and entities are undone where it has
nothing else. An action of another type is malformed, and an edit where it names a file. The content of `edit` is a
reply of its own, a path line and search/replace blocks, and is read when the action closes. Tags may stand anywhere in
a line. An action that is not closed ends where a line begins with the next one, and is malformed.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from dovetail.formats import faults
from dovetail.formats.calls.xml_call import outdented, unwrapped
from dovetail.formats.events import ActionClosed, ActionOpened, ArtifactClosed, ArtifactOpened
from dovetail.formats.faults import Fault
from dovetail.formats.fences import ends_as, unfenced
from dovetail.formats.paths import normalise
from dovetail.formats.place import Place
from dovetail.formats.scanner import ByInterest
from dovetail.model.blocks import Block, DatabaseAction, Kind, ShellSuggestion
from dovetail.model.codes import Code
from dovetail.model.text import closed

if TYPE_CHECKING:
    from dovetail.formats.scanner import GiveBack, Scanner
    from dovetail.model.diagnostics import Diagnostic

_TAG = re.compile(r"(?i)\n[^\n<]*+(?:<(?!/?bolt)[^\n<]*+)*+</?bolt(?:Artifact|Action)")
_ACTION_END = re.compile(
    r"(?i)\n(?:[ \t]*+<bolt(?:Artifact|Action)\b|[^\n<]*+(?:<(?!/bolt)[^\n<]*+)*+</bolt(?:Action|Artifact)>)"
)
_TAGS = re.compile(r"(?i)<bolt(?:Artifact|Action)\b[^<>]{0,2000}>|</bolt(?:Action|Artifact)>")
_HEAD = re.compile(r"(?i)<bolt(Artifact|Action)\b([^>]*)>")
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
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
    """One artifact, or a lone action outside any."""

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
        self.fresh = self.inside = False
        self.looked = 0
        self.before = ""

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Content of an action, or text between them."""
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
        """A line with tags in it, taken tag by tag. Behind the last one the artifact may be over."""
        at = 0
        while (match := _TAGS.search(text, at)) is not None:
            before = text[at : match.start()]
            at = match.end()
            if self.action is not None:
                at = self._inside(match, before, line)
            else:
                self.scanner.sink.text(before, line)
                self.before = before.strip()
                self._between(match, line)
        rest = text[at:]
        if self.action is not None:
            self._content(rest)
        else:
            self.scanner.sink.text(rest if rest.strip() or not at else "", line)
            if not self.open:
                self.scanner.state = self.parent
        return None

    def _inside(self, match: re.Match[str], before: str, line: int) -> int:
        """A tag inside an action; closing ones end it, and one that begins a line was meant to stand behind its end.
        Gives the offset where to go on."""
        opens = not match[0].startswith("</")
        if opens and (before.strip() or match.start() > len(before) or self._in_block()):
            self._content(before + match[0])
            return match.end()
        if before and not opens:
            self._content(before if not before.strip() else before + "\n")
        self._close_action(line, nested=opens)
        return match.end() if match[0].lower().startswith("</boltaction") else match.start()

    def _in_block(self) -> bool:
        """Whether a search/replace block of the edit action is open, in which such a line is content."""
        if (self.action or {}).get("type") != "edit":
            return False
        grammar = self.scanner.grammar
        for line in "".join(self.content[self.looked :]).split("\n"):
            self.inside = grammar.start(line) is not None or (self.inside and not grammar.is_end(line))
        self.looked = len(self.content)
        return self.inside

    def _between(self, match: re.Match[str], line: int) -> None:
        """A tag outside actions."""
        if (head := _HEAD.match(match[0])) is not None:
            self._on_head(head, line)
        elif match[0].lower() == "</boltartifact>":
            self._close_artifact(line)
        elif match[0].lower().startswith("</boltaction") and self.open and not self.scanner.sink.draft:
            self.scanner.spoiled("artifact", None, match[0], line, _NOT_OPENED.at(line))

    def _on_head(self, head: re.Match[str], line: int) -> None:
        attributes = {m[1].lower(): unescape(m[2] if m[2] is not None else m[3]) for m in _ATTRIBUTE.finditer(head[2])}
        sink = self.scanner.sink
        if head[1].lower() == "artifact":
            self.open, self.number = True, 0
            self.id, self.title = attributes.get("id", ""), attributes.get("title", "")
            sink.event(ArtifactOpened(self.id, self.title, line))
            return
        self.number += 1
        self.action, self.action_line, self.content, self.fresh = attributes, line, [], True
        self.inside, self.looked = False, 0
        self.interest = _ACTION_END
        kind, path = attributes.get("type", ""), self._path()
        sink.event(ActionOpened(self.id, self.title, self.number, kind, line, path))
        sink.counts["artifact", "start"] += 1
        self.n = sink.open("artifact", line, path) if kind == "file" else 0

    def _path(self) -> str | None:
        named = (self.action or {}).get("filepath", "").strip()
        path = normalise(named).removeprefix(_WORK_FOLDER) if named else None
        return path.lstrip("/") if path is not None and (self.action or {}).get("type") == "supabase" else path

    def end(self) -> GiveBack | None:
        """The reply ends inside: the open action is malformed."""
        if self.action is not None:
            self._close_action(self.scanner.number, cut_off=True)
        if self.open:
            self._close_artifact(self.scanner.number)
        self.scanner.state = self.parent
        return None

    def _close_artifact(self, line: int) -> None:
        if self.open:
            self.open = False
            self.scanner.sink.event(ArtifactClosed(self.id, self.title, line, self.number))

    def _close_action(self, line: int, *, cut_off: bool = False, nested: bool = False) -> None:
        kind, path, sink = self.action.get("type", "") if self.action else "", self._path(), self.scanner.sink
        content = "".join(self.content)
        fault = _NOT_CLOSED.at(self.action_line, at=line) if nested else None
        if cut_off:
            fault = faults.NO_END.at(self.action_line, format="artifact")
        if kind == "file":
            self._close_file(content, path, fault)
        elif kind == "edit":
            self._close_edit(content, path)
        elif kind == "supabase":
            self._close_database(content, path, fault)
        elif kind in SHELLS and content.strip():
            sink.suggest(ShellSuggestion(content.strip(), self.action_line, kind))
        elif kind not in SHELLS and path is not None:
            self.scanner.spoiled("artifact", path, content, self.action_line, _UNKNOWN.at(self.action_line, kind=kind))
        elif kind not in SHELLS:
            sink.diagnose(_UNKNOWN.at(self.action_line, kind=kind))
        if fault is None:
            sink.counts["artifact", "end"] += 1
        sink.event(ActionClosed(self.id, self.title, self.number, kind, line, path))
        self.action, self.content, self.interest, self.n = None, [], _TAG, 0

    def _close_file(self, content: str, path: str | None, fault: Diagnostic | None) -> None:
        block = self._block(Kind.REWRITE, _unwrapped(content, path), path)
        if path is None:
            fault = fault or faults.NO_PATH.at(self.action_line, format="artifact")
        if content.rstrip().rpartition("\n")[2].lstrip().startswith("</bolt"):
            fault = fault or faults.NO_END.at(self.action_line, format="artifact")  # its closing tag is garbled
        if self.before and all(line.startswith(self.before) for line in content.strip().split("\n")):
            fault = fault or _QUOTED.at(self.action_line, mark=self.before[:60])
        self.scanner.sink.close(self.n, faults.spoil(block, fault))

    def _close_edit(self, content: str, path: str | None) -> None:
        before = len(self.scanner.sink.blocks)
        self.scanner.inside(content, self.action_line, Place(path, format="artifact"), "artifact")
        if len(self.scanner.sink.blocks) == before:
            self.scanner.spoiled("artifact", path, content, self.action_line, _NO_BLOCKS.at(self.action_line))

    def _close_database(self, content: str, path: str | None, fault: Diagnostic | None) -> None:
        if self.action is None:
            return
        operation = self.action.get("operation", "query")
        self.scanner.sink.database(DatabaseAction(operation, content.strip(), self.action_line, path))
        if operation == "migration" and path is not None:
            block = self._block(Kind.CREATE, closed(outdented(content).lstrip("\n").rstrip(" \t")), path)
            self.scanner.sink.whole(faults.spoil(block, fault))

    def _block(self, kind: Kind, text: str, path: str | None) -> Block:
        raw = "".join(self.content)
        return Block("artifact", kind, path, "", text, raw=raw, line=self.action_line)


def _unwrapped(content: str, path: str | None) -> str:
    """Content without the one fence or CDATA section around it, and without entities where they are all there is."""
    content = outdented(content)
    bare = unwrapped(content)
    text = unfenced(closed((content if bare == content else bare.removeprefix("\n")).rstrip(" \t")), path)
    escaped = ("&lt;" in text or "&gt;" in text) and "<" not in text and ">" not in text
    if escaped and not ends_as(path, (".md", ".mdx")):
        text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    return text
