"""The closed sets: tiers, confidence, statuses, failure policies, diagnostic codes.

A code is part of the public contract: it may gain members, and a member never changes its meaning.
`docs/reference/diagnostics.md` lists each code with its next step.
"""

from __future__ import annotations

from enum import StrEnum


class Tier(StrEnum):
    """How loosely a search was compared with the file, strictest first."""

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
        """What a person should think of a match at this tier."""
        if self is Tier.EXACT:
            return Confidence.HIGH
        if self in (Tier.ELISION, Tier.SYNTAX, Tier.FUZZY):
            return Confidence.LOW
        return Confidence.MEDIUM


ALL_TIERS: tuple[Tier, ...] = tuple(Tier)


class Confidence(StrEnum):
    """Defined by the tier alone."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Status(StrEnum):
    """What became of one block."""

    APPLIED = "applied"
    FAILED = "failed"
    SKIPPED = "skipped"
    ALREADY_APPLIED = "already-applied"


class OnFailure(StrEnum):
    """What a failed block means for the others: apply none, skip its file's later edits, or go on."""

    ALL = "all"
    FILE = "file"
    BLOCK = "block"


class Occurrence(StrEnum):
    """What several exact places mean: refuse, or take the first and report the others."""

    UNIQUE = "unique"
    FIRST = "first"


class Conflicts(StrEnum):
    """What a true conflict in a three-way merge means."""

    REFUSE = "refuse"
    MARKERS = "markers"
    OURS = "ours"
    THEIRS = "theirs"


class Severity(StrEnum):
    """How much a diagnostic weighs."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Code(StrEnum):
    """Every reason Dovetail gives, failures first, then parsing, warnings on what succeeded, and on the journal."""

    NO_MATCH = "no-match"
    AMBIGUOUS = "ambiguous"
    ANCHOR_MISSING = "anchor-missing"
    OLD_DIFFERS = "old-differs"
    TRAILING_DIFFERS = "trailing-differs"
    CONFLICT = "conflict"
    FILE_MISSING = "file-missing"
    FILE_EXISTS = "file-exists"
    BINARY = "binary"
    ENCODING = "encoding"
    STALE = "stale"
    ELIDED = "elided"
    OUTSIDE_ROOT = "outside-root"
    UNREADABLE = "unreadable"
    READ_ONLY = "read-only"
    NOT_IN_CHAT = "not-in-chat"
    MALFORMED = "malformed"
    OTHER_FAILED = "other-failed"

    DRAFT = "draft"
    NOT_SELECTED = "not-selected"

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
    NEW_SYNTAX_ERROR = "new-syntax-error"
    MERGED = "merged"
    NOTHING_TO_CHANGE = "nothing-to-change"
    OVERWRITTEN = "overwritten"

    JOURNAL_UNREADABLE = "journal-unreadable"
