/**
 * The little Markdown that models write around their edits, as values to be drawn.
 *
 * Owns what is read as a heading, a list, a quotation, a fence, or emphasis. It makes no links, no images and no
 * markup of any kind: an address stays the text it is. Whatever is not understood is a paragraph.
 */

export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong" | "em" | "struck"; readonly parts: readonly Inline[] }
  | { readonly kind: "file"; readonly path: string; readonly line: number | null; readonly text: string; readonly code: boolean };

export type Part =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "item"; readonly depth: number; readonly marker: string; readonly text: string }
  | { readonly kind: "quote"; readonly text: string }
  | { readonly kind: "rule" }
  | { readonly kind: "code"; readonly info: string; readonly text: string };

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const ITEM = /^(\s*)([-*+]|\d{1,3}[.)])\s+(.*)$/;
const QUOTE = /^>\s?(.*)$/;
const RULE = /^\s*([-*_])(?:\s*\1){2,}\s*$/;
const FENCE = /^(\s*)(`{3,}|~{3,})(.*)$/;

/** The parts of a piece of prose, in order. */
export function proseParts(text: string): Part[] {
  const parts: Part[] = [];
  const lines = text.split("\n");
  let paragraph: string[] = [];
  const close = (): void => {
    if (paragraph.length > 0) parts.push({ kind: "paragraph", text: paragraph.join("\n") });
    paragraph = [];
  };
  for (let n = 0; n < lines.length; n++) {
    const line = lines[n]!;
    const fence = FENCE.exec(line);
    if (fence) {
      close();
      const end = fenceEnd(lines, n, fence[2]!);
      parts.push({ kind: "code", info: fence[3]!.trim(), text: lines.slice(n + 1, end).join("\n") });
      n = end;
    } else if (line.trim() === "") {
      close();
    } else {
      const single = lineAlone(line);
      const last = parts.at(-1);
      if (single === null && paragraph.length === 0 && last?.kind === "item" && /^\s/.test(line) && lines[n - 1]!.trim() !== "") {
        parts[parts.length - 1] = { ...last, text: `${last.text} ${line.trim()}` };
      } else if (single?.kind === "quote" && paragraph.length === 0 && last?.kind === "quote" && QUOTE.test(lines[n - 1]!)) {
        parts[parts.length - 1] = { ...last, text: `${last.text}\n${single.text}` };
      } else if (single === null) paragraph.push(line);
      else {
        close();
        parts.push(single);
      }
    }
  }
  close();
  return parts;
}

function fenceEnd(lines: readonly string[], start: number, mark: string): number {
  for (let n = start + 1; n < lines.length; n++) {
    const line = lines[n]!.trim();
    if (line.length >= mark.length && line === mark[0]!.repeat(line.length)) return n;
  }
  return lines.length;
}

function lineAlone(line: string): Part | null {
  if (RULE.test(line)) return { kind: "rule" };
  const heading = HEADING.exec(line);
  if (heading) return { kind: "heading", level: heading[1]!.length, text: heading[2]! };
  const item = ITEM.exec(line);
  if (item) return { kind: "item", depth: Math.floor(item[1]!.length / 2), marker: item[2]!, text: item[3]! };
  const quote = QUOTE.exec(line);
  return quote ? { kind: "quote", text: quote[1]! } : null;
}

/** Code; then what is strong, struck out, emphasized: their insides may hold code, whose signs count for nothing. */
const INSIDE = "(?=\\S)((?:`[^`\\n]*`|[^\\n`])*?(?:`[^`\\n]*`|[^\\s`]))";
const INLINE = new RegExp(
  [
    "(`+)(?!`)([^\\n]*?[^`\\n])\\1(?!`)",
    `\\*\\*${INSIDE}\\*\\*`,
    `~~${INSIDE}~~`,
    "(?<![\\w*])\\*(?=[^\\s*])((?:`[^`\\n]*`|[^*\\n`])*?(?:`[^`\\n]*`|[^\\s*`]))\\*(?![\\w*])",
    "(?<![^\\s(])_(?=[^\\s_])((?:`[^`\\n]*`|[^_\\n`])*?(?:`[^`\\n]*`|[^\\s_`]))_(?![\\w_(/.-])", // names of code have such lines too
  ].join("|"),
  "g",
);
const DEEPEST = 4;
const LONGEST_LINE = 5000;

/** Emphasis, code and file names within a line; `fileOf` says which file a word names, if any. */
export function inlineParts(text: string, fileOf: (word: string) => string | null, depth = 0): Inline[] {
  if (text.length > LONGEST_LINE || depth > DEEPEST) return [{ kind: "text", text }];
  const parts: Inline[] = [];
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    parts.push(...withFiles(text.slice(from, found.index), fileOf));
    const [, , code, stars, struck, star, line] = found;
    const inside = (of: string): Inline[] => inlineParts(of, fileOf, depth + 1);
    if (code !== undefined) parts.push(codeOrFile(code.trim(), fileOf));
    else if (struck !== undefined) parts.push({ kind: "struck", parts: inside(struck) });
    else if (stars !== undefined) parts.push({ kind: "strong", parts: inside(stars) });
    else parts.push({ kind: "em", parts: inside(star ?? line ?? "") });
    from = found.index + found[0].length;
  }
  parts.push(...withFiles(text.slice(from), fileOf));
  return parts;
}

const WORD = /[\w@~.-]+(?:[\\/][\w@~.+-]+)*\.?[\w-]*(?::\d+)?/g;

function codeOrFile(text: string, fileOf: (word: string) => string | null): Inline {
  const [path, line] = namedFile(text, fileOf);
  return path === null ? { kind: "code", text } : { kind: "file", path, line, text, code: true };
}

function withFiles(text: string, fileOf: (word: string) => string | null): Inline[] {
  const parts: Inline[] = [];
  let from = 0;
  for (const found of text.matchAll(WORD)) {
    const word = found[0].replace(/\.$/, "");
    if (!/[./]/.test(word)) continue;
    const [path, line] = namedFile(word, fileOf);
    if (path === null) continue;
    if (found.index > from) parts.push({ kind: "text", text: text.slice(from, found.index) });
    parts.push({ kind: "file", path, line, text: word, code: false });
    from = found.index + word.length;
  }
  if (from < text.length) parts.push({ kind: "text", text: text.slice(from) });
  return parts;
}

function namedFile(text: string, fileOf: (word: string) => string | null): [string | null, number | null] {
  const numbered = /^(.+?):(\d+)$/.exec(text);
  if (numbered) {
    const path = fileOf(numbered[1]!);
    if (path !== null) return [path, Number(numbered[2])];
  }
  return [fileOf(text), null];
}

/** Finds files by whole path, or by a name that only one file has. */
export function fileFinder(paths: readonly string[]): (word: string) => string | null {
  const known = new Map<string, string | null>();
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    known.set(name, known.has(name) ? null : path);
  }
  for (const path of paths) known.set(path, path);
  return (word) => known.get(word.replace(/^\.\//, "").replaceAll("\\", "/")) ?? null;
}
