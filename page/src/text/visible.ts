/**
 * Makes characters visible that would change how text reads without being seen.
 *
 * Direction overrides and isolates, zero-width characters and control codes are the tools of a reply that shows one
 * thing and says another. Each becomes a piece of its own with its name; everything else stays as it is.
 */

/** A stretch of text as it stands, or one unseen character with its name. */
export type Piece = { readonly text: string; readonly hidden?: string };

const NAMES: Readonly<Record<string, string>> = {
  "\u061c": "Arabic letter mark",
  "\u00ad": "soft hyphen",
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
  "\ufeff": "byte order mark",
};

const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const ANY = new RegExp(UNSEEN.source);
const IN_ONE_LINE = new RegExp(`${UNSEEN.source}|[\\t\\n\\r]`, "g");

/** Whether a text has a character that is not seen. */
export function hasUnseen(text: string): boolean {
  return ANY.test(text);
}

/** The pieces of a text; joined they are the text. A zero-width joiner inside an emoji stays in its place. */
export function visiblePieces(text: string): Piece[] {
  if (!hasUnseen(text)) return [{ text }];
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(UNSEEN)) {
    if (found[0] === "\u200d" && joinsPictures(text, found.index)) continue;
    if (found.index > from) pieces.push({ text: text.slice(from, found.index) });
    pieces.push({ text: found[0], hidden: nameOf(found[0]) });
    from = found.index + 1;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

/**
 * The same as one line of plain text, for where no element can stand: a title, an option, what a screen reader is told.
 * `a<U+202E>b`; line ends and tabs, which a file's name may have, are spelled too.
 */
export function spelled(text: string): string {
  return text.replace(IN_ONE_LINE, (found, at: number) =>
    found === "\u200d" && joinsPictures(text, at) ? found : `<${codePoint(found)}>`,
  );
}

/** `U+202E`. */
export function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function nameOf(character: string): string {
  return NAMES[character] ?? "control character";
}

function joinsPictures(text: string, index: number): boolean {
  const picture = /\p{Extended_Pictographic}/u;
  return picture.test(text.slice(Math.max(0, index - 3), index)) && picture.test(text.slice(index + 1, index + 3));
}
