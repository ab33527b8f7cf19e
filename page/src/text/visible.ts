/**
 * Makes characters visible that would change how text reads without being seen.
 *
 * Direction overrides and isolates, characters without width or ink and control codes are the tools of a reply that shows
 * one thing and says another. Each becomes a piece of its own with its name; everything else stays as it is. The terminal
 * does so by the same rules, in `src/dovetail/cli/screen.py`; `tests/cli/unseen.json` holds cases of both.
 */

/** A stretch of text as it stands, or one unseen character with its name. */
export type Piece = { readonly text: string; readonly hidden?: string };

const NAMES: Readonly<Record<string, string>> = {
  "\r": "carriage return",
  "\u061c": "Arabic letter mark",
  "\u00ad": "soft hyphen",
  "\u115f": "Hangul filler",
  "\u1160": "Hangul filler",
  "\u180e": "Mongolian vowel separator",
  "\u200b": "zero-width space",
  "\u200c": "zero-width non-joiner",
  "\u200d": "zero-width joiner",
  "\u200e": "left-to-right mark",
  "\u200f": "right-to-left mark",
  "\u2028": "line separator",
  "\u2029": "paragraph separator",
  "\u202a": "left-to-right embedding",
  "\u202b": "right-to-left embedding",
  "\u202c": "end of direction",
  "\u202d": "left-to-right override",
  "\u202e": "right-to-left override",
  "\u2060": "word joiner",
  "\u2066": "left-to-right isolate",
  "\u2067": "right-to-left isolate",
  "\u2068": "first strong isolate",
  "\u2069": "end of isolate",
  "\u3164": "Hangul filler",
  "\ufeff": "byte order mark",
  "\uffa0": "Hangul filler",
};

const ALWAYS =
  "\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200c" +
  "\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1bca0}-\\u{1bca3}" +
  "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e001f}\\u{e0080}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}";
const PICTURE = "\\p{ExtPict}[\\ufe0e\\ufe0f\\p{EMod}]?";

/** What is unseen unless it is a part of something that is seen: a line end, a joined picture, a variant of a sign. */
const BY_ITSELF = [
  "\\r(?!\\n)",
  `(?<!${PICTURE})\\u200d|\\u200d(?!\\p{ExtPict})`,
  "(?<!\\u{1f3f4}[\\u{e0020}-\\u{e007f}]{0,5})[\\u{e0020}-\\u{e007f}]", // no flag has more: a longer run is a hidden text
  "(?<![\\p{Emoji}\\p{Sm}\\p{sc=Han}])[\\ufe00-\\ufe0f]|(?<!\\p{sc=Han})[\\u{e0100}-\\u{e01ef}]",
  "(?<=[\\0-\\x7f])[\\ufe00-\\ufe0f](?!\\u20e3)",
];

/** One character that is not seen. */
export const UNSEEN = new RegExp(`[${ALWAYS}]|${BY_ITSELF.join("|")}`, "gu");
const PERHAPS = new RegExp(`[${ALWAYS}\\r\\u200d\\ufe00-\\ufe0f\\u{e0020}-\\u{e007f}\\u{e0100}-\\u{e01ef}]`, "u");
const IN_ONE_LINE = new RegExp(`${UNSEEN.source}|[\\t\\n\\r]`, "gu");

/** Whether a text may have a character that is not seen; quickly, for most have none. */
export function mayHaveUnseen(text: string): boolean {
  return PERHAPS.test(text);
}

/** The pieces of a text; joined they are the text. */
export function visiblePieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(UNSEEN)) {
    if (index > from) pieces.push({ text: text.slice(from, index) });
    pieces.push({ text: character, hidden: NAMES[character] ?? "character that is not seen" });
    from = index + character.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

/**
 * The same as one line of plain text, for where no element can stand: a title, an option, what a screen reader is told.
 * `a<U+202E>b`; line ends and tabs, which a file's name may have, are spelled too.
 */
export function spelled(text: string): string {
  return text.replace(IN_ONE_LINE, (found) => `<${codePoint(found)}>`);
}

/** `U+202E`. */
export function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
