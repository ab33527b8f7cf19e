"""Which shell text may change files, judged by its words alone: what is not understood is told of only then."""

from __future__ import annotations

from dovetail.text.pattern import pattern

_START = r"(?:^|[\n;&|({]|\b(?:do|then|else|xargs|sudo|exec|command|time|env)[ \t])[ \t]*(?:\w+=\S*[ \t]+)*"
_CHANGES = pattern(
    rf"{_START}(?:rm|mv|cp|tee|patch|apply_?patch|truncate|dd|touch|ln|rsync|unzip|tar|rmdir|gofmt|black|prettier)\b"
    r"|\b(?:sed|perl|ruby|gawk)\b[^\n;|&]*?[ \t](?:-\w*i|--in-place)"
    r"|\bgit\b[^\n;|&]{0,80}?[ \t](?:am|apply|checkout|cherry-pick|clean|merge|mv|pull|read-tree|rebase|reset|restore"
    r"|revert|rm|stash|switch|filter-branch)\b"
    r"|(?<![-=<>&])&?>{1,2}\|?(?![>&=(])[ \t]*(?!(?:/dev|(?:/var)?/tmp)/)[\w\"'$./~{]"
    r"|\.write(?:_text|lines|File|FileSync|)\(|\bopen\([^()\n]*,[ \t]*(?:mode=)?['\"][wax]|\bos\.(?:remove|rename)"
    r"|\bfind\b[^\n;|]*-(?:delete|exec)|--(?:write|fix)\b|\b(?:cargo|go|dotnet|terraform)[ \t]+f(?:mt|ormat)\b"
)


def may_change(text: str) -> bool:
    """Return whether a command's text has a word that changes files, or sends output to one."""
    return _CHANGES.search(text) is not None
