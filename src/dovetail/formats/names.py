"""Words that are names of languages, and words that are names of files without an extension."""

from __future__ import annotations

_LANGUAGES = """
ada asm assembly awk bash bat batch c c# c++ cfg clojure cmake cmd conf console cpp cs csharp css csv cuda cxx dart
diff django docker dockerfile dotenv elixir elm env erb erlang excel f# fish fortran fsharp go golang graphql groovy h
haskell hbs hcl hpp html http ini java javascript jinja jinja2 js json json5 jsonc jsx julia kotlin kt latex less lisp
lua make makefile markdown matlab md mermaid nginx nim nix objc objective-c ocaml output patch perl php plain plaintext
powershell prisma proto protobuf ps1 pug py python python3 r rb react regex rs rst ruby rust sass scala scheme scss sh
shell solidity sql svelte svg swift tcl terraform tex text tf toml ts tsx twig txt typescript v vb verilog vhdl vim vue
wasm xhtml xml yaml yml zig zsh
"""

_FILES = """
authors brewfile caddyfile changelog cmakelists.txt codeowners containerfile contributing copying dockerfile gemfile
gnumakefile guardfile install jenkinsfile justfile licence license makefile news notice pipfile podfile procfile
rakefile readme snakefile tiltfile todo vagrantfile version
"""

LANGUAGES = frozenset(_LANGUAGES.split())
KNOWN_NAMES = frozenset(_FILES.split())
