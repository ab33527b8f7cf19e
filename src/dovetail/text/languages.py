r"""Languages as far as they are known without parsing: file names, and how comments begin and end.

Owns one table. A language is named by the word that a code fence takes (``python``, ``tsx``, ``bash``), which is also
the name of its grammar. Nothing is opened: a file's language is told by its name alone.
"""

from __future__ import annotations

from typing import NamedTuple


class SourceLanguage(NamedTuple):
    """A row of the table.

    endings: extensions with their dot, and whole names. line: signs after which the rest of a line is a comment.
    block: signs that open a comment and those that close it, by turns. kind: ``program``, ``data`` (values by name),
    ``markup`` (made of tags) or ``document`` (words for people).
    """

    endings: str
    line: str = ""
    block: str = ""
    kind: str = "program"


_C = ("//", "/* */")
_TAGS = ("", "<!-- -->", "markup")
_HASH = ("#",)
_HASH_DATA = ("#", "", "data")

_TABLE: dict[str, SourceLanguage] = {
    name: SourceLanguage(*row)
    for name, row in {
        "asciidoc": (".adoc .asciidoc", "//", "", "document"),
        "astro": (".astro", *_TAGS),
        "bash": (".sh .bash .zsh .ksh .bats .ebuild .bashrc .bash_profile .bash_aliases .zshrc .profile PKGBUILD", "#"),
        "batch": (".bat .cmd", "REM rem @REM @rem ::"),
        "c": (".c", *_C),
        "clojure": (".clj .cljs .cljc .edn", ";"),
        "cmake": (".cmake CMakeLists.txt", "#"),
        "cpp": (".cpp .cc .cxx .c++ .hpp .hh .hxx .h .ipp .tpp .inl .ino .cu .cuh", *_C),
        "csharp": (".cs .csx", "//", "/* */ @* *@"),
        "css": (".css", "", "/* */"),
        "dart": (".dart", *_C),
        "dockerfile": (".dockerfile Dockerfile Containerfile", *_HASH),
        "dtd": (".dtd", *_TAGS),
        "elixir": (".ex .exs", *_HASH),
        "embedded_template": (".erb .ejs", "", "<!-- --> <%# %> <%-- --%>", "markup"),
        "erlang": (".erl .hrl .escript", "%"),
        "fortran": (".f90 .f95 .f03 .f08 .f .for", "!"),
        "gitignore": (".gitignore .dockerignore .npmignore .prettierignore .eslintignore", *_HASH_DATA),
        "go": (".go", *_C),
        "gotmpl": (".gotmpl .tmpl", "", "{{/* */}} <!-- -->", "markup"),
        "graphql": (".graphql .gql", *_HASH),
        "groovy": (".groovy .gradle .gvy Jenkinsfile", *_C),
        "haskell": (".hs", "--", "{- -}"),
        "hcl": (".hcl .tf .tfvars", "# //", "/* */"),
        "heex": (".heex", "", "<!-- --> <%# %> <%!-- --%>", "markup"),
        "html": (".html .htm .xhtml", *_TAGS),
        "ini": (".ini .cfg .conf .editorconfig .gitconfig .pylintrc .flake8", "# ;", "", "data"),
        "java": (".java", *_C),
        "javascript": (".js .jsx .mjs .cjs .es6", "//", "/* */ {/* */}"),
        "jinja2": (".jinja .jinja2 .j2", "", "{# #} <!-- -->", "markup"),
        "json": (".json .geojson .webmanifest .ipynb .jsonl .ndjson .har", *_C, "data"),
        "json5": (".json5", *_C, "data"),
        "jsonc": (".jsonc .code-workspace tsconfig.json jsconfig.json .eslintrc .babelrc .swcrc", *_C, "data"),
        "jsonnet": (".jsonnet .libsonnet", "// #", "/* */", "data"),
        "julia": (".jl", "#", "#= =#"),
        "just": (".just justfile Justfile", *_HASH),
        "kdl": (".kdl", *_C, "data"),
        "kotlin": (".kt .kts", *_C),
        "latex": (".tex .sty .cls .ltx", "%", "", "document"),
        "lua": (".lua .rockspec", "--", "--[[ ]]"),
        "make": (".mk .mak Makefile makefile GNUmakefile", *_HASH),
        "markdown": (".md .markdown .mdx .mkd", "", "<!-- -->", "document"),
        "nix": (".nix", "#", "/* */"),
        "objc": (".m .mm", *_C),
        "ocaml": (".ml", "", "(* *)"),
        "org": (".org", "#", "", "document"),
        "perl": (".pl .pm .t", *_HASH),
        "php": (".php .phtml .php5 .inc", "// #", "/* */ {{-- --}} <!-- -->"),
        "powershell": (".ps1 .psm1 .psd1", "#", "<# #>"),
        "properties": (".properties", "# !", "", "data"),
        "proto": (".proto", *_C),
        "python": (".py .pyi .pyw .pyx .gyp SConstruct wscript", *_HASH),
        "r": (".r", *_HASH),
        "racket": (".rkt", ";", "#| |#"),
        "rst": (".rst", "..", "", "document"),
        "ruby": (".rb .rake .gemspec .ru .podspec Gemfile Rakefile Podfile Vagrantfile Brewfile", *_HASH),
        "rust": (".rs", *_C),
        "scala": (".scala .sc .sbt", *_C),
        "scheme": (".scm .ss", ";", "#| |#"),
        "scss": (".scss", *_C),
        "solidity": (".sol", *_C),
        "sql": (".sql", "--", "/* */"),
        "starlark": (".bzl .bazel .star BUILD WORKSPACE", *_HASH),
        "svelte": (".svelte", "//", "<!-- --> /* */ {/* */}", "markup"),
        "swift": (".swift", *_C),
        "toml": (".toml Pipfile Cargo.lock poetry.lock uv.lock", *_HASH_DATA),
        "tsx": (".tsx", "//", "/* */ {/* */}"),
        "typescript": (".ts .mts .cts", *_C),
        "typst": (".typ", "//", "/* */", "document"),
        "vim": (".vim .vimrc", '"'),
        "vue": (".vue", "//", "<!-- --> /* */", "markup"),
        "wat": (".wat", ";;", "(; ;)"),
        "xml": (".xml .svg .xsd .xsl .xslt .plist .csproj .wsdl .rss", *_TAGS),
        "yaml": (".yaml .yml .clang-format .clang-tidy", *_HASH_DATA),
        "zig": (".zig .zon", "//"),
    }.items()
}

