"""Hooks of the documentation's site: the pages that stand at the root of the repository, and links between the two.

On the site `README.md` is the first page, and the others have their own names. A link into the code has no page there:
it becomes the name of the file.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "SECURITY.md": "SECURITY.md",
}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the repository's root, and a list of the decisions."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    decisions = sorted((ROOT / "docs/decisions").glob("0*.md"))
    titles = (file.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") for file in decisions)
    rows = (f"- [{title}]({file.name})" for title, file in zip(titles, decisions, strict=True))
    files.append(File.generated(config, "decisions/index.md", content="# Decisions\n\n" + "\n".join(rows) + "\n"))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_: object) -> str:
    """Lead each link where its target is on the site."""
    at_root = page.file.src_uri in PAGES.values()
    here = "" if at_root else posixpath.dirname(posixpath.join("docs", page.file.src_uri))

    def led(link: re.Match[str]) -> str:
        image, text, target, anchor = link.groups()
        path = posixpath.normpath(posixpath.join(here, target))
        name = PAGES.get(path, path.removeprefix("docs/") if path.startswith("docs/") else path)
        if files.get_file_from_path(f"{name}/index.md"):
            name += "/index.md"
        if files.get_file_from_path(name) is None and not (ROOT / "docs" / name).is_file() and (ROOT / path).exists():
            return text
        there = posixpath.relpath(name, posixpath.dirname(page.file.src_uri) or ".")
        return f"{image}[{text}]({there}{anchor or ''})"

    return LINK.sub(led, markdown)
