"""Grammars load late, once, and wherever a folder can be had. Each case runs in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path


def run(code: str, **environment: str) -> str:
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


READS = """
from dovetail.syntax import default_language
print(len(default_language().definitions("a.py", "def f(): pass\\n")))
"""


def test_importing_and_asking_for_the_reader_loads_nothing() -> None:
    code = "import sys\nfrom dovetail.syntax import default_language, language_of\ndefault_language()\nlanguage_of('a.py')\n"
    assert run(code + "print([m for m in ('tree_sitter', 'semble_grammars') if m in sys.modules])") == "[]"


def test_a_chosen_cache_folder_is_used(tmp_path: Path) -> None:
    assert run(READS, SEMBLE_GRAMMARS_CACHE_DIR=str(tmp_path)) == "1"
    assert list(tmp_path.rglob("*python*"))


def test_without_a_writable_cache_folder_a_private_one_is_used_and_removed(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    shown = run(
        READS + "import os; print(os.environ['SEMBLE_GRAMMARS_CACHE_DIR'])",
        SEMBLE_GRAMMARS_CACHE_DIR=str(blocked),
        TMPDIR=str(scratch),
    )
    assert shown.split() == ["1", str(blocked)]
    assert list(scratch.iterdir()) == []


def test_a_language_whose_grammar_cannot_be_had_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "semble_grammars.py").write_text("raise ImportError\n")
    code = "from dovetail.syntax import default_language\nprint(default_language().tokens('a.py', 'x'))"
    assert run(code, PYTHONPATH=str(tmp_path)) == "None"


def test_single_grammar_wheels_stand_in_for_the_bundle(tmp_path: Path) -> None:
    """A real grammar, handed over in the shape that single wheels have."""
    (tmp_path / "tree_sitter_python.py").write_text(
        "import importlib.util, sys\n"
        "def language():\n"
        "    spec = importlib.util.find_spec('bundle_loader')\n"
        "    from bundle_loader import capsule\n"
        "    return capsule('python')\n"
    )
    real = subprocess.run(
        [sys.executable, "-c", "import semble_grammars.loader as l; print(l.__file__)"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    site = Path(real).parent.parent
    (tmp_path / "bundle_loader.py").write_text(
        "import sys\n"
        "def capsule(name):\n"
        "    del sys.modules['semble_grammars']\n"
        f"    sys.path.insert(0, {str(site)!r})\n"
        "    import semble_grammars.loader as loader\n"
        "    manifest = loader._platform_manifest()\n"
        "    entry = manifest['languages'][name]\n"
        "    return loader._load_capsule(loader._extracted_library_path(manifest, entry), entry['symbol'])\n"
    )
    code = "import sys\nsys.modules['semble_grammars'] = None\n" + READS
    assert run(code, PYTHONPATH=str(tmp_path)) == "1"
