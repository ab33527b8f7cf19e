"""Finds the files that a command may read, by its words alone: to follow it, only their texts are needed."""

from __future__ import annotations

from collections.abc import Collection
from fnmatch import fnmatchcase

from dovetail.text.pattern import pattern

_WORDS = pattern(r"[^\s'\"`;|&<>()=,]+")
# `a.py`, `.env`, `out/log`: relative, with a dot or a folder in it; not `/etc/x`, `../x`, `--flag`, nor a plain word.
_UNLISTED = pattern(r"(?!/)(?=[^/]*[./])(?:(?!\.\.?(?:/|\Z))[\w@+.-]+/)*(?!-)[\w@+-]*\.?[\w@+.-]*\w")
_ENTERED = pattern(r"\bcd[ \t]+((?!/|\.\.|-)[\w@+./-]+)")
_HERE = pattern(r"<<-?[ \t]*[\"'\\]?(\w+)")
# `python - <<EOF` reads its script from the here-document, and the script names files; of `cat > a.py <<EOF` the text
# is content, whose words name none.
_SCRIPTED = pattern(r"\b(?:python|patch|apply|perl|sh)")
_MOST_NAMED = 400
"""The most files that are returned for a command."""


def files_named(text: str, paths: Collection[str]) -> list[str]:
    """Return the paths of files that a command may read, the likeliest first, at most `_MOST_NAMED`.

    First those of `paths` that its words name by path, by name or pattern, or by a folder above; then words that look
    like paths and are not in `paths`.
    """
    plain = _without_texts(text)
    spelled = [word.removeprefix("./") for word in _WORDS.findall(plain)]
    words = {word.strip("/") for word in spelled} - {"", "."}
    names = {word.rsplit("/", 1)[-1] for word in words}
    patterns = [name for name in names if any(sign in name for sign in "*?[")]
    # `/home/me/project/src/a.py` may be src/a.py of this tree: all ends of a word count.
    ends = {word[at + 1 :] for word in words for at, sign in enumerate(word) if sign == "/"} | words
    folders: dict[str, bool] = {}

    def is_named(folder: str) -> bool:
        """Return whether a word names a folder or one above it, from the root or from any other folder."""
        if folder not in folders:
            above, _, _ = folder.rpartition("/")
            folders[folder] = bool(folder) and (folder in ends or is_named(above) or _is_end(folder, words))
        return folders[folder]

    rank: dict[str, int] = {}
    for path in paths:
        folder, _, base = path.rpartition("/")
        # Surest first, as only so many files are read: named by path, then by name or pattern, then by a folder above.
        if path in ends or _is_end(path, words) or (" " in base and base in plain.replace("\\ ", " ")):
            rank[path] = 0
        elif base in names or any(fnmatchcase(base, name) for name in patterns):
            rank[path] = 1
        elif is_named(folder):
            rank[path] = 2
    unlisted = dict.fromkeys(
        word for word in spelled if len(word) < 200 and _UNLISTED.fullmatch(word) and word not in paths
    )
    # `cd src && cat > b.py`: the new file may be src/b.py.
    starts = ["", *(f"{folder.rstrip('/')}/" for folder in _ENTERED.findall(plain))]
    others = [start + word for word in unlisted for start in starts]
    return [*sorted(rank, key=lambda path: (rank[path], path)), *others][:_MOST_NAMED]


def _is_end(path: str, words: Collection[str]) -> bool:
    """Return whether a word is the end of `path`, in whole names: `b/c.py` is one of `a/b/c.py`."""
    parts = path.split("/")
    return any("/".join(parts[at:]) in words for at in range(1, len(parts)))


def _without_texts(text: str) -> str:
    """Return a command without its here-documents, except those that a program reads as its script."""
    kept: list[str] = []
    mark = ""
    for line in text.split("\n"):
        if mark and line.strip() == mark:
            mark = ""
        if mark:
            continue
        kept.append(line)
        here = _HERE.search(line)
        if here is not None and not _SCRIPTED.search(line):
            mark = here[1]
    return "\n".join(kept)
