"""Which words above a listing say that it is not meant for its file as that is to be.

Words count in this direction only: none makes a text an edit. They are looked for around the file's name, in its clause
and in one that leads up to it, in the languages that models answer in.
"""

from __future__ import annotations

import re

from dovetail.text.pattern import pattern

_SPANS = pattern(r"`([^`\n]{1,300})`|\*\*([^*\n]{1,300})\*\*|\[([^\[\]\n]{1,300})\]\(")
_CLAUSE = pattern(r"[,;.!?，；。！？、](?=\s|[^\x00-\x7f]|$)|\s[–—-]\s|\s?[(（]")
_PURPOSE = pattern(r"(?i)\bso (?:that )?(?:it|they|this|that|we|you)\b.*|\b(?:para que|damit|afin que)\b.*")
"""What an edit is for, which may be that something does not happen."""
_CORRECTS = pattern(r"(?i)(?:\W|\d)*(?:fix|correct|repair|remove|replace|change|update|edit)\b")


def _any_of(*parts: str, ends: str = "") -> re.Pattern[str]:
    """A pattern of words, written with blanks between, ``_`` for a blank; `ends` is for what no word's border ends."""
    words = "|".join(" ".join(parts).replace("_", r"\s+").split())
    return pattern(rf"\b(?:{words})\b" + (f"|{ends}" if ends else ""), re.IGNORECASE)


_LEADS_AWAY = _any_of(
    "before without if had were unlike instead rather in for_comparison for_contrast",
    "ohne vor wenn falls antes sin si en avant sans dans sem se em",
)
"""What begins a sentence whose later clause may be about another state of the file, or about another one."""
_JUDGED = _any_of(
    r"avoid wrong incorrect bad mistakes? anti-?pattern naive tempting rejected falsch\w* schlecht\w* incorrect[oa]s?",
    r"mal[ao]? mauvais\w* errad[oa]s? неправильно",
    ends="错误|間違",
)
"""What is said of a text that is wrong; where a sentence corrects something, it is said of what stands there."""
_NOT_MEANT = _any_of(
    # what is not to be, what could be
    r"not never would could might may if suppose imagine assum(?:e|ing) hypothetical(?:ly)? either draft tried",
    r"alternative(?:ly)? example e\.g (?:option|variant|approach)_?[a-e\d] (?:will|which)_(?:fail|break)\w*",
    r"without_(?:(?:the|that|this|any)_)?(?:fix|change|patch|edit)",
    # what is somebody else's
    r"(?:an)?other_(?:\w+_)?(?:projects?|apps?|repo\w*|services?|teams?|versions?|people|codebases?) upstream",
    r"elsewhere tutorial colleagues? team-?mates? co-?workers? someone somebody people boilerplate starter scaffold\w*",
    r"stack_?overflow official usual(?:ly)? often typical(?:ly)? commonly comparison compared? contrast versus vs",
    # what was, or is today
    r"before previously originally currently today look_at was were had looked used_to_(?:be|look|read)",
    r"(?:old|original|previous|former)_(?:version|code|one|state)",
    # German, Spanish, French, Portuguese, Italian, Russian
    r"nicht nie niemals kein\w* wäre würde\w* könnte\w* sonst ander\w+_\w*projekt\w* oft früher vorher",
    r"bisher\w* derzeit zurzeit beispiel\w* entweder kolleg\w* war",
    r"no nunca jamás sería estaría podría un_error antes era otr[oa]s?_proyect\w* ejemplo actualmente suele\w*",
    r"opci[oó]n alternativ\w* ne pas jamais serait pourrait une_erreur avant était autres?_projets? exemple",
    r"actuellement souvent não seria poderia um_erro outr[oa]s?_projet\w* exemplo atualmente costuma\w* opç[aã]o",
    r"non mai sarebbe un_errore prima altr[oi]_progett\w* esempio",
    r"не нельзя раньше было был пример\w* друг\w+_проект\w* сейчас",
    ends=(
        r"n['’]t\b|\b(?:old|original|previous|former)[\s:]*$|^\W*or\b"
        "|不要|不应|不是|别这|例如|示例|目前|之前|以前|原来|原始|其他项目|或者|方案|选项|しない|ではなく|例えば|他の"
    ),
)


def is_not_meant(line: str, path: str) -> bool:
    """Return whether the words around a path in a line say that what follows is not meant for it."""
    name = path.rpartition("/")[2]
    found = _CLAUSE.split(_PURPOSE.sub("", line.replace(path, name)))
    clauses = [
        clause for n, clause in enumerate(found) if name in clause or (n == 0 and _LEADS_AWAY.match(clause.strip()))
    ]
    words = [_SPANS.sub(" ", clause).replace(name, " ") for clause in clauses]
    judged = _CORRECTS.match(line) is None and any(map(_JUDGED.search, words))
    return judged or any(map(_NOT_MEANT.search, words))
