"""The closed sets: tiers, confidence, statuses, failure policies, diagnostic codes.

A code is part of the public contract: it may gain members, and a member never changes its meaning.
`docs/reference/diagnostics.md` lists each code with its next step.
"""

from __future__ import annotations

from enum import StrEnum


class Tier(StrEnum):
    """How much a search and the place where it landed may differ. The members stand strictest first.

    `docs/tiers.md` says what each of them allows.
    """

    EXACT = "exact"
    PART_LINE = "part-line"
    TRAILING_SPACE = "trailing-space"
    INDENTATION = "indentation"
    WHITESPACE = "whitespace"
    FORM = "form"
    ELISION = "elision"
    SYNTAX = "syntax"
    FUZZY = "fuzzy"

    @property
    def confidence(self) -> Confidence:
        """How sure a match at this tier is: high at `exact`, low at `elision`, `syntax` and `fuzzy`, else medium."""
        if self is Tier.EXACT:
            return Confidence.HIGH
        if self in (Tier.ELISION, Tier.SYNTAX, Tier.FUZZY):
            return Confidence.LOW
        return Confidence.MEDIUM


ALL_TIERS: tuple[Tier, ...] = tuple(Tier)


class Confidence(StrEnum):
    """How sure a match is. The tier alone decides it."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    def at_least(self, least: Confidence) -> bool:
        """Return whether it is `least` or surer."""
        members = list(Confidence)
        return members.index(self) <= members.index(least)


class Status(StrEnum):
    """The state of one edit.

    fits: it is part of the plan's changes, and can be written.
    written: it fitted, and an operation has put it into the files. A plan never has this state.
    failed: it could not be carried out; its result has a code, a reason and a hint.
    left-out: it could have been, and was left out: its result's code says why (`other-failed`, `not-selected`, …).
    stands-already: the file is as it wants it; nothing changes, and that is no failure.
    """

    FITS = "fits"
    WRITTEN = "written"
    FAILED = "failed"
    LEFT_OUT = "left-out"
    STANDS_ALREADY = "stands-already"


class OnFailure(StrEnum):
    """What a failed block means for the reply's other blocks.

    all: none of them is applied.
    file: the later blocks of its file are not applied.
    block: nothing; all others are applied.
    """

    ALL = "all"
    FILE = "file"
    BLOCK = "block"


class Occurrence(StrEnum):
    """What to do with a block whose search stands at several places, letter for letter.

    unique: refuse it, as `ambiguous`.
    first: take the first place, and report the others with the warning `first-of-several`.
    """

    UNIQUE = "unique"
    FIRST = "first"


class Conflicts(StrEnum):
    """What to do where the file changed since the model saw it, in lines that the edit changes, too.

    refuse: the edit fails as `stale`.
    markers: write both sides, between conflict markers.
    ours: keep the file's lines.
    theirs: write the reply's lines.
    """

    REFUSE = "refuse"
    MARKERS = "markers"
    OURS = "ours"
    THEIRS = "theirs"


class EditsBy(StrEnum):
    """How a model that is asked sends its edits."""

    TEXT = "text"  # in its words, in an edit format
    TOOLS = "tools"  # by calling tools


class Commands(StrEnum):
    """Which commands of a shell are read as edits."""

    LIST = "list"
    CALLS = "calls"
    EDITS = "edits"


class NewErrors(StrEnum):
    """What to do with an edit after which its file newly does not parse.

    warn: apply it, with the warning `new-syntax-error`.
    refuse: the edit fails with that code.
    """

    WARN = "warn"
    REFUSE = "refuse"


class Severity(StrEnum):
    """How much a diagnostic weighs."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Code(StrEnum):
    """Every reason that Dovetail gives, as a word that never changes its meaning.

    In this order: why an edit failed, why it was left out, what is wrong with a reply, what is worth knowing about an
    edit that landed, what is wrong with the journal, what an agent's log lacks. `docs/reference/diagnostics.md`
    explains each of them.
    """

    NO_MATCH = "no-match"
    AMBIGUOUS = "ambiguous"
    ANCHOR_MISSING = "anchor-missing"
    OLD_DIFFERS = "old-differs"
    TRAILING_DIFFERS = "trailing-differs"
    CONFLICT = "conflict"
    LOW_CONFIDENCE = "low-confidence"
    FILE_MISSING = "file-missing"
    FILE_EXISTS = "file-exists"
    BINARY = "binary"
    ENCODING = "encoding"
    STALE = "stale"
    ELIDED = "elided"
    REPEATED_LINES = "repeated-lines"
    FOREIGN_TEXT = "foreign-text"
    GARBLED = "garbled"
    WRITTEN_LINE_ENDS = "written-line-ends"
    MASKED_VALUE = "masked-value"
    LOST_TEXT = "lost-text"
    UNPROVEN_PLACE = "unproven-place"
    OUTSIDE_ROOT = "outside-root"
    UNREADABLE = "unreadable"
    READ_ONLY = "read-only"
    NOT_IN_CHAT = "not-in-chat"
    UNSEEN_LINES = "unseen-lines"
    MALFORMED = "malformed"
    TOO_LARGE = "too-large"
    OTHER_FAILED = "other-failed"

    DRAFT = "draft"
    NOT_SELECTED = "not-selected"
    UNREAD = "unread"
    RUN_BY_OTHERS = "run-by-others"

    NO_DIVIDER = "no-divider"
    NO_END = "no-end"
    NO_PATH = "no-path"
    NESTED_START = "nested-start"
    UNBALANCED = "unbalanced"
    NO_BLOCKS = "no-blocks"
    DUPLICATE = "duplicate"
    STRAY_MARKER = "stray-marker"
    BAD_JSON = "bad-json"

    PATH_GUESSED = "path-guessed"
    FOUND_ELSEWHERE = "found-elsewhere"
    FIRST_OF_SEVERAL = "first-of-several"
    APPENDED = "appended"
    SHRUNK = "shrunk"
    DEFINED_TWICE = "defined-twice"
    NEW_SYNTAX_ERROR = "new-syntax-error"
    ADDED_GUARD = "added-guard"
    MERGED = "merged"
    NOTHING_TO_CHANGE = "nothing-to-change"
    OVERWRITTEN = "overwritten"

    JOURNAL_UNREADABLE = "journal-unreadable"
    JOURNAL_FOREIGN = "journal-foreign"
    JOURNAL_UNPROVED = "journal-unproved"

    NOT_IN_LOG = "not-in-log"


MISSED = frozenset(
    {
        Code.NO_MATCH,
        Code.CONFLICT,
        Code.LOW_CONFIDENCE,
        Code.ANCHOR_MISSING,
        Code.OLD_DIFFERS,
        Code.TRAILING_DIFFERS,
    }
)
"""Codes of edits that were looked for in their file and do not fit its present text."""

GUARD_CODES = frozenset(
    {
        Code.REPEATED_LINES,
        Code.DEFINED_TWICE,
        Code.ELIDED,
        Code.FOREIGN_TEXT,
        Code.GARBLED,
        Code.WRITTEN_LINE_ENDS,
        Code.MASKED_VALUE,
        Code.LOST_TEXT,
        Code.SHRUNK,
        Code.NEW_SYNTAX_ERROR,
        Code.ADDED_GUARD,
    }
)
"""What the guards find in the result of an edit (`dovetail.guards`). A policy may accept each of them."""
