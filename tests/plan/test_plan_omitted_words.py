"""Other languages than English: remarks that stand for lines, and remarks of the same words that say something else."""

from __future__ import annotations

import pytest
from plan_builders import OK, bad, edit, planned, said, whole

from dovetail.model.codes import Code, Tier
from dovetail.text.left_out_words import says_left_out

TWO = "def a():\n    return 1\n\n\ndef b():\n    return 2\n"

LEFT_OUT = """
其余代码保持不变
其他代码不变
其餘程式碼保持不變
此处省略
以下省略
原有代码保持不变
残りのコードは同じ
その他のコードは変更なし
変更なし
나머지 코드는 동일합니다
기존 코드 유지
el resto del código permanece igual
sin cambios
o restante do código permanece igual
sem alterações
le reste du code reste inchangé
code existant
Rest des Codes bleibt gleich
restlicher Code unverändert
resto del codice invariato
остальной код без изменений
остальное без изменений
решта коду без змін
reszta kodu bez zmian
rest van de code
kodun geri kalanı aynı
phần còn lại giữ nguyên
sisa kode tetap sama
باقي الكود
"""

SAYS_MORE = """
resto
le reste
rest
空の場合は省略
同じ値なら何もしない
以下为测试
参数不变时返回
其他
resto de la división
omitido si está vacío
igual a cero
остаток от деления
das ist der Rest
other code
"""


@pytest.mark.parametrize("words", LEFT_OUT.strip().splitlines())
def test_what_vanishes_is_put_back(words: str) -> None:
    made = planned({"f.py": TWO}, whole("f.py", f"def a():\n    return 10\n\n# {words}\n"))
    assert said(made.results) == [OK], made.results[0].reason
    assert [change.after for change in made.changes] == [TWO.replace("return 1\n", "return 10\n")]
    assert made.results[0].tier is Tier.ELISION


@pytest.mark.parametrize("line", ["(其余代码不变)", "（其余代码不变）", "【以下省略】", "(resto do código)"])
def test_what_vanishes_is_put_back_for_words_in_brackets(line: str) -> None:
    made = planned({"f.py": TWO}, whole("f.py", f"def a():\n    return 10\n\n{line}\n"))
    assert [change.after for change in made.changes] == [TWO.replace("return 1\n", "return 10\n")]


@pytest.mark.parametrize("words", SAYS_MORE.strip().splitlines())
def test_a_remark_that_says_more_leaves_nothing_out(words: str) -> None:
    assert not says_left_out(words)


@pytest.mark.parametrize("words", ["其余代码保持不变", "sin cambios", "変更なし"])
def test_an_edit_does_not_delete_what_it_leaves_out(words: str) -> None:
    old = "def b():\n    one()\n    two()\n    return 2\n"
    made = planned({"f.py": "def a():\n    return 1\n\n\n" + old}, edit("f.py", old, f"def b(x):\n    # {words}\n"))
    assert said(made.results) == [bad(Code.ELIDED)], made.changes
