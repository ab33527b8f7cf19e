"""Which sentences above a listing lead to its file's new text, and which say that it is not meant."""

from __future__ import annotations

import pytest

import dovetail

FILE = "import json\n\n\ndef total(items):\n    return sum(items)\n\n\ndef first(items):\n    return items[0]\n"
NEW = "def total(items):\n    return sum(item for item in items if item)\n"

MEANT = """\
`{p}` then becomes:
### 2. `{p}`
So, for `{p}`:
Your `{p}` should end up like this:
To avoid counting twice, change `{p}`:
This corrects the mistake in `{p}`:
`{p}`, which was too slow, now reads:
Your `{p}` had a small bug. The fixed version:
If the list is empty it should not crash, so in `{p}`:
Before you run it, update `{p}`:
Step 2 – `{p}`
Die neue Fassung von `{p}`:
Um doppeltes Zählen zu vermeiden, ändere `{p}`:
Nicht vergessen, `{p}` anpassen:
Dans `{p}`, mettez ceci :
Pour éviter l'erreur, modifiez `{p}` :
En `{p}`, cambia esto:
No olvides actualizar `{p}`:
Em `{p}`, troque por:
为避免出错，修改 `{p}`：
在 `{p}` 中：
`{p}` の間違いを修正します：
次に `{p}`："""

NOT_MEANT = """\
Resist the urge to write `{p}` this way:
What happens when `{p}` is written like this?
The following `{p}` looks right and is broken:
The bot suggested this for `{p}`, which I'd ignore:
I considered this for `{p}` and decided against it:
This is the wrong way to do it (`{p}`):
In the framework's own repository, `{p}` is:
Two weeks ago, `{p}` contained:
Rather than doing the following to `{p}`, think again:
`{p}` as a stranger's fork has it today:
Früher stand in `{p}`:
Ein häufiger Fehler in `{p}`:
Zum Vergleich `{p}` aus dem Tutorial:
Évitez ceci dans `{p}` :
L'ancienne version de `{p}` :
En otros proyectos, `{p}` suele ser:
Também daria para escrever `{p}` assim, mas seria mais lento:
避免在 `{p}` 中这样写：
旧版的 `{p}`：
`{p}` をこのようにしないでください：
他のプロジェクトでは `{p}` は次のようになっています："""


def changed(sentence: str) -> bool:
    """Whether a reply with this sentence above a listing of a function changes the function's file."""
    reply = f"{sentence.format(p='shop/sums.py')}\n\n```python\n{NEW}```\n"
    return bool(dovetail.make_plan(reply, {"shop/sums.py": FILE}).changes)


@pytest.mark.parametrize("sentence", MEANT.splitlines())
def test_a_sentence_that_speaks_of_the_change_leads_to_it(sentence: str) -> None:
    assert changed(sentence)


@pytest.mark.parametrize("sentence", NOT_MEANT.splitlines())
def test_a_sentence_that_speaks_against_the_text_or_for_nothing_changes_no_file(sentence: str) -> None:
    assert not changed(sentence)
