/**
 * Which language a file is written in, and the grammar that colours it.
 *
 * Grammars are loaded when a file of theirs is first drawn; a language that has none is drawn plainly.
 */

import type { Parser } from "@lezer/common";

export type Language =
  | "c" | "csharp" | "css" | "dart" | "go" | "html" | "java" | "js" | "json" | "jsx" | "kotlin" | "markdown" | "php"
  | "python" | "ruby" | "rust" | "scala" | "shell" | "swift" | "toml" | "ts" | "tsx" | "xml" | "yaml";

const BY_ENDING: Readonly<Record<string, Language>> = {
  bash: "shell", c: "c", cc: "c", cjs: "js", cpp: "c", cs: "csharp", css: "css", cts: "ts", cxx: "c", dart: "dart",
  go: "go", h: "c", hh: "c", hpp: "c", htm: "html", html: "html", java: "java", js: "js", json: "json", jsonc: "json",
  jsx: "jsx", kt: "kotlin", kts: "kotlin", less: "css", markdown: "markdown", md: "markdown", mjs: "js", mts: "ts",
  php: "php", py: "python", pyi: "python", rb: "ruby", rs: "rust", scala: "scala", scss: "css", sh: "shell",
  svelte: "html", svg: "xml", swift: "swift", toml: "toml", ts: "ts", tsx: "tsx", vue: "html", xml: "xml",
  yaml: "yaml", yml: "yaml", zsh: "shell",
};

/** The language of a path, by its ending. */
export function languageOf(path: string): Language | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? null : (BY_ENDING[name.slice(dot + 1).toLowerCase()] ?? null);
}

const LOADERS: Readonly<Record<Language, () => Promise<Parser>>> = {
  c: async () => (await import("@lezer/cpp")).parser,
  csharp: async () => (await import("./c_like_grammars")).csharp,
  css: async () => (await import("@lezer/css")).parser,
  dart: async () => (await import("./c_like_grammars")).dart,
  go: async () => (await import("@lezer/go")).parser,
  html: async () => (await import("@codemirror/lang-html")).htmlLanguage.parser,
  java: async () => (await import("@lezer/java")).parser,
  js: async () => (await import("@lezer/javascript")).parser,
  json: async () => (await import("@lezer/json")).parser,
  jsx: async () => (await import("@lezer/javascript")).parser.configure({ dialect: "jsx" }),
  kotlin: async () => (await import("./c_like_grammars")).kotlin,
  markdown: async () => (await import("@lezer/markdown")).parser,
  php: async () => (await import("@lezer/php")).parser,
  python: async () => (await import("@lezer/python")).parser,
  ruby: async () => (await import("./stream_grammars")).ruby,
  rust: async () => (await import("@lezer/rust")).parser,
  scala: async () => (await import("./c_like_grammars")).scala,
  shell: async () => (await import("./stream_grammars")).shell,
  swift: async () => (await import("./c_like_grammars")).swift,
  toml: async () => (await import("./stream_grammars")).toml,
  ts: async () => (await import("@lezer/javascript")).parser.configure({ dialect: "ts" }),
  tsx: async () => (await import("@lezer/javascript")).parser.configure({ dialect: "jsx ts" }),
  xml: async () => (await import("@lezer/xml")).parser,
  yaml: async () => (await import("@lezer/yaml")).parser,
};

const loading = new Map<Language, Promise<Parser | null>>();
const loaded = new Map<Language, Parser>();

/** The grammar, if it is there already. */
export function parserNow(language: Language): Parser | null {
  return loaded.get(language) ?? null;
}

/** The grammar, loaded once; null where the server was away, which whoever asks next tries again. */
export function loadParser(language: Language): Promise<Parser | null> {
  const promise = loading.get(language) ?? load(language);
  loading.set(language, promise);
  return promise;
}

async function load(language: Language): Promise<Parser | null> {
  try {
    const parser = await LOADERS[language]();
    loaded.set(language, parser);
    return parser;
  } catch {
    loading.delete(language);
    return null;
  }
}
