"""Words that stand around a path in other languages than English: what a file is called, and how one is created.

Owns data and the patterns of them; no path is known here. A language that writes no blanks between words has its words
as runs, longest first. A sentence says that a file is created only where each of its words is listed here, so that one
that goes on to say something else says nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dovetail.model.patterns import either

_FILE = """
archivo arquivo bestand bestandsnaam chemin datei dateiname dateipfad dosya fichero fichier ficheiro pfad plik percorso
ruta soubor tệp файл путь ملف الملف المسار فایل फ़ाइल फाइल 파일 파일명 경로
"""
_NEW = """
neu neue neuer neues nouveau nouvelle nuevo nueva novo nova nuovo nuova nieuw nieuwe nowy yeni новый новая جديد 새
completo complet complète vollständige vollständiger полный
"""
_RUNS = "文件 文件名 文件路径 檔案 檔案名稱 路径 路徑 ファイル ファイル名 ファイルパス パス"
_RUNS_BEFORE = """
新建 新增 新的 新 创建 創建 建立 添加 增加 修改 修正 更新 编辑 編輯 目标 目標 完整 新規 新しい 変更 編集 作成
"""

_MAKING = """
neu neue neuen neuer neues erstelle erstellen erstellt erzeuge erzeugen lege anlegen leg crée créez créer créons nouveau
nouvelle crea crear cree creamos creemos creare creiamo crie criar criamos nuevo nueva novo nova nuovo nuova создайте
создай создадим создать создаём создаем новый maak maken nieuw nieuwe utwórz stwórz nowy oluştur oluşturun yeni أنشئ
إنشاء جديد جديدا جديدًا
"""
_AROUND = """
die der das den dem eine einen ein datei namens unter zuerst zunächst dann danach nun jetzt als nächstes wir bitte sie
und mit folgendem folgenden diesem inhalt an schließlich im verzeichnis schritt
le la l un une fichier d abord ensuite puis maintenant enfin avec contenu suivant ce étape nommé appelé
el los archivo fichero primero luego ahora después con siguiente contenido este paso llamado
o um uma arquivo ficheiro primeiro agora depois com seguinte conteúdo passo chamado
il lo file poi ora seguente contenuto questo passo chiamato
файл сначала затем теперь далее со с следующим содержимым шаг
het de een bestand nu met volgende inhoud plik z następującą zawartością dosya dosyası içerikle
ملف ملفا ملفًا باسم الملف بالمحتوى التالي
"""
_RUNS_MAKING = "新建 创建 創建 新增 建立 新規 新規作成 作成 新しい 新しく 새 새로운 생성 만들기"
_RUNS_AROUND = """
文件 檔案 ファイル 파일 파일을 一个 一個 个 個 新的 新 首先 先 然后 接着 接下来 现在 我们 请 在 并 并且 写入 添加 填入
粘贴 以下 如下
内容 代码 内容如下 代码如下 内容为 其 为 第一步 第二步 第三步 步骤
を に は まず 次に します する してください しましょう 作ります 内容で 以下の 内容 内容は次のとおりです
을 를 생성합니다 만듭니다 생성하세요 만드세요 다음 내용으로
"""


LABEL = (
    rf"(?:(?:{either(_NEW)})\s)?(?:{either(_FILE)})(?:\s(?:{either(_NEW)}))?"
    rf"|(?:{either(_RUNS_BEFORE)})*+(?:{either(_RUNS)})"
)
"""What stands before a colon and a file's path, new or not."""


def says_created(before: str, behind: str) -> bool:
    """Whether what stands before and behind a marked path says that this file is created, and nothing else."""
    made, known = _patterns()
    texts = before.lower(), behind.lower()
    return any(map(made.search, texts)) and all(map(known.fullmatch, texts))


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A word of creating, and a text in which each word is known."""
    made = rf"(?:(?<!\w)(?:{either(_MAKING)})(?!\w)|(?:{either(_RUNS_MAKING)}))"
    words = rf"(?<!\w)(?:{either(_MAKING + _AROUND)})(?!\w)|(?:{either(_RUNS_MAKING + ' ' + _RUNS_AROUND)})"
    return re.compile(made), re.compile(rf"(?:(?>{words})|[\d_]|[^\w?？؟])*+")
