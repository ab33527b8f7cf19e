"""Tells by the words above a listing whether it is meant as its file's new text.

Words alone never make a text an edit; comparing does (`listings`). Only the sentence that leads to the listing counts,
and in it the clause with the file's name. The listing is not meant if the clause denies it, calls it only possible,
past, somebody else's, or a mistake. The purpose of an edit (that something does not happen, that it avoids an error)
and mended mistakes speak for it.

No list of such denials is complete, so a whole sentence must also speak for the text: it names a change, the new
state, or all of the file, or has its place in a sequence of steps. A heading, a list item, a label, or a name with a
word or two is enough by its form; so is the name of a part of the text. After any other sentence the person is asked.

Each table holds a class of words in the languages that models answer in.
"""

from __future__ import annotations

import re

from dovetail.text.pattern import pattern

_SPANS = pattern(r"`([^`\n]{1,300})`|\*\*([^*\n]{1,300})\*\*|\[([^\[\]\n]{1,300})\]\(")
_SENTENCE = pattern(r"(?<=[.!])\s+(?=\S)|(?<=[。！])")
# "In `a.py`, which was wrong – now (see below) fixed" is cut at the comma, the dash and the parenthesis. `a,b` is not
# cut, nor is `well-known`.
_CLAUSE = pattern(r"[,;，；、](?=\s|[^\x00-\x7f]|$)|\s[–—-]\s|\s?[(（]")


def _any_of(*parts: str, ends: str = "") -> re.Pattern[str]:
    """Compile a pattern of words, separated by blanks, with ``_`` for a blank; `ends` need no word border."""
    # _any_of("used_to no") is \b(?:used\s+to|no)\b
    words = "|".join(" ".join(parts).replace("_", r"\s+").split())
    return pattern(rf"\b(?:{words})\b" + (f"|{ends}" if ends else ""), re.IGNORECASE)


