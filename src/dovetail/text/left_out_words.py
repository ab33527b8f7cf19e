"""Words by which other languages than English say that lines are left out: ``其余代码保持不变``, ``resto del código``.

Owns data and the patterns of them. The idea: a remark counts only where each of its words is listed here, and one of
them says *unchanged* or *omitted*, or one says *the rest* and another of what. So a remark that says anything else
says nothing. A language that writes no blanks between words has its words as runs; in the others, ``_`` is a blank.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dovetail.model.patterns import either

_SAME = """
sin_cambios sin_cambiar sin_modificar sin_modificaciones igual_que_antes omitido omitida omitidos omitidas
sem_alterações sem_alteração sem_mudanças sem_modificações inalterado inalterada inalterados inalteradas igual
inchangé inchangée inchangés inchangées sans_changement sans_changements sans_modification sans_modifications
identique identiques omis unverändert unveränderte unveränderter unverändertes gleich wie_zuvor wie_bisher
wie_vorher weggelassen gekürzt invariato invariata invariati invariate uguale senza_modifiche senza_cambiamenti
omesso без_изменений не_изменилось не_изменился не_изменилась не_изменились не_меняется как_раньше как_прежде
пропущено опущено без_змін не_змінюється bez_zmian niezmieniony niezmieniona niezmienione pominięto ongewijzigd
onveranderd weggelaten değişmedi değişmeden değişiklik_yok aynı giữ_nguyên không_thay_đổi không_đổi như_cũ
tidak_berubah tidak_diubah tetap_sama tanpa_perubahan بدون_تغيير بدون_تغییر
"""
_SAME_RUNS = """
不变 不變 省略 略 未修改 未变 未變 未更改 未改动 无变化 無變化 无修改 无需修改 没有变化 沒有變化 没有修改 原样 原樣
相同 一样 一樣 変更なし 変更無し 変更ありません 変更しない 同じ 同様 そのまま 변경없음 변경_없음 생략 동일 그대로
"""
_REST = """
resto restante restantes existente existentes reste restant restante restants restantes existant existante existants
existantes rest restliche restlicher restliches restlichen übrige übriger übriges übrigen bestehende bestehender
bestehendes bestehenden vorhandene vorhandener vorhandenes vorhandenen rimanente rimanenti esistente esistenti
остальной остальная остальное остальные остальную остального остальных существующий существующая существующие решта
інші reszta pozostały pozostała pozostałe istniejący istniejące overige resterende bestaande kalan kalanı mevcut
diğer phần_còn_lại còn_lại hiện_có sisa lainnya باقي بقیه باقی otros otras outros outras autres altri altre
"""
_REST_RUNS = """
其余 其餘 剩余 剩餘 其他 其它 余下 餘下 原有 原来 原來 现有 現有 已有 既存 残り 他の その他 나머지 기존
"""
_WHAT = """
código codigo archivo fichero método métodos función funciones importaciones contenido implementación lógica clase
clases arquivo ficheiro função funções importações conteúdo implementação classe code codes fichier méthode méthodes
fonction fonctions contenu implémentation logique datei methode methoden funktion funktionen importe inhalt
implementierung logik klasse klassen codice metodo metodi funzione funzioni contenuto implementazione logica classi
код кода коду файл файла метод методы методов функция функции функций импорты содержимое класс класса логика kod
kodu kodun kodlar plik pliku metody funkcje bestand dosya dosyanın metotlar fonksiyonlar mã tệp file kode fungsi
metode الكود الملف کد فایل imports
"""
_WHAT_RUNS = """
代码 代碼 程式碼 内容 內容 部分 逻辑 邏輯 方法 函数 函數 文件 檔案 实现 實現 导入 導入 配置 样式 樣式 字段 测试 測試
コード メソッド 関数 処理 実装 ファイル インポート 코드 메서드 함수 부분 내용 파일 로직 구현
"""
_AROUND = """
el la los las del de y e o os as do da dos das le l du des d les et il lo gli della dello i die der das den dem des
ist sind bleibt bleiben und todo toda todos todas tout toute tous toutes alle alles весь вся всё все tutto tutti
tutte se sigue siguen permanece permanecen mantiene mantienen mantém mantêm fica ficam reste restent demeure
demeurent rimane rimangono resta restano остаётся остается остаются залишається pozostaje pozostają blijft blijven
kalır kalıyor van het aquí aqui ici hier qui здесь тут tu su seu sua votre dein ihr ваш aber wie antes avant zuvor
vorher prima раньше è é geri yang ada tetap của của_bạn được và كما هو من در این
"""
_AROUND_RUNS = """
的 和 与 與 及 后续 後續 以下 以降 都 均 全部 所有 仍 也 则 保持 之前 以前 前面 上面 下面 此处 此處 这里 這裡 同 跟
原 为 为了简洁 は も の と に が を です ます します して いる ここ 上記 以前 前 元 全て すべて 変わらず 은 는 이하
이 가 의 와 과 도 및 모두 합니다 됩니다 여기 하게 유지 이전 과_같음
"""
_WORD = re.compile(r"\w+")
_OF_RUNS = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_BETWEEN = r"[\s,，、。:：;；.…()（）\-–—'’~]*+"


def says_left_out(text: str) -> bool:
    """Whether a remark says, in one of these languages, that lines are left out, and says nothing else."""
    said = text.lower()
    listed = _words()  # asked first, as few remarks are worth a pattern of so many words
    if not all(word in listed or (not word.isascii() and _OF_RUNS.search(word)) for word in _WORD.findall(said)):
        return False
    known, same, rest, what = _patterns()
    if known.fullmatch(said) is None:
        return False
    return same.search(said) is not None or (rest.search(said) is not None and what.search(said) is not None)


@lru_cache(maxsize=1)
def _words() -> frozenset[str]:
    return frozenset(f"{_SAME} {_REST} {_WHAT} {_AROUND}".replace("_", " ").split())


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    """A remark of known words, and those of its words that decide."""
    deciding = ((_SAME, _SAME_RUNS), (_REST, _REST_RUNS), (_WHAT, _WHAT_RUNS))
    words = " ".join((*(words for words, _ in deciding), _AROUND))
    runs = " ".join((*(runs for _, runs in deciding), _AROUND_RUNS))
    known = rf"{_BETWEEN}(?:(?>{_any(words, runs)}){_BETWEEN})++"
    return tuple(map(re.compile, (known, *(_any(*pair) for pair in deciding))))


def _any(words: str, runs: str) -> str:
    return rf"(?:(?<!\w)(?:{either(words)})(?!\w)|{either(runs)})".replace("_", r"\s+")