_BY_ENDING: dict[str, str] = {ending: name for name, row in _TABLE.items() for ending in row.endings.split()}


def language_of(path: str) -> str | None:
    """Return the language of the file at `path` (``/`` or ``\\`` between its parts), or None if its name tells none.

    A whole name counts before an extension, and the longer extension before the shorter; only the case of an
    extension is overlooked.
    """
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    if name in _BY_ENDING:
        return _BY_ENDING[name]
    if name.startswith(("Dockerfile.", "Makefile.")):
        return _BY_ENDING[name.partition(".")[0]]
    lowered = name.lower()
    dot = lowered.find(".")
    # Of `a.d.ts` first `.d.ts` is looked up, then `.ts`.
    while dot != -1:
        if (ending := lowered[dot:]) in _BY_ENDING:
            return _BY_ENDING[ending]
        dot = lowered.find(".", dot + 1)
    return None


def known_languages() -> tuple[str, ...]:
    """Every language that `language_of` can answer, in alphabetical order."""
    return tuple(_TABLE)


def source_language(path: str) -> SourceLanguage | None:
    """Return the row for the file at `path`, or None if its name tells no language."""
    name = language_of(path)
    return None if name is None else _TABLE[name]


def is_document(path: str | None) -> bool:
    """Return whether the file is prose, whose text may be about markers, escapes and fences."""
    row = source_language(path or "")
    return (path or "").lower().endswith(".txt") if row is None else row.kind == "document"


def is_program(path: str | None) -> bool:
    """Return whether the file is a program: no data, markup or prose."""
    row = source_language(path or "")
    return row is not None and row.kind == "program"


def is_markup(path: str) -> bool:
    """Return whether the file is markup, or code that may contain tags (PHP, JSX)."""
    row = source_language(path)
    return row is not None and (row.kind == "markup" or language_of(path) in ("php", "tsx", "javascript"))


def dots_are_code(path: str) -> bool:
    """Return whether ``...`` alone is a statement of the language."""
    return language_of(path) == "python"


def layout_is_grammar(path: str) -> bool:
    """Return whether indentation is syntax in the file's language: it decides to which block a line belongs."""
    return language_of(path) in ("python", "yaml")


LINE_COMMENTS = tuple(dict.fromkeys(sign for row in _TABLE.values() for sign in row.line.split()))
"""The signs before a comment that ends with its line, of all languages."""
BLOCK_COMMENTS = {
    opening: closing
    for row in _TABLE.values()
    for opening, closing in zip(row.block.split()[::2], row.block.split()[1::2], strict=True)
}
"""The signs that open a comment, of all languages, each with the one that closes it."""