# Cut out before the words against it are looked for: in "Update `a.py` to avoid the error", "so that it does not
# fail" and "don't forget `a.py`" what sounds like a denial is what the edit is for.
_SPEAKS_FOR_IT = pattern(
    r"(?i)\bso (?:that )?(?:it|they|this|that|we|you)\b.*|\b(?:para que|damit|afin que)\b.*"
    r"|\b(?:to|pour|para|um)\s(?:\w+\s){0,4}?(?:avoid|éviter|evitar|vermeiden)\b[^,;]*"
    r"|\bno longer\b|\bnicht mehr\b|\bne\b.{1,20}\bque\b|\bya no\b|\bnão\b.{1,20}\bmais\b|\bnot only\b|\bnot just\b"
    r"|(?:\b(?:(?:do|must|should)(?:n['’]t| not)|never|nicht|ne|no|não)\b|\bn['’])[^,;.]{0,12}?"
    r"(?:forget|vergess|oubli|olvid|esque[cç])\w*(?:\s+pas)?"
    r"|(?:不要|别|勿)忘\w?|忘れ(?:ずに|ないで)|为了?避免|以避免|避けるため|为避免[^，,]*"
)
"""The purpose of an edit, what it puts an end to, and what is not to be forgotten."""
_MENDS = _any_of(
    r"fix\w* correct\w* repair\w* resolv\w* remov\w* replac\w* chang\w* updat\w* edit\w* behe?[bo]\w* korrigier\w*",
    r"ersetz\w* änder\w* modifi\w* cambi\w* actualiz\w* atualiz\w* alter[ea]\w* mett\w*",
    r"corrig\w* corrij\w* répar\w* remplac\w* reemplaz\w* substitu\w*",
    ends="修复|修正|更正|改正|直し|исправ",
)
"""Words for mending a mistake, which the listing then no longer has."""
_MISTAKE = _any_of(
    r"wrong broken breaks naïve? naïf incorrect bad mistakes? pitfalls? anti-?pattern naive tempting tempted",
    r"rejected overkill",
    r"falsch\w* schlecht\w* fehler übertrieben mal[ao]? mauvais\w* erreurs? errad[oa]s? incorret[oa]s?",
    r"incorrect[oa]s?",
    r"errores error erros? exagerad[oa]s? old outdated legacy alte[nrs]? veraltet\w* ancien\w* vieux vieil\w*",
    r"viej[oa]s? antigu[oa]s? antig[oa]s? velh[oa]s? anterior\w* ruim ruins má default",
    ends="错误|旧版|旧的|老版|坏|糟|間違|誤り|古い|旧|悪い|だめ|ダメ|ошибк|неправильно|стар",
)
"""Words for a wrong or outdated text; if something is mended, they are about the file's present text."""
_NOT_MEANT = _any_of(
    # denied
    r"against_it considered dismissed discarded nobody no_one not never nor neither cannot avoid resist",
    r"refrain ignore skip draft tried (?:stay|steer)_\w+ leave_\S*_?alone",
    r"niemand personne nadie ningu[eé]m nicht nie niemals kein\w* vermeide(?:n_sie)? vermeidet ne pas jamais",
    r"évite[zr]? no nunca jamás evit[ae]n?",
    r"não non mai evita(?:re)? не нельзя",
    # possible
    r"would could might may suppose imagine assum(?:e|ing) hypothetical(?:ly)? either alternative(?:ly)?",
    r"theor\w* in_theory théori\w* teóric\w* teoria unless example e\.g (?:option|variant|approach)_?[a-e\d]",
    r"(?:will|which)_(?:fail|break)\w* if_you_had",
    r"wäre würde\w* könnte\w* sonst beispiel\w* entweder pourrait serait exemple sería estaría podría podrías",
    r"ejemplo",
    r"seria poderia daria exemplo opç[aã]o opci[oó]n alternativ\w* sarebbe esempio",
    # past, or today
    r"previously originally formerly earlier currently today yesterday last_(?:week|month|year) look_at looked? was",
    r"were had",
    r"contained stood ago back_then contenait contenía continha damals (?:still|yet)_(?:said|had|read)",
    r"used_to_(?:be|look|read) (?:old|original|previous|former|earlier)_(?:version|code|one|state|draft)",
    r"früher vorher bisher\w* derzeit zurzeit war autrefois avant était actuellement antes era actualmente",
    r"antigamente atualmente prima раньше было был сейчас",
    ends=(
        r"n['’]t\b|\b(?:old|original|previous|former)[\s:]*$|^\W*or\b|^\W*before\W*$|\bbefore\W*$|\?\W*$"
        r"|^\W*(?:rather than|instead of|anstatt|statt|au lieu de|en lugar de|en vez de|em vez de)\b"
        "|不要|不应|如果不|若不|理论|当时|不是|不该|不能|不建议|不推荐|别这|别把|千万别|勿|避免|例如|示例|目前|之前|以前|原来|原始|或者|方案|选项|也可以|也能"
        "|ないで|いけません|いけない|なりません|べきでは|禁止|理論|当時|しない|ではなく|避けて|例えば|以前|元の|こともできます|こともでき|예시|예를|이전|원래|기존|않|말고|현재"
    ),
)
_ELSEWHERE = _any_of(
    r"(?:an)?other_(?:\w+_)?(?:projects?|apps?|repo\w*|services?|teams?|versions?|people|codebases?|branch\w*)",
    r"upstream elsewhere tutorials? textbooks? blog_posts? documentation docs github repository colleagues?",
    r"team-?mates?",
    r"co-?workers? maintainers? someone somebody people people['’]s boilerplate starter scaffold\w*",
    r"stack_?overflow bot",
    r"(?:friend|library|framework|vendor|author|package|competitor|team)['’]?s?['’]? chatgpt copilot gemini",
    r"generator",
    r"sample_(?:\w+_)?(?:repo\w*|project|app)s? you_(?:linked|mentioned|posted|sent|found) for_reference",
    r"vergleich comparaison comparar compara[cç][ãa]o comparación freund\w* amis? amig[oa]s?",
    r"official usual(?:ly)? often typical(?:ly)? commonly common comparison compared? contrast versus vs attempt",
    r"ander\w+_\w*projekt\w* oft häufig\w* kolleg\w* autres?_projets? souvent fréquent\w* tutoriels? collègues?",
    r"otr[oa]s?_proyect\w* suele\w* común comunes outr[oa]s?_projet\w* costuma\w* comu[mn]s? colegas?",
    r"altr[oi]_progett\w*",
    r"пример\w* друг\w+_проект\w* without_(?:(?:the|that|this|any)_)?(?:fix|change|patch|edit)",
    ends="其他项目|参考|对比|比较|比較|朋友|友人|他の|教程|教科书|文档|官方|常见|同事|チュートリアル|よくある|同僚|公式",
)
"""Somebody else's text, or the usual one, in the clause with the name or in one that leads up to it."""
# "Here is `a.py`, but I decided against it"
_TAKEN_BACK = _any_of(
    r"(?:and_)?(?:decided_)?against but though although ignore instead aber doch jedoch mais pero mas porém",
    r"pourtant broken_\w+",
    ends="但|不过|けど|しかし|が、|ですが",
)
"""What a clause behind the name begins with, or holds, that speaks against it."""


