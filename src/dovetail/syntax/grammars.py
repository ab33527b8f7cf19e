"""Loading of compiled grammars, each once in a process and on first use.

Grammars come from one bundle, unpacked into the user's cache folder; where that folder cannot be used, into a
private folder that is gone with the process. A platform without a bundle may bring single grammar wheels. A grammar
that cannot be had is None: the language counts as unknown, and no other part of Dovetail has to care.
"""

from __future__ import annotations

import importlib
import os
import tempfile
import threading
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Language

_CACHE_VARIABLE = "SEMBLE_GRAMMARS_CACHE_DIR"
_lock = threading.Lock()

_WHEELS: dict[str, tuple[str, str]] = {
    "csharp": ("tree_sitter_c_sharp", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "php_only": ("tree_sitter_php", "language_php_only"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "xml": ("tree_sitter_xml", "language_xml"),
}


@cache
def grammar(language: str) -> Language | None:
    """The compiled grammar of a language, None where there is none for this platform."""
    with _lock:
        bundled = _from_bundle(language)
    return bundled if bundled is not None else _from_wheel(language)


def _from_bundle(language: str) -> Language | None:
    try:
        import semble_grammars as bundle
    except ImportError:
        return None
    try:
        return bundle.get_language(language)  # type: ignore[no-any-return]
    except bundle.GrammarLoadError:
        return _from_private_folder(language)
    except (bundle.LanguageNotFoundError, bundle.UnsupportedPlatformError, OSError, RuntimeError, ValueError):
        return None


@lru_cache(maxsize=1)
def _private_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="dovetail-grammars-", ignore_cleanup_errors=True)


def _from_private_folder(language: str) -> Language | None:
    """Unpack into a folder of our own. The bundle can be told so by its environment variable only."""
    import semble_grammars as bundle

    before = os.environ.get(_CACHE_VARIABLE)
    try:
        os.environ[_CACHE_VARIABLE] = _private_folder().name
        return bundle.get_language(language)  # type: ignore[no-any-return]
    except (bundle.GrammarLoadError, OSError, RuntimeError, ValueError):
        return None
    finally:
        if before is None:
            del os.environ[_CACHE_VARIABLE]
        else:
            os.environ[_CACHE_VARIABLE] = before


def _from_wheel(language: str) -> Language | None:
    from tree_sitter import Language

    module, function = _WHEELS.get(language, (f"tree_sitter_{language}", "language"))
    try:
        return Language(getattr(importlib.import_module(module), function)())
    except (ImportError, AttributeError, ValueError):
        return None


def node_kinds(language: Language) -> Iterator[str]:
    """The names of all visible, named kinds of nodes that a grammar has, each once."""
    seen: set[str] = set()
    for index in range(language.node_kind_count):
        if language.node_kind_is_named(index) and language.node_kind_is_visible(index):
            kind = language.node_kind_for_id(index)
            if kind is not None and kind not in seen:
                seen.add(kind)
                yield kind
