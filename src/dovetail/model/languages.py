"""The language of a file, told by its name alone.

Owns the table of names and extensions; opens nothing. A language is named by the word that a code fence takes
(``python``, ``tsx``, ``bash``), which is also the name of its grammar.
"""

from __future__ import annotations

_BY_LANGUAGE: dict[str, str] = {
    "asciidoc": ".adoc .asciidoc",
    "astro": ".astro",
    "bash": ".sh .bash .zsh .ksh .bats .ebuild .bashrc .bash_profile .bash_aliases .zshrc .profile PKGBUILD",
    "batch": ".bat .cmd",
    "c": ".c",
    "clojure": ".clj .cljs .cljc .edn",
    "cmake": ".cmake CMakeLists.txt",
    "cpp": ".cpp .cc .cxx .c++ .hpp .hh .hxx .h .ipp .tpp .inl .ino .cu .cuh",
    "csharp": ".cs .csx",
    "css": ".css",
    "dart": ".dart",
    "dockerfile": ".dockerfile Dockerfile Containerfile",
    "dtd": ".dtd",
    "elixir": ".ex .exs",
    "embedded_template": ".erb .ejs",
    "erlang": ".erl .hrl .escript",
    "fortran": ".f90 .f95 .f03 .f08 .f .for",
    "gitignore": ".gitignore .dockerignore .npmignore .prettierignore .eslintignore",
    "go": ".go",
    "gotmpl": ".gotmpl .tmpl",
    "graphql": ".graphql .gql",
    "groovy": ".groovy .gradle .gvy Jenkinsfile",
    "haskell": ".hs",
    "hcl": ".hcl .tf .tfvars",
    "heex": ".heex",
    "html": ".html .htm .xhtml",
    "ini": ".ini .cfg .conf .editorconfig .gitconfig .pylintrc .flake8",
    "java": ".java",
    "javascript": ".js .jsx .mjs .cjs .es6",
    "jinja2": ".jinja .jinja2 .j2",
    "json": ".json .geojson .webmanifest .ipynb .jsonl .ndjson .har",
    "json5": ".json5",
    "jsonc": ".jsonc .code-workspace tsconfig.json jsconfig.json .eslintrc .babelrc .swcrc",
    "jsonnet": ".jsonnet .libsonnet",
    "julia": ".jl",
    "just": ".just justfile Justfile",
    "kdl": ".kdl",
    "kotlin": ".kt .kts",
    "latex": ".tex .sty .cls .ltx",
    "lua": ".lua .rockspec",
    "make": ".mk .mak Makefile makefile GNUmakefile",
    "markdown": ".md .markdown .mdx .mkd",
    "nix": ".nix",
    "objc": ".m .mm",
    "ocaml": ".ml",
    "org": ".org",
    "perl": ".pl .pm .t",
    "php": ".php .phtml .php5 .inc",
    "powershell": ".ps1 .psm1 .psd1",
    "properties": ".properties",
    "proto": ".proto",
    "python": ".py .pyi .pyw .pyx .gyp SConstruct wscript",
    "r": ".r",
    "racket": ".rkt",
    "rst": ".rst",
    "ruby": ".rb .rake .gemspec .ru .podspec Gemfile Rakefile Podfile Vagrantfile Brewfile",
    "rust": ".rs",
    "scala": ".scala .sc .sbt",
    "scheme": ".scm .ss",
    "scss": ".scss",
    "solidity": ".sol",
    "sql": ".sql",
    "starlark": ".bzl .bazel .star BUILD WORKSPACE",
    "svelte": ".svelte",
    "swift": ".swift",
    "toml": ".toml Pipfile Cargo.lock poetry.lock uv.lock",
    "tsx": ".tsx",
    "typescript": ".ts .mts .cts",
    "typst": ".typ",
    "vim": ".vim .vimrc",
    "vue": ".vue",
    "wat": ".wat",
    "xml": ".xml .svg .xsd .xsl .xslt .plist .csproj .wsdl .rss",
    "yaml": ".yaml .yml .clang-format .clang-tidy",
    "zig": ".zig .zon",
}

_BY_ENDING: dict[str, str] = {
    ending: language for language, endings in _BY_LANGUAGE.items() for ending in endings.split()
}


def language_of(path: str) -> str | None:
    """The language of the file at `path` (``/`` or ``\\`` between its parts), None where its name tells none.

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
    while dot != -1:
        if (ending := lowered[dot:]) in _BY_ENDING:
            return _BY_ENDING[ending]
        dot = lowered.find(".", dot + 1)
    return None


def known_languages() -> tuple[str, ...]:
    """Every language that `language_of` can answer, in alphabetical order."""
    return tuple(_BY_LANGUAGE)