# Matches "## a.py", "**a.py**", "2. a.py", "Step 2: a.py", "Then a.py:", "In a.py (new)"; not "You could use a.py".
_FORM = pattern(
    r"^\s{0,3}#{1,6}\s|^\W*\*\*[^*]+\*\*\W*$|^\s*(?:\d+[.)]|[-*+•])\s|^\W*第"
    r"|(?i:^\W*(?:step|schritt|étape|paso|passo|file|datei|fichier|archivo|arquivo|ficheiro|文件|ファイル)\b)"
    r"|(?i:^\W*(?:first|second|third|then|next|now|finally|also|and|zuerst|dann|nun|zuletzt|und|auch|ensuite|puis|enfin"
    r"|et|luego|después|además|por último|y|depois|também|por fim|e)\b)|[（(][^（(）)]{1,40}[）)]\W*$"
)
"""A line that is a heading, a label or an item, or whose first word puts it into an order; a remark at its end."""
# Beginnings of words: "updat" is in "the updated a.py" and "I update a.py". Not "a.py looks like this", which may as
# well show the file as it is.
_SPEAKS_OF_CHANGE = pattern(
    r"(?i)\b(?:updat|chang|replac|modif|edit|fix|correct|adjust|adapt|rework|rewrit|swap|switch|tweak|refactor|improv"
    r"|add(?:s|ed|ing)?\b|appl[yi]|insert|remov|extend|complet|clean|paste|put\b|goes\b|belong|becom|turn|revis|renam|drop"
    r"|full|final|entire|whole|new\b|now\b|then\b|after|suggest|propos|implement"
    r"|ersetz|änder|aktualisier|anpass|pass[et]\b|korr|neu|danach|jetzt|nun\b|vollständig|komplett|fertig|ergibt|vorschlag"
    r"|tausch|ergänz|füg|remplac|adapt|corrig|mett|mise\b|nouve|devien|désormais|maintenant|complèt|entier|après|voici\b"
    r"|ajout|reemplaz|sustitu|cambi|actualiz|nuev|completo|queda|ahora|despué|propuesta|pone|añad|agreg|substitu|troque"
    r"|troca|atualiz|alter|nov[ao]|fica|agora|depois|sugest|inteir|adicion|aggiorn|sostitu|cambia|замен|измен|обнов|исправ|полн|нов(?:ый|ая|ое|ого))"
    r"|\b(?:should|must|needs?|ha(?:s|ve) to|ought|want|soll\w*|muss|musst|müssen|doit|devez|devrait|faut|deb[eo]\w*"
    r"|dev[ae]\w*|precisa\w*)\b|[应要]|必要|べき|ください"
    r"|[改换換]|更新|替换|新|修复|修正|完整|最终|建议|如下|以下|变更|変更|置き換え|全体|最終|なります|追加|수정|변경|전체|바꾸|추가|새로"
)
"""Words of a change, of the state behind it, of all of a text, of what has to be."""
_FEW_WORDS, _FEW_SIGNS = 2, 3
"""Words, or Chinese and Japanese signs, beside a name in a clause that does no more than name it."""
_BESIDE = pattern(r"[^\W\d_\u3040-\u30ff\u4e00-\u9fff]+")
_SIGNS = pattern(r"[\u3040-\u30ff\u4e00-\u9fff]")


def speaks_for_it(line: str, path: str, text: str) -> bool:
    """Return whether a line that names a path leads to the file's new text: by its form, by its words, or, in whatever
    language, since it names a part of the file that `text` has."""
    name = path.rpartition("/")[2]
    if _FORM.search(line) or _SPEAKS_OF_CHANGE.search(_SPANS.sub(" ", line)):
        return True
    # "In `a.py`, `run()` becomes:" above a text with `run` in it
    named = {span.strip("()") for found in _SPANS.findall(line) for span in found if span} - {path, name, ""}
    if any(re.search(rf"(?<!\w){re.escape(span)}(?!\w)", text) for span in named):
        return True
    clauses = [clause for clause in _CLAUSE.split(line.replace(path, name)) if name in clause]
    beside = " ".join(_SPANS.sub(" ", clause).replace(name, " ") for clause in clauses or [line])
    return len(_BESIDE.findall(beside)) <= _FEW_WORDS and len(_SIGNS.findall(beside)) <= _FEW_SIGNS


def is_not_meant(line: str, path: str) -> bool:
    """Return whether the words around a path in a line say that what follows is not meant for it."""
    name = path.rpartition("/")[2]
    sentence = _SENTENCE.split(line.replace(path, name).strip())[-1]
    found = _CLAUSE.split(_SPEAKS_FOR_IT.sub(" ", sentence))
    at = next((n for n, clause in enumerate(found) if name in clause), None)
    words = [_SPANS.sub(" ", clause).replace(name, " ") for clause in found]
    # Words that deny count only in the clause with the name: "This does not touch `b.py`, here is `a.py`". Those for
    # a mistake count anywhere in the sentence, unless something is mended in it.
    around = words if at is None else words[at : at + 1]
    if at and not any(map(str.isalnum, words[at])):  # the name alone, in parentheses or behind a dash
        around = words[at - 1 : at + 1]
    mended = any(map(_MENDS.search, words))
    if any(map(_NOT_MEANT.search, around)) or (not mended and any(map(_MISTAKE.search, words))):
        return True
    # "In the tutorial, `a.py` is:" leads up to the name; what follows the name may only explain it
    if any(map(_ELSEWHERE.search, words[: (at or 0) + 1])):
        return True
    return at is not None and not mended and any(map(_TAKEN_BACK.search, words[at + 1 :]))
