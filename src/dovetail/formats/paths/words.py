"""Lists of words for reading paths: names of languages, names of files without an extension, extensions; and words
around a path: in remarks after it, and at the start of sentences that name it."""

from __future__ import annotations

from dovetail.text.listed import listed

LANGUAGES = listed("""
ada asm assembly awk bash bat batch c c# c++ cfg clojure cmake cmd conf console cpp cs csharp css csv cuda cxx dart
diff django docker dockerfile dotenv elixir elm env erb erlang excel f# fish fortran fsharp go golang graphql groovy h
haskell hbs hcl hpp html http ini java javascript jinja jinja2 js json json5 jsonc jsx julia kotlin kt latex less lisp
lua make makefile markdown matlab md mermaid nginx nim nix objc objective-c ocaml output patch perl php plain plaintext
powershell prisma proto protobuf ps1 pug py python python3 r rb react regex rs rst ruby rust sass scala scheme scss sh
shell solidity sql svelte svg swift tcl terraform tex text tf toml ts tsx twig txt typescript v vb verilog vhdl vim vue
wasm xhtml xml yaml yml zig zsh
""")

KNOWN_NAMES = listed("""
appfile authors berksfile brewfile caddyfile changelog cmakelists.txt codeowners containerfile contributing copying
dockerfile fastfile gemfile gnumakefile go.mod go.sum go.work guardfile install jenkinsfile justfile licence license
makefile manifest.in meson.build news notice pipfile podfile procfile py.typed rakefile readme requirements.in
snakefile tiltfile todo vagrantfile version
""")

EXTENSIONS = listed("""
adb adoc ads ahk arb asax asciidoc ascx asm aspx astro awk axaml bash bat bats bazel bib bicep bst bzl c cabal cairo
cc cfg cjs clj cljc cljs cmake cmd coffee conf config cpp cr cs cshtml csproj css csv csx cts cu cue cxx d dart
desktop diff dockerfile dpr dts ebuild edn eex ejs el elm entitlements env erb erl ex exs f90 fish frag fs fsproj fsx
ftl fxml g4 gd gdshader gemspec geojson gitignore glsl go gql gradle graphql groovy gypi h haml hbs hcl heex hh hlsl
hpp hrl hs htm html hx hxx ini ino ipynb j2 jade java jinja jinja2 jl js json json5 jsonc jsonl jsonnet jsp jspx jsx
kdl ksh kt kts lean leex less lhs libsonnet liquid lisp lock log lua m make mako md mdx metal mjs mk ml mli mm mts
mustache ndjson nim ninja nix njk nuspec odin pas patch pbxproj pcss pde php pl plist pm po podspec postcss pp prisma
properties props proto ps1 psm1 pug purs pxd py pyi pyw pyx qmd qml r rake razor rb rbs rego resx rkt rmd ron rs rst
sass scad scala scm scss service sh shader slim sln snap sol sql storyboard sty styl sv svelte svg svh swift tcl tex
tf tfvars tmpl toml tpl tres ts tscn tsv tsx twig txt typ v vb vbproj vbs vert vhd vim vtt vue wat webmanifest wgsl
xaml xcconfig xhtml xib xml xsd xsl xslt yaml yml zig zmodel zsh
""")

TEMPLATES = listed("""
dist example in sample template
""")
"""Endings of files that are there to be copied, after the name of the copy: ``.env.example``."""
LIBRARIES = listed("""
Alpine.js Angular.js Backbone.js Chart.js D3.js Discord.js Ember.js Express.js Knex.js Moment.js Nest.js
Next.js Node.js Nuxt.js P5.js React.js Three.js Vue.js console.log discord.js p5.js process.env
""")
"""Names with a file's ending that are not files."""

FRESH = listed("""
added after changed code complete completed content contents corrected create created edited entire file final fixed
full modified new newly refactored revised rewritten script update updated version whole
""")

PIECES = listed("""
constant constants field fields function functions import imports method methods properties property variable variables
""")
QUOTING = listed("""
before context current currently earlier example excerpt existing extract fragment line lines old original part partial
partially piece pieces portion previous previously reference relevant section sections snippet today unchanged usage
""")

LEADS = listed("""
a add added adding adjust also and change changed changes complete content contents create created creating edit edited
edits file finally first following for full here here's in into is let let's modify modified modifying new next now of
our please rewrite second the then third this to update updated updates updating version we'll whole write
""")

COMMANDS = listed("""
awk bash bun bundle cargo cat cd chmod cmake cp curl deno docker echo export find gcc git go gradle grep head java less
ls make mkdir mv mvn node npm npx perl php pip pip3 pnpm poetry pytest python python3 rm ruby rustc sed sh source sudo
tail tar touch ts-node tsc uv vim wget yarn zsh
""")
